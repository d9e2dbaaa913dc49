// SPDX-License-Identifier: Apache-2.0
// rq_ecc tells of a record for which a word was lost so, and of nothing else, for all records, decisions and words. It
// has no state: one clock says all. Check: one bit a property, bit 0 is not used.
module rq_ecc_proof #(
  parameter logic [2:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [116:0] rec_i,       // as docs/blocks/rq_head.md lays it out
  input logic [11:0]  decision_i,
  input logic         slot_lost_i,
  input logic         held_lost_i,
  input logic [3:0]   inject_ok_i,
  input logic [47:0]  counts_i,
  input logic [96:0]  result_i
);

  logic [96:0] result;

  rq_ecc dut (
    .rec_i,
    .decision_i,
    .slot_lost_i,
    .held_lost_i,
    .inject_ok_i,
    .counts_i,
    .result_i,
    .result_o(result)
  );

  logic own, lost;
  assign own  = rec_i[2:0] >= 3'd6;
  assign lost = decision_i[11] || (decision_i[8] && (decision_i[7] ? held_lost_i : slot_lost_i));

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (result_i[27] || result_i[59:28] == '0);  // what is not present has no bytes
    if (!initial_q && rst_ni) begin
      if (Check[1] && !own && lost) begin
        assert (!result[27] && result[59:28] == 32'd1 && result[91:60] == '0);
        assert (result[96:92] == (rec_i[2:0] == 3'd0 && rec_i[51] ? 5'd31 : 5'd0));  // a look up with shared
        assert (result[26:0] == result_i[26:0]);
      end
      if (Check[2] && !own && !lost) assert (result == result_i && (result[27] || result[59:28] != 32'd1));
      if (Check[2] && own) begin
        assert (result[27] == (rec_i[0] || (decision_i[10] && inject_ok_i[rec_i[86:85]])));
        if (rec_i[0]) assert (result[35:28] == counts_i[7:0] && result[51:44] == counts_i[15:8]);
        if (rec_i[0]) assert (result[91:60] == counts_i[47:16] && {result[59:52], result[43:36]} == '0);
      end
    end
  end

endmodule
