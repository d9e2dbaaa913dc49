// SPDX-License-Identifier: Apache-2.0
// What sq_retire makes of a record by the word of its QP: which WQEs end, and how: docs/blocks/sq_retire.md.
module retire_decide #(
  parameter int unsigned Depth = 8,      // a power of two from 2 to 64
  parameter int unsigned PsnWidth = 24,  // 3 to 24
  localparam int unsigned SlotWidth = $clog2(Depth),
  localparam int unsigned CountWidth = SlotWidth + 1,
  localparam int unsigned Width = 7 + SlotWidth + 2 * CountWidth + 2 * PsnWidth + Depth * (PsnWidth + 1)
) (
  input  retire_pkg::query_t    rec_i,
  input  logic                  known_i,  // there is a QP of the record's number
  input  logic [Width-1:0]      word_i,
  output logic [Width-1:0]      word_o,
  output retire_pkg::decision_t decision_o
);

  localparam int unsigned S = SlotWidth;
  localparam int unsigned C = CountWidth;
  localparam int unsigned P = PsnWidth;

  // The word. Of WQEs that were begun `behind` is the PSN behind their last, by slot.
  logic [1:0] state, state_d;  // retire_pkg::state_e
  logic [S-1:0] head, head_d;
  logic [C-1:0] count, count_d, begun, begun_d;
  logic [P-1:0] una, una_d, newest, newest_d;  // newest: behind the one that was begun last
  logic spoilt, spoilt_d;                      // the one begun last is local work that could not be done
  logic [3:0] spoilt_status, spoilt_status_d;
  logic [Depth-1:0] signaled, signaled_d;
  logic [Depth*P-1:0] behinds, behinds_d;

  assign {behinds, signaled, spoilt_status, spoilt, newest, una, begun, count, head, state} = word_i;
  assign word_o = {behinds_d, signaled_d, spoilt_status_d, spoilt_d, newest_d, una_d, begun_d, count_d, head_d,
                   state_d};

  // ---------------------------------------------------------------------------------------------------------------
  // What the record is.

  logic is_open, has_failed, posts, stores, flushes, starts, is_local, turn, begins, judges, moves, clears, looks;
  logic unused_rec;
  logic [S-1:0] slot, place;

  assign unused_rec = ^rec_i;
  assign is_open    = known_i && state == retire_pkg::StateOpen;
  assign has_failed = known_i && state == retire_pkg::StateFailed;
  assign slot       = looks && rec_i.progress ? head : rec_i.slot[S-1:0];
  assign place      = slot - head;  // how far the slot is behind the oldest WQE
  assign posts      = is_open && rec_i.op == retire_pkg::OpPost;
  assign stores     = posts && count != C'(Depth);
  assign flushes    = has_failed && rec_i.op == retire_pkg::OpPost;
  assign is_local   = rec_i.op == retire_pkg::OpLocalDone;
  assign starts     = is_open && (is_local || rec_i.op == retire_pkg::OpBegun);
  assign turn       = begun != count && place == begun[S-1:0] && !spoilt;
  assign begins     = starts && turn;
  assign judges     = is_open && rec_i.op == retire_pkg::OpVerdict;
  assign moves      = judges && rec_i.progress;
  assign clears     = known_i && rec_i.op == retire_pkg::OpClear;
  assign looks      = (is_open || has_failed) && rec_i.op == retire_pkg::OpLook;

  // ---------------------------------------------------------------------------------------------------------------
  // How many end. Distances are from the una before.

  logic [P-1:0] moved, behind;
  logic [Depth-1:0] acked, stays;
  logic [2*Depth-1:0] ring, oldest;  // slot Depth + i is slot i again, behind the last one
  logic [C-1:0] at, good, ended;     // at: where the oldest WQE that stays stands in the ring
  logic at_once, all, reached, fails;
  logic [3:0] status;

  assign moved = rec_i.una[P-1:0] - una;

  for (genvar i = 0; i < Depth; i++) begin : gen_acked
    logic [P-1:0] far;
    assign far      = behinds[i*P+:P] - una;
    assign acked[i] = far <= moved;
  end

  for (genvar i = 0; i < Depth; i++) begin : gen_stays
    logic [S:0] age;  // the top bit: the slot stands before that of the oldest
    assign age           = {1'b0, S'(i)} - {1'b0, head};
    assign stays[i]      = {1'b0, age[S-1:0]} < begun && !acked[i];
    assign ring[i]       = stays[i] && !age[S];
    assign ring[Depth+i] = stays[i];
  end

  assign oldest = ring & (~ring + 1'b1);

  always_comb begin
    at = '0;
    for (int unsigned i = 0; i < 2 * Depth; i++) at = at | ({C{oldest[i]}} & C'(i));
  end

  // Local work that is done with nothing before it ends at once; what could not be done fails the QP in its turn.
  assign all     = stays == '0;
  assign at_once = begins && is_local && begun == '0;
  assign reached = at_once ? rec_i.fail : moves && spoilt && all;
  assign fails   = reached || (judges && rec_i.fail);

  always_comb begin
    good = '0;
    if (moves) good = all ? begun - C'(spoilt) : at - {1'b0, head};
    if (at_once && !rec_i.fail) good = C'(1);
  end

  assign ended  = fails ? count : good;
  assign status = reached && !at_once ? spoilt_status : rec_i.status;

  // ---------------------------------------------------------------------------------------------------------------
  // The new word.

  logic [S-1:0] tail;
  assign tail = head + count[S-1:0];

  always_comb begin
    behind = rec_i.last_psn[P-1:0] + 1'b1;
    if (is_local) behind = begun == '0 ? una : newest;
    signaled_d = signaled;
    behinds_d  = behinds;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (stores && tail == S'(i)) signaled_d[i] = rec_i.wqe.signaled;
      if (begins && slot == S'(i)) behinds_d[i*P+:P] = behind;
    end
  end

  always_comb begin
    state_d         = state;
    head_d          = head + S'(at_once && !rec_i.fail);
    count_d         = count + C'(stores) - C'(at_once && !rec_i.fail);
    begun_d         = begun + C'(begins) - C'(at_once && !rec_i.fail);
    // As head + good, count - good and begun - good, with the place as late as it comes.
    if (moves) begin
      head_d  = all ? head + begun[S-1:0] - S'(spoilt) : at[S-1:0];
      count_d = all ? count - begun + C'(spoilt) : count + {1'b0, head} - at;
      begun_d = all ? C'(spoilt) : begun + {1'b0, head} - at;
    end
    una_d           = moves ? rec_i.una[P-1:0] : una;
    newest_d        = begins ? behind : newest;
    spoilt_d        = spoilt | (begins & is_local & rec_i.fail);
    spoilt_status_d = begins ? rec_i.status : spoilt_status;
    if (fails) state_d = retire_pkg::StateFailed;
    if (clears) begin
      state_d = retire_pkg::StateOpen;
      una_d   = rec_i.una[P-1:0];
      head_d  = '0;
    end
    if (fails || clears) begin
      count_d  = '0;
      begun_d  = '0;
      spoilt_d = 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What is told of it.

  logic is_begun, is_none;
  logic [P-1:0] first, last;
  logic [2:0] why;  // retire_pkg::why_e

  assign first   = is_local ? behind : rec_i.first_psn[P-1:0];
  assign is_none = rec_i.op > retire_pkg::OpLocalDone;

  always_comb begin
    last = '0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (slot == S'(i)) last = behinds[i*P+:P] - 1'b1;
    end
  end

  assign is_begun = looks && {1'b0, place} < begun;

  always_comb begin
    decision_o           = '0;
    decision_o.asked     = 64'(Depth'({signaled, signaled} >> head));
    decision_o.first_psn = 24'(first);
    decision_o.last_psn  = is_begun ? 24'(last) : '0;
    decision_o.status    = status;
    decision_o.good      = 7'(good);
    decision_o.ended     = 7'(ended);
    decision_o.count     = known_i && !is_none ? 7'(count_d) : '0;
    decision_o.head      = 6'(head);
    decision_o.stores    = stores;
    decision_o.begins    = begins;
    decision_o.flushes   = flushes;
    decision_o.failed    = fails;
    decision_o.present   = is_begun | (looks & turn);
    decision_o.begun     = is_begun;
    decision_o.why       = why;
    if (starts || looks) decision_o.slot = 6'(slot);
    if (stores) decision_o.slot = 6'(tail);
  end

  always_comb begin
    why = retire_pkg::WhyTaken;
    if (starts && !turn) why = retire_pkg::WhyNotTurn;
    if (posts && !stores) why = retire_pkg::WhyFull;
    if (has_failed && !clears && !looks) why = retire_pkg::WhyFailed;
    if (is_none || !(is_open || has_failed || clears)) why = retire_pkg::WhyNoQp;
  end

endmodule
