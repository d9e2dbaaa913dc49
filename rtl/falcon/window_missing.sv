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

  assign top   = window_pkg::length(window_pkg::filled(named_i));
  assign limit = {1'b0, top} - {1'b0, threshold_i} - {8'd0, ~inclusive_i};
  assign near  = top == 8'd0 || limit[8] ? '0 : window_pkg::below(limit[7:0]);

  assign missing_o = window_pkg::below(sent_i) & ~ack_i & ~named_i & (own_i ? {window_pkg::DataBits{1'b1}} : near);

endmodule
