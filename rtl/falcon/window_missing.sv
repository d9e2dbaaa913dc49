// SPDX-License-Identifier: Apache-2.0
// Which packets of a window an EACK shows to be missing (FAL-D16, FAL-D17, without recency):
// docs/blocks/falcon_window.md. The answer comes a clock after the question.
module window_missing (
  input  logic                            clk_i,
  input  logic [7:0]                      sent_i,   // from the base on
  input  logic [window_pkg::DataBits-1:0] ack_i,
  input  logic [window_pkg::DataBits-1:0] named_i,
  input  logic                            own_i,
  input  logic [7:0]                      threshold_i,
  input  logic                            inclusive_i,
  output logic [window_pkg::DataBits-1:0] missing_o
);

  localparam int unsigned W = window_pkg::DataBits;

  // Above the highest named bit there are only zeros: seen from the top, turned over, they are leading ones.
  logic [W-1:0] turned;
  logic [7:0] zeros;

  for (genvar i = 0; i < W; i++) begin : gen_turned
    assign turned[i] = ~named_i[W-1-i];
  end

  leading_ones #(
    .Width(W)
  ) u_zeros (
    .word_i (turned),
    .count_o(zeros)
  );

  // What may be missing, and how far from the end a packet has to be.
  logic [W-1:0] open_q;
  logic [7:0] zeros_q;
  logic [8:0] back_q;
  logic own_q;

  always_ff @(posedge clk_i) begin
    open_q  <= window_pkg::below(sent_i) & ~ack_i & ~named_i;
    zeros_q <= zeros;
    back_q  <= {1'b0, threshold_i} + {8'd0, ~inclusive_i};
    own_q   <= own_i;
  end

  logic [7:0] top;  // the highest named bit and one; 0 where none is
  logic [8:0] limit;  // below 0 with the top bit

  assign top       = 8'd128 - zeros_q;
  assign limit     = {1'b0, top} - back_q;
  assign missing_o = open_q & (own_q ? {W{1'b1}} : top == 8'd0 || limit[8] ? '0 : window_pkg::below(limit[7:0]));

endmodule
