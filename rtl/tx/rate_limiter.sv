// SPDX-License-Identifier: Apache-2.0
// Whether a QP may send now: docs/blocks/rate_limiter.md.
//
// The word of the QP comes to X with its record. In the clocks of a visit the input is closed: a bubble enters R, and
// the word that goes with it is that of the QP whose turn it is. Turn and QP are bits of the time, so each QP has its
// turn once in half the range of a stamp.
module rate_limiter #(
  parameter int unsigned NumQps = 4096,    // a power of two, 4 to 65,536
  parameter int unsigned StampWidth = 24,  // log2 NumQps + 3 to 32
  parameter RamStyle = "block"             // of the memory of QPs: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [2:0]  s_op_i,
  input  logic [23:0] s_qpn_i,
  input  logic [12:0] s_bytes_i,
  input  logic [15:0] s_pace_i,
  input  logic [31:0] s_period_i,
  input  logic [31:0] s_forget_i,
  input  logic [7:0]  s_cut_i,
  input  logic [7:0]  s_raise_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [2:0]  m_op_o,
  output logic [2:0]  m_why_o,
  output logic [15:0] m_pace_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("rate_limiter: NumQps must be a power of two from 4 to 65536");
  end
  if (StampWidth < QpnWidth + 3 || StampWidth > 32) begin : gen_bad_stamp_width
    $error("rate_limiter: StampWidth must be log2 NumQps + 3 to 32");
  end

  rate_pkg::query_t s_rec, r_rec, x_rec;
  rate_pkg::result_t x_result, out;
  rate_pkg::context_t x_ctx, x_ctx_d;
  logic [StampWidth-1:0] x_next, x_next_d, x_change, x_change_d;
  logic ctx_ready, x_valid, x_we, law_we, unused_r_rec;

  assign s_rec = {s_raise_i, s_cut_i, s_forget_i, s_period_i, s_pace_i, s_bytes_i, s_qpn_i, s_op_i};
  assign unused_r_rec = ^r_rec;

  // ---------------------------------------------------------------------------------------------------------------
  // The time, and whose turn it is.

  logic [StampWidth-1:0] now;
  logic open, r_visit, x_visit;
  logic [QpnWidth-1:0] r_turn;

  visit_clock #(
    .StampWidth(StampWidth),
    .QpnWidth  (QpnWidth)
  ) u_visits (
    .clk_i,
    .rst_ni,
    .ready_i  (ctx_ready),
    .now_o    (now),
    .open_o   (open),
    .r_visit_o(r_visit),
    .r_turn_o (r_turn),
    .x_visit_o(x_visit)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The way of a record, and the word of its QP.

  record_pipe #(
    .Width   ($bits(s_rec)),
    .OutWidth($bits(out)),
    .Depth   (8)
  ) u_pipe (
    .clk_i,
    .rst_ni,
    .open_i    (open),
    .s_data_i  (s_rec),
    .s_valid_i,
    .s_ready_o,
    .r_data_o  (r_rec),
    .x_data_o  (x_rec),
    .x_valid_o (x_valid),
    .x_result_i(x_result),
    .m_data_o  (out),
    .m_valid_o,
    .m_ready_i
  );

  qp_context #(
    .NumQps  (NumQps),
    .Width   ($bits(x_ctx) + 2 * StampWidth),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .r_qpn_i(r_visit ? r_turn : r_rec.qpn[QpnWidth-1:0]),
    .x_ctx_o({x_ctx, x_next, x_change}),
    .x_ctx_i({x_ctx_d, x_next_d, x_change_d}),
    .x_we_i (x_we)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // X: the decision, and the law.

  logic [StampWidth-2:0] period_q, forget_q;
  rate_pkg::factors_t factors_q;

  rate_decide #(
    .StampWidth(StampWidth)
  ) u_decide (
    .rec_i    (x_rec),
    .valid_i  (x_valid),
    .visit_i  (x_visit),
    .ctx_i    (x_ctx),
    .next_i   (x_next),
    .change_i (x_change),
    .now_i    (now),
    .period_i (period_q),
    .forget_i (forget_q),
    .factors_i(factors_q),
    .ctx_o    (x_ctx_d),
    .next_o   (x_next_d),
    .change_o (x_change_d),
    .we_o     (x_we),
    .law_we_o (law_we),
    .result_o (x_result)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      period_q  <= '0;
      forget_q  <= '0;
      factors_q <= {16'hFFFF, 16'd0};
    end else if (law_we) begin
      period_q  <= x_rec.period[StampWidth-2:0];
      forget_q  <= x_rec.forget[StampWidth-2:0];
      factors_q <= {x_rec.pace == '0 ? 16'hFFFF : x_rec.pace, x_rec.raise, x_rec.cut};
    end
  end

  assign {m_pace_o, m_why_o, m_op_o, m_qpn_o} = out;

endmodule
