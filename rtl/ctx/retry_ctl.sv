// SPDX-License-Identifier: Apache-2.0
// What a requester does about NAKs, waits and timers that ran out: docs/blocks/retry_ctl.md.
//
//   R  an accepted record: the QP's word is looked up
//   F  the word comes
//   X  the word is here: the decision and the new word (retry_decide)
//   Y  what was decided, on its way to the queue
//
// All the state is in X, in one clock, so that records of one QP may follow each other in every clock (qp_context).
module retry_ctl #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        retry7_forever_i,  // constant from reset on

  input  logic [23:0] s_qpn_i,
  input  logic [2:0]  s_op_i,
  input  logic [23:0] s_una_i,
  input  logic [2:0]  s_action_i,
  input  logic [4:0]  s_why_i,
  input  logic [1:0]  s_region_i,
  input  logic [7:0]  s_syndrome_i,
  input  logic        s_progress_i,
  input  logic        s_idle_i,
  input  logic [7:0]  s_gen_i,
  input  logic        s_rnr_i,
  input  logic [4:0]  s_code_i,
  input  logic [2:0]  s_retry_cnt_i,
  input  logic [2:0]  s_rnr_retry_i,
  input  logic        s_any_answer_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [2:0]  m_op_o,
  output logic [23:0] m_una_o,
  output logic [2:0]  m_order_o,
  output logic [2:0]  m_cause_o,
  output logic [3:0]  m_status_o,
  output logic [2:0]  m_why_o,
  output logic        m_progress_o,
  output logic [1:0]  m_first_o,
  output logic        m_timer_o,
  output logic [2:0]  m_timer_op_o,
  output logic [4:0]  m_code_o,
  output logic [4:0]  m_wait_code_o,
  output logic [7:0]  m_gen_o,
  output logic [2:0]  m_retry_cnt_o,
  output logic [2:0]  m_rnr_retry_o,
  output logic [1:0]  m_ask_o,
  output logic        m_waiting_o,
  output logic        m_retrying_o,
  output logic [2:0]  m_retries_o,
  output logic [2:0]  m_rnr_retries_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned Depth = 8;  // records under way at most: for one a clock at least the latency

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("retry_ctl: NumQps must be a power of two from 4 to 65536");
  end

  retry_pkg::rec_t s_rec, r_q, f_q, x_q;
  retry_pkg::state_t x_state, x_state_d;
  retry_pkg::out_t x_result, y_q, out;
  logic [3:0] valid_q;  // of the stages, R lowest
  logic room, accept, ctx_ready, f_known_q, x_known_q;

  assign s_rec = {s_any_answer_i, s_rnr_retry_i, s_retry_cnt_i, s_code_i, s_rnr_i, s_gen_i, s_idle_i, s_progress_i,
                  s_syndrome_i, s_region_i, s_why_i, s_action_i, s_una_i, s_op_i, s_qpn_i};
  assign s_ready_o = room & ctx_ready;
  assign accept    = s_valid_i & s_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[2:0], accept};
  end

  always_ff @(posedge clk_i) begin
    r_q       <= s_rec;
    f_q       <= r_q;
    x_q       <= f_q;
    y_q       <= x_result;
    f_known_q <= (r_q.qpn >> QpnWidth) == '0;
    x_known_q <= f_known_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   ($bits(x_state)),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .r_qpn_i(r_q.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_state),
    .x_ctx_i(x_state_d),
    .x_we_i (valid_q[2] & x_known_q)
  );

  retry_decide u_decide (
    .rec_i   (x_q),
    .known_i (x_known_q),
    .retry7_forever_i,
    .state_i (x_state),
    .state_o (x_state_d),
    .result_o(x_result)
  );

  credit_queue #(
    .Width($bits(out)),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i (accept),
    .room_o  (room),
    .data_i  (y_q),
    .valid_i (valid_q[3]),
    .m_data_o(out),
    .m_valid_o,
    .m_ready_i
  );

  assign {m_rnr_retries_o, m_retries_o, m_retrying_o, m_waiting_o, m_ask_o, m_rnr_retry_o, m_retry_cnt_o, m_gen_o,
          m_wait_code_o, m_code_o, m_timer_op_o, m_timer_o, m_first_o, m_progress_o, m_why_o, m_status_o, m_cause_o,
          m_order_o, m_una_o, m_op_o, m_qpn_o} = out;

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_rec))
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width($bits(out))
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i (out),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
