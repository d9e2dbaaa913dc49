// The requester's check of responses for many QPs: docs/blocks/req_ack_check.md.
//
//   R  head of the skid: the QP's word is looked up, the opcode decoded
//   F  sums that need no state
//   X  the word is here: differences, decisions, the new word
//   Y  what is left to say about the new word
//
// All the state is in X, in one clock, so that records of one QP may follow each other in every clock. What makes that
// short enough: with at most 2^23 PSNs unacked (PSN-5) every region is a sign, so no difference waits for another one.
module req_ack_check #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Reads = 4       // outstanding READs and atomics of a QP, 1 to 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [23:0] s_psn_i,
  input  logic [23:0] s_count_i,
  input  logic [23:0] s_number_i,
  input  logic [12:0] s_payload_i,
  input  logic [7:0]  s_opcode_i,
  input  logic [7:0]  s_syndrome_i,
  input  logic [2:0]  s_op_i,
  input  logic [1:0]  s_pad_i,
  input  logic [1:0]  s_kind_i,
  input  logic [2:0]  s_pmtu_i,
  input  logic [4:0]  s_max_reads_i,
  input  logic [5:0]  s_profile_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [23:0] m_una_before_o,
  output logic [23:0] m_una_o,
  output logic [23:0] m_high_o,
  output logic [23:0] m_lsn_o,
  output logic [7:0]  m_syndrome_o,
  output logic [2:0]  m_op_o,
  output logic [4:0]  m_why_o,
  output logic [2:0]  m_action_o,
  output logic [1:0]  m_region_o,
  output logic [4:0]  m_reads_o,
  output logic        m_progress_o,
  output logic        m_idle_o,
  output logic        m_data_o,
  output logic        m_ended_o,
  output logic        m_credits_o,
  output logic        m_unlimited_o,
  output logic        m_waiting_o,
  output logic        m_retrying_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** $clog2(NumQps)) begin : gen_bad_num_qps
    $error("req_ack_check: NumQps must be a power of two from 4 to 65536");
  end
  if (Reads < 1 || Reads > 16) begin : gen_bad_reads
    $error("req_ack_check: Reads must be 1 to 16");
  end

  localparam int unsigned W = psn_pkg::PsnWidth;
  localparam int unsigned QpnWidth = $clog2(NumQps);

  // ---------------------------------------------------------------------------------------------------------------
  // Edge. Behind the skid everything moves together or not at all; nothing enters while the context is being cleared.

  logic en, skid_ready, ctx_ready, r_valid;
  req_pkg::rec_t r, f_q, x_q;

  localparam int unsigned RecWidth = $bits(r);

  logic [RecWidth-1:0] s_rec;

  assign s_rec = {s_profile_i, s_max_reads_i, s_pmtu_i, s_kind_i, s_pad_i, s_op_i, s_syndrome_i, s_opcode_i,
                  s_payload_i, s_number_i, s_count_i, s_psn_i, s_qpn_i};
  assign s_ready_o = skid_ready & ctx_ready;

  axis_skid #(
    .Width(RecWidth)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i (s_rec),
    .s_valid_i(s_valid_i & ctx_ready),
    .s_ready_o(skid_ready),
    .m_data_o (r),
    .m_valid_o(r_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // R to F.

  logic f_valid_q, f_known_q, f_count_ok_q;
  logic [15:0] f_credits_q;
  logic [W-1:0] f_next_q;  // of a response: PSN + 1; of what was sent: its end

  always_ff @(posedge clk_i) begin
    if (en) begin
      f_q          <= r;
      f_known_q    <= (r.qpn >> QpnWidth) == '0;
      f_next_q     <= r.psn + (r.op == req_pkg::OpSent ? r.count : W'(1));
      f_credits_q  <= req_pkg::credits_of(r.syndrome[4:0]);
      f_count_ok_q <= (r.count != '0) & (~r.count[W-1] | (r.count[W-2:0] == '0)) &
                      ((r.kind != req_pkg::KindAtomic) | (r.count == W'(1)));
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // F to X. What is left of the record once no state is needed any more.

  req_pkg::line_t f_line;
  logic f_ack, f_rnr, f_nak;  // syndrome

  assign f_ack = f_q.syndrome[7:5] == req_pkg::SyndromeAck;
  assign f_rnr = f_q.syndrome[7:5] == req_pkg::SyndromeRnr;
  assign f_nak = f_q.syndrome[7:5] == req_pkg::SyndromeNak;

  always_comb begin
    f_line = '0;
    case (f_q.opcode)
      req_pkg::OpcodeAck: begin
        f_line.ack          = f_ack;
        f_line.rnr          = f_rnr;
        f_line.sequence_nak = f_nak & (f_q.syndrome[4:0] == req_pkg::NakSequence);
        f_line.fatal        = f_nak & (f_q.syndrome[4:0] > req_pkg::NakSequence) &
                              (f_q.syndrome[4:0] <= req_pkg::NakLast);
        f_line.reserved_nak = f_nak & (f_q.syndrome[4:0] > req_pkg::NakLast);
        f_line.bad_syndrome = ~(f_ack | f_rnr | f_nak);
      end
      req_pkg::OpcodeReadMiddle: f_line.data = 1'b1;
      req_pkg::OpcodeReadFirst, req_pkg::OpcodeReadLast, req_pkg::OpcodeReadOnly, req_pkg::OpcodeAtomicAck: begin
        f_line.data         = f_ack;
        f_line.bad_syndrome = ~f_ack;
      end
      default: f_line = '0;
    endcase
  end

  logic x_valid_q, x_known_q, x_count_ok_q;
  req_pkg::line_t x_line_q;
  logic x_response_q;                                       // its opcode is one
  logic x_first_q, x_last_q, x_middle_q, x_atomic_q;        // of what brings data
  logic x_no_credits_q;                                     // code 31
  logic x_pad_ok_q;
  logic [4:0] x_full_q;        // payload is 256, 512, ...
  logic [W-1:0] x_next_q;
  logic [W-1:0] x_furthest_q;  // the PSN that una is compared with: the response's, or the last one sent
  logic [W-1:0] x_number_q;    // SSN, or MSN + credits

  always_ff @(posedge clk_i) begin
    if (en) begin
      x_q          <= f_q;
      x_known_q    <= f_known_q;
      x_next_q     <= f_next_q;
      x_furthest_q <= f_q.op == req_pkg::OpSent ? f_next_q - W'(1) : f_q.psn;
      x_number_q   <= f_q.op == req_pkg::OpSent ? f_q.number : f_q.number + {8'd0, f_credits_q};
      x_count_ok_q <= f_count_ok_q;

      x_line_q       <= f_line;
      x_response_q   <= f_line != '0;
      x_first_q      <= (f_q.opcode == req_pkg::OpcodeReadFirst) | (f_q.opcode == req_pkg::OpcodeReadOnly);
      x_last_q       <= (f_q.opcode == req_pkg::OpcodeReadLast) | (f_q.opcode == req_pkg::OpcodeReadOnly);
      x_middle_q     <= f_q.opcode == req_pkg::OpcodeReadMiddle;
      x_atomic_q     <= f_q.opcode == req_pkg::OpcodeAtomicAck;
      x_no_credits_q <= f_q.syndrome[4:0] == req_pkg::CreditsNone;

      x_pad_ok_q <= f_q.pad + f_q.payload[1:0] == 2'd0;
      for (int i = 0; i < 5; i++) x_full_q[i] <= f_q.payload == 13'd256 << i;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X. The word of the QP: its state and, above that, the list of its READs and atomics, oldest lowest.

  req_pkg::state_t ctx, next;
  req_pkg::read_t head, joins;

  localparam int unsigned ReadWidth = $bits(head);
  localparam int unsigned StateWidth = $bits(ctx);
  localparam int unsigned CtxWidth = Reads * ReadWidth + StateWidth;

  logic [CtxWidth-1:0] x_ctx, x_ctx_d;
  logic [Reads*ReadWidth-1:0] list, next_list;

  qp_context #(
    .NumQps(NumQps),
    .Width (CtxWidth)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .en_i   (en),
    .r_qpn_i(r.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_ctx),
    .x_ctx_i(x_ctx_d),
    .x_we_i (x_valid_q & x_known_q)
  );

  assign ctx  = x_ctx[StateWidth-1:0];
  assign list = x_ctx[CtxWidth-1:StateWidth];
  assign head = list[ReadWidth-1:0];

  // Where the PSN lies. Signs are enough: una to high, due and last lie within 2^23 (PSN-5). So no difference waits for
  // another one, as in psn_pkg::respond, which the proof compares with this.
  logic behind_una, behind_high, has_head, is_due, is_last, early, beyond, unacked, acked, outstanding;

  assign behind_una  = psn_pkg::is_behind(x_furthest_q, ctx.una);
  assign behind_high = psn_pkg::is_behind(x_q.psn, ctx.high);
  assign has_head    = ctx.reads != '0;
  assign is_due      = x_q.psn == head.due;
  assign is_last     = x_q.psn == head.last;
  assign early       = ~has_head | psn_pkg::is_behind(x_q.psn, head.due);  // before the head's due, or there is no head
  assign beyond      = has_head & psn_pkg::is_behind(head.last, x_q.psn);  // behind the head's last
  assign unacked     = ~behind_una & behind_high;
  assign acked       = behind_una & behind_high;
  assign outstanding = ctx.una != ctx.high;

  // Of what was sent SSN - LSN, of a response how far its credits go beyond LSN.
  logic [W-1:0] from_lsn;
  logic ahead;

  assign from_lsn = psn_pkg::distance(x_number_q, ctx.lsn);
  assign ahead    = ~from_lsn[W-1] & (from_lsn != '0);

  // Whose turn it is.
  logic open, response, answered, sent, configure, close, retry, go_on;

  assign open      = x_known_q & ctx.open;
  assign response  = open & (x_q.op == req_pkg::OpResponse) & x_response_q;
  assign answered  = response & unacked;
  assign sent      = open & (x_q.op == req_pkg::OpSent);
  assign configure = x_known_q & ~ctx.open & (x_q.op == req_pkg::OpConfigure);
  assign close     = open & (x_q.op == req_pkg::OpClose);
  assign retry     = open & (x_q.op == req_pkg::OpRetry) & outstanding & ~ctx.waiting;
  assign go_on     = open & (x_q.op == req_pkg::OpGoOn) & ctx.waiting;

  // ---------------------------------------------------------------------------------------------------------------
  // X. A response to something unacked: is it passed over, and is data what its request waits for?

  logic ignored, heeded, data, right_kind, right_place, right_length, taken, ends;

  assign ignored = (x_line_q.reserved_nak | x_line_q.bad_syndrome) & ctx.profile.reserved_nak_ignored;
  assign heeded  = answered & ~ignored;
  assign data    = heeded & x_line_q.data & ~early & ~beyond;

  assign right_kind  = head.atomic == x_atomic_q;
  assign right_place = x_atomic_q | ((x_last_q == is_last) & (x_first_q | ctx.begun));

  always_comb begin
    right_length = x_pad_ok_q & (x_q.payload == head.tail);
    if (!x_last_q) begin
      right_length = 1'b0;
      for (int i = 0; i < 5; i++) if (ctx.pmtu == 3'(i + 1)) right_length = x_full_q[i] & (x_q.pad == '0);
    end
    if (x_atomic_q) right_length = 1'b1;
  end

  assign taken = data & right_kind & is_due & right_place & right_length;
  assign ends  = taken & is_last;

  // How far it acknowledges (REQ-1, REQ-2): past the PSN, up to it, or up to what the head waits for.
  logic past, up_to, up_to_due, moved;

  assign past      = (heeded & x_line_q.ack & early) | taken;
  assign up_to     = heeded & ~x_line_q.ack & early;
  assign up_to_due = heeded & ~early & ~taken;
  assign moved     = past | (up_to & (x_q.psn != ctx.una)) | (up_to_due & (head.due != ctx.una));

  // What una leaves of a wait and of a retry (TMR-5, TMR-3), before the response itself is looked at.
  logic wait_ends, waiting, retrying;

  assign wait_ends = moved | (answered & ctx.profile.any_answer_ends_rnr);
  assign waiting   = ctx.waiting & ~wait_ends;
  assign retrying  = ctx.retrying & ~moved;

  // What it calls for. Bad is what its request cannot have (REQ-12), unless responses are missing before it (REQ-3).
  logic for_no_data, misplaced, mislong, bad, gap, implied, sequence_nak;
  logic act_implied, act_sequence, act_rnr, act_fatal, act_bad;

  assign for_no_data = heeded & x_line_q.data & (early | (~beyond & ~right_kind));
  assign misplaced   = data & right_kind & is_due & ~right_place;
  assign mislong     = data & right_kind & is_due & right_place & ~right_length;
  assign bad         = (heeded & x_line_q.bad_syndrome & ~beyond) | for_no_data | misplaced | mislong;

  assign gap          = data & right_kind & ~is_due;
  assign implied      = (heeded & beyond) | (gap & ~ctx.profile.gap_waits);
  assign sequence_nak = heeded & ~beyond & x_line_q.sequence_nak;

  assign act_implied  = implied & ~waiting & ~retrying;
  assign act_sequence = sequence_nak & ~waiting & ~retrying;
  assign act_rnr      = heeded & ~beyond & x_line_q.rnr & ~waiting;
  assign act_fatal    = heeded & ~beyond & (x_line_q.fatal | x_line_q.reserved_nak);
  assign act_bad      = bad;

  // Credits (CRD-2, CRD-3).
  logic newest, gives, lsn_moves;

  assign newest    = x_next_q == ctx.una;
  assign gives     = response & ~ctx.profile.credits_ignored &
                     ((unacked & x_line_q.ack) | (acked & x_line_q.ack & (newest | ~ctx.profile.credits_last_only)) |
                      (taken & ~x_middle_q));
  assign lsn_moves = gives & ~x_no_credits_q & (ahead | ~(ctx.profile.limited | ctx.counted));

  // ---------------------------------------------------------------------------------------------------------------
  // X. What was sent, and the other operations.

  logic at_high, resend, fits, full, noted, joining, uncovered, probe, config_ok;

  assign at_high   = x_q.psn == ctx.high;
  assign resend    = behind_high;
  assign fits      = ~behind_una;
  assign full      = x_q.kind[1] & (ctx.reads >= ctx.max_reads);
  assign noted     = sent & x_count_ok_q & at_high & fits & ~full;
  assign joining   = noted & x_q.kind[1];
  assign uncovered = noted & (x_q.kind == req_pkg::KindCredit) & ~ctx.unlimited & ahead;
  assign probe     = uncovered & (from_lsn == W'(1)) & ~ctx.probed;
  assign config_ok = (x_q.pmtu != 3'd0) & (x_q.pmtu < 3'd6) & (x_q.max_reads <= 5'(Reads));

  assign joins.due    = x_q.psn;
  assign joins.last   = x_furthest_q;
  assign joins.atomic = x_q.kind[0];
  assign joins.tail   = x_q.payload;

  // ---------------------------------------------------------------------------------------------------------------
  // X. The new word.

  always_comb begin
    next      = ctx;
    next_list = list;

    if (past) next.una = x_next_q;
    if (up_to) next.una = x_q.psn;
    if (up_to_due) next.una = head.due;
    if (noted) next.high = x_next_q;

    if (joining) next.reads = ctx.reads + 5'd1;
    if (ends) next.reads = ctx.reads - 5'd1;
    for (int i = 0; i < Reads; i++) begin
      if (joining & (ctx.reads == 5'(i))) next_list[i*ReadWidth+:ReadWidth] = joins;
      if (ends) next_list[i*ReadWidth+:ReadWidth] = ReadWidth'(list >> ((i + 1) * ReadWidth));
    end
    if (taken & ~ends) next_list[W-1:0] = x_next_q;
    if (taken) next.begun = ~is_last;

    if (wait_ends | go_on) next.waiting = 1'b0;
    if (act_rnr) next.waiting = 1'b1;
    if (moved | act_rnr) next.retrying = 1'b0;
    if (act_implied | act_sequence | retry) next.retrying = 1'b1;

    if (lsn_moves) next.lsn = x_number_q;
    if (lsn_moves) next.probed = 1'b0;
    if (probe) next.probed = 1'b1;
    if (gives) next.unlimited = x_no_credits_q;
    if (gives & ~x_no_credits_q) next.counted = 1'b1;

    if (configure) begin
      next           = '0;
      next_list      = '0;
      next.open      = 1'b1;
      next.una       = x_q.psn;
      next.high      = x_q.psn;
      next.unlimited = ~x_q.profile.limited | x_q.profile.credits_ignored;
      next.profile   = x_q.profile;
      next.pmtu      = x_q.pmtu;
      next.max_reads = x_q.max_reads;
    end
  end

  // A closed word is zero, so that nothing of it is seen.
  logic closes;

  assign closes  = close | act_fatal | act_bad | (configure & ~config_ok);
  assign x_ctx_d = closes ? '0 : {next_list, next};

  // ---------------------------------------------------------------------------------------------------------------
  // X. Why: the first that holds.

  req_pkg::why_e response_why, sent_why, why_d;
  req_pkg::action_e action_d;
  req_pkg::region_e region_d;

  always_comb begin
    response_why = req_pkg::WhyNone;
    if (!x_response_q) response_why = req_pkg::WhyOpcode;
    else if (acked & x_line_q.ack & newest) response_why = req_pkg::WhyUnsolicited;
    else if (acked) response_why = req_pkg::WhyAcked;
    else if (!unacked) response_why = req_pkg::WhyGhost;
    else if (x_line_q.reserved_nak & ignored) response_why = req_pkg::WhyReservedNak;
    else if (implied | sequence_nak) begin
      if (waiting) response_why = req_pkg::WhyWaiting;
      else if (retrying) response_why = req_pkg::WhyRetrying;
    end else if (x_line_q.rnr & waiting) response_why = req_pkg::WhyWaiting;
    else if (x_line_q.ack & ~early) response_why = req_pkg::WhyInsideRead;
    else if (x_line_q.bad_syndrome) response_why = req_pkg::WhySyndrome;
    else if (for_no_data) response_why = req_pkg::WhyRequest;
    else if (gap) response_why = req_pkg::WhyGap;
    else if (misplaced) response_why = req_pkg::WhyPlace;
    else if (mislong) response_why = req_pkg::WhyLength;
  end

  always_comb begin
    sent_why = req_pkg::WhyNone;
    if (!x_count_ok_q) sent_why = req_pkg::WhyBadValue;
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
      case (x_q.op)
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
  // X to Y to the output. Y has what is left to say: of a QP that is not there, next to nothing.

  req_pkg::out_t y_q, out_d, out_q;

  localparam int unsigned OutWidth = $bits(out_q);

  logic y_valid_q, y_shown_q, out_valid_q;

  always_ff @(posedge clk_i) begin
    if (en) begin
      y_shown_q      <= open | (configure & config_ok);
      y_q.qpn        <= x_q.qpn;
      y_q.una_before <= ctx.una;
      y_q.una        <= next.una;
      y_q.high       <= next.high;
      y_q.lsn        <= next.lsn;
      y_q.syndrome   <= x_q.syndrome;
      y_q.op         <= x_q.op;
      y_q.why        <= why_d;
      y_q.action     <= action_d;
      y_q.region     <= region_d;
      y_q.reads      <= next.reads;
      y_q.progress   <= moved;
      y_q.idle       <= 1'b0;  // the next stage says
      y_q.data       <= taken;
      y_q.ended      <= ends;
      y_q.credits    <= lsn_moves;
      y_q.unlimited  <= next.unlimited;
      y_q.waiting    <= next.waiting;
      y_q.retrying   <= next.retrying;
    end
  end

  always_comb begin
    out_d = y_q;
    if (y_q.action != req_pkg::ActionRnr && y_q.action != req_pkg::ActionFatal) out_d.syndrome = '0;
    out_d.idle = y_q.una == y_q.high;
    if (!y_shown_q) begin
      out_d     = '0;
      out_d.qpn = y_q.qpn;
      out_d.op  = y_q.op;
      out_d.why = y_q.why;
    end
  end

  assign en = m_ready_i | ~out_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_valid_q, y_valid_q, x_valid_q, f_valid_q} <= '0;
    else if (en) {out_valid_q, y_valid_q, x_valid_q, f_valid_q} <= {y_valid_q, x_valid_q, f_valid_q, r_valid};
  end

  always_ff @(posedge clk_i) begin
    if (en) out_q <= out_d;
  end

  assign {m_retrying_o, m_waiting_o, m_unlimited_o, m_credits_o, m_ended_o, m_data_o, m_idle_o, m_progress_o, m_reads_o,
          m_region_o, m_action_o, m_why_o, m_op_o, m_syndrome_o, m_lsn_o, m_high_o, m_una_o,
          m_una_before_o, m_qpn_o} = out_q;
  assign m_valid_o = out_valid_q;

`ifdef VERILATOR
  record_rules #(
    .Width(RecWidth)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width(OutWidth)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i (out_q),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );

  // What the signs rely on (PSN-5): an open QP has at most 2^23 PSNs unacked, and its head lies in them.
  window_holds: assert property (@(posedge clk_i) disable iff (!rst_ni) x_valid_q && open |->
                                 W'(ctx.high - ctx.una) <= {1'b1, 23'd0})
  else $error("%m: more than 2^23 PSNs unacked");

  head_inside: assert property (@(posedge clk_i) disable iff (!rst_ni) x_valid_q && open && has_head |->
                                W'(head.due - ctx.una) <= W'(head.last - ctx.una) &&
                                W'(head.last - ctx.una) < W'(ctx.high - ctx.una))
  else $error("%m: the head lies outside of what is unacked");
`endif

endmodule
