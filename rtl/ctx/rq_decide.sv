// SPDX-License-Identifier: Apache-2.0
// What rq_head makes of a record by where its queue begins and how many are in it, and by whether its QP holds a WQE:
// docs/blocks/rq_head.md.
module rq_decide #(
  parameter int unsigned Depth = 8,  // a power of two from 2 to 64
  localparam int unsigned SlotWidth = $clog2(Depth),
  localparam int unsigned CountWidth = SlotWidth + 1
) (
  input  rq_pkg::query_t        rec_i,
  input  logic                  qp_ok_i,     // there is a QP of the record's number
  input  logic                  queue_ok_i,  // and such a queue
  input  logic                  queue_lost_i,  // head and count were: they are 0
  input  logic                  qp_lost_i,     // whether it holds a WQE was: it is 0
  input  logic [SlotWidth-1:0]  head_i,
  input  logic [CountWidth-1:0] count_i,
  input  logic                  holds_i,

  output logic [SlotWidth-1:0]  head_o,
  output logic [CountWidth-1:0] count_o,
  output logic                  holds_o,
  output logic [SlotWidth-1:0]  slot_o,      // that is read, or stored to
  output logic                  looks_queue_o,   // the record uses head and count
  output logic                  renews_queue_o,  // and writes them anew, whatever they were
  output logic                  looks_qp_o,
  output logic                  renews_qp_o,
  output rq_pkg::decision_t     decision_o
);

  logic uses_both, lost, asks, posts, takes, clears, releases, injects, is_held, any, has_room, pops, binds, unused_rec;

  assign unused_rec = ^rec_i;
  assign uses_both  = qp_ok_i && queue_ok_i && (rec_i.op == rq_pkg::OpLookUp || rec_i.op == rq_pkg::OpTake);
  assign asks       = uses_both && !queue_lost_i && !qp_lost_i;
  assign takes      = asks && rec_i.op == rq_pkg::OpTake;
  assign posts      = queue_ok_i && rec_i.op == rq_pkg::OpPost && !queue_lost_i;
  assign clears     = queue_ok_i && rec_i.op == rq_pkg::OpClear;
  assign releases   = qp_ok_i && rec_i.op == rq_pkg::OpRelease;
  assign injects    = rec_i.op == rq_pkg::OpInject && (rec_i.wqe.wqe[0] ? qp_ok_i : queue_ok_i);

  // A word that was lost stays as it is until it is written anew (ECC-7).
  assign looks_queue_o  = uses_both || clears || (queue_ok_i && rec_i.op == rq_pkg::OpPost);
  assign renews_queue_o = clears;
  assign looks_qp_o     = uses_both || releases;
  assign renews_qp_o    = releases;
  assign lost           = (looks_queue_o && queue_lost_i && !clears) || (looks_qp_o && qp_lost_i);

  assign any      = count_i != '0;
  assign has_room = count_i != CountWidth'(Depth);
  assign is_held  = holds_i && (releases || (asks && rec_i.is_shared));
  assign pops     = takes && any && !is_held && (rec_i.complete || rec_i.is_shared);
  assign binds    = pops && !rec_i.complete;

  always_comb begin
    head_o  = head_i;
    count_o = count_i;
    if (posts && has_room) count_o = count_i + 1'b1;
    if (pops) begin
      head_o  = head_i + 1'b1;
      count_o = count_i - 1'b1;
    end
    if (clears) count_o = '0;
  end

  always_comb begin
    holds_o = holds_i;
    if (binds) holds_o = 1'b1;
    if (releases || (takes && is_held && rec_i.complete)) holds_o = 1'b0;
  end

  // CRD-1: 0 and 1 as they are, 2^k is code 2k, 3 * 2^(k-1) is code 2k + 1, and what lies above rounds down.
  logic uses;
  logic [CountWidth-1:0] left;
  logic [4:0] code;

  assign uses = rec_i.complete & any;
  assign left = count_i - CountWidth'(uses);

  always_comb begin
    code = 5'(left[0]);
    for (int unsigned k = 1; k < CountWidth; k++) begin
      if (left[k]) code = 5'(2 * k) + 5'(left[k-1]);
    end
  end

  always_comb begin
    slot_o = posts ? head_i + count_i[SlotWidth-1:0] : head_i;
    if (injects) slot_o = rec_i.wqe.wqe[2+:SlotWidth];
  end

  always_comb begin
    decision_o.lost    = lost;
    decision_o.injects = injects;
    decision_o.stores  = posts & has_room;
    decision_o.is_held = is_held;
    decision_o.shows   = is_held | (asks & any);
    decision_o.binds   = binds;
    decision_o.present = decision_o.shows | decision_o.stores | clears;
    decision_o.credits = '0;
    if (asks && !takes) decision_o.credits = rec_i.is_shared ? rq_pkg::CreditsUnlimited : code;
  end

endmodule
