// SPDX-License-Identifier: Apache-2.0
// How many writes of hca_rx are acknowledged, counted without a gap: memory acknowledges them in any order.
module hca_rx_acked (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic [hca_rx_pkg::CountWidth-1:0] writes_i,  // so many were decided
  input  logic [7:0]                        tag_i,
  input  logic                              acks_i,    // the write of this tag, good or not
  output logic [hca_rx_pkg::CountWidth-1:0] acked_o    // the first so many
);

  logic [hca_rx_pkg::CountWidth-1:0] acked_q;
  logic [255:0] there_q;
  logic moves;

  assign moves   = (acked_q != writes_i) & there_q[acked_q[7:0]];
  assign acked_o = acked_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      acked_q <= '0;
      there_q <= '0;
    end else begin
      if (moves) begin
        acked_q               <= acked_q + 1'b1;
        there_q[acked_q[7:0]] <= 1'b0;
      end
      if (acks_i) there_q[tag_i] <= 1'b1;
    end
  end

endmodule
