// SPDX-License-Identifier: Apache-2.0
// Which packets of a window an EACK shows to be missing (FAL-D16, FAL-D17, without recency): docs/blocks/falcon_window.md.
// Combinational.
module window_missing (
  input  logic [7:0]                      sent_i,   // from the base on
  input  logic [window_pkg::DataBits-1:0] ack_i,
  input  logic [window_pkg::DataBits-1:0] named_i,
  input  logic                            own_i,
  input  logic [7:0]                      threshold_i,
  input  logic                            inclusive_i,
  output logic [window_pkg::DataBits-1:0] missing_o
);

  logic [7:0] top;  // the highest named bit and one; 0 where none is
  logic [8:0] limit;
  logic [window_pkg::DataBits-1:0] near;

  // Above the highest named bit there are only zeros: seen from the top, turned over, they are leading ones.
  logic [window_pkg::DataBits-1:0] turned;
  logic [7:0] zeros;

  for (genvar i = 0; i < window_pkg::DataBits; i++) begin : gen_turned
    assign turned[i] = ~named_i[window_pkg::DataBits-1-i];
  end

  leading_ones #(
    .Width(window_pkg::DataBits)
  ) u_zeros (
    .word_i (turned),
    .count_o(zeros)
  );

  assign top   = 8'd128 - zeros;
  assign limit = {1'b0, top} - {1'b0, threshold_i} - {8'd0, ~inclusive_i};
  assign near  = top == 8'd0 || limit[8] ? '0 : window_pkg::below(limit[7:0]);

  assign missing_o = window_pkg::below(sent_i) & ~ack_i & ~named_i & (own_i ? {window_pkg::DataBits{1'b1}} : near);

endmodule
