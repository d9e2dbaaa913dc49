// The responder's check of requests for many QPs: docs/blocks/resp_psn_check.md.
//
// R looks the QP up, F waits for its word, X decides and writes the word back in the same clock. All that can be said about a
// record without its QP is worked out in R and F, for every path MTU where it depends on that: X only chooses.
module resp_psn_check #(
  parameter int unsigned NumQps = 4096  // a power of two, 4 to 65,536
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [23:0] s_psn_i,
  input  logic [7:0]  s_opcode_i,
  input  logic [15:0] s_payload_i,
  input  logic [31:0] s_dma_length_i,
  input  logic [31:0] s_wqe_bytes_i,
  input  logic [2:0]  s_op_i,
  input  logic [1:0]  s_service_i,
  input  logic [2:0]  s_pmtu_i,
  input  logic [4:0]  s_max_reads_i,
  input  logic [2:0]  s_enabled_i,
  input  logic [4:0]  s_rnr_timer_i,
  input  logic [2:0]  s_va_low_i,
  input  logic [4:0]  s_credits_i,
  input  logic [1:0]  s_pad_i,
  input  logic        s_ack_req_i,
  input  logic [5:0]  s_profile_i,
  input  logic        s_solicited_i,
  input  logic        s_own_error_i,
  input  logic        s_qkey_ok_i,
  input  logic        s_wqe_present_i,
  input  logic        s_access_ok_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [23:0] m_epsn_before_o,
  output logic [23:0] m_epsn_after_o,
  output logic [23:0] m_psn_o,
  output logic [23:0] m_msn_o,
  output logic [7:0]  m_syndrome_o,
  output logic [2:0]  m_op_o,
  output logic [4:0]  m_why_o,
  output logic [2:0]  m_verdict_o,
  output logic [2:0]  m_answer_o,
  output logic        m_first_o,
  output logic        m_last_o,
  output logic        m_complete_o,
  output logic        m_solicited_o,
  output logic        m_to_error_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned RecordWidth = 179;
  localparam int unsigned ContextWidth = 115;
  localparam int unsigned Pmtus = 5;  // 256 << i bytes, i = 0 to 4

  // op, and the states of a QP
  localparam logic [2:0] OpPacket = 3'd0;
  localparam logic [2:0] OpSet = 3'd1;
  localparam logic [2:0] OpReady = 3'd2;
  localparam logic [2:0] OpError = 3'd3;
  localparam logic [2:0] OpReset = 3'd4;
  localparam logic [2:0] OpFreed = 3'd5;

  localparam logic [1:0] StReset = 2'd0;
  localparam logic [1:0] StInit = 2'd1;
  localparam logic [1:0] StReady = 2'd2;
  localparam logic [1:0] StError = 2'd3;

  localparam logic [1:0] ServiceRc = 2'd0;
  localparam logic [1:0] ServiceUc = 2'd1;
  localparam logic [1:0] ServiceUd = 2'd2;

  // kind of the open message
  localparam logic [1:0] OpenNone = 2'd0;
  localparam logic [1:0] OpenSend = 2'd1;
  localparam logic [1:0] OpenWrite = 2'd2;

  // verdict, answer, why
  localparam logic [2:0] Execute = 3'd0;
  localparam logic [2:0] Duplicate = 3'd1;
  localparam logic [2:0] Refused = 3'd2;
  localparam logic [2:0] Dropped = 3'd3;
  localparam logic [2:0] Done = 3'd4;
  localparam logic [2:0] Ignored = 3'd5;

  localparam logic [2:0] AnswerNone = 3'd0;
  localparam logic [2:0] AnswerAck = 3'd1;
  localparam logic [2:0] AnswerNak = 3'd2;
  localparam logic [2:0] AnswerRead = 3'd3;
  localparam logic [2:0] AnswerAtomic = 3'd4;
  localparam logic [2:0] AnswerEmpty = 3'd5;

  localparam logic [4:0] WhyGood = 5'd0;
  localparam logic [4:0] WhyNoQp = 5'd1;
  localparam logic [4:0] WhyNotReady = 5'd2;
  localparam logic [4:0] WhyOpcode = 5'd3;
  localparam logic [4:0] WhyGap = 5'd4;
  localparam logic [4:0] WhyRnrPending = 5'd5;
  localparam logic [4:0] WhySequence = 5'd6;
  localparam logic [4:0] WhyUnsupported = 5'd7;
  localparam logic [4:0] WhyRoom = 5'd8;
  localparam logic [4:0] WhyNoWqe = 5'd9;
  localparam logic [4:0] WhyAccess = 5'd10;
  localparam logic [4:0] WhyAlignment = 5'd11;
  localparam logic [4:0] WhyLength = 5'd12;
  localparam logic [4:0] WhySum = 5'd13;
  localparam logic [4:0] WhyTooLong = 5'd14;
  localparam logic [4:0] WhyOwnError = 5'd15;
  localparam logic [4:0] WhyQkey = 5'd16;
  localparam logic [4:0] WhyBroken = 5'd17;
  localparam logic [4:0] WhyDupMessage = 5'd18;
  localparam logic [4:0] WhyDupRead = 5'd19;
  localparam logic [4:0] WhyDupAtomic = 5'd20;
  localparam logic [4:0] WhyNoSuch = 5'd22;

  localparam logic [7:0] NakSequence = 8'h60;
  localparam logic [7:0] NakInvalid = 8'h61;
  localparam logic [7:0] NakAccess = 8'h62;
  localparam logic [7:0] NakOperational = 8'h63;

  // ---------------------------------------------------------------------------------------------------------------
  // A record, in the order of the document, first field lowest.

  typedef struct packed {
    logic        access_ok;
    logic        wqe_present;
    logic        qkey_ok;
    logic        own_error;
    logic        solicited;
    logic [5:0]  profile;
    logic        ack_req;
    logic [1:0]  pad;
    logic [4:0]  credits;
    logic [2:0]  va_low;
    logic [4:0]  rnr_timer;
    logic [2:0]  enabled;
    logic [4:0]  max_reads;
    logic [2:0]  pmtu;
    logic [1:0]  service;
    logic [2:0]  op;
    logic [31:0] wqe_bytes;
    logic [31:0] dma_length;
    logic [15:0] payload;
    logic [7:0]  opcode;
    logic [23:0] psn;
    logic [23:0] qpn;
  } record_t;

  // The word of a QP. All zero is a QP in reset.
  typedef struct packed {
    logic [1:0]  state;
    logic [1:0]  service;
    logic [2:0]  pmtu;
    logic [4:0]  max_reads;
    logic [2:0]  enabled;
    logic [4:0]  rnr_timer;
    logic [5:0]  profile;
    logic [23:0] epsn;
    logic [23:0] msn;
    logic [4:0]  in_flight;  // READs and atomics that are not answered
    logic        nak_sent;   // a sequence NAK, for the gap at ePSN
    logic        rnr_sent;   // an RNR NAK, for ePSN
    logic [1:0]  open;       // the message whose Last has not come; a lost one is not open
    logic [31:0] left;       // bytes that it may still have: of dma_length, or of the receive WQE
  } context_t;

  // ---------------------------------------------------------------------------------------------------------------
  // Edge. The skid buffer is held in reset, and so not ready, until every word is zero.

  logic en, in_valid, ctx_ready, run_q;
  record_t s_rec, in;

  assign s_rec = {s_access_ok_i, s_wqe_present_i, s_qkey_ok_i, s_own_error_i, s_solicited_i, s_profile_i, s_ack_req_i,
                  s_pad_i, s_credits_i, s_va_low_i, s_rnr_timer_i, s_enabled_i, s_max_reads_i, s_pmtu_i, s_service_i,
                  s_op_i, s_wqe_bytes_i, s_dma_length_i, s_payload_i, s_opcode_i, s_psn_i, s_qpn_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 1'b0;
    else run_q <= ctx_ready;
  end

  axis_skid #(
    .Width(RecordWidth)
  ) u_skid (
    .clk_i,
    .rst_ni   (run_q),
    .s_data_i (s_rec),
    .s_valid_i,
    .s_ready_o,
    .m_data_o (in),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Into R: the opcode taken apart, and how many PSNs the request takes under each path MTU (PSN-4).

  typedef struct packed {
    logic send;
    logic write;
    logic read;
    logic atomic;  // CMP & SWAP, FETCH & ADD
    logic awrite;  // ATOMIC WRITE
    logic flush;
    logic first;   // First or Only
    logic last;    // Last or Only
    logic imm;
    logic inv;
    logic rc;      // a request of RC (OPC-1), of UC, of UD
    logic uc;
    logic ud;
  } decoded_t;

  decoded_t dec;
  logic [4:0] operation;

  assign operation = in.opcode[4:0];

  always_comb begin
    dec = '0;
    case (operation)
      5'h00: {dec.send, dec.first} = '1;
      5'h01: dec.send = 1'b1;
      5'h02: {dec.send, dec.last} = '1;
      5'h03: {dec.send, dec.last, dec.imm} = '1;
      5'h04: {dec.send, dec.first, dec.last} = '1;
      5'h05: {dec.send, dec.first, dec.last, dec.imm} = '1;
      5'h06: {dec.write, dec.first} = '1;
      5'h07: dec.write = 1'b1;
      5'h08: {dec.write, dec.last} = '1;
      5'h09: {dec.write, dec.last, dec.imm} = '1;
      5'h0A: {dec.write, dec.first, dec.last} = '1;
      5'h0B: {dec.write, dec.first, dec.last, dec.imm} = '1;
      5'h0C: {dec.read, dec.first, dec.last} = '1;
      5'h13, 5'h14: {dec.atomic, dec.first, dec.last} = '1;
      5'h16: {dec.send, dec.last, dec.inv} = '1;
      5'h17: {dec.send, dec.first, dec.last, dec.inv} = '1;
      5'h1C: {dec.flush, dec.first, dec.last} = '1;
      5'h1D: {dec.awrite, dec.first, dec.last} = '1;
      default: ;
    endcase
    dec.rc = in.opcode[7:5] == 3'd0 && (dec.send | dec.write | dec.read | dec.atomic | dec.awrite | dec.flush);
    dec.uc = in.opcode[7:5] == 3'd1 && operation <= 5'h0B;
    dec.ud = in.opcode[7:5] == 3'd3 && (operation == 5'h04 || operation == 5'h05);
  end

  logic several;
  assign several = dec.read && in.dma_length != '0;

  record_t r_q;
  decoded_t r_dec_q;
  logic r_valid_q, r_dma_zero_q;
  logic [Pmtus*24-1:0] r_takes_q;  // PSNs

  always_ff @(posedge clk_i) begin
    if (en) begin
      r_q          <= in;
      r_dec_q      <= dec;
      r_dma_zero_q <= in.dma_length == '0;
    end
  end

  for (genvar i = 0; i < Pmtus; i++) begin : gen_takes
    logic [31:0] rounded;
    assign rounded = in.dma_length + 32'((256 << i) - 1);  // 2^31 at most; more is refused
    always_ff @(posedge clk_i) begin
      if (en) r_takes_q[24*i+:24] <= several ? 24'(rounded[31:8+i]) : 24'd1;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Into F: what the lengths come to.

  typedef struct packed {
    logic             in_range;    // the number of the QP is one
    logic             bad_set;     // no such service or path MTU
    logic             replayed;    // READ, or what is kept like one
    logic             no_wqe;      // RC and UC: a receive WQE is needed and missing
    logic             no_access;
    logic             misaligned;
    logic             padded;      // a First or Middle with pad
    logic             dma_long;    // above 2^31
    logic             first_fits;  // the first packet of a message fits what it announces, or its WQE
    logic             ud_fits;
    logic [Pmtus-1:0] length_ok;   // LEN-1 under each path MTU
    logic [31:0]      first_left;  // bytes left behind the first packet
  } facts_t;

  facts_t f_facts_d, f_facts_q, x_facts_q;
  record_t f_q, x_q;
  decoded_t f_dec_q, x_dec_q;
  logic f_valid_q, x_valid_q;
  logic [Pmtus*24-1:0] f_next_q, x_next_q;  // the ePSN that the request leaves, under each path MTU

  logic [31:0] r_room;
  assign r_room = r_dec_q.write ? r_q.dma_length : r_q.wqe_bytes;

  always_comb begin
    f_facts_d            = '0;
    f_facts_d.in_range   = (r_q.qpn >> QpnWidth) == '0;
    f_facts_d.bad_set    = r_q.service == 2'd3 || r_q.pmtu == 3'd0 || r_q.pmtu > 3'd5;
    f_facts_d.replayed   = r_dec_q.read | r_dec_q.atomic | r_dec_q.awrite | r_dec_q.flush;
    f_facts_d.no_wqe     = ~r_q.wqe_present & (r_dec_q.send & r_dec_q.first | r_dec_q.write & r_dec_q.imm);
    f_facts_d.no_access  = ~r_q.access_ok & (r_dec_q.inv | (r_dec_q.write & r_dec_q.first | r_dec_q.read) & ~r_dma_zero_q |
                           r_dec_q.write & ~r_dec_q.first | r_dec_q.atomic | r_dec_q.awrite | r_dec_q.flush);
    f_facts_d.misaligned = r_q.va_low != '0 & (r_dec_q.atomic | r_dec_q.awrite);
    f_facts_d.padded     = ~r_dec_q.last & r_q.pad != '0;
    f_facts_d.dma_long   = r_q.dma_length > 32'h8000_0000 & (r_dec_q.read | r_dec_q.flush | r_dec_q.write & r_dec_q.first);
    f_facts_d.first_fits = r_dec_q.write & r_dec_q.last ? 32'(r_q.payload) == r_room : 32'(r_q.payload) <= r_room;
    f_facts_d.ud_fits    = 33'(r_q.payload) + 33'd40 <= 33'(r_q.wqe_bytes);
    f_facts_d.first_left = r_room - 32'(r_q.payload);
    for (int unsigned i = 0; i < Pmtus; i++) begin
      f_facts_d.length_ok[i] = 1'b1;
      if (r_dec_q.send | r_dec_q.write) begin
        if (!r_dec_q.last) f_facts_d.length_ok[i] = r_q.payload == 16'(256 << i);
        else f_facts_d.length_ok[i] = r_q.payload <= 16'(256 << i) && (r_dec_q.first || r_q.payload != '0);
      end
      if (r_dec_q.awrite) f_facts_d.length_ok[i] = r_q.payload == 16'd8 && r_q.dma_length == 32'd8;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      f_q       <= r_q;
      f_dec_q   <= r_dec_q;
      f_facts_q <= f_facts_d;
      x_q       <= f_q;
      x_dec_q   <= f_dec_q;
      x_facts_q <= f_facts_q;
      x_next_q  <= f_next_q;
    end
  end

  for (genvar i = 0; i < Pmtus; i++) begin : gen_next
    always_ff @(posedge clk_i) begin
      if (en) f_next_q[24*i+:24] <= r_q.psn + r_takes_q[24*i+:24];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X: the verdict.

  context_t ctx, ctx_d;
  logic write_ctx;

  qp_context #(
    .NumQps(NumQps),
    .Width (ContextWidth)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .en_i   (en),
    .r_qpn_i(r_q.qpn[QpnWidth-1:0]),
    .x_ctx_o(ctx),
    .x_ctx_i(ctx_d),
    .x_we_i (write_ctx)
  );

  assign write_ctx = x_valid_q & x_facts_q.in_range;

  // Profile bits.
  logic oldest_dup, nak_in_rnr, dup_by_ackreq, length_first, long_is_63, room_free;
  assign {room_free, long_is_63, length_first, dup_by_ackreq, nak_in_rnr, oldest_dup} = ctx.profile;

  logic rc, uc, ud, there, there_ready, known, judged;
  assign rc          = ctx.service == ServiceRc;
  assign uc          = ctx.service == ServiceUc;
  assign ud          = ctx.service == ServiceUd;
  assign there       = x_facts_q.in_range & ctx.state != StReset;
  assign there_ready = there & ctx.state == StReady;
  assign known       = rc & x_dec_q.rc | uc & x_dec_q.uc | ud & x_dec_q.ud;
  assign judged      = x_q.op == OpPacket & there_ready & known;

  // What the path MTU selects.
  logic length_ok;
  logic [23:0] next_epsn;
  always_comb begin
    length_ok = 1'b0;
    next_epsn = '0;
    for (int unsigned i = 0; i < Pmtus; i++) begin
      if (ctx.pmtu == 3'(i + 1)) begin
        length_ok = x_facts_q.length_ok[i];
        next_epsn = x_next_q[24*i+:24];
      end
    end
  end

  // PSN-1 and PSN-2.
  logic [23:0] distance;
  logic same_low, expected, oldest, duplicate;
  assign distance  = x_q.psn - ctx.epsn;
  assign same_low  = x_q.psn[22:0] == ctx.epsn[22:0];
  assign expected  = same_low & x_q.psn[23] == ctx.epsn[23];
  assign oldest    = same_low & x_q.psn[23] != ctx.epsn[23];
  assign duplicate = distance[23] & (~oldest | oldest_dup);

  // RSP-1, each check by itself.
  logic bad_sequence, unsupported, no_room, bad_length, fits, bad_sum, too_long, faulty, length_wins;
  assign bad_sequence = x_dec_q.first ? ctx.open != OpenNone
                                      : ctx.open != (x_dec_q.send ? OpenSend : OpenWrite);
  assign unsupported  = (x_dec_q.write | x_dec_q.awrite | x_dec_q.flush) & ~ctx.enabled[0] | x_dec_q.read & ~ctx.enabled[1] |
                        x_dec_q.atomic & ~ctx.enabled[2] | x_facts_q.padded & ~length_first;
  assign no_room      = x_facts_q.replayed & (ctx.max_reads == '0 | ~room_free & ctx.in_flight >= ctx.max_reads);
  assign bad_length   = ~length_ok | x_facts_q.dma_long;
  assign bad_sum      = x_dec_q.write & ~fits;
  assign too_long     = x_dec_q.send & ~fits;
  assign faulty       = unsupported | no_room | x_facts_q.no_wqe | x_facts_q.no_access | x_facts_q.misaligned | bad_length |
                        bad_sum | too_long | x_q.own_error;
  assign length_wins  = length_first & bad_length;

  always_comb begin
    if (x_dec_q.first) fits = x_facts_q.first_fits;
    else if (x_dec_q.write & x_dec_q.last) fits = 32'(x_q.payload) == ctx.left;
    else fits = 32'(x_q.payload) <= ctx.left;
  end

  // What becomes of the packet: at most one of these.
  logic rc_new, rc_go, rc_rnr, rc_fatal, rc_dup, rc_gap, rc_nak, uc_broken, uc_new, uc_go, ud_go, go;
  assign rc_new    = judged & rc & expected;
  assign rc_go     = rc_new & ~bad_sequence & ~faulty;
  assign rc_rnr    = rc_new & ~bad_sequence & ~unsupported & ~no_room & x_facts_q.no_wqe;
  assign rc_fatal  = rc_new & (bad_sequence | faulty) & ~rc_rnr;
  assign rc_dup    = judged & rc & duplicate;
  assign rc_gap    = judged & rc & ~expected & ~duplicate;
  assign rc_nak    = rc_gap & ~ctx.nak_sent & (~ctx.rnr_sent | nak_in_rnr);
  assign uc_broken = ~x_dec_q.first & (~expected | bad_sequence);
  assign uc_new    = judged & uc & ~uc_broken;
  assign uc_go     = uc_new & ~faulty;
  assign ud_go     = judged & ud & x_q.qkey_ok & x_q.wqe_present & length_ok & x_facts_q.ud_fits & ~x_q.own_error;
  assign go        = rc_go | uc_go | ud_go;

  logic counts;  // a message ends here (RSP-11)
  assign counts = (rc_go | uc_go) & x_dec_q.last;

  // Operations.
  logic op_set, op_ready, op_error, op_reset, op_freed, op_done;
  assign op_set   = x_q.op == OpSet & x_facts_q.in_range & (ctx.state == StReset | ctx.state == StInit) & ~x_facts_q.bad_set;
  assign op_ready = x_q.op == OpReady & there & ctx.state == StInit;
  assign op_error = x_q.op == OpError & there;
  assign op_reset = x_q.op == OpReset & x_facts_q.in_range;
  assign op_freed = x_q.op == OpFreed & there & ctx.in_flight != '0;
  assign op_done  = op_set | op_ready | op_error | op_reset | op_freed;

  // ---------------------------------------------------------------------------------------------------------------
  // X: the word that the record leaves.

  always_comb begin
    ctx_d = ctx;

    if (rc_go | uc_new) ctx_d.epsn = next_epsn;
    if (counts) ctx_d.msn = ctx.msn + 24'd1;
    if (rc_go & x_facts_q.replayed & ctx.in_flight != '1) ctx_d.in_flight = ctx.in_flight + 5'd1;
    if (op_freed) ctx_d.in_flight = ctx.in_flight - 5'd1;
    if (rc_new) {ctx_d.nak_sent, ctx_d.rnr_sent} = {1'b0, rc_rnr};
    if (rc_nak) ctx_d.nak_sent = 1'b1;

    if (rc_fatal | op_error) ctx_d.state = StError;
    if (op_ready) ctx_d.state = StReady;

    // The open message: a broken UC one is gone, whether a First takes its place or not.
    if (rc_go | uc_go) begin
      ctx_d.open = x_dec_q.last ? OpenNone : x_dec_q.send ? OpenSend : OpenWrite;
      ctx_d.left = x_dec_q.first ? x_facts_q.first_left : ctx.left - 32'(x_q.payload);
    end else if (rc_fatal | judged & uc) begin
      ctx_d.open = OpenNone;
    end

    if (op_set) begin
      ctx_d           = '0;
      ctx_d.state     = StInit;
      ctx_d.service   = x_q.service;
      ctx_d.pmtu      = x_q.pmtu;
      ctx_d.max_reads = x_q.max_reads;
      ctx_d.enabled   = x_q.enabled;
      ctx_d.rnr_timer = x_q.rnr_timer;
      ctx_d.profile   = x_q.profile;
      ctx_d.epsn      = x_q.psn;
    end
    if (op_reset) ctx_d = '0;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X: what is said about it.

  logic [4:0] new_why, packet_why, op_why, why;
  logic [2:0] verdict, answer;
  logic [7:0] syndrome;
  logic [23:0] answer_psn;

  always_comb begin
    new_why = WhyGood;
    if (x_q.own_error) new_why = WhyOwnError;
    if (too_long) new_why = WhyTooLong;
    if (bad_sum) new_why = WhySum;
    if (bad_length) new_why = WhyLength;
    if (x_facts_q.misaligned & ~length_wins) new_why = WhyAlignment;
    if (x_facts_q.no_access & ~length_wins) new_why = WhyAccess;
    if (x_facts_q.no_wqe) new_why = WhyNoWqe;
    if (no_room) new_why = WhyRoom;
    if (unsupported) new_why = WhyUnsupported;
    if (bad_sequence & rc) new_why = WhySequence;
  end

  always_comb begin
    packet_why = new_why;
    if (ud) begin
      packet_why = WhyGood;
      if (x_q.own_error) packet_why = WhyOwnError;
      if (!x_facts_q.ud_fits) packet_why = WhyTooLong;
      if (!length_ok) packet_why = WhyLength;
      if (!x_q.wqe_present) packet_why = WhyNoWqe;
      if (!x_q.qkey_ok) packet_why = WhyQkey;
    end
    if (uc & uc_broken) packet_why = WhyBroken;
    if (rc & ~expected) begin
      packet_why = WhyGap;
      if (ctx.rnr_sent & ~nak_in_rnr & ~ctx.nak_sent) packet_why = WhyRnrPending;
      if (duplicate) packet_why = x_dec_q.read ? WhyDupRead : x_facts_q.replayed ? WhyDupAtomic : WhyDupMessage;
    end
    if (!known) packet_why = WhyOpcode;
    if (ctx.state != StReady) packet_why = WhyNotReady;
    if (!there) packet_why = WhyNoQp;
  end

  always_comb begin
    op_why = WhyNotReady;
    if (x_q.op == OpFreed) op_why = WhyRoom;
    if (x_q.op == OpSet & (ctx.state == StReset | ctx.state == StInit)) op_why = WhyNoSuch;
    if (x_q.op != OpSet & ~there) op_why = WhyNoQp;
    if (x_q.op > OpFreed) op_why = WhyNoSuch;
    if (!x_facts_q.in_range) op_why = WhyNoQp;
    if (op_done) op_why = WhyGood;
    why = x_q.op == OpPacket ? packet_why : op_why;
  end

  logic again;  // the duplicate is answered
  assign again = rc_dup & (x_facts_q.replayed | x_q.ack_req | ~dup_by_ackreq);

  always_comb begin
    verdict = Dropped;
    if (go) verdict = Execute;
    if (again) verdict = Duplicate;
    if (rc_fatal | rc_rnr | rc_nak) verdict = Refused;
    if (x_q.op != OpPacket) verdict = op_done ? Done : Ignored;

    answer = AnswerNone;
    if (rc_go | again) begin
      if (x_dec_q.read) answer = AnswerRead;
      else if (x_dec_q.atomic) answer = AnswerAtomic;
      else if (x_facts_q.replayed) answer = AnswerEmpty;
      else if (x_q.ack_req | again) answer = AnswerAck;
    end
    if (rc_fatal | rc_rnr | rc_nak) answer = AnswerNak;

    syndrome = {3'b000, x_q.credits};
    if (rc_fatal) begin
      syndrome = NakInvalid;
      if (new_why == WhyAccess) syndrome = NakAccess;
      if (new_why == WhyOwnError || (new_why == WhyTooLong && long_is_63)) syndrome = NakOperational;
    end
    if (rc_rnr) syndrome = {3'b001, ctx.rnr_timer};
    if (rc_nak) syndrome = NakSequence;

    answer_psn = x_q.psn;
    if (rc_nak) answer_psn = ctx.epsn;
    if (rc_dup & ~x_facts_q.replayed) answer_psn = ctx.epsn - 24'd1;

    if (answer == AnswerNone) begin
      syndrome   = '0;
      answer_psn = '0;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Output register. A free output moves everything.

  logic out_valid_q, complete;
  assign en = m_ready_i | ~out_valid_q;
  assign complete = go & x_dec_q.last & (x_dec_q.send | x_dec_q.write & x_dec_q.imm);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_valid_q, x_valid_q, f_valid_q, r_valid_q} <= '0;
    else if (en) {out_valid_q, x_valid_q, f_valid_q, r_valid_q} <= {x_valid_q, f_valid_q, r_valid_q, in_valid};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      m_qpn_o         <= x_q.qpn;
      m_epsn_before_o <= x_facts_q.in_range ? ctx.epsn : '0;
      m_epsn_after_o  <= x_facts_q.in_range ? ctx_d.epsn : '0;
      m_psn_o         <= answer_psn;
      m_msn_o         <= x_facts_q.in_range ? ctx_d.msn : '0;
      m_syndrome_o    <= syndrome;
      m_op_o          <= x_q.op;
      m_why_o         <= why;
      m_verdict_o     <= verdict;
      m_answer_o      <= answer;
      m_first_o       <= go & x_dec_q.first;
      m_last_o        <= go & x_dec_q.last;
      m_complete_o    <= complete;
      m_solicited_o   <= complete & x_q.solicited;
      m_to_error_o    <= rc_fatal | op_error & ctx.state != StError;
    end
  end

  assign m_valid_o = out_valid_q;

`ifdef VERILATOR
  record_rules #(
    .Width(RecordWidth)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width(147)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i ({m_to_error_o, m_solicited_o, m_complete_o, m_last_o, m_first_o, m_answer_o, m_verdict_o, m_why_o, m_op_o,
              m_syndrome_o, m_msn_o, m_psn_o, m_epsn_after_o, m_epsn_before_o, m_qpn_o}),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
