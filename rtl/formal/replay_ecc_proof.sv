// SPDX-License-Identifier: Apache-2.0
// replay_ecc tells of a record for which a word was lost so, and of nothing else. It has no state: one clock says all.
// Check: one bit a property, bit 0 is not used.
module replay_ecc_proof #(
  parameter logic [2:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [2:0]  op_i,
  input logic        lost_i,
  input logic        injects_i,
  input logic [47:0] counts_i,
  input logic [97:0] result_i  // as docs/blocks/replay_fifo.md lays it out
);

  logic [97:0] result;

  replay_ecc dut (
    .op_i,
    .lost_i,
    .injects_i,
    .counts_i,
    .result_i,
    .result_o(result)
  );

  logic own;
  assign own = op_i >= 3'd6;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (result_i[27] || !result_i[33]);  // what is not found has no result
    if (!initial_q && rst_ni) begin
      if (Check[1] && !own && lost_i) begin
        assert (!result[27] && result[33] && result[32:28] == '0 && result[97:34] == '0);
        assert (result[26:0] == result_i[26:0]);
      end
      if (Check[2] && !own && !lost_i) assert (result == result_i && (result[27] || !result[33]));
      if (Check[2] && own && !lost_i) begin
        assert (result[27] == (op_i[0] || injects_i) && result[32:28] == '0);
        if (op_i[0]) assert (result[41:34] == counts_i[7:0] && result[57:50] == counts_i[15:8]);
        if (op_i[0]) assert (result[97:66] == counts_i[47:16] && {result[65:58], result[49:42]} == '0);
      end
    end
  end

endmodule
