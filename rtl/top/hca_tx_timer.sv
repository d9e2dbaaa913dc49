// SPDX-License-Identifier: Apache-2.0
// retx_timer in hca_tx, its operations from answers of retry_ctl, in one clock or two. An assertion holds it to what
// retry_ctl foresaw.
module hca_tx_timer #(
  parameter int unsigned NumQps = 4096
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic [15:0]     cycles_per_tick_i,
  input  logic [31:0]     tick_step_i,
  input  logic            retry7_forever_i,

  input  logic [31:0]     lapse_i,  // ticks that pass at once
  input  logic            lapse_valid_i,

  input  retry_pkg::out_t s_rec_i,
  input  logic            s_valid_i,
  output logic            s_ready_o,  // its last operation goes in this clock; not waiting for s_valid_i

  output logic [23:0]     m_qpn_o,  // an expiry; it may be withdrawn
  output logic [7:0]      m_gen_o,
  output logic            m_rnr_o,
  output logic            m_valid_o,
  input  logic            m_ready_i
);

  logic second_q, is_first, both, go, op_ready;
  logic [2:0] op;
  logic [4:0] code;

  assign is_first  = s_rec_i.first != retry_pkg::FirstNone && !second_q;
  assign both      = s_rec_i.first != retry_pkg::FirstNone && s_rec_i.timer;
  assign s_ready_o = op_ready & (~both | second_q);
  assign go        = s_valid_i & (is_first | s_rec_i.timer);

  always_comb begin
    op   = s_rec_i.timer_op;
    code = s_rec_i.timer_op == timer_pkg::OpWait ? s_rec_i.wait_code : s_rec_i.code;
    if (is_first) begin
      op   = s_rec_i.first == retry_pkg::FirstProgress ? timer_pkg::OpProgress : timer_pkg::OpStop;
      code = s_rec_i.code;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) second_q <= 1'b0;
    else if (s_valid_i & op_ready) second_q <= both & ~second_q;
  end

  logic [23:0] op_qpn;
  logic [7:0] op_gen;
  logic [1:0] op_state;
  logic [2:0] op_retries, op_rnr_retries, left;
  logic op_exhausted, op_changed, op_no_qp, op_valid, exhausted, unused_exp;

  retx_timer #(
    .NumQps(NumQps)
  ) u_timer (
    .clk_i,
    .rst_ni,
    .cycles_per_tick_i (lapse_valid_i ? 16'd1 : cycles_per_tick_i),
    .tick_step_i       (lapse_valid_i ? lapse_i : tick_step_i),
    .retry7_forever_i,
    .s_op_qpn_i        (s_rec_i.qpn),
    .s_op_op_i         (op),
    .s_op_code_i       (code),
    .s_op_gen_i        (s_rec_i.gen),
    .s_op_retry_cnt_i  (s_rec_i.retry_cnt),
    .s_op_rnr_retry_i  (s_rec_i.rnr_retry),
    .s_op_valid_i      (go),
    .s_op_ready_o      (op_ready),
    .m_op_qpn_o        (op_qpn),
    .m_op_gen_o        (op_gen),
    .m_op_state_o      (op_state),
    .m_op_retries_o    (op_retries),
    .m_op_rnr_retries_o(op_rnr_retries),
    .m_op_exhausted_o  (op_exhausted),
    .m_op_changed_o    (op_changed),
    .m_op_no_qp_o      (op_no_qp),
    .m_op_valid_o      (op_valid),
    .m_exp_qpn_o       (m_qpn_o),
    .m_exp_gen_o       (m_gen_o),
    .m_exp_rnr_o       (m_rnr_o),
    .m_exp_left_o      (left),
    .m_exp_exhausted_o (exhausted),
    .m_exp_valid_o     (m_valid_o),
    .m_exp_ready_i     (m_ready_i)
  );

  assign unused_exp = ^{left, exhausted, op_qpn, op_gen, op_state, op_retries, op_rnr_retries, op_exhausted, op_changed,
                        op_no_qp, op_valid, s_rec_i};

`ifdef VERILATOR
  // What retry_ctl foresaw of an operation, until its answer comes three clocks later.
  logic [2:0] last_q;
  retry_pkg::out_t [2:0] rec_q;
  logic gives_up, foreseen, unused_rec;
  retry_pkg::out_t rec;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= '0;
    else last_q <= {last_q[1:0], go & s_ready_o};
  end
  always_ff @(posedge clk_i) rec_q <= {rec_q[1:0], s_rec_i};

  assign rec        = rec_q[2];
  assign unused_rec = ^rec;
  assign gives_up   = rec.order == retry_pkg::OrderFail &&
                      (rec.status == retry_pkg::StatusRetryExceeded || rec.status == retry_pkg::StatusRnrExceeded);
  assign foreseen   = op_qpn == rec.qpn && op_retries == rec.retries && op_rnr_retries == rec.rnr_retries &&
                      op_exhausted == gives_up && (op_state == timer_pkg::StateRnr) == rec.waiting;

  timer_as_foreseen: assert property (@(posedge clk_i) disable iff (!rst_ni)
      op_valid && last_q[2] |-> foreseen)
  else $error("%m: retx_timer counts otherwise than retry_ctl foresaw, of QP %0d", op_qpn);

  // An operation that does nothing would be one for a timer of another generation.
  timer_changes: assert property (@(posedge clk_i) disable iff (!rst_ni) op_valid |-> op_changed && !op_no_qp)
  else $error("%m: an operation of retry_ctl found another timer, of QP %0d", op_qpn);
`endif

endmodule
