// SPDX-License-Identifier: Apache-2.0
// One wire in hca_top: frames of the responder and of the requester, in turn, whole.
module hca_top_wire #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [DataWidth-1:0]             s_rx_tdata_i,
  input  logic [DataWidth/8-1:0]           s_rx_tkeep_i,
  input  logic                             s_rx_tlast_i,
  input  logic [hca_pkg::VerdictWidth-1:0] s_rx_tuser_i,
  input  logic                             s_rx_tvalid_i,
  output logic                             s_rx_tready_o,

  input  logic [DataWidth-1:0]             s_tx_tdata_i,
  input  logic [DataWidth/8-1:0]           s_tx_tkeep_i,
  input  logic                             s_tx_tlast_i,
  input  logic [hca_pkg::VerdictWidth-1:0] s_tx_tuser_i,
  input  logic                             s_tx_tvalid_i,
  output logic                             s_tx_tready_o,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i
);

  logic [1:0] unused_from, unused_ready;

  tx_arbiter #(
    .NumInputs (2),
    .DataWidth (DataWidth),
    .UserWidth (hca_pkg::VerdictWidth),
    .UserOnLast(1'b1),
    .Depth     (16)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .s0_axis_tdata_i (s_tx_tdata_i),
    .s0_axis_tkeep_i (s_tx_tkeep_i),
    .s0_axis_tlast_i (s_tx_tlast_i),
    .s0_axis_tuser_i (s_tx_tuser_i),
    .s0_axis_tvalid_i(s_tx_tvalid_i),
    .s0_axis_tready_o(s_tx_tready_o),
    .s1_axis_tdata_i (s_rx_tdata_i),
    .s1_axis_tkeep_i (s_rx_tkeep_i),
    .s1_axis_tlast_i (s_rx_tlast_i),
    .s1_axis_tuser_i (s_rx_tuser_i),
    .s1_axis_tvalid_i(s_rx_tvalid_i),
    .s1_axis_tready_o(s_rx_tready_o),
    .s2_axis_tdata_i ('0),
    .s2_axis_tkeep_i ('0),
    .s2_axis_tlast_i (1'b0),
    .s2_axis_tuser_i ('0),
    .s2_axis_tvalid_i(1'b0),
    .s2_axis_tready_o(unused_ready[0]),
    .s3_axis_tdata_i ('0),
    .s3_axis_tkeep_i ('0),
    .s3_axis_tlast_i (1'b0),
    .s3_axis_tuser_i ('0),
    .s3_axis_tvalid_i(1'b0),
    .s3_axis_tready_o(unused_ready[1]),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tuser_o  ({unused_from, m_axis_tuser_o}),
    .m_axis_tvalid_o,
    .m_axis_tready_i
  );

endmodule
