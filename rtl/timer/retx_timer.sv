// SPDX-License-Identifier: Apache-2.0
// The retransmit timer block: docs/blocks/retx_timer.md. Transport timers, RNR timers and retry counters of NumQps QPs
// (TMR-1 to TMR-6).
module retx_timer #(
  parameter int unsigned NumQps = 65536,  // a power of two, at least 4 x Lanes, at most 65,536
  parameter int unsigned Lanes = 8,       // timers looked at in a clock: a power of two, at least 2
  parameter int unsigned TickWidth = 35,  // fewer in proofs only: then large codes are too long
  parameter int unsigned GenWidth = 8     // fewer in proofs only
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  // Configuration, constant from reset on.
  input  logic [15:0]                   cycles_per_tick_i,
  input  logic [31:0]                   tick_step_i,
  input  logic                          retry7_forever_i,

  input  logic [timer_pkg::QpnPins-1:0] s_op_qpn_i,
  input  logic [2:0]                    s_op_op_i,
  input  logic [4:0]                    s_op_code_i,
  input  logic [GenWidth-1:0]           s_op_gen_i,
  input  logic [2:0]                    s_op_retry_cnt_i,
  input  logic [2:0]                    s_op_rnr_retry_i,
  input  logic                          s_op_valid_i,
  output logic                          s_op_ready_o,

  output logic [timer_pkg::QpnPins-1:0] m_op_qpn_o,
  output logic [GenWidth-1:0]           m_op_gen_o,
  output logic [1:0]                    m_op_state_o,
  output logic [2:0]                    m_op_retries_o,
  output logic [2:0]                    m_op_rnr_retries_o,
  output logic                          m_op_exhausted_o,
  output logic                          m_op_changed_o,
  output logic                          m_op_no_qp_o,
  output logic                          m_op_valid_o,

  output logic [timer_pkg::QpnPins-1:0] m_exp_qpn_o,
  output logic [GenWidth-1:0]           m_exp_gen_o,
  output logic                          m_exp_rnr_o,
  output logic [2:0]                    m_exp_left_o,
  output logic                          m_exp_exhausted_o,
  output logic                          m_exp_valid_o,
  input  logic                          m_exp_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned HighWidth = timer_pkg::QpnPins - QpnWidth;
  localparam int unsigned NumWords = NumQps / Lanes;
  localparam int unsigned WordWidth = $clog2(NumWords);

  if (Lanes < 2 || Lanes != 2 ** $clog2(Lanes)) begin : gen_bad_lanes
    $error("retx_timer: Lanes must be a power of two, at least 2");
  end
  if (NumQps < 4 * Lanes || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("retx_timer: NumQps must be a power of two from 4 x Lanes to 65536");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The scrub after reset: a word of every memory a clock.

  logic [WordWidth:0] scrub_q;  // the top bit says done
  logic scrub;
  assign scrub = ~scrub_q[WordWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) scrub_q <= '0;
    else if (scrub) scrub_q <= scrub_q + 1'b1;
  end

  assign s_op_ready_o = ~scrub;

  // ---------------------------------------------------------------------------------------------------------------
  // Time in ticks (TMR-6).

  logic [15:0] cycle_q;  // of the tick
  logic [TickWidth-1:0] tick_q;
  logic next_tick;
  assign next_tick = {1'b0, cycle_q} + 17'd1 >= {1'b0, cycles_per_tick_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      tick_q  <= '0;
    end else begin
      cycle_q <= next_tick ? '0 : cycle_q + 1'b1;
      if (next_tick) tick_q <= tick_q + TickWidth'(tick_step_i);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------

  logic op_accept, op_valid, op1_valid, op2_valid, op3_valid, op3_no_qp, op3_changed, op3_mark, done_we, done_mark;
  logic [QpnWidth-1:0] op_qpn, op1_qpn, op2_qpn, op3_qpn, done_qpn, exp_qpn;
  logic [2:0] op1, op2;
  logic [TickWidth-1:0] op3_deadline;
  logic op3_rnr;

  // A number of NumQps or more has bits above those of a QPN. They go along for the answer.
  logic [HighWidth-1:0] op_high, op1_high_q, op2_high_q, op3_high_q;
  logic op_no_qp;
  assign op_accept         = s_op_valid_i & s_op_ready_o;
  assign {op_high, op_qpn} = s_op_qpn_i;
  assign op_no_qp          = op_high != '0;
  assign op_valid          = op_accept & ~op_no_qp;

  always_ff @(posedge clk_i) {op3_high_q, op2_high_q, op1_high_q} <= {op2_high_q, op1_high_q, op_high};

  retx_ops #(
    .NumQps   (NumQps),
    .Lanes    (Lanes),
    .TickWidth(TickWidth),
    .GenWidth (GenWidth)
  ) u_ops (
    .clk_i,
    .rst_ni,
    .retry7_forever_i,
    .tick_i           (tick_q),
    .scrub_i          (scrub),
    .scrub_word_i     (scrub_q[WordWidth-1:0]),
    .op_valid_i       (op_valid),
    .op_no_qp_i       (op_accept & op_no_qp),
    .op_qpn_i         (op_qpn),
    .op_i             (s_op_op_i),
    .op_code_i        (s_op_code_i),
    .op_gen_i         (s_op_gen_i),
    .op_retry_cnt_i   (s_op_retry_cnt_i),
    .op_rnr_retry_i   (s_op_rnr_retry_i),
    .done_we_i        (done_we),
    .done_qpn_i       (done_qpn),
    .done_mark_i      (done_mark),
    .op1_valid_o      (op1_valid),
    .op1_qpn_o        (op1_qpn),
    .op1_o            (op1),
    .op2_valid_o      (op2_valid),
    .op2_qpn_o        (op2_qpn),
    .op2_o            (op2),
    .op3_valid_o      (op3_valid),
    .op3_no_qp_o      (op3_no_qp),
    .op3_qpn_o        (op3_qpn),
    .op3_changed_o    (op3_changed),
    .op3_exhausted_o  (m_op_exhausted_o),
    .op3_state_o      (m_op_state_o),
    .op3_gen_o        (m_op_gen_o),
    .op3_retries_o    (m_op_retries_o),
    .op3_rnr_retries_o(m_op_rnr_retries_o),
    .op3_mark_o       (op3_mark),
    .op3_deadline_o   (op3_deadline)
  );

  assign op3_rnr        = m_op_state_o == timer_pkg::StateRnr;
  assign m_op_qpn_o     = {op3_high_q, op3_qpn};
  assign m_op_changed_o = op3_changed;
  assign m_op_no_qp_o   = op3_no_qp;
  assign m_op_valid_o   = op3_valid | op3_no_qp;

  retx_scan #(
    .NumQps   (NumQps),
    .Lanes    (Lanes),
    .TickWidth(TickWidth),
    .GenWidth (GenWidth)
  ) u_scan (
    .clk_i,
    .rst_ni,
    .tick_i        (tick_q),
    .scrub_i       (scrub),
    .scrub_word_i  (scrub_q[WordWidth-1:0]),
    .op_valid_i    (op_valid),
    .op_qpn_i      (op_qpn),
    .op_i          (s_op_op_i),
    .op1_valid_i   (op1_valid),
    .op1_qpn_i     (op1_qpn),
    .op1_i         (op1),
    .op2_valid_i   (op2_valid),
    .op2_qpn_i     (op2_qpn),
    .op2_i         (op2),
    .op3_changes_i (op3_valid & op3_changed),
    .op3_qpn_i     (op3_qpn),
    .op3_gen_i     (m_op_gen_o),
    .op3_left_i    (op3_rnr ? m_op_rnr_retries_o : m_op_retries_o),
    .op3_rnr_i     (op3_rnr),
    .op3_mark_i    (op3_mark),
    .op3_deadline_i(op3_deadline),
    .m_exp_qpn_o   (exp_qpn),
    .m_exp_gen_o,
    .m_exp_rnr_o,
    .m_exp_left_o,
    .m_exp_valid_o,
    .m_exp_ready_i,
    .done_we_o     (done_we),
    .done_qpn_o    (done_qpn),
    .done_mark_o   (done_mark)
  );

  assign m_exp_qpn_o       = timer_pkg::QpnPins'(exp_qpn);
  assign m_exp_exhausted_o = ~m_exp_rnr_o & (m_exp_left_o == 3'd0);

`ifdef VERILATOR
  record_rules #(
    .Width(timer_pkg::QpnPins + GenWidth + 14)
  ) u_s_op_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_op_rnr_retry_i, s_op_retry_cnt_i, s_op_gen_i, s_op_code_i, s_op_op_i, s_op_qpn_i}),
    .valid_i(s_op_valid_i),
    .ready_i(s_op_ready_o)
  );

  // An expiry may be withdrawn, in the clock after an operation on its QP; it never changes while it waits.
  exp_withdrawn: assert property (@(posedge clk_i) disable iff (!rst_ni)
      m_exp_valid_o && !m_exp_ready_i && !(op_valid && op_qpn == exp_qpn) |=> m_exp_valid_o)
  else $error("%m: an expiry was withdrawn without cause");

  exp_stable: assert property (@(posedge clk_i) disable iff (!rst_ni)
      m_exp_valid_o && !m_exp_ready_i |=> !m_exp_valid_o ||
      $stable({m_exp_qpn_o, m_exp_gen_o, m_exp_rnr_o, m_exp_left_o, m_exp_exhausted_o}))
  else $error("%m: an expiry changed while it waited");
`endif

endmodule
