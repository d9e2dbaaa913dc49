// SPDX-License-Identifier: Apache-2.0
// What a record comes to and what it leaves in the word of its QP: docs/blocks/req_ack_check.md. No state, no clock.
//
// What makes that short enough for one clock: with at most 2^23 PSNs unacked (PSN-5) every region is a sign, so no
// difference waits for another one.
module req_decide #(
  parameter int unsigned Reads = 4,       // outstanding READs and atomics of a QP, 1 to 16
  parameter int unsigned CtxWidth = 346   // a state_t and as many read_t
) (
  input  req_pkg::rec_t       rec_i,
  input  req_pkg::facts_t     facts_i,
  input  logic [CtxWidth-1:0] ctx_i,     // the state and, above that, the list of READs and atomics, oldest lowest
  output logic [CtxWidth-1:0] ctx_o,
  output req_pkg::out_t       result_o,  // of a QP that is there; idle and syndrome are left to the next stage
  output logic                shown_o    // there is one
);

  localparam int unsigned W = psn_pkg::PsnWidth;

  if (Reads < 1 || Reads > 16) begin : gen_bad_reads
    $error("req_decide: Reads must be 1 to 16");
  end

  req_pkg::state_t ctx, next;
  req_pkg::read_t head, joins;

  localparam int unsigned ReadWidth = $bits(head);
  localparam int unsigned StateWidth = $bits(ctx);

  if (CtxWidth != Reads * ReadWidth + StateWidth) begin : gen_bad_width
    $error("req_decide: CtxWidth must be that of a state_t and Reads read_t");
  end

  logic [Reads*ReadWidth-1:0] list, next_list;

  assign ctx  = ctx_i[StateWidth-1:0];
  assign list = ctx_i[CtxWidth-1:StateWidth];
  assign head = list[ReadWidth-1:0];

  // Where the PSN lies. Signs are enough: una to high, due and last lie within 2^23 (PSN-5). So no difference waits for
  // another one, as in psn_pkg::respond, which the proof compares with this.
  logic behind_una, behind_high, has_head, is_due, is_last, early, beyond, unacked, acked, outstanding;

  assign behind_una  = psn_pkg::is_behind(facts_i.furthest, ctx.una);
  assign behind_high = psn_pkg::is_behind(rec_i.psn, ctx.high);
  assign has_head    = ctx.reads != '0;
  assign is_due      = rec_i.psn == head.due;
  assign is_last     = rec_i.psn == head.last;
  // Before the head's due, or there is no head.
  assign early       = ~has_head | psn_pkg::is_behind(rec_i.psn, head.due);
  assign beyond      = has_head & psn_pkg::is_behind(head.last, rec_i.psn);  // behind the head's last
  assign unacked     = ~behind_una & behind_high;
  assign acked       = behind_una & behind_high;
  assign outstanding = ctx.una != ctx.high;

  // Of what was sent SSN - LSN, of a response how far its credits go beyond LSN.
  logic [W-1:0] from_lsn;
  logic ahead;

  assign from_lsn = psn_pkg::distance(facts_i.number, ctx.lsn);
  assign ahead    = ~from_lsn[W-1] & (from_lsn != '0);

  // Whose turn it is.
  logic open, response, answered, sent, configure, close, retry, go_on;

  assign open      = facts_i.known & ctx.open;
  assign response  = open & (rec_i.op == req_pkg::OpResponse) & facts_i.response;
  assign answered  = response & unacked;
  assign sent      = open & (rec_i.op == req_pkg::OpSent);
  assign configure = facts_i.known & ~ctx.open & (rec_i.op == req_pkg::OpConfigure);
  assign close     = open & (rec_i.op == req_pkg::OpClose);
  assign retry     = open & (rec_i.op == req_pkg::OpRetry) & outstanding & ~ctx.waiting;
  assign go_on     = open & (rec_i.op == req_pkg::OpGoOn) & ctx.waiting;

  // ---------------------------------------------------------------------------------------------------------------
  // A response to something unacked: is it passed over, and is data what its request waits for?

  logic ignored, heeded, data, right_kind, right_place, right_length, taken, ends;

  assign ignored = (facts_i.line.reserved_nak | facts_i.line.bad_syndrome) & ctx.profile.reserved_nak_ignored;
  assign heeded  = answered & ~ignored;
  assign data    = heeded & facts_i.line.data & ~early & ~beyond;

  assign right_kind  = head.atomic == facts_i.atomic;
  assign right_place = facts_i.atomic | ((facts_i.last == is_last) & (facts_i.first | ctx.begun));

  always_comb begin
    right_length = facts_i.pad_ok & (rec_i.payload == head.tail);
    if (!facts_i.last) begin
      right_length = 1'b0;
      for (int i = 0; i < 5; i++) if (ctx.pmtu == 3'(i + 1)) right_length = facts_i.full[i] & (rec_i.pad == '0);
    end
    if (facts_i.atomic) right_length = 1'b1;
  end

  assign taken = data & right_kind & is_due & right_place & right_length;
  assign ends  = taken & is_last;

  // How far it acknowledges (REQ-1, REQ-2): past the PSN, up to it, or up to what the head waits for.
  logic past, up_to, up_to_due, moved;

  assign past      = (heeded & facts_i.line.ack & early) | taken;
  assign up_to     = heeded & ~facts_i.line.ack & early;
  assign up_to_due = heeded & ~early & ~taken;
  assign moved     = past | (up_to & (rec_i.psn != ctx.una)) | (up_to_due & (head.due != ctx.una));

  // What una leaves of a wait and of a retry (TMR-5, TMR-3), before the response itself is looked at.
  logic wait_ends, waiting, retrying;

  assign wait_ends = moved | (answered & ctx.profile.any_answer_ends_rnr);
  assign waiting   = ctx.waiting & ~wait_ends;
  assign retrying  = ctx.retrying & ~moved;

  // What it calls for. Bad is what its request cannot have (REQ-12), unless responses are missing before it (REQ-3).
  logic for_no_data, misplaced, mislong, bad, gap, implied, sequence_nak;
  logic act_implied, act_sequence, act_rnr, act_fatal, act_bad;

  assign for_no_data = heeded & facts_i.line.data & (early | (~beyond & ~right_kind));
  assign misplaced   = data & right_kind & is_due & ~right_place;
  assign mislong     = data & right_kind & is_due & right_place & ~right_length;
  assign bad         = (heeded & facts_i.line.bad_syndrome & ~beyond) | for_no_data | misplaced | mislong;

  assign gap          = data & right_kind & ~is_due;
  assign implied      = (heeded & beyond) | (gap & ~ctx.profile.gap_waits);
  assign sequence_nak = heeded & ~beyond & facts_i.line.sequence_nak;

  assign act_implied  = implied & ~waiting & ~retrying;
  assign act_sequence = sequence_nak & ~waiting & ~retrying;
  assign act_rnr      = heeded & ~beyond & facts_i.line.rnr & ~waiting;
  assign act_fatal    = heeded & ~beyond & (facts_i.line.fatal | facts_i.line.reserved_nak);
  assign act_bad      = bad;

  // Credits (CRD-2, CRD-3).
  logic newest, gives, lsn_moves;

  assign newest    = facts_i.next == ctx.una;
  assign gives     = response & ~ctx.profile.credits_ignored &
                     ((unacked & facts_i.line.ack) |
                      (acked & facts_i.line.ack & (newest | ~ctx.profile.credits_last_only)) |
                      (taken & ~facts_i.middle));
  assign lsn_moves = gives & ~facts_i.no_credits & (ahead | ~(ctx.profile.limited | ctx.counted));

  // ---------------------------------------------------------------------------------------------------------------
  // What was sent, and the other operations.

  logic at_high, resend, fits, full, noted, joining, uncovered, probe, config_ok;

  assign at_high   = rec_i.psn == ctx.high;
  assign resend    = behind_high;
  assign fits      = ~behind_una;
  assign full      = rec_i.kind[1] & (ctx.reads >= ctx.max_reads);
  assign noted     = sent & facts_i.count_ok & at_high & fits & ~full;
  assign joining   = noted & rec_i.kind[1];
  assign uncovered = noted & (rec_i.kind == req_pkg::KindCredit) & ~ctx.unlimited & ahead;
  assign probe     = uncovered & (from_lsn == W'(1)) & ~ctx.probed;
  assign config_ok = (rec_i.pmtu != 3'd0) & (rec_i.pmtu < 3'd6) & (rec_i.max_reads <= 5'(Reads));

  assign joins.due    = rec_i.psn;
  assign joins.last   = facts_i.furthest;
  assign joins.atomic = rec_i.kind[0];
  assign joins.tail   = rec_i.payload;

  // ---------------------------------------------------------------------------------------------------------------
  // The new word.

  always_comb begin
    next      = ctx;
    next_list = list;

    if (past) next.una = facts_i.next;
    if (up_to) next.una = rec_i.psn;
    if (up_to_due) next.una = head.due;
    if (noted) next.high = facts_i.next;

    if (joining) next.reads = ctx.reads + 5'd1;
    if (ends) next.reads = ctx.reads - 5'd1;
    for (int i = 0; i < Reads; i++) begin
      if (joining & (ctx.reads == 5'(i))) next_list[i*ReadWidth+:ReadWidth] = joins;
      if (ends) next_list[i*ReadWidth+:ReadWidth] = ReadWidth'(list >> ((i + 1) * ReadWidth));
    end
    if (taken & ~ends) next_list[W-1:0] = facts_i.next;
    if (taken) next.begun = ~is_last;

    if (wait_ends | go_on) next.waiting = 1'b0;
    if (act_rnr) next.waiting = 1'b1;
    if (moved | act_rnr) next.retrying = 1'b0;
    if (act_implied | act_sequence | retry) next.retrying = 1'b1;

    if (lsn_moves) next.lsn = facts_i.number;
    if (lsn_moves) next.probed = 1'b0;
    if (probe) next.probed = 1'b1;
    if (gives) next.unlimited = facts_i.no_credits;
    if (gives & ~facts_i.no_credits) next.counted = 1'b1;

    if (configure) begin
      next           = '0;
      next_list      = '0;
      next.open      = 1'b1;
      next.una       = rec_i.psn;
      next.high      = rec_i.psn;
      next.unlimited = ~rec_i.profile.limited | rec_i.profile.credits_ignored;
      next.profile   = rec_i.profile;
      next.pmtu      = rec_i.pmtu;
      next.max_reads = rec_i.max_reads;
    end
  end

  // A closed word is zero, so that nothing of it is seen.
  logic closes;

  assign closes  = close | act_fatal | act_bad | (configure & ~config_ok);
  assign ctx_o = closes ? '0 : {next_list, next};

  // ---------------------------------------------------------------------------------------------------------------
  // Why: the first that holds.

  req_pkg::why_e response_why, sent_why, why_d;
  req_pkg::action_e action_d;
  req_pkg::region_e region_d;

  always_comb begin
    response_why = req_pkg::WhyNone;
    if (!facts_i.response) response_why = req_pkg::WhyOpcode;
    else if (acked & facts_i.line.ack & newest) response_why = req_pkg::WhyUnsolicited;
    else if (acked) response_why = req_pkg::WhyAcked;
    else if (!unacked) response_why = req_pkg::WhyGhost;
    else if (facts_i.line.reserved_nak & ignored) response_why = req_pkg::WhyReservedNak;
    else if (implied | sequence_nak) begin
      if (waiting) response_why = req_pkg::WhyWaiting;
      else if (retrying) response_why = req_pkg::WhyRetrying;
    end else if (facts_i.line.rnr & waiting) response_why = req_pkg::WhyWaiting;
    else if (facts_i.line.ack & ~early) response_why = req_pkg::WhyInsideRead;
    else if (facts_i.line.bad_syndrome) response_why = req_pkg::WhySyndrome;
    else if (for_no_data) response_why = req_pkg::WhyRequest;
    else if (gap) response_why = req_pkg::WhyGap;
    else if (misplaced) response_why = req_pkg::WhyPlace;
    else if (mislong) response_why = req_pkg::WhyLength;
  end

  always_comb begin
    sent_why = req_pkg::WhyNone;
    if (!facts_i.count_ok) sent_why = req_pkg::WhyBadValue;
    else if (resend) sent_why = req_pkg::WhyResend;
    else if (!at_high) sent_why = req_pkg::WhyHole;
    else if (!fits) sent_why = req_pkg::WhyWindow;
    else if (full) sent_why = req_pkg::WhyReads;
    else if (probe) sent_why = req_pkg::WhyProbe;
    else if (uncovered) sent_why = req_pkg::WhyNoCredit;
  end

  always_comb begin
    why_d = req_pkg::WhyNone;
    if (!open && !configure) why_d = req_pkg::WhyNoQp;
    else begin
      case (rec_i.op)
        req_pkg::OpResponse: why_d = response_why;
        req_pkg::OpSent: why_d = sent_why;
        req_pkg::OpConfigure: begin
          if (open) why_d = req_pkg::WhyOpen;
          else if (!config_ok) why_d = req_pkg::WhyBadValue;
        end
        req_pkg::OpRetry: if (!retry) why_d = req_pkg::WhyNotNow;
        req_pkg::OpGoOn: if (!go_on) why_d = req_pkg::WhyNotNow;
        default: why_d = req_pkg::WhyNone;
      endcase
    end
  end

  // One of them at most.
  always_comb begin
    action_d = req_pkg::ActionNone;
    if (act_sequence) action_d = req_pkg::ActionSequence;
    if (act_rnr) action_d = req_pkg::ActionRnr;
    if (act_implied) action_d = req_pkg::ActionImplied;
    if (act_fatal) action_d = req_pkg::ActionFatal;
    if (retry) action_d = req_pkg::ActionTimer;
    if (go_on & outstanding) action_d = req_pkg::ActionGoOn;
    if (act_bad) action_d = req_pkg::ActionBad;
  end

  always_comb begin
    region_d = req_pkg::RegionNone;
    if (response) begin
      region_d = req_pkg::RegionGhost;
      if (acked) region_d = req_pkg::RegionAcked;
      if (unacked) region_d = req_pkg::RegionUnacked;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The answer.

  assign shown_o = open | (configure & config_ok);

  always_comb begin
    result_o            = '0;
    result_o.qpn        = rec_i.qpn;
    result_o.una_before = ctx.una;
    result_o.una        = next.una;
    result_o.high       = next.high;
    result_o.lsn        = next.lsn;
    result_o.syndrome   = rec_i.syndrome;
    result_o.op         = rec_i.op;
    result_o.why        = why_d;
    result_o.action     = action_d;
    result_o.region     = region_d;
    result_o.reads      = next.reads;
    result_o.progress   = moved;
    result_o.data       = taken;
    result_o.ended      = ends;
    result_o.credits    = lsn_moves;
    result_o.unlimited  = next.unlimited;
    result_o.waiting    = next.waiting;
    result_o.retrying   = next.retrying;
  end

endmodule
