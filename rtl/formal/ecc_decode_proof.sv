// SPDX-License-Identifier: Apache-2.0
// ecc_decode gives back what ecc_encode was given, whichever bit of the code word is turned, and tells of two. Without
// state: what holds in any cycle holds for every word and every place.
//
// Check selects assertions: bit 0 nothing, then one bit a property of ecc_decode.go.
module ecc_decode_proof #(
  parameter int unsigned Width = 64,
  parameter logic [3:0] Check = '1
) (
  input logic             clk_i,
  input logic [Width-1:0] data_i,
  input logic [6:0]       first_i,  // which bits are turned; none where there is none of that number
  input logic [6:0]       second_i
);

  localparam int unsigned CodeBits = ecc_pkg::code_bits(Width);

  logic [CodeBits-1:0] code, first, second;
  logic [Width-1:0] data;
  logic corrected, failed;

  ecc_encode #(
    .Width(Width)
  ) encoder (
    .data_i,
    .code_o(code)
  );

  ecc_decode #(
    .Width(Width)
  ) dut (
    .code_i     (code ^ first ^ second),
    .data_o     (data),
    .corrected_o(corrected),
    .failed_o   (failed)
  );

  for (genvar i = 0; i < CodeBits; i++) begin : gen_turned
    assign first[i]  = first_i == 7'(i);
    assign second[i] = second_i == 7'(i) && first_i != 7'(i);
  end

  always_ff @(posedge clk_i) begin
    if (second == '0 && first == '0) begin
      if (Check[1]) assert (data == data_i && !corrected && !failed);
    end else if (second == '0 || first == '0) begin
      if (Check[2]) assert (data == data_i && corrected && !failed);
    end else begin
      if (Check[3]) assert (!corrected && failed);
    end
  end

endmodule
