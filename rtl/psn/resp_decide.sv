// SPDX-License-Identifier: Apache-2.0
// What becomes of a record and what it leaves in the word of its QP, in the order of docs/blocks/resp_psn_check.md.
// No state, no clock.
module resp_decide (
  input  resp_pkg::request_t req_i,
  input  resp_pkg::decoded_t dec_i,
  input  resp_pkg::facts_t   facts_i,
  input  resp_pkg::context_t ctx_i,
  output resp_pkg::context_t ctx_o,
  output resp_pkg::result_t  result_o
);

  resp_pkg::context_t ctx;  // that the record leaves
  resp_pkg::profile_t profile;
  assign profile = ctx_i.profile;

  // ---------------------------------------------------------------------------------------------------------------
  // Operations.

  logic packet, there, op_fits, op_done;
  resp_pkg::why_e op_why;

  assign packet = req_i.op == resp_pkg::OpPacket;
  assign there  = facts_i.in_range & ctx_i.state != resp_pkg::StateReset;

  always_comb begin  // whether the QP is in a state in which the operation is done
    case (req_i.op)
      resp_pkg::OpSet: op_fits = ctx_i.state == resp_pkg::StateReset | ctx_i.state == resp_pkg::StateInit;
      resp_pkg::OpReady: op_fits = ctx_i.state == resp_pkg::StateInit;
      default: op_fits = 1'b1;
    endcase
  end

  always_comb begin
    op_why = resp_pkg::WhyGood;
    if (!facts_i.in_range) op_why = resp_pkg::WhyNoQp;
    else if (req_i.op > resp_pkg::OpFreed) op_why = resp_pkg::WhyNoSuch;
    else if (!there && req_i.op != resp_pkg::OpSet && req_i.op != resp_pkg::OpReset) op_why = resp_pkg::WhyNoQp;
    else if (!op_fits) op_why = resp_pkg::WhyNotReady;
    else if (req_i.op == resp_pkg::OpSet && facts_i.bad_set) op_why = resp_pkg::WhyNoSuch;
    else if (req_i.op == resp_pkg::OpFreed && ctx_i.in_flight == '0) op_why = resp_pkg::WhyRoom;
  end

  assign op_done = ~packet & op_why == resp_pkg::WhyGood;

  // ---------------------------------------------------------------------------------------------------------------
  // Packets, all services.

  logic is_rc, is_uc, is_ud, ready, known, rc, uc, ud;

  assign is_rc = ctx_i.service == resp_pkg::ServiceRc;
  assign is_uc = ctx_i.service == resp_pkg::ServiceUc;
  assign is_ud = ctx_i.service == resp_pkg::ServiceUd;
  assign ready = there & ctx_i.state == resp_pkg::StateReady;
  assign known = is_rc & dec_i.rc | is_uc & dec_i.uc | is_ud & dec_i.ud;
  assign rc    = packet & ready & is_rc & dec_i.rc;
  assign uc    = packet & ready & is_uc & dec_i.uc;
  assign ud    = packet & ready & is_ud & dec_i.ud;

  // What the path MTU selects.
  logic length_ok;
  psn_pkg::psn_t next_epsn;

  always_comb begin
    length_ok = 1'b0;
    next_epsn = '0;
    for (int unsigned i = 0; i < resp_pkg::Pmtus; i++) begin
      if (ctx_i.pmtu == 3'(i + 1)) begin
        length_ok = facts_i.length_ok[i];
        next_epsn = facts_i.next_epsn[24*i+:24];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // RC: where the PSN lies (PSN-2).

  psn_pkg::class_e arrival;
  logic expected, rc_gap, rc_nak, rc_dup, rc_again, rc_new;
  resp_pkg::why_e gap_why, dup_why;

  assign arrival  = psn_pkg::arrive(req_i.psn, ctx_i.epsn);
  assign expected = arrival == psn_pkg::ClassExpected;
  assign rc_gap   = rc & arrival == psn_pkg::ClassOutOfSequence;
  assign rc_dup   = rc & arrival == psn_pkg::ClassDuplicate;
  assign rc_new   = rc & expected;

  // RSP-2, RSP-9: one NAK for a gap.
  assign rc_nak  = rc_gap & ~ctx_i.nak_sent & (~ctx_i.rnr_sent | profile.nak_while_rnr);
  assign gap_why = ctx_i.nak_sent | ~ctx_i.rnr_sent | profile.nak_while_rnr ? resp_pkg::WhyGap
                                                                            : resp_pkg::WhyRnrPending;

  // RSP-5 to RSP-8: a duplicate that is answered.
  assign rc_again = rc_dup & (dec_i.replayed | req_i.ack_req | ~profile.dup_ack_by_ack_req);
  assign dup_why  = dec_i.read ? resp_pkg::WhyDupRead :
                    dec_i.replayed ? resp_pkg::WhyDupAtomic : resp_pkg::WhyDupMessage;

  // ---------------------------------------------------------------------------------------------------------------
  // RSP-1, each check by itself.

  typedef struct packed {
    logic order;  // of opcodes
    logic unsupported;
    logic room;
    logic no_wqe;
    logic access;
    logic misaligned;
    logic length;
    logic sum;
    logic too_long;
    logic own_error;
  } bad_t;

  bad_t bad;
  logic not_enabled, bad_flush, bad_pad, fits, bad_uc;
  resp_pkg::why_e bad_why;

  assign not_enabled = (dec_i.write | dec_i.awrite) & ~ctx_i.enabled[0] | dec_i.read & ~ctx_i.enabled[1] |
                       dec_i.atomic & ~ctx_i.enabled[2] |
                       dec_i.flush & (req_i.flush_plt[1:0] & ~ctx_i.flush_enabled) != '0;
  assign bad_flush   = facts_i.no_such_flush & ~profile.flush_unchecked;
  assign bad_pad     = facts_i.padded & ~profile.length_before_rkey | facts_i.stray_pad & ~profile.stray_payload_taken;

  always_comb begin
    if (dec_i.first) fits = facts_i.first_fits;
    else if (dec_i.write & dec_i.last) fits = 32'(req_i.payload) == ctx_i.left;
    else fits = 32'(req_i.payload) <= ctx_i.left;
  end

  always_comb begin
    if (dec_i.first) bad.order = ctx_i.open != resp_pkg::OpenNone;
    else bad.order = ctx_i.open != (dec_i.send ? resp_pkg::OpenSend : resp_pkg::OpenWrite);
    bad.unsupported = not_enabled | bad_flush | bad_pad;
    bad.room        = dec_i.replayed & (ctx_i.max_reads == '0 |
                      ~profile.room_unchecked & ctx_i.in_flight >= ctx_i.max_reads);
    bad.no_wqe      = facts_i.no_wqe;
    bad.access      = facts_i.no_access;
    bad.misaligned  = facts_i.misaligned;
    bad.length      = ~length_ok | facts_i.dma_long | facts_i.stray_payload & ~profile.stray_payload_taken;
    bad.sum         = dec_i.write & ~fits;
    bad.too_long    = dec_i.send & ~fits;
    bad.own_error   = req_i.own_error;
  end

  // All but the sequence of opcodes, which UC has in other words.
  assign bad_uc = bad.unsupported | bad.room | bad.no_wqe | bad.access | bad.misaligned | bad.length | bad.sum |
                  bad.too_long | bad.own_error;

  always_comb begin
    bad_why = resp_pkg::WhyGood;
    if (bad.order & is_rc) bad_why = resp_pkg::WhySequence;
    else if (bad.unsupported) bad_why = resp_pkg::WhyUnsupported;
    else if (bad.room) bad_why = resp_pkg::WhyRoom;
    else if (bad.no_wqe) bad_why = resp_pkg::WhyNoWqe;
    else if (bad.length & profile.length_before_rkey) bad_why = resp_pkg::WhyLength;
    else if (bad.access) bad_why = resp_pkg::WhyAccess;
    else if (bad.misaligned) bad_why = resp_pkg::WhyAlignment;
    else if (bad.length) bad_why = resp_pkg::WhyLength;
    else if (bad.sum) bad_why = resp_pkg::WhySum;
    else if (bad.too_long) bad_why = resp_pkg::WhyTooLong;
    else if (bad.own_error) bad_why = resp_pkg::WhyOwnError;
  end

  logic rc_go, rc_rnr, rc_fatal;
  assign rc_go    = rc_new & bad == '0;
  assign rc_rnr   = rc_new & bad.no_wqe & ~bad.order & ~bad.unsupported & ~bad.room;
  assign rc_fatal = rc_new & ~rc_go & ~rc_rnr;

  // ---------------------------------------------------------------------------------------------------------------
  // UC (RSP-3): a First or Only is taken whatever it finds. UD (RSP-4).

  logic uc_broken, uc_new, uc_go, ud_go;
  resp_pkg::why_e ud_why;

  assign uc_broken = ~dec_i.first & (~expected | bad.order);
  assign uc_new    = uc & ~uc_broken;
  assign uc_go     = uc_new & ~bad_uc;

  always_comb begin
    ud_why = resp_pkg::WhyGood;
    if (!req_i.qkey_ok) ud_why = resp_pkg::WhyQkey;
    else if (!req_i.wqe_present) ud_why = resp_pkg::WhyNoWqe;
    else if (!length_ok) ud_why = resp_pkg::WhyLength;
    else if (!facts_i.ud_fits) ud_why = resp_pkg::WhyTooLong;
    else if (req_i.own_error) ud_why = resp_pkg::WhyOwnError;
  end

  assign ud_go = ud & ud_why == resp_pkg::WhyGood;

  // ---------------------------------------------------------------------------------------------------------------
  // The word that the record leaves.

  logic go, counts, forgets;
  assign go      = rc_go | uc_go | ud_go;
  assign counts  = (rc_go | uc_go) & dec_i.last;  // RSP-11: a message ends here
  assign forgets = rc_new | rc_again & ~profile.dup_keeps_nak;

  always_comb begin
    ctx = ctx_i;

    if (forgets) {ctx.nak_sent, ctx.rnr_sent} = '0;
    if (rc_nak) ctx.nak_sent = 1'b1;
    if (rc_rnr) ctx.rnr_sent = 1'b1;
    if (rc_go | uc_new) ctx.epsn = next_epsn;
    if (counts) ctx.msn = ctx_i.msn + 24'd1;
    if (rc_go & dec_i.replayed & ctx_i.in_flight != '1) ctx.in_flight = ctx_i.in_flight + 5'd1;
    if (rc_fatal) ctx.state = resp_pkg::StateError;

    // The open message: a broken UC one is gone, whether a First takes its place or not.
    if (rc_go | uc_go) begin
      ctx.open = dec_i.last ? resp_pkg::OpenNone : dec_i.send ? resp_pkg::OpenSend : resp_pkg::OpenWrite;
      ctx.left = dec_i.first ? facts_i.first_left : ctx_i.left - 32'(req_i.payload);
    end else if (rc_fatal | uc) begin
      ctx.open = resp_pkg::OpenNone;
    end

    if (op_done) begin
      case (req_i.op)
        resp_pkg::OpSet: begin
          ctx               = '0;
          ctx.state         = resp_pkg::StateInit;
          ctx.service       = req_i.service;
          ctx.pmtu          = req_i.pmtu;
          ctx.max_reads     = req_i.max_reads;
          ctx.enabled       = req_i.enabled;
          ctx.flush_enabled = req_i.flush_enabled;
          ctx.rnr_timer     = req_i.rnr_timer;
          ctx.profile       = req_i.profile;
          ctx.epsn          = req_i.psn;
          ctx.msn           = req_i.dma_length[23:0];  // of a QP that goes on elsewhere
        end
        resp_pkg::OpReady: ctx.state = resp_pkg::StateReady;
        resp_pkg::OpError: ctx.state = resp_pkg::StateError;
        resp_pkg::OpFreed: ctx.in_flight = ctx_i.in_flight - 5'd1;
        default: ctx = '0;  // reset
      endcase
    end
  end

  assign ctx_o = ctx;

  // ---------------------------------------------------------------------------------------------------------------
  // What is said about it.

  resp_pkg::why_e why;
  resp_pkg::verdict_e verdict;
  resp_pkg::answer_e answer;

  always_comb begin
    if (!packet) why = op_why;
    else if (!there) why = resp_pkg::WhyNoQp;
    else if (!ready) why = resp_pkg::WhyNotReady;
    else if (!known) why = resp_pkg::WhyOpcode;
    else if (rc_gap) why = gap_why;
    else if (rc_dup) why = dup_why;
    else if (is_ud) why = ud_why;
    else if (is_uc & uc_broken) why = resp_pkg::WhyBroken;
    else why = bad_why;
  end

  always_comb begin
    verdict = resp_pkg::VerdictDropped;
    if (go) verdict = resp_pkg::VerdictExecute;
    if (rc_again) verdict = resp_pkg::VerdictDuplicate;
    if (rc_fatal | rc_rnr | rc_nak) verdict = resp_pkg::VerdictRefused;
    if (!packet) verdict = op_done ? resp_pkg::VerdictDone : resp_pkg::VerdictIgnored;
  end

  always_comb begin
    answer = resp_pkg::AnswerNone;
    if (rc_go | rc_again) begin
      if (dec_i.read) answer = resp_pkg::AnswerRead;
      else if (dec_i.atomic) answer = resp_pkg::AnswerAtomic;
      else if (dec_i.replayed) answer = resp_pkg::AnswerEmpty;
      else if (req_i.ack_req | rc_again) answer = resp_pkg::AnswerAck;
    end
    if (rc_fatal | rc_rnr | rc_nak) answer = resp_pkg::AnswerNak;
  end

  // The answer itself.
  logic [7:0] nak_syndrome, syndrome;
  psn_pkg::psn_t answer_psn;

  always_comb begin
    nak_syndrome = resp_pkg::NakInvalid;
    if (bad_why == resp_pkg::WhyAccess) nak_syndrome = resp_pkg::NakAccess;
    if (bad_why == resp_pkg::WhyTooLong & profile.too_long_is_remote_op) nak_syndrome = resp_pkg::NakOperational;
    if (bad_why == resp_pkg::WhyOwnError) nak_syndrome = resp_pkg::NakOperational;
  end

  always_comb begin
    syndrome = {resp_pkg::SyndromeAck, req_i.credits};
    if (rc_fatal) syndrome = nak_syndrome;
    if (rc_rnr) syndrome = {resp_pkg::SyndromeRnr, ctx_i.rnr_timer};
    if (rc_nak) syndrome = resp_pkg::NakSequence;

    answer_psn = req_i.psn;
    if (rc_nak) answer_psn = ctx_i.epsn;
    if (rc_dup & ~dec_i.replayed) answer_psn = ctx_i.epsn - psn_pkg::Step;
  end

  resp_pkg::result_t result;

  always_comb begin
    result             = '0;
    result.qpn         = req_i.qpn;
    result.op          = req_i.op;
    result.why         = why;
    result.verdict     = verdict;
    result.answer      = answer;
    result.first       = go & dec_i.first;
    result.last        = go & dec_i.last;
    result.complete    = go & dec_i.last & (dec_i.send | dec_i.write & dec_i.imm);
    result.solicited   = result.complete & req_i.solicited;
    result.to_error    = ctx.state == resp_pkg::StateError & ctx_i.state != resp_pkg::StateError;
    if (facts_i.in_range) begin
      result.epsn_before = ctx_i.epsn;
      result.epsn_after  = ctx.epsn;
      result.msn         = ctx.msn;
    end
    if (answer != resp_pkg::AnswerNone) begin
      result.psn      = answer_psn;
      result.syndrome = syndrome;
      // RSP-5, RSP-13. A duplicate of what is kept may interrupt (RSP-7).
      if (!(rc_dup & dec_i.replayed)) result.behind = ctx_i.in_flight;
    end
  end

  assign result_o = result;

endmodule
