// SPDX-License-Identifier: Apache-2.0
// How many bytes a beat has: tkeep is contiguous from bit 0, so this is the place of its only falling edge.
module keep_count #(
  parameter int unsigned BeatBytes = 64,
  localparam int unsigned CountWidth = $clog2(BeatBytes) + 1
) (
  input  logic [BeatBytes-1:0]  keep_i,
  output logic [CountWidth-1:0] count_o
);

  logic [BeatBytes-1:0] top;  // one-hot: the highest byte kept

  assign top = keep_i & ~(keep_i >> 1);

  always_comb begin
    count_o = '0;
    for (int i = 0; i < BeatBytes; i++) begin
      if (top[i]) count_o = count_o | CountWidth'(i + 1);
    end
  end

endmodule
