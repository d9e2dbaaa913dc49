// SPDX-License-Identifier: Apache-2.0
// Which marked packets give a CNP: docs/blocks/cnp_gen.md.
//
// The word of the QP comes to X with its record. In the clocks of a visit the input is closed: a bubble enters R, and
// the word that goes with it is that of the QP whose turn it is. Turn and QP are bits of the time, so each QP has its
// turn once in half the range of a stamp.
module cnp_gen #(
  parameter int unsigned NumQps = 4096,    // a power of two, 4 to 65,536
  parameter int unsigned StampWidth = 24,  // log2 NumQps + 3 to 32
  parameter RamStyle = "block"             // of the memory of QPs: ram_1r1w
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic [2:0]   s_op_i,
  input  logic [23:0]  s_qpn_i,
  input  logic [1:0]   s_service_i,
  input  logic [7:0]   s_opcode_i,
  input  logic [2:0]   s_encap_i,
  input  logic [1:0]   s_tags_i,
  input  logic [31:0]  s_vlan0_i,
  input  logic [31:0]  s_vlan1_i,
  input  logic [7:0]   s_tclass_i,
  input  logic [15:0]  s_udp_src_port_i,
  input  logic [127:0] s_src_i,
  input  logic [127:0] s_dst_i,
  input  logic [15:0]  s_pkey_i,
  input  logic [23:0]  s_peer_qpn_i,
  input  logic [31:0]  s_period_i,
  input  logic         s_valid_i,
  output logic         s_ready_o,

  output logic [23:0]  m_qpn_o,
  output logic [2:0]   m_op_o,
  output logic [2:0]   m_why_o,
  output logic [7:0]   m_opcode_o,
  output logic [23:0]  m_peer_qpn_o,
  output logic [2:0]   m_encap_o,
  output logic [1:0]   m_tags_o,
  output logic [31:0]  m_vlan0_o,
  output logic [31:0]  m_vlan1_o,
  output logic [7:0]   m_tclass_o,
  output logic [15:0]  m_udp_src_port_o,
  output logic [127:0] m_src_o,
  output logic [127:0] m_dst_o,
  output logic [15:0]  m_pkey_o,
  output logic         m_valid_o,
  input  logic         m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("cnp_gen: NumQps must be a power of two from 4 to 65536");
  end
  if (StampWidth < QpnWidth + 3 || StampWidth > 32) begin : gen_bad_stamp_width
    $error("cnp_gen: StampWidth must be log2 NumQps + 3 to 32");
  end

  cnp_pkg::query_t s_rec, r_rec, x_rec;
  cnp_pkg::result_t x_result, out;
  cnp_pkg::context_t x_ctx, x_ctx_d;
  logic [StampWidth-1:0] x_stamp, x_stamp_d;
  logic ctx_ready, x_valid, x_we, period_we, unused_r_rec;

  assign s_rec = {s_period_i, s_peer_qpn_i, s_pkey_i, s_dst_i, s_src_i, s_udp_src_port_i, s_tclass_i, s_vlan1_i,
                  s_vlan0_i, s_tags_i, s_encap_i, s_opcode_i, s_service_i, s_qpn_i, s_op_i};
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
    .Width   ($bits(x_ctx) + StampWidth),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .r_qpn_i(r_visit ? r_turn : r_rec.qpn[QpnWidth-1:0]),
    .x_ctx_o({x_ctx, x_stamp}),
    .x_ctx_i({x_ctx_d, x_stamp_d}),
    .x_we_i (x_we)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // X: the decision.

  logic [StampWidth-2:0] period_q;

  cnp_decide #(
    .StampWidth(StampWidth)
  ) u_decide (
    .rec_i      (x_rec),
    .valid_i    (x_valid),
    .visit_i    (x_visit),
    .ctx_i      (x_ctx),
    .stamp_i    (x_stamp),
    .now_i      (now),
    .period_i   (period_q),
    .ctx_o      (x_ctx_d),
    .stamp_o    (x_stamp_d),
    .we_o       (x_we),
    .period_we_o(period_we),
    .result_o   (x_result)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) period_q <= '0;
    else if (period_we) period_q <= x_rec.period[StampWidth-2:0];
  end

  assign {m_pkey_o, m_dst_o, m_src_o, m_udp_src_port_o, m_tclass_o, m_vlan1_o, m_vlan0_o, m_tags_o, m_encap_o,
          m_peer_qpn_o, m_opcode_o, m_why_o, m_op_o, m_qpn_o} = out;

endmodule
