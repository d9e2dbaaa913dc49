// SPDX-License-Identifier: Apache-2.0
// sq_retire in hca_tx, and who speaks to it: verdicts of read_place first, then ends of UC and UD, then what has begun,
// then questions, then operations. A post, and local work that is done, goes in with room for the wake that follows.
// Only the host, which takes completions, can hold it up.
module hca_tx_queue #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned SqDepth = 8,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,
  output logic                           op_ready_o,

  input  retire_pkg::query_t             s_verdict_i,
  input  logic                           s_verdict_valid_i,
  output logic                           s_verdict_ready_o,

  input  retire_pkg::query_t             s_end_i,
  input  logic                           s_end_valid_i,
  output logic                           s_end_ready_o,

  input  retire_pkg::query_t             s_begun_i,
  input  logic                           s_begun_valid_i,
  output logic                           s_begun_ready_o,

  input  retire_pkg::query_t             s_look_i,  // one at a time
  input  logic                           s_look_valid_i,
  output logic                           s_look_ready_o,

  output retire_pkg::result_t            m_look_o,  // the answer to a look
  output logic                           m_look_valid_o,

  output logic [23:0]                    m_posted_qpn_o,  // to be woken
  output logic                           m_posted_valid_o,
  input  logic                           m_posted_ready_i,

  output retire_pkg::cqe_t               m_cqe_o,
  output logic                           m_cqe_valid_o,
  input  logic                           m_cqe_ready_i
);

  retire_pkg::query_t op, rec;
  retire_pkg::result_t out;
  logic rec_valid, rec_ready, out_valid, room, wakes, claim, unused_op;
  logic [4:0] ready;

  assign op        = op_i;
  assign wakes     = op.op == retire_pkg::OpPost || op.op == retire_pkg::OpLocalDone;
  assign unused_op = ^op;

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(5)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({op, s_look_i, s_begun_i, s_end_i, s_verdict_i}),
    .s_valid_i({op_valid_i & (room | ~wakes), s_look_valid_i, s_begun_valid_i, s_end_valid_i, s_verdict_valid_i}),
    .s_ready_o(ready),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  assign s_verdict_ready_o = ready[0];
  assign s_end_ready_o     = ready[1];
  assign s_begun_ready_o   = ready[2];
  assign s_look_ready_o    = ready[3];
  assign op_ready_o        = ready[4] & (room | ~wakes);
  assign claim             = op_valid_i & wakes & op_ready_o;

  sq_retire #(
    .NumQps  (NumQps),
    .Depth   (SqDepth),
    .RamStyle(RamStyle)
  ) u_retire (
    .clk_i,
    .rst_ni,
    .s_qpn_i       (rec.qpn),
    .s_op_i        (rec.op),
    .s_slot_i      (rec.slot),
    .s_first_i     (rec.first_psn),
    .s_last_i      (rec.last_psn),
    .s_una_i       (rec.una),
    .s_progress_i  (rec.progress),
    .s_fail_i      (rec.fail),
    .s_status_i    (rec.status),
    .s_wqe_i       (rec.wqe.wqe),
    .s_verb_i      (rec.wqe.verb),
    .s_flags_i     ({rec.wqe.more_flags, rec.wqe.signaled}),
    .s_length_i    (rec.wqe.length),
    .s_va_i        (rec.wqe.va),
    .s_rkey_i      (rec.wqe.rkey),
    .s_imm_i       (rec.wqe.imm),
    .s_swap_add_i  (rec.wqe.swap_add),
    .s_compare_i   (rec.wqe.compare),
    .s_qkey_i      (rec.wqe.qkey),
    .s_list_i      (rec.wqe.gather),
    .s_entries_i   (rec.wqe.entries),
    .s_valid_i     (rec_valid),
    .s_ready_o     (rec_ready),
    .m_qpn_o       (out.qpn),
    .m_op_o        (out.op),
    .m_why_o       (out.why),
    .m_slot_o      (out.slot),
    .m_ended_o     (out.ended),
    .m_count_o     (out.count),
    .m_failed_o    (out.failed),
    .m_present_o   (out.present),
    .m_begun_o     (out.begun),
    .m_first_o     (out.first_psn),
    .m_last_o      (out.last_psn),
    .m_wqe_o       (out.wqe.wqe),
    .m_verb_o      (out.wqe.verb),
    .m_flags_o     ({out.wqe.more_flags, out.wqe.signaled}),
    .m_length_o    (out.wqe.length),
    .m_va_o        (out.wqe.va),
    .m_rkey_o      (out.wqe.rkey),
    .m_imm_o       (out.wqe.imm),
    .m_swap_add_o  (out.wqe.swap_add),
    .m_compare_o   (out.wqe.compare),
    .m_qkey_o      (out.wqe.qkey),
    .m_list_o      (out.wqe.gather),
    .m_entries_o   (out.wqe.entries),
    .m_valid_o     (out_valid),
    .m_ready_i     (1'b1),
    .m_cqe_qpn_o   (m_cqe_o.qpn),
    .m_cqe_wqe_o   (m_cqe_o.wqe),
    .m_cqe_status_o(m_cqe_o.status),
    .m_cqe_verb_o  (m_cqe_o.verb),
    .m_cqe_length_o(m_cqe_o.length),
    .m_cqe_valid_o,
    .m_cqe_ready_i
  );

  assign m_look_o       = out;
  assign m_look_valid_o = out_valid & (out.op == retire_pkg::OpLook);

  credit_queue #(
    .Width(24),
    .Depth(16)
  ) u_posted (
    .clk_i,
    .rst_ni,
    .claim_i  (claim),
    .room_o   (room),
    .data_i   (out.qpn),
    .valid_i  (out_valid & (out.op == retire_pkg::OpPost || out.op == retire_pkg::OpLocalDone)),
    .m_data_o (m_posted_qpn_o),
    .m_valid_o(m_posted_valid_o),
    .m_ready_i(m_posted_ready_i)
  );

endmodule
