// SPDX-License-Identifier: Apache-2.0
// req_ack_check in hca_tx, and who speaks to it: what was sent first, then what retry_ctl asks for, then operations,
// then responses. It never stands still: what it is to tell retry_ctl goes in with room for the answer, and the other
// answers are nobody's. So retry_ctl never waits for it, although it waits for retry_ctl.
module hca_tx_check #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned Reads = 4,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,
  output logic                           op_ready_o,

  input  req_pkg::rec_t                  s_sent_i,
  input  hca_tx_pkg::note_t              s_note_i,  // with it
  input  logic                           s_sent_valid_i,
  output logic                           s_sent_ready_o,

  input  req_pkg::rec_t                  s_ask_i,
  input  logic                           s_ask_valid_i,
  output logic                           s_ask_ready_o,

  input  hca_tx_pkg::response_t          s_resp_i,
  input  logic                           s_resp_valid_i,
  output logic                           s_resp_ready_o,

  output req_pkg::out_t                  m_told_o,  // of what was sent and of responses
  output hca_tx_pkg::note_t              m_note_o,  // with it
  output logic                           m_told_valid_o,
  input  logic                           m_told_ready_i
);

  hca_tx_pkg::response_t head;
  req_pkg::rec_t response, rec;
  req_pkg::out_t out;
  hca_tx_pkg::note_t note, beside;
  logic head_valid, rec_valid, rec_ready, out_valid, room, claim, tells, unused_op;
  logic [3:0] ready;
  logic beside_valid, beside_ready, brings;
  logic [4:0] unused_count, unused_beside_count;

  assign unused_op = ^{op_i, beside_valid};

  sync_fifo #(
    .Width($bits(head)),
    .Depth(16)
  ) u_responses (
    .clk_i,
    .rst_ni,
    .s_data_i (s_resp_i),
    .s_valid_i(s_resp_valid_i),
    .s_ready_o(s_resp_ready_o),
    .m_data_o (head),
    .m_valid_o(head_valid),
    .m_ready_i(ready[3] & room),
    .count_o  (unused_count)
  );

  always_comb begin
    response          = '0;
    response.op       = req_pkg::OpResponse;
    response.qpn      = head.qpn;
    response.psn      = head.psn;
    response.number   = head.number;
    response.payload  = head.payload;
    response.opcode   = head.opcode;
    response.syndrome = head.syndrome;
    response.pad      = head.pad;
  end

  // Of what goes in with room for what is told of it. Only a READ response has a frame (OPC-2).
  assign brings = head.opcode >= req_pkg::OpcodeReadFirst && head.opcode <= req_pkg::OpcodeReadOnly;

  always_comb begin
    note         = '0;
    note.psn     = head.psn;
    note.address = head.original;
    note.bytes   = brings ? head.payload : '0;
    if (s_sent_valid_i) note = s_note_i;
  end

  sync_fifo #(
    .Width($bits(note)),
    .Depth(16)
  ) u_beside (
    .clk_i,
    .rst_ni,
    .s_data_i (note),
    .s_valid_i(claim),
    .s_ready_o(beside_ready),
    .m_data_o (beside),
    .m_valid_o(beside_valid),
    .m_ready_i(tells),
    .count_o  (unused_beside_count)
  );

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({response, op_i[$bits(rec)-1:0], s_ask_i, s_sent_i}),
    .s_valid_i({head_valid & room, op_valid_i, s_ask_valid_i, s_sent_valid_i & room}),
    .s_ready_o(ready),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  assign s_sent_ready_o = ready[0] & room;
  assign s_ask_ready_o  = ready[1];
  assign op_ready_o     = ready[2];
  assign claim          = room & ((s_sent_valid_i & ready[0]) | (head_valid & ready[3]));

  req_ack_check #(
    .NumQps  (NumQps),
    .Reads   (Reads),
    .RamStyle(RamStyle)
  ) u_check (
    .clk_i,
    .rst_ni,
    .s_qpn_i       (rec.qpn),
    .s_psn_i       (rec.psn),
    .s_count_i     (rec.count),
    .s_number_i    (rec.number),
    .s_payload_i   (rec.payload),
    .s_opcode_i    (rec.opcode),
    .s_syndrome_i  (rec.syndrome),
    .s_op_i        (rec.op),
    .s_pad_i       (rec.pad),
    .s_kind_i      (rec.kind),
    .s_pmtu_i      (rec.pmtu),
    .s_max_reads_i (rec.max_reads),
    .s_profile_i   (rec.profile),
    .s_valid_i     (rec_valid),
    .s_ready_o     (rec_ready),
    .m_qpn_o       (out.qpn),
    .m_una_before_o(out.una_before),
    .m_una_o       (out.una),
    .m_high_o      (out.high),
    .m_lsn_o       (out.lsn),
    .m_syndrome_o  (out.syndrome),
    .m_op_o        (out.op),
    .m_why_o       (out.why),
    .m_action_o    (out.action),
    .m_region_o    (out.region),
    .m_reads_o     (out.reads),
    .m_progress_o  (out.progress),
    .m_idle_o      (out.idle),
    .m_data_o      (out.data),
    .m_ended_o     (out.ended),
    .m_credits_o   (out.credits),
    .m_unlimited_o (out.unlimited),
    .m_waiting_o   (out.waiting),
    .m_retrying_o  (out.retrying),
    .m_valid_o     (out_valid),
    .m_ready_i     (1'b1)
  );

  assign tells = out_valid & (out.op == req_pkg::OpResponse || out.op == req_pkg::OpSent);

  credit_queue #(
    .Width($bits(out) + $bits(beside)),
    .Depth(16)
  ) u_told (
    .clk_i,
    .rst_ni,
    .claim_i  (claim),
    .room_o   (room),
    .data_i   ({beside, out}),
    .valid_i  (tells),
    .m_data_o ({m_note_o, m_told_o}),
    .m_valid_o(m_told_valid_o),
    .m_ready_i(m_told_ready_i)
  );

`ifdef VERILATOR
  beside_room: assert property (@(posedge clk_i) disable iff (!rst_ni) claim |-> beside_ready)
  else $error("%m: no room beside req_ack_check");
`else
  logic unused_room;
  assign unused_room = beside_ready;
`endif

endmodule
