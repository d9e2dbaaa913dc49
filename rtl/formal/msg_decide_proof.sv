// SPDX-License-Identifier: Apache-2.0
// msg_decide twice, the second one behind the first: what a commit leaves, the next packet of the message finds, for
// all numbers. It has no state: one clock says all. Check: one bit a property, bit 0 is not used.
module msg_decide_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [174:0] rec_i,   // as docs/blocks/msg_tracker.md lays it out
  input logic [174:0] next_i,
  input logic         in_range_i,
  input logic [161:0] word_i   // of the QP
);

  logic [161:0] behind, unused_end;
  logic [187:0] result, next;

  msg_decide u_first (
    .rec_i     (rec_i),
    .in_range_i(in_range_i),
    .ctx_i     (word_i),
    .ctx_o     (behind),
    .result_o  (result)
  );

  msg_decide u_second (
    .rec_i     (next_i),
    .in_range_i(1'b1),
    .ctx_i     (behind),
    .ctx_o     (unused_end),
    .result_o  (next)
  );

  // Fields, by the words of the document.
  logic [2:0] op;
  logic [1:0] verb;
  logic first, last, found, executed, next_found, goes_on;
  logic [15:0] payload;
  logic [64:0] left_sum;
  assign op       = rec_i[2:0];
  assign verb     = rec_i[28:27];
  assign first    = rec_i[29];
  assign last     = rec_i[30];
  assign payload  = rec_i[46:31];
  assign found    = result[27];
  assign executed = op == 3'd1 && found;

  // The next one is looked up, and is of the same message.
  assign next_found = next[27];
  assign goes_on    = executed && !last && next_i[2:0] == 3'd0 && !next_i[29] && next_i[28:27] == verb;
  assign left_sum   = 65'(next[187:156]) + 65'(payload);

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[1] && (op == 3'd0 || op > 3'd2 || !in_range_i)) assert (behind == word_i);
      if (Check[2] && goes_on) begin
        assert (next_found && next[155:124] == result[155:124] + 32'(payload));
        if (verb == 2'd2) assert (next[91:28] == result[91:28] + 64'(payload) && next[123:92] == result[123:92]);
      end
      if (Check[3] && goes_on && verb == 2'd2) begin
        assert (left_sum == 65'(result[187:156]) || (next[187:156] == '0 && payload > result[187:156]));
      end
      if (Check[4] && in_range_i && ((executed && last) || op == 3'd2)) begin
        if (next_i[2:0] < 3'd2 && !next_i[29]) assert (!next_found && next[187:28] == '0);
      end
      if (Check[5] && op < 3'd2 && first && in_range_i && (verb == 2'd1 || verb == 2'd2)) begin
        assert (found && result[155:124] == '0);
        if (verb == 2'd2) assert ({result[187:156], result[123:28]} == {rec_i[174:143], rec_i[142:47]});
        else assert (result[187:28] == '0);
      end
      if (Check[6]) begin
        if (op < 3'd2 && !first && found) assert (word_i[161:160] == verb && result[187:28] == {word_i[159:0]});
        if (op < 3'd2 && (verb == 2'd0 || verb == 2'd3)) assert (!found);
        if (op > 3'd1 || !found) assert (result[187:28] == '0);
        if (op < 3'd2 && !found) assert (behind == word_i);
      end
      if (Check[7]) assert (result[26:0] == {op, rec_i[26:3]});
    end
  end

endmodule
