// SPDX-License-Identifier: Apache-2.0
// retire_decide ends the WQEs that docs/blocks/sq_retire.md says, each once and in their order, for all records and
// all words that are well-formed, and leaves such words. It has no state: one clock says all. Four WQEs a QP, four bits
// a PSN. Check: one bit a property, bit 0 is not used.
module retire_decide_proof #(
  parameter logic [10:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [541:0] rec_i,   // as docs/blocks/sq_retire.md lays it out
  input logic         known_i,
  input logic [42:0]  word_i,
  input logic [1:0]   place_i  // any WQE, by its age
);

  logic [42:0] word;
  logic [157:0] out;

  retire_decide #(
    .Depth   (4),
    .PsnWidth(4)
  ) dut (
    .rec_i,
    .known_i,
    .word_i,
    .word_o    (word),
    .decision_o(out)
  );

  // The word before and behind.
  logic [1:0] state, state_d, head, head_d;
  logic [2:0] count, count_d, begun, begun_d;
  logic [3:0] una, una_d, newest, newest_d;
  logic spoilt, spoilt_d;
  logic [3:0] spoilt_status, spoilt_status_d, signaled, signaled_d;
  logic [15:0] behinds, behinds_d;
  assign {behinds, signaled, spoilt_status, spoilt, newest, una, begun, count, head, state} = word_i;
  assign {behinds_d, signaled_d, spoilt_status_d, spoilt_d, newest_d, una_d, begun_d, count_d, head_d, state_d} = word;

  // What is decided.
  logic [63:0] asked;
  logic [23:0] first_psn, last_psn;
  logic [3:0] status;
  logic [6:0] good, ended, left;
  logic [5:0] from, slot;
  logic stores, begins, flushes, failed, present, is_begun;
  logic [2:0] why;
  assign {asked, first_psn, last_psn, status, good, ended, left, from, slot, stores, begins, flushes, failed, present,
          is_begun, why} = out;

  // The record, by the words of the document.
  logic [2:0] op;
  logic post, begin_it, verdict, clear, look, local_done, none, is_open, has_failed, progress, fail;
  logic [1:0] rec_slot, rec_place, newest_slot;
  logic [3:0] rec_una, rec_last;
  assign op          = rec_i[26:24];
  assign rec_slot    = look && progress ? head : rec_i[28:27];
  assign rec_last    = rec_i[60:57];
  assign rec_una     = rec_i[84:81];
  assign progress    = rec_i[105];
  assign fail        = rec_i[106];
  assign is_open     = known_i && state == 2'd1;
  assign has_failed  = known_i && state == 2'd2;
  assign post        = is_open && op == 3'd0;
  assign begin_it    = is_open && op == 3'd1;
  assign verdict     = is_open && op == 3'd2;
  assign clear       = known_i && op == 3'd3;
  assign look        = (is_open || has_failed) && op == 3'd4;
  assign local_done  = is_open && op == 3'd5;
  assign none        = op == 3'd6 || op == 3'd7;
  assign rec_place   = rec_slot - head;
  assign newest_slot = head + begun[1:0] - 2'd1;

  // A WQE is acknowledged if its end lies on the way from una to the new una: by how far it is from there.
  logic [3:0] acked;
  logic [2:0] run;
  for (genvar k = 0; k < 4; k++) begin : gen_acked
    logic [1:0] at;
    logic [3:0] back, way;
    assign at       = head + 2'(k);
    assign back     = rec_una - behinds[4*at+:4];
    assign way      = rec_una - una;
    assign acked[k] = 3'(k) < begun && back <= way;
  end
  assign run = !acked[0] ? 3'd0 : !acked[1] ? 3'd1 : !acked[2] ? 3'd2 : !acked[3] ? 3'd3 : 3'd4;

  // The turn of local work that could not be done: now, or when what is before it has ended.
  logic turn, alone, comes, brings;
  assign turn   = begun < count && !spoilt && rec_place == begun[1:0];
  assign alone  = local_done && turn && begun == 3'd0;
  assign comes  = verdict && progress && spoilt && run == begun;
  assign brings = comes || (alone && fail);

  logic [1:0] at, place_d;
  assign at      = head + place_i;
  assign place_d = at - head_d;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (count <= 3'd4 && begun <= count && state != 2'd3);
    assume (!spoilt || begun != 3'd0);
    assume (state == 2'd1 || count == 3'd0);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        assert (count_d <= 3'd4 && begun_d <= count_d && (!spoilt_d || begun_d != 3'd0));
        assert (state_d == 2'd1 || count_d == 3'd0);
        if (known_i) assert (left == 7'(none ? 3'd0 : count_d));
      end
      if (Check[2] && !(post || begin_it || verdict || clear || local_done)) begin
        assert (word == word_i && !stores && !begins && !failed && ended == 7'd0);
      end
      // No slot that is in use is stored to, and the new WQE is the last.
      if (Check[3]) begin
        assert (stores == (post && count != 3'd4));
        if (stores) begin
          assert (slot[1:0] == head + count[1:0] && slot[5:2] == '0 && signaled_d[slot[1:0]] == rec_i[147]);
          if ({1'b0, place_i} < count) assert (at != slot[1:0] && signaled_d[at] == signaled[at]);
        end
      end
      if (Check[4]) begin
        assert (begins == ((begin_it || local_done) && turn));
        if (begins && at == rec_slot && begin_it) assert (behinds_d[4*at+:4] == 4'(rec_last + 4'd1));
        if (!begins || at != rec_slot) assert (behinds_d[4*at+:4] == behinds[4*at+:4]);
      end
      if (Check[5] && verdict) begin
        assert (good == (progress ? 7'(run) - 7'(comes) : 7'd0));
        if (!failed) assert (begun_d == begun - good[2:0]);
      end
      // What is there and what comes is what ends and what stays, in its order.
      if (Check[6]) begin
        assert (ended <= 7'd4 && good <= ended);
        if (!clear) begin
          assert (7'(count) + 7'(stores) == 7'(count_d) + ended);
          if (7'(place_i) < 7'(count) && 7'(place_i) >= ended) assert (7'(place_d) == 7'(place_i) - ended);
        end
        if (ended != 7'd0) assert (from == 6'(head) && asked[place_i] == signaled[at]);
      end
      if (Check[7]) begin
        assert (failed == ((verdict && fail) || brings));
        if (failed) assert (ended == 7'(count) && state_d == 2'd2);
        if (failed) assert (status == (comes ? spoilt_status : rec_i[110:107]));
        if (!failed) assert (ended == good && (state_d == state || clear));
      end
      if (Check[8] && local_done && turn) begin
        assert (good == 7'(alone && !fail));
        assert (behinds_d[4*rec_slot+:4] == (begun == 3'd0 ? una : newest));
        assert (first_psn == 24'(behinds_d[4*rec_slot+:4]));
        if (!failed) assert (spoilt_d == fail && (!fail || spoilt_status_d == rec_i[110:107]));
      end
      if (Check[9]) begin
        assert (una_d == ((verdict && progress) || clear ? rec_una : una));
        if (clear) assert (state_d == 2'd1 && count_d == 3'd0 && begun_d == 3'd0 && head_d == 2'd0);
        if (clear) assert (!failed && ended == 7'd0);
        if (begins) assert (newest_d == behinds_d[4*rec_slot+:4]);
      end
      if (Check[10]) begin
        assert (present == (look && ({1'b0, rec_place} < begun || turn)));
        assert (is_begun == (look && {1'b0, rec_place} < begun));
        if (is_begun) assert (4'(last_psn[3:0] + 4'd1) == behinds[4*rec_slot+:4] && last_psn[23:4] == '0);
        assert (flushes == (has_failed && op == 3'd0));
        assert ((why == 3'd1) == (none || !(is_open || has_failed || clear)));
        assert ((why == 3'd2) == (has_failed && !none && op != 3'd3 && op != 3'd4));
        assert ((why == 3'd3) == (post && count == 3'd4));
        assert ((why == 3'd4) == ((begin_it || local_done) && !turn));
      end
    end
  end

endmodule
