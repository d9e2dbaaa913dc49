// The requester's check of responses for many QPs: docs/blocks/req_ack_check.md.
//
//   R  head of the skid: the QP's word is looked up, the opcode decoded
//   F  sums that need no state
//   X  the word is here: differences, decisions, the new word
//   Y  what is left to say about the new word
//
// All the state is in X, in one clock, so that records of one QP may follow each other in every clock. What makes that short
// enough: with at most 2^23 PSNs unacked (PSN-5) every region is a sign, so no difference waits for another one.
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
  input  logic [4:0]  s_profile_i,
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

  localparam int unsigned W = 24;  // of a PSN
  localparam int unsigned QpnWidth = $clog2(NumQps);

  localparam logic [2:0] OpResponse = 3'd0;
  localparam logic [2:0] OpSent = 3'd1;
  localparam logic [2:0] OpConfigure = 3'd2;
  localparam logic [2:0] OpClose = 3'd3;
  localparam logic [2:0] OpRetry = 3'd4;
  localparam logic [2:0] OpGoOn = 3'd5;

  localparam logic [1:0] KindLimited = 2'd1;
  localparam logic [1:0] KindAtomic = 2'd3;

  // A READ or atomic that is outstanding.
  typedef struct packed {
    logic [12:0]  tail;  // bytes in the last response
    logic         atomic;
    logic [W-1:0] last;
    logic [W-1:0] due;
  } read_t;

  localparam int unsigned ReadWidth = 13 + 1 + 2 * W;

  typedef struct packed {
    logic [Reads*ReadWidth-1:0] fifo;  // oldest lowest
    logic [4:0]                 reads;
    logic [4:0]                 max_reads;
    logic [2:0]                 pmtu;
    logic                       reserved_ignored;
    logic                       credits_ignored;
    logic                       credits_last;
    logic                       gap_waits;
    logic                       begun;      // the head has had a response
    logic                       waiting;
    logic                       retrying;
    logic                       probed;
    logic                       unlimited;
    logic                       known;      // lsn means something
    logic [W-1:0]               lsn;
    logic [W-1:0]               high;
    logic [W-1:0]               una;
    logic                       open;
  } ctx_t;

  localparam int unsigned CtxWidth = Reads * ReadWidth + 5 + 5 + 3 + 4 + 6 + 3 * W + 1;

  // ---------------------------------------------------------------------------------------------------------------
  // Edge. Behind the skid everything moves together or not at all; nothing enters while the context is being cleared.

  typedef struct packed {
    logic [4:0]   profile;
    logic [4:0]   max_reads;
    logic [2:0]   pmtu;
    logic [1:0]   kind;
    logic [1:0]   pad;
    logic [2:0]   op;
    logic [7:0]   syndrome;
    logic [7:0]   opcode;
    logic [12:0]  payload;
    logic [W-1:0] number;
    logic [W-1:0] count;
    logic [W-1:0] psn;
    logic [W-1:0] qpn;
  } rec_t;

  localparam int unsigned RecWidth = 145;
  localparam int unsigned OutWidth = 154;

  logic en, skid_ready, ctx_ready, r_valid;
  logic [RecWidth-1:0] s_rec;
  rec_t r;

  assign s_rec = {s_profile_i, s_max_reads_i, s_pmtu_i, s_kind_i, s_pad_i, s_op_i, s_syndrome_i, s_opcode_i, s_payload_i,
                  s_number_i, s_count_i, s_psn_i, s_qpn_i};
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
  // R to F. Credits of a code: twice a power of two or three times one, from code 4 up (CRD-1).

  function automatic logic [15:0] credits_of(input logic [4:0] code);
    logic [3:0] power;
    power = code[4:1] - 4'd1;
    if (code < 5'd4) credits_of = {14'd0, code[1:0]};
    else if (code[0]) credits_of = 16'd3 << power;
    else credits_of = 16'd2 << power;
  endfunction

  logic f_valid_q, f_known_q, f_count_ok_q;
  logic f_read_q, f_first_q, f_last_q, f_middle_q, f_ack_q, f_atomic_q;
  logic [15:0] f_credits_q;
  logic [W-1:0] f_next_q;  // of a response: PSN + 1; of what was sent: its end
  rec_t f_q;

  always_ff @(posedge clk_i) begin
    if (en) begin
      f_q          <= r;
      f_known_q    <= (r.qpn >> QpnWidth) == '0;
      f_next_q     <= r.psn + (r.op == OpSent ? r.count : W'(1));
      f_credits_q  <= credits_of(r.syndrome[4:0]);
      f_count_ok_q <= (r.count != '0) & (~r.count[W-1] | (r.count[W-2:0] == '0)) &
                      ((r.kind != KindAtomic) | (r.count == W'(1)));
      f_first_q    <= (r.opcode == 8'h0D) | (r.opcode == 8'h10);
      f_middle_q   <= r.opcode == 8'h0E;
      f_last_q     <= (r.opcode == 8'h0F) | (r.opcode == 8'h10);
      f_read_q     <= (r.opcode >= 8'h0D) & (r.opcode <= 8'h10);
      f_ack_q      <= r.opcode == 8'h11;
      f_atomic_q   <= r.opcode == 8'h12;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // F to X. What is left of the record once no state is needed any more.

  logic x_valid_q, x_known_q, x_count_ok_q;
  logic x_read_q, x_first_q, x_last_q, x_middle_q, x_ack_q, x_atomic_q;  // opcode
  logic x_positive_q, x_rnr_q, x_seq_q, x_fatal_q, x_reserved_nak_q;     // syndrome
  logic x_no_credits_q;                                                  // code 31
  logic x_pad_ok_q;
  logic [4:0] x_full_q;        // payload is 256, 512, ...
  logic [W-1:0] x_next_q;
  logic [W-1:0] x_furthest_q;  // the PSN that una is compared with: the response's, or the last one sent
  logic [W-1:0] x_number_q;    // SSN, or MSN + credits
  rec_t x_q;

  always_ff @(posedge clk_i) begin
    if (en) begin
      x_q          <= f_q;
      x_known_q    <= f_known_q;
      x_next_q     <= f_next_q;
      x_furthest_q <= f_q.op == OpSent ? f_next_q - W'(1) : f_q.psn;
      x_number_q   <= f_q.op == OpSent ? f_q.number : f_q.number + {8'd0, f_credits_q};
      x_count_ok_q <= f_count_ok_q;

      x_read_q   <= f_read_q;
      x_first_q  <= f_first_q;
      x_last_q   <= f_last_q;
      x_middle_q <= f_middle_q;
      x_ack_q    <= f_ack_q;
      x_atomic_q <= f_atomic_q;

      x_positive_q     <= f_q.syndrome[7:5] == 3'b000;
      x_rnr_q          <= f_q.syndrome[7:5] == 3'b001;
      x_seq_q          <= f_q.syndrome == 8'h60;
      x_fatal_q        <= (f_q.syndrome >= 8'h61) & (f_q.syndrome <= 8'h64);
      x_reserved_nak_q <= (f_q.syndrome >= 8'h65) & (f_q.syndrome <= 8'h7F);
      x_no_credits_q   <= f_q.syndrome[4:0] == 5'd31;

      x_pad_ok_q <= f_q.pad + f_q.payload[1:0] == 2'd0;
      for (int i = 0; i < 5; i++) x_full_q[i] <= f_q.payload == 13'd256 << i;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X. Context.

  logic [CtxWidth-1:0] x_ctx, x_ctx_d;
  ctx_t ctx, next;
  read_t head, joins;

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

  assign ctx  = x_ctx;
  assign head = ctx.fifo[ReadWidth-1:0];

  // Differences. Signs are enough: una to high, due and last lie within 2^23 (PSN-5).
  logic [W-1:0] from_una, from_high, from_due, from_last, from_lsn;
  logic is_due, is_last, has_head, early, beyond, unacked, acked, ahead;

  assign from_una  = x_furthest_q - ctx.una;
  assign from_high = x_q.psn - ctx.high;
  assign from_due  = x_q.psn - head.due;
  assign from_last = x_q.psn - head.last;
  assign from_lsn  = x_number_q - ctx.lsn;

  assign is_due   = x_q.psn == head.due;
  assign is_last  = x_q.psn == head.last;
  assign has_head = ctx.reads != '0;
  assign early    = ~has_head | from_due[W-1];              // before the head's due
  assign beyond   = has_head & ~from_last[W-1] & ~is_last;  // behind the head's last
  assign unacked  = ~from_una[W-1] & from_high[W-1];
  assign acked    = from_una[W-1] & from_high[W-1];
  assign ahead    = ~from_lsn[W-1] & (from_lsn != '0);

  // Whose turn it is.
  logic open, response, sent, configure, close, retry, go_on, answered;

  assign open      = x_known_q & ctx.open;
  assign response  = open & (x_q.op == OpResponse) & (x_read_q | x_ack_q | x_atomic_q);
  assign answered  = response & unacked;
  assign sent      = open & (x_q.op == OpSent);
  assign configure = x_known_q & ~ctx.open & (x_q.op == OpConfigure);
  assign close     = open & (x_q.op == OpClose);
  assign retry     = open & (x_q.op == OpRetry);
  assign go_on     = open & (x_q.op == OpGoOn);

  // ---------------------------------------------------------------------------------------------------------------
  // X. A response to something unacked.

  logic ack, negative, fatal_code, data, right_kind, right_place, right_length, taken, ends;

  assign ack        = answered & x_ack_q & x_positive_q;
  assign fatal_code = x_fatal_q | (x_reserved_nak_q & ~ctx.reserved_ignored);
  assign negative   = answered & x_ack_q & (fatal_code | ((x_rnr_q | x_seq_q) & ~ctx.waiting));
  assign data       = answered & ~x_ack_q & (x_middle_q | x_positive_q) & ~early;

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

  assign taken = data & ~beyond & right_kind & is_due & right_place & right_length;
  assign ends  = taken & is_last;

  // How far it acknowledges (REQ-1, REQ-2): past the PSN, up to it, or up to what the head waits for.
  logic past, up_to, up_to_due, moved;

  assign past      = (ack & early) | taken;
  assign up_to     = negative & early;
  assign up_to_due = (ack | negative | data) & ~early & ~taken;
  assign moved     = past | (up_to & (x_q.psn != ctx.una)) | (up_to_due & (head.due != ctx.una));

  // What it calls for. una moving makes room for a new retry (TMR-3).
  logic implied, sequence_nak, again, act_implied, act_sequence, act_rnr, act_fatal;

  assign implied      = ((ack | negative | data) & beyond) | (data & right_kind & ~is_due & ~ctx.gap_waits);
  assign sequence_nak = negative & x_seq_q & ~beyond;
  assign again        = ctx.retrying & ~moved;
  assign act_implied  = implied & ~ctx.waiting & ~again;
  assign act_sequence = sequence_nak & ~again;
  assign act_rnr      = negative & x_rnr_q & ~beyond;
  assign act_fatal    = negative & fatal_code & ~beyond;

  // Credits (CRD-2, CRD-3).
  logic gives, latest, lsn_moves;

  assign latest    = acked & x_ack_q & (~ctx.credits_last | (x_next_q == ctx.una));
  assign gives     = response & x_positive_q & ~ctx.credits_ignored & ((unacked & x_ack_q) | latest | (taken & ~x_middle_q));
  assign lsn_moves = gives & ~x_no_credits_q & (ahead | ~ctx.known);

  // ---------------------------------------------------------------------------------------------------------------
  // X. What was sent, and the other operations.

  logic at_high, resend, fits, full, noted, joining, limited, probe, config_ok, outstanding;

  assign at_high   = x_q.psn == ctx.high;
  assign resend    = from_high[W-1];
  assign fits      = ~from_una[W-1];
  assign full      = x_q.kind[1] & (ctx.reads >= ctx.max_reads);
  assign noted     = sent & x_count_ok_q & at_high & fits & ~full;
  assign joining   = noted & x_q.kind[1];
  assign limited   = noted & (x_q.kind == KindLimited) & ~ctx.unlimited & ahead;
  assign probe     = limited & (from_lsn == W'(1)) & ~ctx.probed;
  assign config_ok = (x_q.pmtu != 3'd0) & (x_q.pmtu < 3'd6) & (x_q.max_reads <= 5'(Reads));

  assign outstanding = ctx.una != ctx.high;

  assign joins.due    = x_q.psn;
  assign joins.last   = x_furthest_q;
  assign joins.atomic = x_q.kind[0];
  assign joins.tail   = x_q.payload;

  // ---------------------------------------------------------------------------------------------------------------
  // X. The new word.

  always_comb begin
    next = ctx;
    if (past) next.una = x_next_q;
    if (up_to) next.una = x_q.psn;
    if (up_to_due) next.una = head.due;
    if (noted) next.high = x_next_q;

    if (joining) next.reads = ctx.reads + 5'd1;
    if (ends) next.reads = ctx.reads - 5'd1;
    for (int i = 0; i < Reads; i++) begin
      if (joining & (ctx.reads == 5'(i))) next.fifo[i*ReadWidth+:ReadWidth] = joins;
      if (ends) next.fifo[i*ReadWidth+:ReadWidth] = ReadWidth'(ctx.fifo >> ((i + 1) * ReadWidth));
    end
    if (taken & ~ends) next.fifo[W-1:0] = x_next_q;
    if (taken) next.begun = ~is_last;

    if (moved | act_rnr) next.retrying = 1'b0;
    if (act_implied | act_sequence | (retry & outstanding & ~ctx.waiting)) next.retrying = 1'b1;
    if (act_rnr) next.waiting = 1'b1;
    if (go_on) next.waiting = 1'b0;

    if (lsn_moves) next.lsn = x_number_q;
    if (lsn_moves) next.probed = 1'b0;
    if (probe) next.probed = 1'b1;
    if (gives) next.unlimited = x_no_credits_q;
    if (gives & ~x_no_credits_q) next.known = 1'b1;

    if (configure) begin
      next                  = '0;
      next.open             = 1'b1;
      next.una              = x_q.psn;
      next.high             = x_q.psn;
      next.known            = x_q.profile[4];
      next.unlimited        = ~x_q.profile[4] | x_q.profile[1];
      next.gap_waits        = x_q.profile[3];
      next.credits_last     = x_q.profile[2];
      next.credits_ignored  = x_q.profile[1];
      next.reserved_ignored = x_q.profile[0];
      next.pmtu             = x_q.pmtu;
      next.max_reads        = x_q.max_reads;
    end
  end

  // A closed word is zero, so that nothing of it is seen.
  assign x_ctx_d = (close | act_fatal | (configure & ~config_ok)) ? '0 : next;

  // ---------------------------------------------------------------------------------------------------------------
  // X. Why, the last that holds.

  logic [4:0] why_d;
  logic [2:0] action_d;

  always_comb begin
    why_d = 5'd0;
    if (response) begin
      why_d = 5'd3;
      if (acked) why_d = (x_ack_q & x_positive_q & (x_next_q == ctx.una)) ? 5'd5 : 5'd4;
      if (answered) begin
        why_d = 5'd7;
        if (ack) why_d = early | beyond ? 5'd0 : 5'd6;
        if (x_ack_q & x_reserved_nak_q & ctx.reserved_ignored) why_d = 5'd14;
        if (x_ack_q & (x_rnr_q | x_seq_q)) why_d = 5'd12;
        if (negative) why_d = 5'd0;
        if (~x_ack_q & (x_middle_q | x_positive_q)) begin
          why_d = 5'd8;
          if (data & (beyond | right_kind)) begin
            why_d = 5'd0;
            if (~beyond) begin
              if (~right_length) why_d = 5'd10;
              if (~right_place) why_d = 5'd9;
              if (~is_due) why_d = ctx.gap_waits ? 5'd11 : 5'd0;
            end
          end
        end
        if ((implied | sequence_nak) & again) why_d = 5'd13;
        if (implied & ctx.waiting) why_d = 5'd12;
      end
    end
    if (open & (x_q.op == OpResponse) & ~response) why_d = 5'd2;
    if (sent) begin
      if (limited) why_d = probe ? 5'd20 : 5'd19;
      if (full) why_d = 5'd17;
      if (~fits) why_d = 5'd16;
      if (~at_high) why_d = resend ? 5'd18 : 5'd15;
      if (~x_count_ok_q) why_d = 5'd22;
    end
    if (retry & (~outstanding | ctx.waiting)) why_d = 5'd23;
    if (go_on & ~ctx.waiting) why_d = 5'd23;
    if (configure & ~config_ok) why_d = 5'd22;
    if (open & (x_q.op == OpConfigure)) why_d = 5'd21;
    if (~open & ~configure) why_d = 5'd1;
  end

  always_comb begin
    action_d = 3'd0;
    if (act_sequence) action_d = 3'd1;
    if (act_rnr) action_d = 3'd2;
    if (act_implied) action_d = 3'd3;
    if (act_fatal) action_d = 3'd4;
    if (retry & outstanding & ~ctx.waiting) action_d = 3'd5;
    if (go_on & outstanding & ctx.waiting) action_d = 3'd6;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X to Y to the output.

  logic y_valid_q, y_shown_q, y_progress_q, y_data_q, y_ended_q, y_credits_q, y_unlimited_q, y_waiting_q, y_retrying_q;
  logic [W-1:0] y_qpn_q, y_before_q, y_una_q, y_high_q, y_lsn_q;
  logic [7:0] y_syndrome_q;
  logic [2:0] y_op_q, y_action_q;
  logic [1:0] y_region_q;
  logic [4:0] y_why_q, y_reads_q;

  always_ff @(posedge clk_i) begin
    if (en) begin
      y_qpn_q       <= x_q.qpn;
      y_op_q        <= x_q.op;
      y_why_q       <= why_d;
      y_action_q    <= action_d;
      y_syndrome_q  <= x_q.syndrome;
      y_region_q    <= response ? {~unacked, ~acked} : 2'd0;
      y_shown_q     <= open | (configure & config_ok);
      y_before_q    <= ctx.una;
      y_una_q       <= next.una;
      y_high_q      <= next.high;
      y_lsn_q       <= next.lsn;
      y_reads_q     <= next.reads;
      y_progress_q  <= moved;
      y_data_q      <= taken;
      y_ended_q     <= ends;
      y_credits_q   <= lsn_moves;
      y_unlimited_q <= next.unlimited;
      y_waiting_q   <= next.waiting;
      y_retrying_q  <= next.retrying;
    end
  end

  logic out_valid_q;
  logic [OutWidth-1:0] out_q;

  assign en = m_ready_i | ~out_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_valid_q, y_valid_q, x_valid_q, f_valid_q} <= '0;
    else if (en) {out_valid_q, y_valid_q, x_valid_q, f_valid_q} <= {y_valid_q, x_valid_q, f_valid_q, r_valid};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      out_q          <= '0;
      out_q[23:0]    <= y_qpn_q;
      out_q[130:128] <= y_op_q;
      out_q[135:131] <= y_why_q;
      if (y_shown_q) begin
        out_q[127:24]  <= {(y_action_q == 3'd2) | (y_action_q == 3'd4) ? y_syndrome_q : 8'd0,
                           y_lsn_q, y_high_q, y_una_q, y_before_q};
        out_q[153:136] <= {y_retrying_q, y_waiting_q, y_unlimited_q, y_credits_q, y_ended_q, y_data_q, y_una_q == y_high_q,
                           y_progress_q, y_reads_q, y_region_q, y_action_q};
      end
    end
  end

  assign {m_retrying_o, m_waiting_o, m_unlimited_o, m_credits_o, m_ended_o, m_data_o, m_idle_o, m_progress_o, m_reads_o,
          m_region_o, m_action_o, m_why_o, m_op_o, m_syndrome_o, m_lsn_o, m_high_o, m_una_o, m_una_before_o, m_qpn_o} = out_q;
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
