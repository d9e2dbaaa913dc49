// SPDX-License-Identifier: Apache-2.0
// tx_packetizer in hca_tx, and who speaks to it. It never stands still: a verdict, and a resume, go in with room for
// the wake that follows from them, and whoever asks takes the answer.
module hca_tx_packets #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned SqDepth = 8,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,  // goes first
  output logic                           op_ready_o,

  input  tx_pkg::rec_t                   s_verdict_i,
  input  logic                           s_verdict_valid_i,
  output logic                           s_verdict_ready_o,

  input  tx_pkg::rec_t                   s_ask_i,  // a look or a packet, one at a time
  input  logic                           s_ask_valid_i,
  output logic                           s_ask_ready_o,

  output tx_pkg::out_t                   m_answer_o,
  output logic                           m_answer_valid_o,

  output logic [23:0]                    m_moved_qpn_o,  // to be woken
  output logic                           m_moved_valid_o,
  input  logic                           m_moved_ready_i
);

  tx_pkg::rec_t op, rec;
  tx_pkg::out_t out;
  logic rec_valid, rec_ready, out_valid, room, resumes, claim, wakes, unused_op;
  logic [2:0] ready;

  assign op        = op_i[$bits(op)-1:0];
  assign unused_op = ^{op_i, op};
  assign resumes   = op.op == tx_pkg::OpResume;

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(3)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_ask_i, s_verdict_i, op}),
    .s_valid_i({s_ask_valid_i, s_verdict_valid_i & room, op_valid_i & (room | ~resumes)}),
    .s_ready_o(ready),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  assign op_ready_o        = ready[0] & (room | ~resumes);
  assign s_verdict_ready_o = ready[1] & room;
  assign s_ask_ready_o     = ready[2];
  assign claim             = (s_verdict_valid_i & s_verdict_ready_o) | (op_valid_i & resumes & op_ready_o);

  tx_packetizer #(
    .NumQps  (NumQps),
    .Wqes    (SqDepth),
    .RamStyle(RamStyle)
  ) u_packetizer (
    .clk_i,
    .rst_ni,
    .s_qpn_i       (rec.qpn),
    .s_op_i        (rec.op),
    .s_una_i       (rec.una),
    .s_order_i     (rec.order),
    .s_progress_i  (rec.progress),
    .s_lsn_i       (rec.lsn),
    .s_unlimited_i (rec.unlimited),
    .s_ended_i     (rec.ended),
    .s_pmtu_i      (rec.pmtu),
    .s_max_reads_i (rec.max_reads),
    .s_window_i    (rec.window),
    .s_service_i   (rec.service),
    .s_restart_i   (rec.restart),
    .s_whole_read_i(rec.whole_read),
    .s_slot_i      (rec.slot),
    .s_oldest_i    (rec.oldest),
    .s_begun_i     (rec.begun),
    .s_verb_i      (rec.verb),
    .s_immediate_i (rec.immediate),
    .s_invalidate_i(rec.invalidate),
    .s_solicited_i (rec.solicited),
    .s_fence_i     (rec.fence),
    .s_length_i    (rec.length),
    .s_first_i     (rec.first),
    .s_told_i      (rec.told),
    .s_valid_i     (rec_valid),
    .s_ready_o     (rec_ready),
    .m_qpn_o       (out.qpn),
    .m_op_o        (out.op),
    .m_why_o       (out.why),
    .m_what_o      (out.what),
    .m_slot_o      (out.slot),
    .m_oldest_o    (out.oldest),
    .m_begins_o    (out.packet.begins),
    .m_again_o     (out.packet.again),
    .m_opcode_o    (out.packet.opcode),
    .m_psn_o       (out.packet.psn),
    .m_count_o     (out.packet.count),
    .m_offset_o    (out.packet.offset),
    .m_bytes_o     (out.packet.bytes),
    .m_payload_o   (out.packet.payload),
    .m_kind_o      (out.packet.kind),
    .m_number_o    (out.packet.number),
    .m_ack_req_o   (out.packet.ack_req),
    .m_solicited_o (out.packet.solicited),
    .m_first_o     (out.first),
    .m_last_o      (out.last),
    .m_una_o       (out.una),
    .m_next_o      (out.next),
    .m_high_o      (out.high),
    .m_reads_o     (out.reads),
    .m_waiting_o   (out.waiting),
    .m_drained_o   (out.drained),
    .m_valid_o     (out_valid),
    .m_ready_i     (1'b1)
  );

  assign m_answer_o       = out;
  assign m_answer_valid_o = out_valid & (out.op == tx_pkg::OpPacket || out.op == tx_pkg::OpLook);
  assign wakes            = out_valid & (out.op == tx_pkg::OpVerdict || out.op == tx_pkg::OpResume);

  credit_queue #(
    .Width(24),
    .Depth(16)
  ) u_moved (
    .clk_i,
    .rst_ni,
    .claim_i  (claim),
    .room_o   (room),
    .data_i   (out.qpn),
    .valid_i  (wakes),
    .m_data_o (m_moved_qpn_o),
    .m_valid_o(m_moved_valid_o),
    .m_ready_i(m_moved_ready_i)
  );

endmodule
