// SPDX-License-Identifier: Apache-2.0
// Requester, responder and timer together, in small: a READ of two responses and a SEND of two packets, PSNs of four
// bits from any one on, over links that lose, double and reorder, two packets deep in each direction. What decides is
// that of the blocks: req_decide, retry_decide, resp_decide with resp_opcode and resp_facts. The words of the QP stand
// in registers here, as narrow as these two messages need, and Check[1] says that nothing else of them ever moves. What
// req_ack_check says is on its way to retry_ctl until the solver lets it arrive. Each clock one thing happens, which
// the solver chooses: act_i. joint_parts.sv has the links, and what a packet is as a record.
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
  input logic [3:0] act_i,
  input logic       slot_i,         // which packet of a link
  input logic       keep_i,         // it is delivered, and stays
  input logic [7:0] gen_i,          // of an expiry: any
  input logic       rnr_i,
  input logic       wqe_i,          // there is a receive WQE
  input logic       own_error_i,
  input logic       ack_req_i       // of a First
);

  localparam logic [3:0] ActSend = 4'd0;     // the next request goes out
  localparam logic [3:0] ActTake = 4'd1;     // a request arrives
  localparam logic [3:0] ActAnswer = 4'd2;   // a response that is owed goes out
  localparam logic [3:0] ActReturn = 4'd3;   // a response arrives
  localparam logic [3:0] ActLoseTo = 4'd4;   // a request is lost
  localparam logic [3:0] ActLoseBack = 4'd5; // a response is lost
  localparam logic [3:0] ActExpire = 4'd6;   // a timer says that it has run out
  localparam logic [3:0] ActAsk = 4'd7;      // what retry_ctl asked for reaches req_ack_check
  localparam logic [3:0] ActVerdict = 4'd8;  // what req_ack_check said reaches retry_ctl

  localparam logic [2:0] All = 3'd4;    // PSNs of both messages
  localparam logic [2:0] ReadPsns = 3'd2;
  localparam logic [12:0] Tail = 13'd44;

  // ---------------------------------------------------------------------------------------------------------------
  // State. A link's place has a PSN of four bits, a kind or AckReq, and whether it is taken.

  logic initial_q = 1'b1;
  logic [3:0] start_q;
  logic [1:0] req_profile_q;
  logic [2:0] resp_profile_q, retry_cnt_q, rnr_retry_q;

  // Requester: req_decide's, retry_decide's, what the packetizer has.
  logic open_q, waiting_q, retrying_q, begun_q, reads_q;
  logic [3:0] una_q, high_q, due_q, last_q;
  retry_pkg::state_t retry_q;
  logic [1:0] ask_q;  // retry_pkg::ask_e
  logic told_q;       // a verdict is on its way to retry_ctl
  retry_pkg::rec_t verdict_q;
  logic [2:0] next_q;

  // What has happened: requests executed, responses taken, WQEs ended, retries since progress.
  logic [2:0] executed_q, returned_q, tries_q;
  logic read_done_q, send_done_q;

  // ---------------------------------------------------------------------------------------------------------------
  // What happens in this clock.

  logic sends, takes, answers, returns, expires, asks, passes, live;
  logic to_room, back_room;
  logic [1:0] to_valid, back_valid;
  logic [3:0] to_push;    // AckReq, which packet
  logic [6:0] back_push;  // kind, PSN
  logic [7:0] to_data;    // of both places
  logic [13:0] back_data;

  joint_link #(.Width(4)) u_to (
    .clk_i,
    .rst_ni,
    .push_i (sends),
    .data_i (to_push),
    .slot_i,
    .take_i (takes && !keep_i),
    .lose_i (act_i == ActLoseTo),
    .valid_o(to_valid),
    .data_o (to_data)
  );

  joint_link #(.Width(7)) u_back (
    .clk_i,
    .rst_ni,
    .push_i (answers),
    .data_i (back_push),
    .slot_i,
    .take_i (returns && !keep_i),
    .lose_i (act_i == ActLoseBack),
    .valid_o(back_valid),
    .data_o (back_data)
  );

  assign live      = !initial_q && rst_ni;
  assign to_room   = to_valid != 2'b11;
  assign back_room = back_valid != 2'b11;
  assign sends     = act_i == ActSend && open_q && !told_q && retry_q.open && retry_q.state != timer_pkg::StateRnr &&
                     next_q < All && to_room;
  assign takes     = act_i == ActTake && to_valid[slot_i] && !owed_q;
  assign answers   = act_i == ActAnswer && owed_q && back_room;
  assign returns   = act_i == ActReturn && back_valid[slot_i] && !told_q;
  assign expires   = act_i == ActExpire;
  assign passes    = act_i == ActVerdict && told_q;
  assign asks      = act_i == ActAsk && ask_q != retry_pkg::AskNone;

  // ---------------------------------------------------------------------------------------------------------------
  // The responder.

  logic [2:0] taken, answer_kind;
  logic [3:0] epsn_q, answer_psn;
  logic [1:0] msn_q;
  logic taken_ack, executes, owed_q, resp_narrow, resp_refuses, resp_legal;

  assign {taken_ack, taken} = slot_i ? to_data[7:4] : to_data[3:0];

  joint_responder u_responder (
    .clk_i,
    .rst_ni,
    .start_i    (initial_q ? start_i : start_q),
    .profile_i  (resp_profile_q),
    .takes_i    (takes),
    .packet_i   (taken),
    .ack_req_i  (taken_ack),
    .wqe_i,
    .own_error_i,
    .answers_i  (answers),
    .executed_i (executed_q),
    .executes_o (executes),
    .owed_o     (owed_q),
    .kind_o     (answer_kind),
    .psn_o      (answer_psn),
    .epsn_o     (epsn_q),
    .msn_o      (msn_q),
    .narrow_o   (resp_narrow),
    .refuses_o  (resp_refuses),
    .legal_o    (resp_legal)
  );

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

  assign {back_kind, back_psn} = slot_i ? back_data[13:7] : back_data[6:0];
  assign count     = next_q == 3'd0 ? ReadPsns : 3'd1;

  joint_record u_record (
    .sends_i  (sends),
    .returns_i(returns),
    .asks_i   (asks),
    .go_on_i  (ask_q == retry_pkg::AskGoOn),
    .psn_i    (sends ? start_q + {1'b0, next_q} : back_psn),
    .count_i  (count),
    .read_i   (next_q < ReadPsns),
    .kind_i   (back_kind),
    .rec_o    (rec),
    .facts_o  (facts)
  );

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

  retry_pkg::rec_t heard, retry_rec;
  retry_pkg::state_t retry_next;
  retry_pkg::out_t order;

  always_comb begin
    heard          = '0;
    heard.op       = sends ? retry_pkg::OpSent : retry_pkg::OpResponse;
    heard.una      = told.una;
    heard.action   = told.action;
    heard.why      = told.why;
    heard.region   = told.region;
    heard.syndrome = told.syndrome;
    heard.progress = told.progress;
    heard.idle     = told_idle;
    if (!told_shown) {heard.una, heard.idle} = '0;  // of a closed QP nothing is told
  end

  always_comb begin
    retry_rec = verdict_q;
    if (!passes) begin
      retry_rec     = '0;
      retry_rec.op  = expires ? retry_pkg::OpExpiry : retry_pkg::OpLook;
      retry_rec.gen = gen_i;
      retry_rec.rnr = rnr_i;
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
  logic back;

  assign una_next = returns && told_shown ? told.una[23:20] : una_q;
  assign una_at   = verdict_q.una[23:20] - start_q;
  assign back_to  = order.una[23:20] - start_q;
  assign sent_to  = next_q + count;
  assign back     = order.order == retry_pkg::OrderGoBack || order.order == retry_pkg::OrderWait;

  always_comb begin
    next_d = sends ? sent_to : next_q;
    if (passes && order.progress && {1'b0, next_d} < una_at) next_d = una_at[2:0];
    if (back) next_d = back_to[2:0];
  end

  assign to_push   = {next_q != 3'd2 || ack_req_i, next_q};
  assign back_push = {answer_kind, answer_psn};

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
      {waiting_q, retrying_q, begun_q, reads_q, next_q, ask_q, told_q} <= '0;
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
      if (sends || returns) {told_q, verdict_q} <= {1'b1, heard};
      if (passes) told_q <= 1'b0;
      if (passes || expires) retry_q <= retry_next;
      if (sends || passes || expires) next_q <= next_d;
      if (asks) ask_q <= retry_pkg::AskNone;
      if ((passes || expires) && order.ask != retry_pkg::AskNone && ask_q != retry_pkg::AskClose) ask_q <= order.ask;
    end
  end

  // What has happened.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {executed_q, returned_q, read_done_q, send_done_q, tries_q} <= '0;
    end else begin
      if (executes) executed_q <= taken + (taken == 3'd0 ? ReadPsns : 3'd1);
      if (returns && told.data) returned_q <= returned_q + 3'd1;
      if (passes && order.progress && una_at >= {1'b0, ReadPsns}) read_done_q <= 1'b1;
      if (passes && order.progress && una_at >= {1'b0, All}) send_done_q <= 1'b1;
      if (passes && order.progress) tries_q <= '0;
      if ((passes || expires) && order.order == retry_pkg::OrderGoBack) begin
        tries_q <= (passes && order.progress ? 3'd0 : tries_q) + 3'd1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Properties. Distances from the first PSN.

  logic [3:0] una_off, high_off, due_off, back_off, heard_off, executed, wide_next;
  assign una_off   = una_q - start_q;
  assign high_off  = high_q - start_q;
  assign due_off   = due_q - start_q;
  assign back_off  = retry_q.una[23:20] - start_q;
  assign heard_off = verdict_q.una[23:20] - start_q;
  assign executed  = {1'b0, executed_q};
  assign wide_next = {1'b0, next_q};

  always_ff @(posedge clk_i) begin
    if (live) begin
      // What the registers above leave out never moves.
      if (Check[1]) begin
        assert (resp_narrow);
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
      if (Check[5] && retry_q.open && una_q != high_q && !told_q) assert (retry_q.state != timer_pkg::StateIdle);
      // What goes out again begins at una, no more often than retry_cnt says.
      if (Check[6]) begin
        if (retry_q.open) assert (wide_next >= back_off && wide_next <= high_off && (told_q || back_off == una_off));
        assert (tries_q <= retry_cnt_q);
      end
      // What this responder says is never what no responder may say, nor is a request of this requester.
      if (Check[7]) begin
        if (returns) assert (told.action != req_pkg::ActionBad && told.region != req_pkg::RegionGhost || !told_shown);
        assert (!resp_refuses);
      end
      // Cover: both have ended, although the first packet was lost.
      if (Check[8]) assert (!send_done_q);
    end
  end

  // The run of the cover: what can happen first does, in this order, and all else goes well.
  logic lost_q;
  logic [3:0] first_act;

  always_comb begin
    first_act = ActExpire;
    if (open_q && next_q < All && to_room) first_act = ActSend;
    if (to_valid != '0 && !owed_q) first_act = lost_q ? ActTake : ActLoseTo;
    if (owed_q && back_room) first_act = ActAnswer;
    if (back_valid != '0) first_act = ActReturn;
    if (told_q) first_act = ActVerdict;
  end

  always_ff @(posedge clk_i) begin
    lost_q <= rst_ni && (lost_q || act_i == ActLoseTo);
    if (Check[8] && live) begin
      assume (act_i == first_act && !keep_i && slot_i == !(act_i == ActReturn ? back_valid[0] : to_valid[0]));
      assume (wqe_i && !own_error_i && gen_i == retry_q.gen && !rnr_i && retry_cnt_q == 3'd7);
      assume (start_q == 4'd14 && req_profile_q == '0 && resp_profile_q == '0 && rnr_retry_q == 3'd7 && ack_req_i);
    end
    if (Check[8] && !initial_q) assume (rst_ni);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What induction needs: where everything stands, and what may be on the way.

  logic back0_good, back1_good, owed_good;

  joint_back_rules u_back0 (.psn_i(back_data[3:0] - start_q), .kind_i(back_data[6:4]), .executed_i(executed),
                            .high_i(high_off), .good_o(back0_good));
  joint_back_rules u_back1 (.psn_i(back_data[10:7] - start_q), .kind_i(back_data[13:11]), .executed_i(executed),
                            .high_i(high_off), .good_o(back1_good));
  joint_back_rules u_owed (.psn_i(answer_psn - start_q), .kind_i(answer_kind), .executed_i(executed),
                           .high_i(high_off), .good_o(owed_good));

  always_ff @(posedge clk_i) begin
    if (live && Check[0]) begin
      // Both ends.
      assert (epsn_q == 4'(start_q + executed) && executed_q <= All && executed_q != 3'd1);
      assert (una_off <= executed && executed <= high_off && high_off <= {1'b0, All} && high_off != 4'd1);
      if (retry_q.open) assert (wide_next >= back_off && wide_next <= high_off);
      // On the way.
      if (to_valid[0]) assert ({1'b0, to_data[2:0]} < high_off && (to_data[3] || to_data[2:0] == 3'd2));
      if (to_valid[1]) assert ({1'b0, to_data[6:4]} < high_off && (to_data[7] || to_data[6:4] == 3'd2));
      if (back_valid[0]) assert (back0_good);
      if (back_valid[1]) assert (back1_good);
      assert (resp_legal && (!owed_q || owed_good));
      // Requester.
      if (una_off < {1'b0, ReadPsns}) assert ({1'b0, returned_q} == una_off);
      else assert (returned_q == ReadPsns);
      if (open_q) begin
        assert (reads_q == (una_off < {1'b0, ReadPsns} && high_off != '0));
        if (reads_q) assert (due_off == una_off && 4'(last_q - start_q) == 4'd1);
        assert (begun_q == (reads_q && returned_q[0]));
      end
      assert (read_done_q == (back_off >= {1'b0, ReadPsns}) && send_done_q == (back_off == {1'b0, All}));
      // retry_ctl's, and what it asked for.
      assert (retry_q.una[19:0] == '0 && back_off <= una_off);
      if (!open_q && retry_q.open) assert (told_q);
      if (ask_q == retry_pkg::AskClose) assert (!retry_q.open);
      assert (retry_q.code == 5'd1 && retry_q.retry_cnt == retry_cnt_q && ask_q != 2'd3);
      assert (tries_q <= retry_cnt_q && retry_q.state != 2'd3);
      if (retry_q.open) begin
        assert (tries_q == retry_cnt_q - retry_q.retries);
        if (!told_q) assert (back_off == una_off);
        if (!told_q) assert ((retry_q.state == timer_pkg::StateIdle) == (una_q == high_q));
      end
      // The verdict on its way is of what the requester has become.
      if (told_q) assert (verdict_q.op == retry_pkg::OpResponse || verdict_q.op == retry_pkg::OpSent);
      if (told_q && retry_q.open) begin
        assert (heard_off == una_off && verdict_q.una[19:0] == '0 && verdict_q.idle == (una_q == high_q));
        assert (verdict_q.progress == (back_off != una_off) && verdict_q.gen == '0);
        assert (verdict_q.op == retry_pkg::OpResponse || !verdict_q.idle);
        if (verdict_q.idle) assert (verdict_q.action == req_pkg::ActionNone);
        if (!open_q) assert (verdict_q.action == req_pkg::ActionFatal && verdict_q.op == retry_pkg::OpResponse);
        if (verdict_q.op == retry_pkg::OpSent) assert (!verdict_q.progress);
        else assert (back_off == high_off || retry_q.state != timer_pkg::StateIdle);
        if (back_off == high_off) assert (retry_q.state == timer_pkg::StateIdle);
      end
    end
  end

endmodule
