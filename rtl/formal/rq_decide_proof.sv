// SPDX-License-Identifier: Apache-2.0
// rq_decide keeps a queue of Depth places a queue, gives every message one WQE, and tells the credits of CRD-1, for all
// records and states. It has no state: one clock says all. Check: one bit a property, bit 0 is not used.
module rq_decide_proof #(
  parameter logic [9:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [116:0] rec_i,      // as docs/blocks/rq_head.md lays it out
  input logic         qp_ok_i,
  input logic         queue_ok_i,
  input logic         queue_lost_i,
  input logic         qp_lost_i,
  input logic [2:0]   head_i,
  input logic [3:0]   count_i,
  input logic         holds_i,
  input logic [2:0]   place_i     // any slot
);

  logic [2:0] head, slot;
  logic [3:0] count;
  logic holds, lost, injects, stores, shows, is_held, binds, present, looks_queue, renews_queue, looks_qp, renews_qp;
  logic [4:0] credits;

  rq_decide #(
    .Depth(8)
  ) dut (
    .rec_i,
    .qp_ok_i,
    .queue_ok_i,
    .queue_lost_i,
    .qp_lost_i,
    .head_i,
    .count_i,
    .holds_i,
    .head_o    (head),
    .count_o   (count),
    .holds_o   (holds),
    .slot_o    (slot),
    .looks_queue_o (looks_queue),
    .renews_queue_o(renews_queue),
    .looks_qp_o    (looks_qp),
    .renews_qp_o   (renews_qp),
    .decision_o({lost, injects, stores, shows, is_held, binds, present, credits})
  );

  // By the words of the document. A record for which a word was lost does what a number that is none does, but for what
  // writes that word anew.
  logic [2:0] op, at;
  logic both, shared, complete, look_up, post, take, clear, release_it, own_take, shared_take, full;
  assign op          = rec_i[2:0];
  assign shared      = rec_i[51];
  assign complete    = rec_i[52];
  assign both        = qp_ok_i && queue_ok_i && op != 3'd1 && op <= 3'd2;
  assign look_up     = op == 3'd0 && both && !queue_lost_i && !qp_lost_i;
  assign post        = op == 3'd1 && queue_ok_i && !queue_lost_i;
  assign take        = op == 3'd2 && both && !queue_lost_i && !qp_lost_i;
  assign clear       = op == 3'd3 && queue_ok_i;
  assign release_it  = op == 3'd4 && qp_ok_i;
  assign own_take    = take && !shared;
  assign shared_take = take && shared;
  assign full        = count_i == 4'd8;
  assign at          = place_i - head_i;  // how far the slot is behind the head

  // CRD-1: the first codes, and what each stands for; at most 8 are posted here.
  logic [3:0] left;
  logic [4:0] right;
  assign left = count_i - 4'(complete && count_i != '0);
  always_comb begin
    case (left)
      4'd0: right = 5'd0;
      4'd1: right = 5'd1;
      4'd2: right = 5'd2;
      4'd3: right = 5'd3;
      4'd4, 4'd5: right = 5'd4;
      4'd6, 4'd7: right = 5'd5;
      default: right = 5'd6;
    endcase
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (count_i <= 4'd8);
    if (queue_lost_i) assume ({head_i, count_i} == '0);  // ecc_context
    if (qp_lost_i) assume (!holds_i);
    if (!initial_q && rst_ni) begin
      if (Check[1] && !(post || take || clear || release_it)) begin
        assert ({head, count, holds} == {head_i, count_i, holds_i} && !stores && !binds);
      end
      if (Check[2]) begin
        assert (count <= 4'd8);
        if (post) assert (stores == !full && count == count_i + 4'(!full) && present == !full && head == head_i);
        if (clear) assert (count == '0);
      end
      // No slot that is in use is stored to, and the new one is the last.
      if (Check[3] && stores) begin
        if ({1'b0, at} < count_i) assert (slot != place_i);
        assert (slot == head_i + count_i[2:0]);
      end
      if (Check[4] && own_take) begin
        assert (count == count_i - 4'(complete && count_i != '0) && head == head_i + 3'(complete && count_i != '0));
        assert (slot == head_i && !binds && holds == holds_i);
      end
      if (Check[5] && shared_take) begin
        if (holds_i) assert (count == count_i && head == head_i && holds == !complete);
        else assert (count == count_i - 4'(count_i != '0) && holds == (!complete && count_i != '0) && binds == holds);
      end
      if (Check[6]) begin
        if (holds_i && !holds) assert (release_it || (shared_take && complete));
        if (release_it) assert (!holds && present == holds_i && is_held == holds_i);
        if (holds && !holds_i) assert (binds && shared_take && slot == head_i);
      end
      if (Check[7]) assert (credits == (!look_up ? 5'd0 : shared ? 5'd31 : right));
      if (Check[8] && (look_up || take)) begin
        assert (shows == ((shared && holds_i) || count_i != '0) && present == shows && is_held == (shared && holds_i));
        assert (slot == head_i);
      end
      if (Check[9]) begin
        assert (looks_queue == (both || (queue_ok_i && (op == 3'd1 || op == 3'd3))));
        assert (looks_qp == (both || (qp_ok_i && op == 3'd4)));
        assert (renews_queue == clear && renews_qp == release_it);
        assert (lost == ((looks_queue && !clear && queue_lost_i) || (looks_qp && qp_lost_i)));
        if (lost) assert (!stores && !shows && !binds && !present && credits == '0);
        if (looks_queue && !clear && queue_lost_i) assert (count == count_i && head == head_i && holds == holds_i);
        assert (injects == (op == 3'd6 && (rec_i[85] ? qp_ok_i : queue_ok_i)));
        if (injects) assert (slot == rec_i[89:87] && !present && !stores && !shows && !binds);
      end
    end
  end

endmodule
