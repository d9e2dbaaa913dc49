// SPDX-License-Identifier: Apache-2.0
// The end of the queues of hca_rx: packet by packet, in order, the verdict is given to whom it concerns.
module hca_rx_commit (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  hca_rx_pkg::way_t     s_way_i,
  input  logic                 s_way_valid_i,
  output logic                 s_way_ready_o,

  input  hca_rx_pkg::notice_t  s_notice_i,  // of a packet that was admitted
  input  logic                 s_notice_valid_i,
  output logic                 s_notice_ready_o,

  input  resp_pkg::result_t    s_res_i,  // of the oldest request that is not committed
  input  hca_rx_pkg::settled_t s_req_i,  // with it
  input  logic                 s_res_valid_i,
  output logic                 s_res_ready_o,

  output msg_pkg::query_t      m_message_o,  // it was executed: where its message goes on
  output logic                 m_message_valid_o,
  input  logic                 m_message_ready_i,

  output rq_pkg::query_t       m_take_o,  // it used a receive WQE
  output logic                 m_take_valid_o,
  input  logic                 m_take_ready_i,

  output mr_pkg::query_t       m_key_o,  // it takes a key away
  output logic                 m_key_valid_o,
  input  logic                 m_key_ready_i,

  output logic [23:0]          m_done_qpn_o,  // to rx_issue: of every request
  output logic                 m_done_valid_o,
  input  logic                 m_done_ready_i,

  output dma_pkg::cmd_t        m_memory_o,  // of payload but a response's, and of what completes a message
  output logic                 m_memory_valid_o,
  input  logic                 m_memory_ready_i,

  output logic                 m_heard_o,  // its payload is the requester's
  output logic                 m_heard_valid_o,  // of each packet with payload
  input  logic                 m_heard_ready_i,

  output hca_rx_pkg::work_t    m_work_o,  // what answers it
  output logic                 m_work_valid_o,
  input  logic                 m_work_ready_i,
  output logic [hca_rx_pkg::CountWidth-1:0] writes_o,  // so many of the host's memory so far

  output hca_rx_pkg::told_t    m_rec_o,
  output logic                 m_rec_valid_o,
  input  logic                 m_rec_ready_i
);

  hca_rx_pkg::told_t told;
  hca_rx_pkg::request_t req;
  logic admitted, notifies, noticed;
  logic of_request, judged, commit, executed, has_payload, completes, placed, answers, takes, told_ready, unused_req;
  ack_pkg::query_t answer;
  logic [31:0] offset;  // in the message, or of a datagram in its receive WQE
  logic [3:0] unused_told_count;

  assign of_request       = s_way_i.what == classify_pkg::ClassRequest;
  assign judged           = s_res_valid_i & m_message_ready_i & m_take_ready_i & m_key_ready_i & m_done_ready_i;
  assign admitted         = s_way_i.what != classify_pkg::ClassDropped;
  assign commit           = s_way_valid_i & (~of_request | judged) & (~admitted | noticed) &
                            told_ready & m_memory_ready_i & m_heard_ready_i & m_work_ready_i;
  assign s_way_ready_o    = commit;
  assign s_res_ready_o    = commit & of_request;
  assign executed         = of_request & (s_res_i.verdict == resp_pkg::VerdictExecute);
  assign has_payload      = s_way_i.bytes != '0;
  assign completes        = executed & s_res_i.complete;
  assign placed           = has_payload & executed;
  assign answers          = s_res_i.answer != resp_pkg::AnswerNone;
  assign m_heard_o        = s_way_i.what == classify_pkg::ClassResponse;
  assign m_heard_valid_o  = commit & has_payload;
  assign m_memory_valid_o = commit & ((has_payload & ~m_heard_o) | completes);
  assign m_work_valid_o   = notifies | (commit & of_request & answers);

  // ---------------------------------------------------------------------------------------------------------------
  // A CNP leaves in a clock of its own, before the answer to its packet.

  logic notified_q;

  assign notifies         = s_way_valid_i & admitted & s_notice_valid_i & s_notice_i.gives & ~notified_q;
  assign noticed          = s_notice_valid_i & ~notifies;
  assign s_notice_ready_o = commit & admitted;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) notified_q <= 1'b0;
    else if (commit) notified_q <= 1'b0;
    else if (notifies & m_work_ready_i) notified_q <= 1'b1;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What was looked up ahead of the verdict changes behind it.

  assign req               = s_req_i.req;
  assign offset            = req.is_datagram ? 32'(hca_rx_pkg::GrhBytes) : s_req_i.offset;
  assign takes             = executed & ((req.verb == msg_pkg::VerbSend) | s_res_i.complete);
  assign m_message_valid_o = commit & executed & (req.verb != msg_pkg::VerbNone);
  assign m_take_valid_o    = commit & takes;
  assign m_key_valid_o     = commit & executed & req.invalidates;
  assign m_done_valid_o    = commit & of_request;
  assign m_done_qpn_o      = s_way_i.qpn;
  assign unused_req        = ^req;

  always_comb begin
    m_message_o            = '0;
    m_message_o.op         = msg_pkg::OpCommit;
    m_message_o.qpn        = req.qpn;
    m_message_o.verb       = req.verb;
    m_message_o.first      = req.first;
    m_message_o.last       = req.last;
    m_message_o.payload    = req.payload;
    m_message_o.va         = req.va;
    m_message_o.rkey       = req.rkey;
    m_message_o.dma_length = req.dma_length;
  end

  always_comb begin
    m_take_o           = '0;
    m_take_o.op        = rq_pkg::OpTake;
    m_take_o.qpn       = req.qpn;
    m_take_o.rq        = req.rq;
    m_take_o.is_shared = req.is_shared;
    m_take_o.complete  = s_res_i.complete;
  end

  always_comb begin
    m_key_o      = '0;
    m_key_o.op   = mr_pkg::OpInvalidate;
    m_key_o.rkey = req.rkey;
    m_key_o.pd   = req.pd;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What becomes of it in the host's memory. A SEND goes where its receive WQE says: its number is the upper half of an
  // address.

  always_comb begin
    m_memory_o       = '0;
    m_memory_o.qpn   = s_way_i.qpn;
    m_memory_o.bytes = s_way_i.bytes;
    if (executed) begin
      m_memory_o.place   = 1'b1;
      m_memory_o.psn     = req.is_datagram ? req.src_qp : req.psn;
      m_memory_o.address = req.verb == msg_pkg::VerbSend ? {s_req_i.wqe, offset} : s_req_i.address;
    end
    if (completes) begin
      m_memory_o.complete      = 1'b1;
      m_memory_o.solicited     = s_res_i.solicited;
      m_memory_o.wqe           = s_req_i.wqe;
      m_memory_o.length        = offset + {16'h0, s_way_i.bytes};
      m_memory_o.has_immediate = s_way_i.has_immediate;
      m_memory_o.immediate     = s_way_i.has_immediate ? s_way_i.immediate : '0;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The record, and the answer.

  always_comb begin
    told         = '0;
    told.qpn     = s_way_i.qpn;
    told.what    = s_way_i.what;
    told.dropped = s_way_i.dropped;
    if (of_request) begin
      told.psn      = s_res_i.psn;
      told.verdict  = s_res_i.verdict;
      told.why      = s_res_i.why;
      told.answer   = s_res_i.answer;
      told.complete = s_res_i.complete;
      told.placed   = placed;
      if (placed) told.address = s_req_i.address;
      if (placed) told.offset = offset;
      if (takes) told.wqe = s_req_i.wqe;
    end
  end

  always_comb begin
    answer              = '0;
    answer.op           = notifies ? ack_pkg::OpCnp : ack_pkg::OpAnswer;
    answer.peer_qpn     = s_notice_i.peer_qpn;
    answer.pkey         = s_way_i.pkey;
    answer.dst          = s_way_i.dst;
    answer.src          = s_way_i.src;
    answer.udp_src_port = s_way_i.udp_src_port;
    answer.tclass       = s_way_i.tclass;
    answer.dlid         = s_way_i.dlid;
    answer.slid         = s_way_i.slid;
    answer.sl           = s_way_i.sl;
    answer.vlan1        = s_way_i.vlan1;
    answer.vlan0        = s_way_i.vlan0;
    answer.tags         = s_way_i.tags;
    answer.encap        = s_way_i.encap;
    answer.syndrome     = s_res_i.syndrome;
    answer.msn          = s_res_i.msn;
    answer.psn          = s_res_i.psn;
    answer.qpn          = s_way_i.qpn;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What the engines are asked for it.

  localparam logic [4:0] Read = 5'h0C;
  localparam logic [4:0] FetchAdd = 5'h14;
  localparam logic [4:0] Flush = 5'h1C;
  localparam logic [4:0] AtomicWrite = 5'h1D;

  logic [4:0] operation;
  logic [hca_rx_pkg::CountWidth-1:0] writes_q;
  logic is_read;

  assign operation = req.opcode[4:0];
  assign is_read   = operation == Read;
  assign writes_o  = writes_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) writes_q <= '0;
    else if (commit & placed) writes_q <= writes_q + 1'b1;
  end

  always_comb begin
    m_work_o           = '0;
    m_work_o.answer    = answer;
    m_work_o.passes    = notifies || s_res_i.answer == resp_pkg::AnswerAck || s_res_i.answer == resp_pkg::AnswerNak;
    m_work_o.kind      = replay_pkg::KindAtomic;
    if (is_read) m_work_o.kind = replay_pkg::KindRead;
    if (operation == AtomicWrite) m_work_o.kind = replay_pkg::KindAtomicWrite;
    if (operation == Flush) m_work_o.kind = replay_pkg::KindFlush;
    m_work_o.duplicate = ~executed;
    m_work_o.allowed   = s_req_i.access_ok || !is_read || req.dma_length == '0;
    m_work_o.is_add    = operation == FetchAdd;
    m_work_o.last_psn  = is_read ? s_res_i.epsn_after - psn_pkg::Step : s_res_i.psn;
    m_work_o.va        = req.va;
    m_work_o.rkey      = req.rkey;
    m_work_o.bytes     = is_read ? req.dma_length : '0;
    m_work_o.address   = s_req_i.address;
    m_work_o.compare   = s_way_i.compare;
    m_work_o.swap_add  = s_way_i.swap_add;
    m_work_o.writes    = writes_q + hca_rx_pkg::CountWidth'(placed);
  end

  sync_fifo #(
    .Width($bits(told)),
    .Depth(8)
  ) u_told (
    .clk_i,
    .rst_ni,
    .s_data_i (told),
    .s_valid_i(commit),
    .s_ready_o(told_ready),
    .m_data_o (m_rec_o),
    .m_valid_o(m_rec_valid_o),
    .m_ready_i(m_rec_ready_i),
    .count_o  (unused_told_count)
  );

endmodule
