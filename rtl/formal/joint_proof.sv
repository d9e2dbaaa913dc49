// SPDX-License-Identifier: Apache-2.0
// Requester, responder and timer together, in small: a READ of two responses and a SEND of two packets, PSNs of four
// bits from any one on, over links that lose, double and reorder, two packets deep in each direction. What decides is
// that of the blocks: req_decide, retry_decide, resp_decide with resp_opcode and resp_facts. The words of the QP stand
// in registers here, as narrow as these two messages need, and Check[1] says that nothing else of them ever moves. Each
// clock one thing happens, which the solver chooses: act_i.
//
// A PSN is counted from the first one here: 0 and 1 the READ, 2 and 3 the SEND.
//
// Check selects assertions: bit 0 what induction needs, then one bit a property of joint.go.
module joint_proof #(
  parameter logic [9:0] Check = '1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [3:0] start_i,        // the first PSN, chosen once
  input logic [1:0] req_profile_i,  // gap_waits, any_answer_ends_rnr; once
  input logic [2:0] resp_profile_i, // dup_ack_by_ack_req, nak_while_rnr, dup_keeps_nak; once
  input logic [2:0] retry_cnt_i,    // once
  input logic [2:0] rnr_retry_i,    // once
  input logic [2:0] act_i,
  input logic       slot_i,         // which packet of a link
  input logic       keep_i,         // it is delivered, and stays
  input logic [7:0] gen_i,          // of an expiry: any
  input logic       rnr_i,
  input logic       wqe_i,          // there is a receive WQE
  input logic       own_error_i,
  input logic       ack_req_i       // of a First
);

  localparam logic [2:0] ActSend = 3'd0;     // the next request goes out
  localparam logic [2:0] ActTake = 3'd1;     // a request arrives
  localparam logic [2:0] ActAnswer = 3'd2;   // a response that is owed goes out
  localparam logic [2:0] ActReturn = 3'd3;   // a response arrives
  localparam logic [2:0] ActLoseTo = 3'd4;   // a request is lost
  localparam logic [2:0] ActLoseBack = 3'd5; // a response is lost
  localparam logic [2:0] ActExpire = 3'd6;   // a timer says that it has run out
  localparam logic [2:0] ActAsk = 3'd7;      // what retry_ctl asked for reaches req_ack_check

  localparam logic [2:0] KindAck = 3'd0;
  localparam logic [2:0] KindNak = 3'd1;
  localparam logic [2:0] KindRnr = 3'd2;
  localparam logic [2:0] KindFatal = 3'd3;
  localparam logic [2:0] KindFirst = 3'd4;
  localparam logic [2:0] KindLast = 3'd5;
  localparam logic [2:0] KindOnly = 3'd6;

  localparam logic [2:0] All = 3'd4;    // PSNs of both messages
  localparam logic [2:0] ReadPsns = 3'd2;
  localparam logic [12:0] Pmtu = 13'd256;
  localparam logic [12:0] Tail = 13'd44;
  localparam logic [31:0] WqeBytes = 32'd1000;

  // ---------------------------------------------------------------------------------------------------------------
  // State. A link's place has a PSN of four bits, a kind or AckReq, and whether it is taken.

  logic initial_q = 1'b1;
  logic [3:0] start_q;
  logic [1:0] req_profile_q;
  logic [2:0] resp_profile_q, retry_cnt_q, rnr_retry_q;

  logic [1:0] to_valid_q, to_ack_q;
  logic [2:0] to0_q, to1_q;  // which packet
  logic [1:0] back_valid_q;
  logic [3:0] back0_q, back1_q;  // PSN
  logic [2:0] kind0_q, kind1_q;

  // Requester: req_decide's, retry_decide's, what the packetizer has.
  logic open_q, waiting_q, retrying_q, begun_q, reads_q;
  logic [3:0] una_q, high_q, due_q, last_q;
  retry_pkg::state_t retry_q;
  logic [1:0] ask_q;  // retry_pkg::ask_e
  logic [2:0] next_q;

  // Responder: resp_decide's, and the answer that is owed.
  logic resp_ready_q, nak_sent_q, rnr_sent_q, in_flight_q, fresh_q, owed_q, owed_begun_q;
  logic [1:0] msn_q, resp_open_q, owed_left_q;
  logic [3:0] epsn_q, owed_psn_q;
  logic [2:0] owed_kind_q;
  logic [9:0] left_q;

  // What has happened: requests executed, responses taken, WQEs ended, retries since progress.
  logic [2:0] executed_q, returned_q, tries_q;
  logic read_done_q, send_done_q;

  // ---------------------------------------------------------------------------------------------------------------
  // What happens in this clock.

  logic sends, takes, answers, returns, expires, asks, live;
  logic to_room, back_room;

  assign live      = !initial_q && rst_ni;
  assign to_room   = to_valid_q != 2'b11;
  assign back_room = back_valid_q != 2'b11;
  assign sends     = act_i == ActSend && open_q && retry_q.open && retry_q.state != timer_pkg::StateRnr &&
                     next_q < All && to_room;
  assign takes     = act_i == ActTake && to_valid_q[slot_i] && !owed_q;
  assign answers   = act_i == ActAnswer && owed_q && back_room;
  assign returns   = act_i == ActReturn && back_valid_q[slot_i];
  assign expires   = act_i == ActExpire;
  assign asks      = act_i == ActAsk && ask_q != retry_pkg::AskNone;

  // ---------------------------------------------------------------------------------------------------------------
  // The responder.

  logic [2:0] taken;      // the packet that arrives
  logic [3:0] taken_psn;
  logic taken_ack, frees;
  resp_pkg::request_t req;
  resp_pkg::decoded_t dec;
  resp_pkg::facts_t resp_facts;
  resp_pkg::context_t resp_ctx, resp_next;
  resp_pkg::result_t verdict;
  logic [119:0] reach;  // resp_psn_check's, of 256 bytes

  assign taken     = slot_i ? to1_q : to0_q;
  assign taken_ack = to_ack_q[slot_i];
  assign taken_psn = start_q + {1'b0, taken};
  assign frees     = answers && owed_left_q == 2'd1 && fresh_q;  // the READ is answered
  assign reach     = {96'd0, taken == 3'd0 ? psn_pkg::steps(24'd2) : psn_pkg::Step};

  always_comb begin
    req             = '0;
    req.op          = frees ? resp_pkg::OpFreed : resp_pkg::OpPacket;
    req.access_ok   = 1'b1;
    req.wqe_present = wqe_i;
    req.wqe_bytes   = WqeBytes;
    req.own_error   = own_error_i;
    req.ack_req     = taken_ack;
    req.credits     = req_pkg::CreditsNone;
    req.psn         = {taken_psn, 20'd0};
    case (taken)
      3'd0: {req.opcode, req.dma_length} = {8'h0C, 32'(Pmtu) + 32'(Tail)};
      3'd1: {req.opcode, req.dma_length} = {8'h0C, 32'(Tail)};
      3'd2: {req.opcode, req.payload} = {8'h00, 16'(Pmtu)};
      default: {req.opcode, req.payload} = {8'h02, 16'(Tail)};
    endcase
  end

  always_comb begin
    resp_ctx           = '0;
    resp_ctx.state     = resp_ready_q ? resp_pkg::StateReady : resp_pkg::StateError;
    resp_ctx.pmtu      = 3'd1;
    resp_ctx.max_reads = 5'd1;
    resp_ctx.enabled   = '1;
    resp_ctx.profile   = {5'd0, resp_profile_q};
    resp_ctx.epsn      = {epsn_q, 20'd0};
    resp_ctx.msn       = {22'd0, msn_q};
    resp_ctx.in_flight = {4'd0, in_flight_q};
    resp_ctx.nak_sent  = nak_sent_q;
    resp_ctx.rnr_sent  = rnr_sent_q;
    resp_ctx.open      = resp_open_q;
    resp_ctx.left      = {22'd0, left_q};
  end

  resp_opcode u_opcode (.opcode_i(req.opcode), .dec_o(dec));
  resp_facts u_facts (.req_i(req), .dec_i(dec), .takes_i(reach), .facts_o(resp_facts));
  resp_decide u_responder (
    .req_i   (req),
    .dec_i   (dec),
    .facts_i (resp_facts),
    .ctx_i   (resp_ctx),
    .ctx_o   (resp_next),
    .result_o(verdict)
  );

  logic executes, owes;
  logic [2:0] owed_kind;

  assign executes = takes && verdict.verdict == resp_pkg::VerdictExecute;
  assign owes     = takes && verdict.answer != resp_pkg::AnswerNone;

  always_comb begin
    owed_kind = KindAck;
    if (verdict.answer == resp_pkg::AnswerRead) owed_kind = KindFirst;  // which of them, it says as it leaves
    if (verdict.answer == resp_pkg::AnswerNak) begin
      owed_kind = KindFatal;
      if (verdict.syndrome == resp_pkg::NakSequence) owed_kind = KindNak;
      if (verdict.syndrome[7:5] == resp_pkg::SyndromeRnr) owed_kind = KindRnr;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The requester. What req_ack_check says of a record before the word of its QP is there, is said here.

  logic [3:0] back_psn;
  logic [2:0] back_kind, count;
  req_pkg::rec_t rec;
  req_pkg::facts_t facts;
  req_pkg::state_t state, state_next;
  req_pkg::read_t head, head_next;
  req_pkg::out_t told;
  logic [159:0] word_next;
  logic told_shown, told_idle;

  assign back_psn  = slot_i ? back1_q : back0_q;
  assign back_kind = slot_i ? kind1_q : kind0_q;
  assign count     = next_q == 3'd0 ? ReadPsns : 3'd1;

  always_comb begin
    rec          = '0;
    rec.op       = req_pkg::OpLook;
    rec.psn      = {back_psn, 20'd0};
    rec.opcode   = req_pkg::OpcodeAck;
    rec.syndrome = {req_pkg::SyndromeAck, req_pkg::CreditsNone};
    if (sends) begin
      rec.op      = req_pkg::OpSent;
      rec.psn     = {start_q + {1'b0, next_q}, 20'd0};
      rec.count   = {21'd0, count};
      rec.kind    = next_q < ReadPsns ? req_pkg::KindRead : req_pkg::KindCredit;
      rec.number  = 24'd2;  // of the SEND
      rec.payload = Tail;
    end
    if (asks) rec.op = ask_q == retry_pkg::AskGoOn ? req_pkg::OpGoOn : req_pkg::OpClose;
    if (returns) begin
      rec.op = req_pkg::OpResponse;
      case (back_kind)
        KindNak: rec.syndrome = resp_pkg::NakSequence;
        KindRnr: rec.syndrome = {req_pkg::SyndromeRnr, 5'd1};
        KindFatal: rec.syndrome = resp_pkg::NakOperational;
        KindFirst: {rec.opcode, rec.payload} = {req_pkg::OpcodeReadFirst, Pmtu};
        KindLast: {rec.opcode, rec.payload} = {req_pkg::OpcodeReadLast, Tail};
        KindOnly: {rec.opcode, rec.payload} = {req_pkg::OpcodeReadOnly, Tail};
        default: rec.opcode = req_pkg::OpcodeAck;
      endcase
    end
  end

  always_comb begin
    facts                   = '0;
    facts.known             = 1'b1;
    facts.count_ok          = 1'b1;
    facts.no_credits        = 1'b1;
    facts.pad_ok            = 1'b1;
    facts.response          = 1'b1;
    facts.full              = {4'd0, rec.payload == Pmtu};
    facts.next              = rec.psn + (sends ? psn_pkg::steps(rec.count) : psn_pkg::Step);
    facts.furthest          = sends ? facts.next - psn_pkg::Step : rec.psn;
    facts.number            = sends ? rec.number : '0;
    facts.first             = back_kind == KindFirst || back_kind == KindOnly;
    facts.last              = back_kind == KindLast || back_kind == KindOnly;
    facts.line.ack          = back_kind == KindAck;
    facts.line.sequence_nak = back_kind == KindNak;
    facts.line.rnr          = back_kind == KindRnr;
    facts.line.fatal        = back_kind == KindFatal;
    facts.line.data         = back_kind >= KindFirst;
  end

  always_comb begin
    state                             = '0;
    state.open                        = open_q;
    state.una                         = {una_q, 20'd0};
    state.high                        = {high_q, 20'd0};
    state.unlimited                   = 1'b1;
    state.retrying                    = retrying_q;
    state.waiting                     = waiting_q;
    state.begun                       = begun_q;
    state.profile.gap_waits           = req_profile_q[0];
    state.profile.any_answer_ends_rnr = req_profile_q[1];
    state.pmtu                        = 3'd1;
    state.max_reads                   = 5'd1;
    state.reads                       = {4'd0, reads_q};
    head                              = '0;
    head.due                          = {due_q, 20'd0};
    head.last                         = {last_q, 20'd0};
    head.tail                         = Tail;
  end

  req_decide #(.Reads(1), .CtxWidth(160)) u_requester (
    .rec_i   (rec),
    .facts_i (facts),
    .ctx_i   ({head, state}),
    .ctx_o   (word_next),
    .result_o(told),
    .shown_o (told_shown)
  );

  assign {head_next, state_next} = word_next;
  assign told_idle = told.una == told.high;

  retry_pkg::rec_t retry_rec;
  retry_pkg::state_t retry_next;
  retry_pkg::out_t order;

  always_comb begin
    retry_rec          = '0;
    retry_rec.op       = retry_pkg::OpLook;
    retry_rec.una      = told.una;
    retry_rec.action   = told.action;
    retry_rec.why      = told.why;
    retry_rec.region   = told.region;
    retry_rec.syndrome = told.syndrome;
    retry_rec.progress = told.progress;
    retry_rec.idle     = told_idle;
    retry_rec.gen      = gen_i;
    retry_rec.rnr      = rnr_i;
    if (sends) retry_rec.op = retry_pkg::OpSent;
    if (returns) retry_rec.op = retry_pkg::OpResponse;
    if (returns && !told_shown) retry_rec.una = '0;  // of a closed QP nothing is told
    if (expires) begin
      retry_rec.op       = retry_pkg::OpExpiry;
      retry_rec.progress = 1'b0;
      retry_rec.action   = req_pkg::ActionNone;
    end
  end

  retry_decide u_retry (
    .rec_i           (retry_rec),
    .known_i         (1'b1),
    .retry7_forever_i(1'b0),
    .state_i         (retry_q),
    .state_o         (retry_next),
    .result_o        (order)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // What it leads to.

  logic [3:0] una_next, una_at, back_to;
  logic [2:0] sent_to, next_d;
  logic back, leaves0, leaves1, comes_to0;
  logic [2:0] answer_kind;

  assign una_next = returns && told_shown ? told.una[23:20] : una_q;
  assign una_at   = una_next - start_q;
  assign back_to  = order.una[23:20] - start_q;
  assign sent_to  = next_q + count;
  assign back     = order.order == retry_pkg::OrderGoBack || order.order == retry_pkg::OrderWait;

  always_comb begin
    next_d = sends ? sent_to : next_q;
    if ({1'b0, next_d} < una_at) next_d = una_at[2:0];
    if (back) next_d = back_to[2:0];
  end

  always_comb begin  // of a READ: First, Last, Only
    answer_kind = owed_kind_q;
    if (owed_kind_q == KindFirst) begin
      answer_kind = owed_left_q != 2'd1 ? KindFirst : owed_begun_q ? KindLast : KindOnly;
    end
  end

  // A link's places: one goes, or one comes into the first that is free.
  assign leaves0   = !slot_i && !keep_i;
  assign leaves1   = slot_i && !keep_i;
  assign comes_to0 = !to_valid_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      to_valid_q <= '0;
    end else begin
      if (takes || (act_i == ActLoseTo && to_valid_q[slot_i])) begin
        if (leaves0 || (act_i == ActLoseTo && !slot_i)) to_valid_q[0] <= 1'b0;
        if (leaves1 || (act_i == ActLoseTo && slot_i)) to_valid_q[1] <= 1'b0;
      end
      if (sends) begin
        if (comes_to0) {to_valid_q[0], to_ack_q[0], to0_q} <= {1'b1, next_q != 3'd2 || ack_req_i, next_q};
        else {to_valid_q[1], to_ack_q[1], to1_q} <= {1'b1, next_q != 3'd2 || ack_req_i, next_q};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      back_valid_q <= '0;
    end else begin
      if (returns || (act_i == ActLoseBack && back_valid_q[slot_i])) begin
        if (leaves0 || (act_i == ActLoseBack && !slot_i)) back_valid_q[0] <= 1'b0;
        if (leaves1 || (act_i == ActLoseBack && slot_i)) back_valid_q[1] <= 1'b0;
      end
      if (answers) begin
        if (!back_valid_q[0]) {back_valid_q[0], kind0_q, back0_q} <= {1'b1, answer_kind, owed_psn_q};
        else {back_valid_q[1], kind1_q, back1_q} <= {1'b1, answer_kind, owed_psn_q};
      end
    end
  end

  // The responder's word and the answer that it owes.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {resp_ready_q, nak_sent_q, rnr_sent_q, in_flight_q, msn_q, resp_open_q, left_q} <= {1'b1, 17'd0};
      {owed_q, fresh_q} <= '0;
      epsn_q  <= initial_q ? start_i : start_q;
    end else begin
      if (takes || frees) begin
        resp_ready_q <= resp_next.state == resp_pkg::StateReady;
        nak_sent_q   <= resp_next.nak_sent;
        rnr_sent_q   <= resp_next.rnr_sent;
        in_flight_q  <= resp_next.in_flight[0];
        msn_q        <= resp_next.msn[1:0];
        resp_open_q  <= resp_next.open;
        left_q       <= resp_next.left[9:0];
        epsn_q       <= resp_next.epsn[23:20];
      end
      if (owes) begin
        owed_q       <= 1'b1;
        owed_begun_q <= 1'b0;
        owed_kind_q  <= owed_kind;
        owed_psn_q   <= verdict.psn[23:20];
        owed_left_q  <= verdict.answer == resp_pkg::AnswerRead && taken == 3'd0 ? 2'd2 : 2'd1;
        fresh_q      <= executes && dec.read;
      end
      if (answers) begin
        owed_begun_q <= 1'b1;
        owed_psn_q   <= owed_psn_q + 4'd1;
        owed_left_q  <= owed_left_q - 2'd1;
        if (owed_left_q == 2'd1) {owed_q, fresh_q} <= '0;
      end
    end
  end

  // The requester's.
  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    initial_q <= 1'b0;
    if (initial_q) begin
      start_q        <= start_i;
      req_profile_q  <= req_profile_i;
      resp_profile_q <= resp_profile_i;
      retry_cnt_q    <= retry_cnt_i;
      rnr_retry_q    <= rnr_retry_i;
    end
    if (!rst_ni) begin
      {waiting_q, retrying_q, begun_q, reads_q, next_q, ask_q} <= '0;
      {due_q, last_q}     <= '0;
      open_q              <= 1'b1;
      una_q               <= initial_q ? start_i : start_q;
      high_q              <= initial_q ? start_i : start_q;
      retry_q             <= '0;
      retry_q.open        <= 1'b1;
      retry_q.una         <= {initial_q ? start_i : start_q, 20'd0};
      retry_q.code        <= 5'd1;
      retry_q.any_answer  <= initial_q ? req_profile_i[1] : req_profile_q[1];
      retry_q.retry_cnt   <= initial_q ? retry_cnt_i : retry_cnt_q;
      retry_q.rnr_retry   <= initial_q ? rnr_retry_i : rnr_retry_q;
      retry_q.retries     <= initial_q ? retry_cnt_i : retry_cnt_q;
      retry_q.rnr_retries <= initial_q ? rnr_retry_i : rnr_retry_q;
    end else begin
      if (sends || returns || asks) begin
        open_q     <= state_next.open;
        una_q      <= una_next;
        high_q     <= word_next[0] ? state_next.high[23:20] : high_q;
        waiting_q  <= state_next.waiting;
        retrying_q <= state_next.retrying;
        begun_q    <= state_next.begun;
        reads_q    <= state_next.reads[0];
        due_q      <= head_next.due[23:20];
        last_q     <= head_next.last[23:20];
      end
      if (sends || returns || expires) begin
        retry_q <= retry_next;
        next_q  <= next_d;
      end
      if (asks) ask_q <= retry_pkg::AskNone;
      if ((returns || expires) && order.ask != retry_pkg::AskNone && ask_q != retry_pkg::AskClose) ask_q <= order.ask;
    end
  end

  // What has happened.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {executed_q, returned_q, read_done_q, send_done_q, tries_q} <= '0;
    end else begin
      if (executes) executed_q <= taken + (taken == 3'd0 ? ReadPsns : 3'd1);
      if (returns && told.data) returned_q <= returned_q + 3'd1;
      if (returns && told.progress && una_at >= {1'b0, ReadPsns}) read_done_q <= 1'b1;
      if (returns && told.progress && una_at >= {1'b0, All}) send_done_q <= 1'b1;
      if (returns && told.progress) tries_q <= '0;
      if ((returns || expires) && order.order == retry_pkg::OrderGoBack) begin
        tries_q <= (returns && told.progress ? 3'd0 : tries_q) + 3'd1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Properties. Distances from the first PSN.

  logic [3:0] una_off, high_off, due_off, executed, wide_next;
  assign una_off   = una_q - start_q;
  assign high_off  = high_q - start_q;
  assign due_off   = due_q - start_q;
  assign executed  = {1'b0, executed_q};
  assign wide_next = {1'b0, next_q};

  always_ff @(posedge clk_i) begin
    if (live) begin
      // What the registers above leave out never moves.
      if (Check[1]) begin
        if (takes || frees) begin
          assert (resp_next.epsn[19:0] == '0 && resp_next.msn[23:2] == '0 && resp_next.left[31:10] == '0);
          assert (resp_next.in_flight[4:1] == '0 && resp_next.profile == resp_ctx.profile);
          assert (resp_next.state == resp_pkg::StateReady || resp_next.state == resp_pkg::StateError);
          assert (!frees || verdict.verdict == resp_pkg::VerdictDone);
        end
        if ((sends || returns || asks) && state_next.open) begin
          assert (state_next.una[19:0] == '0 && state_next.high[19:0] == '0 && head_next.due[19:0] == '0);
          assert (state_next.una == told.una);
          assert (state_next.lsn == '0 && state_next.unlimited && !state_next.counted && !state_next.probed);
          assert (state_next.reads[4:1] == '0 && state_next.max_reads == 5'd1 && state_next.pmtu == 3'd1);
          assert (!state_next.reads[0] || (head_next.last[19:0] == '0 && head_next.tail == Tail && !head_next.atomic));
        end
        if (sends) assert (told.why == req_pkg::WhyNone || told.why == req_pkg::WhyResend);
      end
      // Executed once and in order.
      if (Check[2] && executes) assert (taken == executed_q);
      // Una lies in what was executed.
      if (Check[3]) assert (una_off <= executed);
      // Nothing completes before it was executed, no READ without its data.
      if (Check[4]) begin
        if (read_done_q) assert (executed_q >= ReadPsns && returned_q == ReadPsns);
        if (send_done_q) assert (executed_q == All && read_done_q && msn_q == 2'd2);
        if (returns && told.data) assert (back_psn == 4'(start_q + {1'b0, returned_q}));
      end
      // Whatever waits has a timer.
      if (Check[5] && retry_q.open && una_q != high_q) assert (retry_q.state != timer_pkg::StateIdle);
      // What goes out again begins at una, no more often than retry_cnt says.
      if (Check[6]) begin
        if (retry_q.open) assert (wide_next >= una_off && wide_next <= high_off);
        assert (tries_q <= retry_cnt_q);
      end
      // What this responder says is never what no responder may say, nor is a request of this requester.
      if (Check[7]) begin
        if (returns) assert (told.action != req_pkg::ActionBad && told.region != req_pkg::RegionGhost || !told_shown);
        if (takes && verdict.answer == resp_pkg::AnswerNak && !own_error_i) assert (owed_kind != KindFatal);
      end
      // Cover: both have ended.
      if (Check[8]) assert (!send_done_q);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What induction needs: where everything stands, and what may be on the way.

  logic back0_good, back1_good, owed_good;

  joint_back_rules u_back0 (.psn_i(back0_q - start_q), .kind_i(kind0_q), .executed_i(executed),
                            .high_i(high_off), .good_o(back0_good));
  joint_back_rules u_back1 (.psn_i(back1_q - start_q), .kind_i(kind1_q), .executed_i(executed),
                            .high_i(high_off), .good_o(back1_good));
  joint_back_rules u_owed (.psn_i(owed_psn_q - start_q), .kind_i(answer_kind), .executed_i(executed),
                           .high_i(high_off), .good_o(owed_good));

  always_ff @(posedge clk_i) begin
    if (live && Check[0]) begin
      // Both ends.
      assert (epsn_q == 4'(start_q + executed) && executed_q <= All && executed_q != 3'd1);
      assert (una_off <= executed && executed <= high_off && high_off <= {1'b0, All} && high_off != 4'd1);
      assert (next_q <= All && next_q != 3'd1 || una_off == 4'd1 || !retry_q.open);
      if (retry_q.open) assert (wide_next >= una_off && wide_next <= high_off);
      // On the way.
      if (to_valid_q[0]) assert ({1'b0, to0_q} < high_off && (to_ack_q[0] || to0_q == 3'd2));
      if (to_valid_q[1]) assert ({1'b0, to1_q} < high_off && (to_ack_q[1] || to1_q == 3'd2));
      if (back_valid_q[0]) assert (back0_good);
      if (back_valid_q[1]) assert (back1_good);
      if (owed_q) begin
        assert (owed_good && (owed_left_q == 2'd1 || owed_left_q == 2'd2));
        if (owed_kind_q == KindFirst) assert (4'(owed_psn_q - start_q) + {2'd0, owed_left_q} == 4'd2);
        else assert (owed_kind_q < KindFirst && owed_left_q == 2'd1);
      end
      // Responder.
      assert (in_flight_q == (owed_q && fresh_q));
      if (fresh_q) assert (owed_q && owed_kind_q == KindFirst);
      assert (msn_q == 2'(executed_q >= ReadPsns) + 2'(executed_q == All));
      if (resp_ready_q) assert (resp_open_q == (executed_q == 3'd3 ? resp_pkg::OpenSend : resp_pkg::OpenNone));
      if (resp_ready_q && executed_q == 3'd3) assert (left_q == 10'd744);
      // Requester.
      if (una_off < {1'b0, ReadPsns}) assert ({1'b0, returned_q} == una_off);
      else assert (returned_q == ReadPsns);
      if (open_q) begin
        assert (reads_q == (una_off < {1'b0, ReadPsns} && high_off != '0));
        if (reads_q) assert (due_off == una_off && 4'(last_q - start_q) == 4'd1);
        assert (begun_q == (reads_q && returned_q[0]));
      end
      assert (read_done_q == (una_off >= {1'b0, ReadPsns}) && send_done_q == (una_off == {1'b0, All}));
      // retry_ctl's, and what it asked for.
      if (!open_q) assert (!retry_q.open);
      if (ask_q == retry_pkg::AskClose) assert (!retry_q.open);
      assert (retry_q.code == 5'd1 && retry_q.retry_cnt == retry_cnt_q && ask_q != 2'd3);
      assert (tries_q <= retry_cnt_q && retry_q.state != 2'd3);
      if (retry_q.open) begin
        assert (retry_q.una == {una_q, 20'd0} && tries_q == retry_cnt_q - retry_q.retries);
        assert ((retry_q.state == timer_pkg::StateIdle) == (una_q == high_q));
      end
    end
  end

endmodule

// What a response can be that is on its way: of what was executed, or a refusal of what was not then.
module joint_back_rules (
  input  logic [3:0] psn_i,
  input  logic [2:0] kind_i,
  input  logic [3:0] executed_i,
  input  logic [3:0] high_i,
  output logic       good_o
);

  always_comb begin
    case (kind_i)
      3'd0: good_o = psn_i >= 4'd2 && psn_i < executed_i;       // ACK
      3'd1, 3'd3: good_o = psn_i != 4'd1 && psn_i <= executed_i && psn_i < high_i;  // a sequence NAK, a fatal one
      3'd2: good_o = psn_i == 4'd2 && executed_i >= 4'd2 && psn_i < high_i;  // RNR NAK
      3'd4: good_o = psn_i == 4'd0 && executed_i >= 4'd2;       // READ First
      3'd5, 3'd6: good_o = psn_i == 4'd1 && executed_i >= 4'd2;   // READ Last, Only
      default: good_o = 1'b0;
    endcase
  end

endmodule
