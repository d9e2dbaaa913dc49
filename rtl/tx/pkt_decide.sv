// SPDX-License-Identifier: Apache-2.0
// What tx_packetizer makes of a record by the state of its QP: docs/blocks/tx_packetizer.md.
module pkt_decide #(
  parameter int unsigned Wqes = 8,       // slots of a QP: a power of two, 2 to 64
  parameter int unsigned PsnWidth = 24   // bits of a PSN that count, the upper ones: 3 to 24
) (
  input  tx_pkg::rec_t   rec_i,
  input  logic           known_i,  // there is a QP of the record's number
  input  tx_pkg::state_t state_i,

  output tx_pkg::state_t state_o,
  output tx_pkg::out_t   result_o
);

  localparam int unsigned Shift = 24 - PsnWidth;  // a packet is 2^Shift PSNs of 24 bits
  localparam int unsigned Wide = 26 + Shift;      // bits of a count of packets, in PSNs, with one to spare
  localparam logic [23:0] Unit = 24'd1 << Shift;
  localparam logic [Wide-1:0] Half = Wide'(1) << 23;
  localparam logic [5:0] SlotMask = 6'(Wqes - 1);

  // ---------------------------------------------------------------------------------------------------------------
  // What the record is.

  logic live, opens, legal, closes, verdict, turn;

  assign live    = known_i & state_i.open;
  assign legal   = (rec_i.pmtu != 3'd0) & (rec_i.pmtu <= 3'd5) & (rec_i.service != tx_pkg::ServiceNone);
  assign opens   = known_i & ~state_i.open & (rec_i.op == tx_pkg::OpConfigure) & legal;
  assign verdict = live & (rec_i.op == tx_pkg::OpVerdict);
  assign turn    = live & (rec_i.op == tx_pkg::OpPacket);
  assign closes  = live & ((rec_i.op == tx_pkg::OpClose) | (verdict & (rec_i.order == retry_pkg::OrderFail)));

  // ---------------------------------------------------------------------------------------------------------------
  // A verdict: copies, and where to go back to. PSNs compare by how far they lie behind high (PSN-7).

  logic goes_back, passed;
  logic [23:0] next_behind, una_behind;

  assign next_behind = state_i.high - state_i.next;
  assign una_behind  = state_i.high - rec_i.una;
  assign passed      = verdict & rec_i.progress & (next_behind > una_behind);
  assign goes_back   = verdict & ((rec_i.order == retry_pkg::OrderGoBack) | (rec_i.order == retry_pkg::OrderWait));

  // ---------------------------------------------------------------------------------------------------------------
  // Where the packet is, and what the WQE of the record is.

  tx_pkg::shape_t shape;
  logic [7:0] opcode;
  logic [31:0] offset, bytes;
  logic [12:0] payload;
  logic [23:0] index;
  logic fresh_next, fresh, begun_new, begun, restarts, rewinds;
  logic [23:0] at, first, next_index, at_index, part, first_behind;
  logic [Wide-1:0] length;  // PSNs of the WQE

  assign fresh_next   = state_i.next == state_i.high;
  assign begun_new    = rec_i.begun == tx_pkg::BegunNew;
  assign begun        = rec_i.begun == tx_pkg::BegunPsns;
  assign first        = begun ? rec_i.first : state_i.next;
  assign first_behind = state_i.high - rec_i.first;

  // REQ-5, REQ-7: a profile may begin a retry at the first packet of its message.
  assign restarts   = state_i.back & begun & (rec_i.verb == tx_pkg::VerbRead ? state_i.whole_read : state_i.restart);
  assign rewinds    = restarts & ~fresh_next;
  assign at         = rewinds ? rec_i.first : state_i.next;
  assign fresh      = fresh_next | (restarts & (rec_i.first == state_i.high));  // at is high
  assign next_index = state_i.next - rec_i.first;
  assign at_index   = begun & ~rewinds ? next_index : 24'd0;  // at - first
  assign index      = at_index >> Shift;
  assign part       = at_index & (Unit - 24'd1);  // of a unit, where PSNs are of whole ones 0

  pkt_shape u_shape (
    .verb_i      (rec_i.verb),
    .immediate_i (rec_i.immediate),
    .invalidate_i(rec_i.invalidate),
    .length_i    (rec_i.length),
    .service_i   (state_i.service),
    .pmtu_i      (state_i.pmtu),
    .index_i     (index),
    .shape_o     (shape),
    .opcode_o    (opcode),
    .offset_o    (offset),
    .bytes_o     (bytes),
    .payload_o   (payload)
  );

  assign length = Wide'(shape.packets) << Shift;

  logic lies_in, behind, current, taken, searched, stands, stepped, lost;

  assign lies_in    = begun & (Wide'(next_index) < length);
  assign behind     = begun & ~lies_in & (shape.local_work | (first_behind > next_behind));
  assign current    = (rec_i.oldest == state_i.oldest) & (state_i.oldest | (rec_i.slot == state_i.slot));
  assign searched   = turn & ~state_i.waiting & current;
  assign taken      = searched & (lies_in | (begun_new & fresh_next));
  assign stepped    = searched & ~taken & ~fresh_next & behind;
  assign lost       = searched & ~taken & ~fresh_next & ~behind;
  assign stands     = (searched & ~taken & fresh_next) | (lost & state_i.oldest);

  // ---------------------------------------------------------------------------------------------------------------
  // What holds it back (PSN-5, REQ-9, CRD-2).

  logic rc, bad, drained, fenced, begins_local, limits, full, reads_full, after_lsn, probe, credit, goes_on, no_credit;
  logic [23:0] ssn_ahead;
  logic [23:0] count, high_first, high_index;
  logic [Wide-1:0] una_ahead, high_ahead, window, limit;
  logic [Wide:0] room;  // PSNs from the first of the WQE on; below 0 with the top bit

  assign rc           = state_i.service == tx_pkg::ServiceRc;
  assign bad          = taken & shape.bad;
  assign drained      = taken & ~shape.bad & begun_new & state_i.drained;
  assign fenced       = taken & ~shape.bad & ~drained & begun_new & rec_i.fence & (state_i.reads != 5'd0);
  assign begins_local = taken & ~shape.bad & ~drained & ~fenced & shape.local_work;
  assign limits       = taken & ~shape.bad & ~drained & ~fenced & ~shape.local_work & fresh & rc;

  assign count     = rec_i.verb == tx_pkg::VerbRead ? 24'(shape.packets - 25'(index)) : 24'd1;
  assign una_ahead = Wide'(24'(at - state_i.una));
  assign window    = state_i.window == '0 ? Half : Wide'(state_i.window) << Shift;

  // What is limited stands at high. How long a READ is, is known last: it is compared with what is left for it.
  assign limit      = window > Half ? Half : window;
  assign high_ahead = Wide'(24'(state_i.high - state_i.una));
  assign high_first = state_i.high - first;
  assign high_index = high_first & ~(Unit - 24'd1);
  assign room       = {1'b0, limit} + (Wide + 1)'(high_index) - {1'b0, high_ahead};
  assign full       = limits & (rec_i.verb == tx_pkg::VerbRead ? room[Wide] | (length > room[Wide-1:0])
                                                               : high_ahead + Wide'(Unit) > limit);

  assign reads_full = limits & ~full & shape.kind[1] & (state_i.reads >= state_i.max_reads);

  assign ssn_ahead = state_i.ssn - state_i.lsn;
  assign after_lsn = ~ssn_ahead[23] & (ssn_ahead != '0);
  assign credit    = state_i.unlimited | ~after_lsn;
  assign probe     = ~credit & (ssn_ahead == 24'd1) & ~state_i.probed;
  assign goes_on   = begun & (~state_i.probed | (state_i.una == state_i.high));
  assign no_credit = limits & ~full & ~reads_full & shape.limited & ~credit & ~probe & ~goes_on;

  // ---------------------------------------------------------------------------------------------------------------
  // The packet.

  logic sends, first_time, last, unfinished, fills, asks;
  logic [23:0] behind_it, last_psn;

  assign sends      = taken & ~bad & ~drained & ~fenced & ~begins_local & ~full & ~reads_full & ~no_credit;
  assign first_time = sends & fresh;
  assign last       = (rec_i.verb == tx_pkg::VerbRead) | (25'(index) == shape.packets - 25'd1);
  assign behind_it  = rec_i.verb == tx_pkg::VerbRead ? first + 24'(length) + part : at + Unit;
  assign last_psn   = first + 24'(length) - Unit;
  assign unfinished = Wide'(24'(state_i.high - first)) < length;
  assign fills      = una_ahead + Wide'(Unit) == window;
  assign asks       = rc & (last | fills | (shape.limited & unfinished & ~credit));

  // ---------------------------------------------------------------------------------------------------------------
  // The new word.

  logic [5:0] slot_behind;
  assign slot_behind = (rec_i.slot + 6'd1) & SlotMask;

  logic [23:0] next_d, high_d, una_d;
  logic [5:0] slot_d, top_d;
  logic moved, oldest_d;

  assign moved  = passed | goes_back;
  assign next_d = moved ? rec_i.una : sends ? behind_it : state_i.next;
  assign high_d = first_time ? behind_it : state_i.high;
  assign top_d  = begins_local | (first_time & last) ? slot_behind : first_time ? rec_i.slot : state_i.top;

  always_comb begin
    una_d = state_i.una;
    if (verdict & rec_i.progress) una_d = rec_i.una;
    if (sends & ~rc) una_d = behind_it;
  end

  // Where next is high, the WQE is known; where it was moved elsewhere, it is searched from the oldest on.
  logic at_high, reaches;  // behind_it is high

  always_comb begin
    reaches = rewinds ? rec_i.first + Unit == state_i.high : state_i.next + Unit == state_i.high;
    if (rec_i.verb == tx_pkg::VerbRead) reaches = 24'(length) == high_first - part;
    at_high = begins_local & fresh_next;
    if (sends) at_high = fresh | reaches;
    if (moved) at_high = rec_i.una == state_i.high;
  end

  always_comb begin
    slot_d   = state_i.slot;
    oldest_d = state_i.oldest;
    if (stepped | (sends & last)) slot_d = slot_behind;
    else if (sends) slot_d = rec_i.slot;
    if (moved | (lost & ~state_i.oldest)) oldest_d = 1'b1;
    if (stepped | sends) oldest_d = 1'b0;
    if (at_high) begin
      slot_d   = top_d;
      oldest_d = 1'b0;
    end
  end

  always_comb begin
    state_o        = state_i;
    state_o.una    = una_d;
    state_o.next   = next_d;
    state_o.high   = high_d;
    state_o.slot   = slot_d;
    state_o.top    = top_d;
    state_o.oldest = oldest_d;
    if (verdict & rec_i.told) begin
      state_o.lsn       = rec_i.lsn;
      state_o.unlimited = rec_i.unlimited;
      if (rec_i.lsn != state_i.lsn) state_o.probed = 1'b0;
    end
    if (first_time & rc & shape.limited & probe) state_o.probed = 1'b1;
    if (verdict & rec_i.ended & (state_i.reads != 5'd0)) state_o.reads = state_i.reads - 5'd1;
    if (first_time & shape.kind[1]) state_o.reads = state_i.reads + 5'd1;
    if (first_time & last) state_o.ssn = state_i.ssn + 24'd1;
    if (goes_back) state_o.back = 1'b1;
    if (sends) state_o.back = 1'b0;
    if (goes_back) state_o.waiting = rec_i.order == retry_pkg::OrderWait;
    if (verdict & (rec_i.order == retry_pkg::OrderGoOn)) state_o.waiting = 1'b0;
    if (live & (rec_i.op == tx_pkg::OpDrain)) state_o.drained = 1'b1;
    if (live & (rec_i.op == tx_pkg::OpResume)) state_o.drained = 1'b0;
    if (closes) state_o.open = 1'b0;
    if (opens) begin
      state_o            = '0;
      state_o.open       = 1'b1;
      state_o.una        = rec_i.una;
      state_o.next       = rec_i.una;
      state_o.high       = rec_i.una;
      state_o.lsn        = rec_i.lsn;
      state_o.ssn        = rec_i.lsn + 24'd1;
      state_o.unlimited  = rec_i.unlimited;
      state_o.pmtu       = rec_i.pmtu;
      state_o.max_reads  = rec_i.max_reads;
      state_o.window     = rec_i.window;
      state_o.service    = rec_i.service;
      state_o.restart    = rec_i.restart;
      state_o.whole_read = rec_i.whole_read;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What is said.

  logic [3:0] why;
  logic [1:0] what;

  always_comb begin
    why = tx_pkg::WhyNone;
    if (turn & state_i.waiting) why = tx_pkg::WhyWaits;
    if (stands) why = tx_pkg::WhyNothing;
    if (bad) why = tx_pkg::WhyBadWqe;
    if (drained) why = tx_pkg::WhyDrained;
    if (fenced | reads_full) why = tx_pkg::WhyReads;
    if (full) why = tx_pkg::WhyWindow;
    if (no_credit) why = tx_pkg::WhyCredit;
    if (live & (rec_i.op == tx_pkg::OpConfigure)) why = tx_pkg::WhyOpen;
    if (!live) begin
      why = tx_pkg::WhyNoQp;
      if (known_i & (rec_i.op == tx_pkg::OpConfigure)) why = legal ? tx_pkg::WhyNone : tx_pkg::WhyIllegal;
    end
  end

  always_comb begin
    what = tx_pkg::WhatStands;
    if (sends) what = tx_pkg::WhatSends;
    if (begins_local) what = tx_pkg::WhatLocal;
    if (stepped | (lost & ~state_i.oldest) | (turn & ~state_i.waiting & ~current)) what = tx_pkg::WhatSearches;
  end

  tx_pkg::packet_t packet;

  always_comb begin
    packet        = '0;
    packet.begins = (sends & begun_new) | begins_local;
    if (sends) begin
      packet.again     = ~fresh;
      packet.opcode    = opcode;
      packet.psn       = at;
      packet.count     = count;
      packet.offset    = offset;
      packet.bytes     = bytes;
      packet.payload   = payload;
      packet.kind      = shape.kind;
      packet.number    = fresh ? state_i.ssn : 24'd0;
      packet.ack_req   = asks;
      packet.solicited = last & rec_i.solicited & shape.limited;
    end
  end

  always_comb begin
    result_o     = '0;
    result_o.qpn = rec_i.qpn;
    result_o.op  = rec_i.op;
    result_o.why = why;
    if (live | opens) begin
      result_o.what    = what;
      result_o.packet  = packet;
      result_o.first   = sends | begins_local ? first : 24'd0;
      result_o.last    = sends | begins_local ? last_psn : 24'd0;
      result_o.slot    = state_o.slot;
      result_o.oldest  = state_o.oldest;
      result_o.una     = state_o.una;
      result_o.next    = state_o.next;
      result_o.high    = state_o.high;
      result_o.reads   = state_o.reads;
      result_o.waiting = state_o.waiting & ~closes;
      result_o.drained = state_o.drained;
    end
  end

endmodule
