// SPDX-License-Identifier: Apache-2.0
// The end of the queues of hca_rx: packet by packet, in order, the verdict is given to whom it concerns.
module hca_rx_commit (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  hca_rx_pkg::way_t  s_way_i,
  input  logic              s_way_valid_i,
  output logic              s_way_ready_o,

  input  resp_pkg::result_t s_res_i,  // of the oldest request that is not committed
  input  logic              s_res_valid_i,
  output logic              s_res_ready_o,

  output logic              m_place_o,  // of each packet with payload: it is placed
  output logic              m_place_valid_o,
  input  logic              m_place_ready_i,

  output ack_pkg::query_t   m_answer_o,
  output logic              m_answer_valid_o,
  input  logic              m_answer_ready_i,

  output hca_rx_pkg::told_t m_rec_o,
  output logic              m_rec_valid_o,
  input  logic              m_rec_ready_i
);

  hca_rx_pkg::told_t told;
  logic of_request, commit, placed, answers, told_ready;
  logic [3:0] unused_told_count;

  assign of_request       = s_way_i.what == classify_pkg::ClassRequest;
  assign commit           = s_way_valid_i & (~of_request | s_res_valid_i) & told_ready & m_place_ready_i &
    m_answer_ready_i;
  assign s_way_ready_o    = commit;
  assign s_res_ready_o    = commit & of_request;
  assign placed           = of_request & s_way_i.payload & (s_res_i.verdict == resp_pkg::VerdictExecute);
  assign answers          = s_res_i.answer == resp_pkg::AnswerAck || s_res_i.answer == resp_pkg::AnswerNak;
  assign m_place_o        = placed;
  assign m_place_valid_o  = commit & s_way_i.payload;
  assign m_answer_valid_o = commit & of_request & answers;

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
    end
  end

  always_comb begin
    m_answer_o              = '0;
    m_answer_o.op           = ack_pkg::OpAnswer;
    m_answer_o.pkey         = s_way_i.pkey;
    m_answer_o.dst          = s_way_i.dst;
    m_answer_o.src          = s_way_i.src;
    m_answer_o.udp_src_port = s_way_i.udp_src_port;
    m_answer_o.tclass       = s_way_i.tclass;
    m_answer_o.dlid         = s_way_i.dlid;
    m_answer_o.slid         = s_way_i.slid;
    m_answer_o.sl           = s_way_i.sl;
    m_answer_o.vlan1        = s_way_i.vlan1;
    m_answer_o.vlan0        = s_way_i.vlan0;
    m_answer_o.tags         = s_way_i.tags;
    m_answer_o.encap        = s_way_i.encap;
    m_answer_o.syndrome     = s_res_i.syndrome;
    m_answer_o.msn          = s_res_i.msn;
    m_answer_o.psn          = s_res_i.psn;
    m_answer_o.qpn          = s_way_i.qpn;
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
