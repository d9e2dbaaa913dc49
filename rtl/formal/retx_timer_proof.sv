// SPDX-License-Identifier: Apache-2.0
// retx_timer gives every armed timer that is due once, in time, and none else: for every order of operations, stalls,
// ticks and resets.
//
// The harness follows one QP, `watch`. What its operations did it takes from their answers, and when they were
// accepted from the clock; which operation does what is left to the cosimulation, but for what TMR-2 and TMR-5 say of
// answers to expiries and of progress. Time is a countdown from the accepted operation and knows no deadline. Ticks
// come in any clocks (cycles_per_tick_i is free), one step at a time.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of retx_timer.go.
module retx_timer_proof #(
  parameter logic [11:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [1:0]  tick_i,  // 1: a tick ends in every clock
  input logic        retry7_forever_i,
  input logic [2:0]  s_qpn_i,
  input logic [1:0]  s_high_i,  // bits of the number that no QP has
  input logic [2:0]  s_op_i,
  input logic [1:0]  s_code_i,
  input logic        s_gen_i,
  input logic [5:0]  s_counts_i,
  input logic        s_valid_i,
  input logic        m_ready_i,
  input logic [2:0]  watch_i,
  input logic        lapse_i  // ticks of 8 in place of 1
);

  localparam int unsigned TickWidth = 6;
  localparam int unsigned GenWidth = 1;
  localparam int unsigned InfoWidth = GenWidth + 5;
  localparam int unsigned TimerWidth = TickWidth + InfoWidth;
  localparam int unsigned StateWidth = GenWidth + 15;

  logic lapse_q;
  logic s_ready, a_exhausted, a_changed, a_no_qp, a_valid, m_rnr, m_exhausted, m_valid;
  logic [23:0] s_qpn, a_qpn, m_qpn;
  logic a_gen, m_gen;
  logic [1:0] a_state;
  logic [2:0] a_retries, a_rnr_retries, m_left;

  assign s_qpn = {s_high_i[1], 19'd0, s_high_i[0], s_qpn_i};

  retx_timer #(
    .NumQps   (8),
    .Lanes    (2),
    .TickWidth(TickWidth),
    .GenWidth (GenWidth)
  ) dut (
    .clk_i,
    .rst_ni,
    .cycles_per_tick_i ({14'd0, tick_i}),
    .tick_step_i       ({28'd0, lapse_q, 2'd0, ~lapse_q}),
    .retry7_forever_i,
    .s_op_qpn_i        (s_qpn),
    .s_op_op_i         (s_op_i),
    .s_op_code_i       ({3'd0, s_code_i}),
    .s_op_gen_i        (s_gen_i),
    .s_op_retry_cnt_i  (s_counts_i[2:0]),
    .s_op_rnr_retry_i  (s_counts_i[5:3]),
    .s_op_valid_i      (s_valid_i),
    .s_op_ready_o      (s_ready),
    .m_op_qpn_o        (a_qpn),
    .m_op_gen_o        (a_gen),
    .m_op_state_o      (a_state),
    .m_op_retries_o    (a_retries),
    .m_op_rnr_retries_o(a_rnr_retries),
    .m_op_exhausted_o  (a_exhausted),
    .m_op_changed_o    (a_changed),
    .m_op_no_qp_o      (a_no_qp),
    .m_op_valid_o      (a_valid),
    .m_exp_qpn_o       (m_qpn),
    .m_exp_gen_o       (m_gen),
    .m_exp_rnr_o       (m_rnr),
    .m_exp_left_o      (m_left),
    .m_exp_exhausted_o (m_exhausted),
    .m_exp_valid_o     (m_valid),
    .m_exp_ready_i     (m_ready_i)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[0].u_timer.mem[0] ;
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[1].u_timer.mem[0] ;
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[0].u_timer.mem[1] ;
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[1].u_timer.mem[1] ;
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[0].u_timer.mem[2] ;
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[1].u_timer.mem[2] ;
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[0].u_timer.mem[3] ;
  (* hierconn *) wire [TimerWidth-1:0] \dut.u_scan.gen_lane[1].u_timer.mem[3] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[0].u_done.mem[0] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[1].u_done.mem[0] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[0].u_done.mem[1] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[1].u_done.mem[1] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[0].u_done.mem[2] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[1].u_done.mem[2] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[0].u_done.mem[3] ;
  (* hierconn *) wire \dut.u_scan.gen_lane[1].u_done.mem[3] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[0].u_state.mem[0] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[1].u_state.mem[0] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[0].u_state.mem[1] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[1].u_state.mem[1] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[0].u_state.mem[2] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[1].u_state.mem[2] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[0].u_state.mem[3] ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.gen_lane[1].u_state.mem[3] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[0].u_done.mem[0] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[1].u_done.mem[0] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[0].u_done.mem[1] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[1].u_done.mem[1] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[0].u_done.mem[2] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[1].u_done.mem[2] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[0].u_done.mem[3] ;
  (* hierconn *) wire \dut.u_ops.gen_lane[1].u_done.mem[3] ;
  (* hierconn *) wire [2:0] \dut.scrub_q ;
  (* hierconn *) wire [TickWidth-1:0] \dut.tick_q ;
  (* hierconn *) wire [1:0] \dut.u_scan.r_word_q ;
  (* hierconn *) wire \dut.u_scan.s_valid_q ;
  (* hierconn *) wire [1:0] \dut.u_scan.s_word_q ;
  (* hierconn *) wire [1:0] \dut.u_scan.s_ended_q ;
  (* hierconn *) wire [2*TimerWidth-1:0] \dut.u_scan.s_timers ;
  (* hierconn *) wire [1:0] \dut.u_scan.s_done ;
  (* hierconn *) wire [1:0] \dut.u_scan.op4_lane_q ;
  (* hierconn *) wire [1:0] \dut.u_scan.op4_word_q ;
  (* hierconn *) wire [1:0] \dut.u_scan.w_hits_q ;
  (* hierconn *) wire [1:0] \dut.u_scan.w_word_q ;
  (* hierconn *) wire [2*InfoWidth-1:0] \dut.u_scan.w_infos_q ;
  (* hierconn *) wire [1:0] \dut.u_scan.w_turn ;
  (* hierconn *) wire \dut.u_scan.x_mark_q ;
  (* hierconn *) wire \dut.u_ops.op1_valid_q ;
  (* hierconn *) wire [2:0] \dut.u_ops.op1_qpn_q ;
  (* hierconn *) wire [2:0] \dut.u_ops.op1_q ;
  (* hierconn *) wire [4:0] \dut.u_ops.op1_code_q ;
  (* hierconn *) wire [TickWidth-1:0] \dut.u_ops.op1_tick_q ;
  (* hierconn *) wire \dut.u_ops.op2_valid_q ;
  (* hierconn *) wire [2:0] \dut.u_ops.op2_qpn_q ;
  (* hierconn *) wire [2:0] \dut.u_ops.op2_q ;
  (* hierconn *) wire \dut.u_ops.op2_off_q ;
  (* hierconn *) wire [TickWidth-1:0] \dut.u_ops.op2_deadline_q ;
  (* hierconn *) wire \dut.u_ops.op2_same3_q ;
  (* hierconn *) wire \dut.u_ops.op2_same4_q ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.op2_word ;
  (* hierconn *) wire \dut.u_ops.op2_done ;
  (* hierconn *) wire \dut.u_ops.changed ;
  (* hierconn *) wire [2*StateWidth-1:0] \dut.u_ops.read_states ;
  (* hierconn *) wire \dut.u_ops.op3_valid_q ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.op3_word ;
  (* hierconn *) wire \dut.u_ops.op3_mark_q ;
  (* hierconn *) wire [TickWidth-1:0] \dut.u_ops.op3_deadline_q ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_ops.op4_word_q ;
  (* hierconn *) wire \dut.next_tick ;
  (* hierconn *) wire [GenWidth-1:0] \dut.u_ops.op1_gen_q ;
  (* hierconn *) wire [GenWidth-1:0] \dut.u_ops.op2_gen_q ;
  (* hierconn *) wire \dut.u_ops.op1_no_qp_q ;
  (* hierconn *) wire \dut.u_ops.op2_no_qp_q ;
  (* hierconn *) wire [20:0] \dut.op1_high_q ;
  (* hierconn *) wire [20:0] \dut.op2_high_q ;

  logic [8*TimerWidth-1:0] all_timer;
  logic [8*StateWidth-1:0] all_state;
  logic [7:0] all_scan_done, all_ops_done;
  assign all_timer = {\dut.u_scan.gen_lane[1].u_timer.mem[3] ,
      \dut.u_scan.gen_lane[0].u_timer.mem[3] ,
      \dut.u_scan.gen_lane[1].u_timer.mem[2] ,
      \dut.u_scan.gen_lane[0].u_timer.mem[2] ,
      \dut.u_scan.gen_lane[1].u_timer.mem[1] ,
      \dut.u_scan.gen_lane[0].u_timer.mem[1] ,
      \dut.u_scan.gen_lane[1].u_timer.mem[0] ,
      \dut.u_scan.gen_lane[0].u_timer.mem[0] };
  assign all_scan_done = {\dut.u_scan.gen_lane[1].u_done.mem[3] ,
      \dut.u_scan.gen_lane[0].u_done.mem[3] ,
      \dut.u_scan.gen_lane[1].u_done.mem[2] ,
      \dut.u_scan.gen_lane[0].u_done.mem[2] ,
      \dut.u_scan.gen_lane[1].u_done.mem[1] ,
      \dut.u_scan.gen_lane[0].u_done.mem[1] ,
      \dut.u_scan.gen_lane[1].u_done.mem[0] ,
      \dut.u_scan.gen_lane[0].u_done.mem[0] };
  assign all_state = {\dut.u_ops.gen_lane[1].u_state.mem[3] ,
      \dut.u_ops.gen_lane[0].u_state.mem[3] ,
      \dut.u_ops.gen_lane[1].u_state.mem[2] ,
      \dut.u_ops.gen_lane[0].u_state.mem[2] ,
      \dut.u_ops.gen_lane[1].u_state.mem[1] ,
      \dut.u_ops.gen_lane[0].u_state.mem[1] ,
      \dut.u_ops.gen_lane[1].u_state.mem[0] ,
      \dut.u_ops.gen_lane[0].u_state.mem[0] };
  assign all_ops_done = {\dut.u_ops.gen_lane[1].u_done.mem[3] ,
      \dut.u_ops.gen_lane[0].u_done.mem[3] ,
      \dut.u_ops.gen_lane[1].u_done.mem[2] ,
      \dut.u_ops.gen_lane[0].u_done.mem[2] ,
      \dut.u_ops.gen_lane[1].u_done.mem[1] ,
      \dut.u_ops.gen_lane[0].u_done.mem[1] ,
      \dut.u_ops.gen_lane[1].u_done.mem[0] ,
      \dut.u_ops.gen_lane[0].u_done.mem[0] };
  // ---------------------------------------------------------------------------------------------------------------
  // What the operations on the QP `watch` did, and its timer.

  logic initial_q = 1'b1;
  logic [2:0] watch_q;

  logic accept, answered, answer, given, tick_now;
  assign accept    = s_valid_i & s_ready;
  assign answered  = a_valid & (a_qpn == 24'(watch_q));
  assign answer    = answered & a_changed;
  assign given     = m_valid & m_ready_i & (m_qpn == 24'(watch_q));

  // Ticks since a timer was due, negative before: of the operations on their way, and of the timer.
  logic [TickWidth-1:0] since_in, since1_q, since2_q, since3_q, since_q, passed;
  logic [2:0] pushed_q = '0;  // accepted one to three clocks ago
  logic [1:0] given_q = '0;   // delivered one and two clocks ago
  logic armed_q, rnr_q, stalled_q, same_op_q, gen_q;

  // The operations behind the answers to come, and the QP as the last answer left it.
  logic [2:0] op1_q, op2_q, op3_q;
  logic [1:0] state_q;
  logic [23:0] qpn1_q, qpn2_q, qpn3_q;
  logic opgen1_q, opgen2_q, opgen3_q, out_q, out_before;
  logic [2:0] count_q;        // retries that were left
  logic [3:0] wait_q;         // clocks since it was due, without a stall and without another's turn

  // The time, and the tick that has begun.
  function automatic logic [TickWidth-1:0] full(input logic [2:0] op, input logic [1:0] code);
    if (op == 3'd4) full = code == 2'd1 ? 6'd11 : code == 2'd2 ? 6'd21 : 6'd31;
    else full = code == 2'd1 ? 6'd9 : 6'd17;
  endfunction

  assign tick_now = \dut.next_tick ;
  assign passed   = !tick_now ? 6'd0 : lapse_q ? 6'd8 : 6'd1;
  assign since_in = -full(s_op_i, s_code_i);

  logic due, excused;
  assign due     = armed_q & ~since_q[TickWidth-1];
  assign excused = ending | (m_valid & ~m_ready_i) |
                   ((\dut.u_scan.w_turn != '0) & ({\dut.u_scan.w_word_q , \dut.u_scan.w_turn [1]} != watch_q));

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    lapse_q   <= initial_q ? lapse_i : lapse_q;
    since1_q  <= since_in + passed;
    since2_q  <= since1_q + passed;
    since3_q  <= since2_q + passed;
    since_q   <= answer ? since3_q + passed : since_q + passed;
    if (!rst_ni) begin
      pushed_q  <= '0;
      given_q   <= '0;
      armed_q   <= 1'b0;
      out_q     <= 1'b0;
      state_q   <= '0;
      gen_q     <= '0;
      stalled_q <= 1'b0;
      wait_q    <= '0;
    end else begin
      pushed_q  <= {pushed_q[1:0], accept};
      given_q   <= {given_q[0], given};
      stalled_q <= m_valid & ~m_ready_i;
      if (given) armed_q <= 1'b0;
      if (given) out_q <= 1'b1;
      if (due & ~excused & (wait_q != 4'd15)) wait_q <= wait_q + 4'd1;
      if (answer) begin
        armed_q <= a_state != 2'd0;
        out_q   <= 1'b0;
        state_q <= a_state;
        rnr_q   <= a_state == 2'd2;
        gen_q   <= a_gen;
        count_q <= a_state == 2'd2 ? a_rnr_retries : a_retries;
        wait_q  <= '0;
      end
    end
    same_op_q <= accept & (s_qpn == m_qpn);
    {qpn3_q, qpn2_q, qpn1_q}       <= {qpn2_q, qpn1_q, s_qpn};
    {op3_q, op2_q, op1_q}          <= {op2_q, op1_q, s_op_i};
    {opgen3_q, opgen2_q, opgen1_q} <= {opgen2_q, opgen1_q, s_gen_i};
  end

  // The expiry of the armed timer was handed over when the operation that is answered was accepted, or before.
  assign out_before = out_q & (given_q == '0);

  assign tick_now = \dut.next_tick ;

  logic [29:0] m_record, m_record_q;
  assign m_record = {m_exhausted, m_left, m_rnr, m_gen, m_qpn};
  always_ff @(posedge clk_i) m_record_q <= m_record;

  // ---------------------------------------------------------------------------------------------------------------
  // The block's own state of that QP, and where its timer is.

  logic lane;
  logic [1:0] word;
  logic [TimerWidth-1:0] timer, s_timer;
  logic [StateWidth-1:0] state, read_state;
  logic scan_done, ops_done, op4, scrub, scrubbed;
  logic [InfoWidth-1:0] w_info;
  logic op1, op2, op3, in_s, in_w, in_x;
  logic [1:0] distance;
  assign {word, lane} = watch_q;
  always_comb begin
    {timer, state, scan_done, ops_done} = '0;
    for (int unsigned q = 0; q < 8; q++) begin
      if (watch_q == 3'(q)) begin
        timer     = all_timer[q*TimerWidth+:TimerWidth];
        state     = all_state[q*StateWidth+:StateWidth];
        scan_done = all_scan_done[q];
        ops_done  = all_ops_done[q];
      end
    end
  end
  assign s_timer    = lane ? \dut.u_scan.s_timers [TimerWidth+:TimerWidth] : \dut.u_scan.s_timers [0+:TimerWidth];
  assign w_info     = lane ? \dut.u_scan.w_infos_q [InfoWidth+:InfoWidth] : \dut.u_scan.w_infos_q [0+:InfoWidth];
  assign read_state = lane ? \dut.u_ops.read_states [StateWidth+:StateWidth] : \dut.u_ops.read_states [0+:StateWidth];
  assign op4        = \dut.u_scan.op4_lane_q [lane] & (\dut.u_scan.op4_word_q == word);
  assign scrub      = ~ \dut.scrub_q [2];
  assign scrubbed   = ~scrub | (word < \dut.scrub_q [1:0]);
  assign op1        = \dut.u_ops.op1_valid_q & (\dut.u_ops.op1_qpn_q == watch_q);
  assign op2        = \dut.u_ops.op2_valid_q & (\dut.u_ops.op2_qpn_q == watch_q);
  assign op3        = answered;
  assign in_s       = \dut.u_scan.s_valid_q & (\dut.u_scan.s_word_q == word) & ~ \dut.u_scan.s_ended_q [lane] & ~op4;
  assign in_w       = (\dut.u_scan.w_word_q == word) & \dut.u_scan.w_hits_q [lane] & ~op4;
  assign in_x       = m_valid & (m_qpn == 24'(watch_q));
  assign distance   = word - \dut.u_scan.r_word_q ;

  // What an operation on this QP would end, by the timer that is armed.
  function automatic logic would_end(input logic [2:0] op, input logic rnr);
    would_end = op == 3'd0 || op == 3'd2 || op == 3'd3 || (!rnr && (op == 3'd4 || op == 3'd5));
  endfunction

  // An operation that ends the timer was accepted and is not answered.
  logic ending;
  assign ending = (op1 & would_end(\dut.u_ops.op1_q , rnr_q)) |
                  (op2 & would_end(\dut.u_ops.op2_q , rnr_q)) | (op3 & a_changed);

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      // Times that six bits of ticks hold, and nothing overdue by half their range.
      assume (s_op_i == 3'd4 ? s_code_i != 2'd0 : s_code_i != 2'd3);
      assume (!due || since_q < 6'd23);

      if (Check[0]) begin
        assert (\dut.u_ops.op1_valid_q == (pushed_q[0] & (qpn1_q[23:3] == '0)));
        assert (\dut.u_ops.op2_valid_q == (pushed_q[1] & (qpn2_q[23:3] == '0)));
        assert (\dut.u_ops.op3_valid_q == (pushed_q[2] & (qpn3_q[23:3] == '0)));
        assert (\dut.u_ops.op1_no_qp_q == (pushed_q[0] & (qpn1_q[23:3] != '0)));
        assert (\dut.u_ops.op2_no_qp_q == (pushed_q[1] & (qpn2_q[23:3] != '0)));
        assert (a_no_qp == (pushed_q[2] & (qpn3_q[23:3] != '0)));
        if (pushed_q[0]) assert ({\dut.op1_high_q , \dut.u_ops.op1_qpn_q , \dut.u_ops.op1_q } == {qpn1_q, op1_q});
        if (pushed_q[1]) assert ({\dut.op2_high_q , \dut.u_ops.op2_qpn_q , \dut.u_ops.op2_q } == {qpn2_q, op2_q});
        if (pushed_q[1]) assert (\dut.u_ops.op2_gen_q == opgen2_q);
        if (pushed_q[0]) assert (\dut.u_ops.op1_gen_q == opgen1_q);
        if (pushed_q[2]) assert (a_qpn == qpn3_q);
        if (a_no_qp) assert ({a_gen, a_state, a_retries, a_rnr_retries, a_exhausted, a_changed} == '0);
        if (!scrub) assert (\dut.scrub_q == 3'd4);
        if (scrub) assert (pushed_q == '0 && !m_valid && \dut.u_scan.w_hits_q == '0 &&
                            ! \dut.u_scan.s_valid_q && !armed_q);
        if (scrub) assert (\dut.u_scan.op4_lane_q == '0);
        if (scrub) assert ({out_q, state_q, gen_q, given_q} == '0);

        // The scan walks in step.
        if (\dut.u_scan.s_valid_q ) assert (\dut.u_scan.r_word_q == \dut.u_scan.s_word_q + 2'd1);
        if (\dut.u_scan.w_hits_q != '0)
          assert (\dut.u_scan.s_valid_q && \dut.u_scan.s_word_q == \dut.u_scan.w_word_q + 2'd1);
        if (m_valid) begin
          assert (\dut.u_scan.s_valid_q && \dut.u_scan.s_word_q == \dut.u_scan.w_word_q + 2'd1);
          assert (m_qpn[23:3] == '0);
          assert (m_qpn[2:1] == \dut.u_scan.w_word_q || m_qpn[2:1] + 2'd1 == \dut.u_scan.w_word_q );
          assert (!(m_qpn[2:1] == \dut.u_scan.w_word_q && \dut.u_scan.w_hits_q [m_qpn[0]]));
        end

        // Memory and operations: what is armed, since when, and what stands in 2 and 3.
        if (scrubbed) begin
          assert (scan_done == ops_done);
          assert (state[GenWidth+:2] != 2'd3);
          assert ((timer[InfoWidth-1] ^ scan_done) == armed_q);
          assert (timer[InfoWidth-1] == state[StateWidth-1]);
          assert (state[GenWidth+1:0] == {state_q, gen_q});
          assert ((state_q != 2'd0) == (armed_q | out_q));
          assert (!(armed_q & out_q) && (out_q || given_q == '0));
          if (armed_q) begin
            assert (timer[InfoWidth-2:0] == {rnr_q, count_q, gen_q});
            assert (\dut.tick_q - timer[TimerWidth-1:InfoWidth] == since_q);
            assert (state[GenWidth+1:0] == {rnr_q ? 2'd2 : 2'd1, gen_q});
          end
        end
        if (op1 && \dut.u_ops.op1_code_q != 5'd0)
          assert (since1_q ==
                  \dut.tick_q - \dut.u_ops.op1_tick_q - full(\dut.u_ops.op1_q , \dut.u_ops.op1_code_q [1:0]));
        if (op1) assert (\dut.u_ops.op1_q == 3'd4 ? \dut.u_ops.op1_code_q [1:0] != 2'd0 :
                         \dut.u_ops.op1_code_q [1:0] != 2'd3);
        if (op2 && ! \dut.u_ops.op2_off_q ) assert (since2_q == \dut.tick_q - \dut.u_ops.op2_deadline_q );
        if (op3 && a_changed && a_state != 2'd0) assert (since3_q == \dut.tick_q - \dut.u_ops.op3_deadline_q );
        if (op3) assert (a_state != 2'd3);
        if (op2) begin
          assert (\dut.u_ops.op2_same3_q == op3);
          if (!op3 && \dut.u_ops.op2_same4_q ) assert (\dut.u_ops.op4_word_q == state);
          if (!op3 && ! \dut.u_ops.op2_same4_q ) assert (read_state == state);
          assert (\dut.u_ops.op2_done == (ops_done ^ given_q[0]));
          if (\dut.u_ops.changed ) assert (!given_q[0]);
        end
        if (op2 && \dut.u_ops.op2_q == 3'd4) assert (! \dut.u_ops.op2_off_q );
        if (op3 && !a_changed) assert (\dut.u_ops.op3_word [GenWidth+1:0] == state[GenWidth+1:0]);
        if (op3 && !a_changed) assert (\dut.u_ops.op3_mark_q == state[StateWidth-1]);
        if (op3 && a_changed) assert (\dut.u_ops.op3_mark_q == (ops_done ^ (a_state != 2'd0)));

        // Where the timer is.
        if (in_s) assert (s_timer == timer && \dut.u_scan.s_done [lane] == scan_done);
        if (in_w) assert (due && w_info == timer[InfoWidth-1:0]);
        if (in_x) begin
          assert (due && {\dut.u_scan.x_mark_q , m_rnr, m_left, m_gen} == timer[InfoWidth-1:0]);
          assert (!ending);
        end

        if (armed_q && !due) assert (wait_q == '0);
        if (due && !ending) begin
          if (in_x) assert (wait_q <= 4'd6);
          else if (in_w) assert (wait_q <= 4'd5);
          else if (in_s) assert (wait_q <= 4'd4);
          else assert (5'(wait_q) + 5'(distance) <= 5'd3);
        end
      end

      if (Check[1] && given) assert (!since_q[TickWidth-1]);
      if (Check[2] && given) assert (armed_q);
      if (Check[3] && given) assert ({m_gen, m_rnr, m_left, m_exhausted} ==
                                  {gen_q, rnr_q, count_q, !rnr_q && count_q == '0});
      if (Check[4] && answer) assert (!given && given_q == '0);
      if (Check[5] && due && !ending) assert (wait_q <= 4'd6);
      if (Check[6] && stalled_q && !same_op_q) assert (m_valid);
      if (Check[7] && stalled_q && m_valid) assert (m_record == m_record_q);
      if (Check[8]) assert (a_valid == pushed_q[2] && s_ready == !scrub);
      if (Check[9]) begin
        assert (a_no_qp == (pushed_q[2] && qpn3_q[23:3] != '0));
        if (a_no_qp) assert (a_qpn == qpn3_q &&
                            {a_gen, a_state, a_retries, a_rnr_retries, a_exhausted, a_changed} == '0);
        if (answered) assert (a_gen == (a_changed ? ~gen_q : gen_q));
        if (answered && !a_changed) assert (a_state == state_q);
      end
      if (Check[10] && answered && op3_q == 3'd6)
        assert (a_changed == (out_before && state_q == 2'd1 && opgen3_q == gen_q));
      if (Check[10] && answered && op3_q == 3'd7)
        assert (a_changed == (out_before && state_q == 2'd2 && opgen3_q == gen_q));
      if (Check[11] && answered && op3_q == 3'd2) assert (a_changed && a_state != 2'd2);
    end
  end

endmodule
