// SPDX-License-Identifier: Apache-2.0
// replay_decide keeps what was executed in turn and finds it by PSN and kind, for all records and words. It has no
// state: one clock says all. Check: one bit a property, bit 0 is not used.
module replay_decide_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [276:0] rec_i,    // as docs/blocks/replay_fifo.md lays it out
  input logic         qp_ok_i,
  input logic         lost_i,
  input logic [216:0] word_i,   // of the QP: next, depth, pmtu, four entries
  input logic [1:0]   place_i   // any slot
);

  logic [216:0] behind;
  logic [38:0] decision;
  logic looks, renews;
  logic [23:0] psn, last;

  assign psn  = rec_i[50:27];
  assign last = rec_i[76:53];

  replay_decide #(
    .Slots(4)
  ) dut (
    .rec_i,
    .qp_ok_i,
    .span_i    (last - psn),
    .lost_i,
    .looks_o   (looks),
    .renews_o  (renews),
    .ctx_i     (word_i),
    .ctx_o     (behind),
    .decision_o(decision)
  );

  logic lost, injects, found, keeps, returns, in_range, shows;
  logic [4:0] slot, next, depth, next_behind;
  logic [23:0] ahead;
  logic [2:0] op, pmtu;
  logic [1:0] kind;
  assign {lost, injects, found, keeps, returns, in_range, shows, slot, ahead, pmtu} = decision;
  assign op          = rec_i[2:0];
  assign kind        = rec_i[52:51];
  assign next        = word_i[216:212];
  assign depth       = word_i[211:207];
  assign next_behind = behind[216:212];

  // The slot that is looked at, and what it says of the record: by the words of the document.
  logic [50:0] entry, entry_behind;
  logic there, match;
  logic [23:0] from_first;
  assign entry        = word_i[51*place_i+:51];
  assign entry_behind = behind[51*place_i+:51];
  assign there        = entry[50];
  assign from_first   = psn - entry[47:24];
  assign match        = there && entry[49:48] == kind &&
                        (kind == 2'd0 ? from_first <= entry[23:0] : psn == entry[47:24]);

  logic asks, set, good_set;
  assign asks     = qp_ok_i && (op == 3'd1 || (op == 3'd2 && kind != 2'd0));
  assign set      = qp_ok_i && op == 3'd3;
  assign good_set = set && rec_i[271:269] != 3'd0 && rec_i[271:269] < 3'd6;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (lost_i) assume (word_i == '0);  // ecc_context
    assume (depth <= 5'd4 && next <= 5'd3 && (next < depth || next == '0));
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (!qp_ok_i || op == 3'd1 || op == 3'd2 || op > 3'd3) assert (behind == word_i && !keeps);
        if (!qp_ok_i || op > 3'd3) assert (!found && !returns && !in_range && !shows);
      end
      if (Check[2] && qp_ok_i && op == 3'd0) begin
        assert (keeps == (depth != '0) && found == keeps);
        if (keeps) assert (slot == next);
        if (keeps && next == {3'd0, place_i}) assert (entry_behind == {1'b1, kind, psn, last - psn});
        else assert (entry_behind == entry);
      end
      if (Check[3] && keeps) assert (next < depth && next_behind == (next == depth - 5'd1 ? 5'd0 : next + 5'd1));
      if (Check[4] && asks && found && slot == {3'd0, place_i}) begin
        assert (match && ahead == from_first && in_range == (kind == 2'd0));
        assert (shows == (op == 3'd1 && kind != 2'd0) && returns == (op == 3'd2) && pmtu == word_i[206:204]);
      end
      if (Check[5] && asks && match) assert (found && slot <= {3'd0, place_i});
      if (Check[6] && set) begin
        assert (found == good_set);
        if (good_set) assert (!entry_behind[50] && next_behind == '0 && behind[211:207] <= 5'd4);
        else assert (behind == word_i);
      end
      if (Check[7]) begin
        assert (looks == (qp_ok_i && op <= 3'd3) && renews == good_set);
        assert (lost == (looks && !renews && lost_i));
        if (lost) assert (!found && !keeps && !returns && !in_range && !shows && behind == word_i);
        assert (injects == (qp_ok_i && op == 3'd6));
        if (injects) assert (slot == {3'd0, rec_i[273:272]} && !found && !keeps && !returns && !in_range && !shows);
      end
    end
  end

endmodule
