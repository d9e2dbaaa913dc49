// SPDX-License-Identifier: Apache-2.0
// rate_limiter in hca_tx, and who speaks to it: operations first, then CNPs, then the turns. A QP that was not set has
// no rate: nothing holds it back.
module hca_tx_pace #(
  parameter int unsigned NumQps = 4096,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,
  output logic                           op_ready_o,

  input  logic [23:0]                    s_cnp_qpn_i,
  input  logic                           s_cnp_valid_i,
  output logic                           s_cnp_ready_o,

  input  rate_pkg::query_t               s_turn_i,  // ask or sent; one ask at a time
  input  logic                           s_turn_valid_i,
  output logic                           s_turn_ready_o,

  output logic                           m_slow_o,  // the answer to an ask: not yet
  output logic                           m_answer_valid_o
);

  rate_pkg::query_t cnp, rec;
  rate_pkg::result_t out;
  logic rec_valid, rec_ready, out_valid, unused_out;

  assign unused_out = ^{op_i, out};

  always_comb begin
    cnp     = '0;
    cnp.qpn = s_cnp_qpn_i;
    cnp.op  = rate_pkg::OpCnp;
  end

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(3)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_turn_i, cnp, op_i[$bits(rec)-1:0]}),
    .s_valid_i({s_turn_valid_i, s_cnp_valid_i, op_valid_i}),
    .s_ready_o({s_turn_ready_o, s_cnp_ready_o, op_ready_o}),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  rate_limiter #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_limiter (
    .clk_i,
    .rst_ni,
    .s_op_i    (rec.op),
    .s_qpn_i   (rec.qpn),
    .s_bytes_i (rec.bytes),
    .s_pace_i  (rec.pace),
    .s_period_i(rec.period),
    .s_forget_i(rec.forget),
    .s_cut_i   (rec.cut),
    .s_raise_i (rec.raise),
    .s_valid_i (rec_valid),
    .s_ready_o (rec_ready),
    .m_qpn_o   (out.qpn),
    .m_op_o    (out.op),
    .m_why_o   (out.why),
    .m_pace_o  (out.pace),
    .m_valid_o (out_valid),
    .m_ready_i (1'b1)
  );

  assign m_answer_valid_o = out_valid & (out.op == rate_pkg::OpAsk);
  assign m_slow_o         = out.why == rate_pkg::WhyNotYet;

endmodule
