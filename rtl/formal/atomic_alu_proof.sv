// SPDX-License-Identifier: Apache-2.0
// atomic_alu says what an atomic writes, and what it returns, for all numbers. It has no state: one clock says all.
// Check: one bit a property, bit 0 is not used.
module atomic_alu_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        is_add_i,
  input logic [63:0] compare_i,
  input logic [63:0] swap_add_i,
  input logic        failed_i,
  input logic [63:0] data_i
);

  logic writes;
  logic [63:0] value, original;

  atomic_alu dut (
    .is_add_i,
    .compare_i,
    .swap_add_i,
    .failed_i,
    .data_i,
    .writes_o  (writes),
    .value_o   (value),
    .original_o(original)
  );

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (failed_i) assert (!writes && original == '0);
        else assert (original == data_i);
      end
      if (Check[2] && !failed_i && is_add_i) assert (writes && value - swap_add_i == data_i);
      if (Check[3] && !failed_i && !is_add_i) assert (writes == ((data_i ^ compare_i) == '0));
      if (Check[4] && !is_add_i && writes) assert (value == swap_add_i);
    end
  end

endmodule
