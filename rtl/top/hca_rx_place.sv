// SPDX-License-Identifier: Apache-2.0
// Payload in hca_rx: placed, or taken from the parser's store and forgotten, packet by packet in order.
module hca_rx_place #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   s_place_i,  // one for each packet at s_axis
  input  logic                   s_place_valid_i,
  output logic                   s_place_ready_o,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  logic place, place_valid, place_take, places, discards, pay_ready;
  logic [6:0] unused_count;

  sync_fifo #(
    .Width(1),
    .Depth(64)
  ) u_places (
    .clk_i,
    .rst_ni,
    .s_data_i (s_place_i),
    .s_valid_i(s_place_valid_i),
    .s_ready_o(s_place_ready_o),
    .m_data_o (place),
    .m_valid_o(place_valid),
    .m_ready_i(place_take),
    .count_o  (unused_count)
  );

  assign places          = place_valid & place;
  assign discards        = place_valid & ~place;
  assign s_axis_tready_o = (places & pay_ready) | discards;
  assign place_take      = s_axis_tvalid_i & s_axis_tready_o & s_axis_tlast_i;

  axis_skid #(
    .Width(DataWidth + DataWidth / 8 + 1)
  ) u_pay (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i}),
    .s_valid_i(s_axis_tvalid_i & places),
    .s_ready_o(pay_ready),
    .m_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i)
  );

endmodule
