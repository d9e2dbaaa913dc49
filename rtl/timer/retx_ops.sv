// SPDX-License-Identifier: Apache-2.0
// The operations of the retransmit timer block: docs/blocks/retx_timer.md, "Operations". One a clock, never stalled.
//
//   1  the operation is registered, its QP's state is read
//   2  the state is there, newer ones are put in its place, the operation is done on it
//   3  the answer; state and deadline are written
//   4  they can be read
//
// This is the only writer of state and deadlines. Only the scan writes which of a QP's timers was delivered: one bit,
// `done`. A timer is armed while its bit `mark` differs from `done`; so the scan ends a timer, and an operation
// starts one, without either writing what is the other's. Where they are equal the timer of a state was delivered.
// `done` is read in 1: that is how it stood before the operation was accepted, with an expiry handed over in the same
// clock. Nothing newer has to be put in its place.
//
// An operation on a QP that is not there goes along for its answer: it is not `valid`, reads what it may, and writes
// nothing.
module retx_ops #(
  parameter int unsigned NumQps = 65536,
  parameter int unsigned Lanes = 8,
  parameter int unsigned TickWidth = 35,
  parameter int unsigned GenWidth = 8,
  localparam int unsigned QpnWidth = $clog2(NumQps),
  localparam int unsigned NumWords = NumQps / Lanes,
  localparam int unsigned WordWidth = $clog2(NumWords)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 retry7_forever_i,
  input  logic [TickWidth-1:0] tick_i,
  input  logic                 scrub_i,       // words are made zero
  input  logic [WordWidth-1:0] scrub_word_i,

  // An accepted operation.
  input  logic                 op_valid_i,
  input  logic                 op_no_qp_i,    // there is no such QP; then it is not valid
  input  logic [QpnWidth-1:0]  op_qpn_i,
  input  logic [2:0]           op_i,
  input  logic [4:0]           op_code_i,
  input  logic [GenWidth-1:0]  op_gen_i,
  input  logic [2:0]           op_retry_cnt_i,
  input  logic [2:0]           op_rnr_retry_i,

  // A delivered expiry.
  input  logic                 done_we_i,
  input  logic [QpnWidth-1:0]  done_qpn_i,
  input  logic                 done_mark_i,

  // Operations that the scan's memory does not have yet.
  output logic                 op1_valid_o,
  output logic [QpnWidth-1:0]  op1_qpn_o,
  output logic [2:0]           op1_o,
  output logic                 op2_valid_o,
  output logic [QpnWidth-1:0]  op2_qpn_o,
  output logic [2:0]           op2_o,

  // The answer, and what becomes of the timer if `changed`.
  output logic                 op3_valid_o,
  output logic                 op3_no_qp_o,
  output logic [QpnWidth-1:0]  op3_qpn_o,
  output logic                 op3_changed_o,
  output logic                 op3_exhausted_o,
  output logic [1:0]           op3_state_o,
  output logic [GenWidth-1:0]  op3_gen_o,
  output logic [2:0]           op3_retries_o,
  output logic [2:0]           op3_rnr_retries_o,
  output logic                 op3_mark_o,
  output logic [TickWidth-1:0] op3_deadline_o
);

  localparam int unsigned LaneWidth = QpnWidth - WordWidth;
  localparam int unsigned StateWidth = GenWidth + 15;

  // ---------------------------------------------------------------------------------------------------------------
  // 1: the operation, with the time at which it came.

  logic op1_valid_q, op2_valid_q, op3_valid_q, op1_no_qp_q, op2_no_qp_q, op3_no_qp_q;
  logic [QpnWidth-1:0] op1_qpn_q, op2_qpn_q, op3_qpn_q;
  logic [2:0] op1_q, op2_q;
  logic [4:0] op1_code_q;
  logic [GenWidth-1:0] op1_gen_q, op2_gen_q;
  logic [2:0] op1_retry_cnt_q, op1_rnr_retry_q, op2_retry_cnt_q, op2_rnr_retry_q;
  logic [TickWidth-1:0] op1_tick_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {op3_valid_q, op2_valid_q, op1_valid_q} <= '0;
      {op3_no_qp_q, op2_no_qp_q, op1_no_qp_q} <= '0;
    end else begin
      {op3_valid_q, op2_valid_q, op1_valid_q} <= {op2_valid_q, op1_valid_q, op_valid_i};
      {op3_no_qp_q, op2_no_qp_q, op1_no_qp_q} <= {op2_no_qp_q, op1_no_qp_q, op_no_qp_i};
    end
  end

  always_ff @(posedge clk_i) begin
    op1_qpn_q       <= op_qpn_i;
    op1_q           <= op_i;
    op1_code_q      <= op_code_i;
    op1_gen_q       <= op_gen_i;
    op1_retry_cnt_q <= op_retry_cnt_i;
    op1_rnr_retry_q <= op_rnr_retry_i;
    op1_tick_q      <= tick_i;
  end

  logic op1_waits;
  logic [TickWidth-1:0] op1_ticks;
  assign op1_waits = op1_q == timer_pkg::OpWait;
  assign op1_ticks = op1_waits ? TickWidth'(timer_pkg::rnr_ticks(op1_code_q)) :
                                 TickWidth'(timer_pkg::transport_ticks(op1_code_q));

  // ---------------------------------------------------------------------------------------------------------------
  // Memories: a bank a lane, so that a scrub takes as many clocks as a bank has words.

  logic [Lanes*StateWidth-1:0] read_states;
  logic [Lanes-1:0] read_done;
  logic [StateWidth-1:0] op3_word;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic write, write_done;
    assign write      = op3_valid_q & (op3_qpn_q[LaneWidth-1:0] == LaneWidth'(lane));
    assign write_done = done_we_i & (done_qpn_i[LaneWidth-1:0] == LaneWidth'(lane));

    ram_1r1w #(
      .Words(NumWords),
      .Width(StateWidth)
    ) u_state (
      .clk_i,
      .wlanes_i(scrub_i | write),
      .waddr_i (scrub_i ? scrub_word_i : op3_qpn_q[QpnWidth-1-:WordWidth]),
      .wdata_i (scrub_i ? '0 : op3_word),
      .re_i    (1'b1),
      .raddr_i (op1_qpn_q[QpnWidth-1-:WordWidth]),
      .rdata_o (read_states[lane*StateWidth+:StateWidth])
    );

    ram_1r1w #(
      .Words(NumWords),
      .Width(1)
    ) u_done (
      .clk_i,
      .wlanes_i(scrub_i | write_done),
      .waddr_i (scrub_i ? scrub_word_i : done_qpn_i[QpnWidth-1-:WordWidth]),
      .wdata_i (~scrub_i & done_mark_i),
      .re_i    (1'b1),
      .raddr_i (op1_qpn_q[QpnWidth-1-:WordWidth]),
      .rdata_o (read_done[lane])
    );
  end

  // ---------------------------------------------------------------------------------------------------------------
  // 2: the newest state of the QP. The operation before this one is in 3, the one before that in 4: it was written
  // while this one was read.

  logic op2_same3_q, op2_same4_q, op2_off_q;
  logic [TickWidth-1:0] op2_deadline_q;
  logic [StateWidth-1:0] op2_word, op4_word_q;

  always_ff @(posedge clk_i) begin
    op2_qpn_q       <= op1_qpn_q;
    op2_q           <= op1_q;
    op2_gen_q       <= op1_gen_q;
    op2_retry_cnt_q <= op1_retry_cnt_q;
    op2_rnr_retry_q <= op1_rnr_retry_q;
    op2_off_q       <= op1_code_q == 5'd0;
    op2_deadline_q  <= op1_tick_q + op1_ticks + TickWidth'(1);  // the tick that has begun does not count
    op2_same3_q     <= op2_valid_q & (op1_qpn_q == op2_qpn_q);
    op2_same4_q     <= op3_valid_q & (op1_qpn_q == op3_qpn_q);
    op4_word_q      <= op3_word;
  end

  logic op2_done;
  always_comb begin
    op2_word = '0;
    op2_done = 1'b0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (op2_qpn_q[LaneWidth-1:0] == LaneWidth'(lane)) begin
        op2_word = read_states[lane*StateWidth+:StateWidth];
        op2_done = read_done[lane];
      end
    end
    if (op2_same4_q) op2_word = op4_word_q;
    if (op2_same3_q) op2_word = op3_word;
  end

  logic [1:0] state, state_d;
  logic [GenWidth-1:0] gen;
  logic [2:0] retries, rnr_retries, retry_cnt, rnr_retry;
  logic [2:0] retries_d, rnr_retries_d, retry_cnt_d, rnr_retry_d;
  logic mark;
  assign {mark, rnr_retry, retry_cnt, rnr_retries, retries, state, gen} = op2_word;

  logic waiting, current, given, changed, retry, exhausted, for_ever, off;
  assign waiting  = state == timer_pkg::StateRnr;
  assign current  = op2_gen_q == gen;
  assign given    = mark == op2_done;  // the expiry of the timer of this state
  assign for_ever = retry7_forever_i & (retry_cnt == timer_pkg::Forever);
  assign off      = op2_off_q;

  always_comb begin
    state_d       = state;
    retries_d     = retries;
    rnr_retries_d = rnr_retries;
    retry_cnt_d   = retry_cnt;
    rnr_retry_d   = rnr_retry;
    changed       = 1'b0;
    retry         = 1'b0;
    exhausted     = 1'b0;
    unique case (op2_q)
      timer_pkg::OpConfigure: begin
        changed     = 1'b1;
        state_d     = timer_pkg::StateIdle;
        retry_cnt_d = op2_retry_cnt_q;
        rnr_retry_d = op2_rnr_retry_q;
        retries_d     = op2_retry_cnt_q;
        rnr_retries_d = op2_rnr_retry_q;
      end
      timer_pkg::OpStart: begin  // TMR-2: only if it is not running
        changed = (state == timer_pkg::StateIdle) & ~off;
        if (changed) state_d = timer_pkg::StateTransport;
      end
      timer_pkg::OpProgress: begin  // TMR-3, TMR-4; it ends a wait (TMR-5)
        retries_d     = retry_cnt;
        rnr_retries_d = rnr_retry;
        changed       = 1'b1;
        state_d       = off ? timer_pkg::StateIdle : timer_pkg::StateTransport;
      end
      timer_pkg::OpStop: begin
        changed = 1'b1;
        state_d = timer_pkg::StateIdle;
      end
      timer_pkg::OpWait: begin  // TMR-4
        changed   = ~waiting;
        exhausted = changed & (rnr_retries == 3'd0);
        if (changed) state_d = exhausted ? timer_pkg::StateIdle : timer_pkg::StateRnr;
        if (changed & ~exhausted & (rnr_retry != timer_pkg::Forever)) rnr_retries_d = rnr_retries - 3'd1;
      end
      timer_pkg::OpNak: retry = ~waiting;  // TMR-5
      timer_pkg::OpTimeout: retry = (state == timer_pkg::StateTransport) & current & given;
      timer_pkg::OpResume: begin
        changed = waiting & current & given;
        if (changed) state_d = off ? timer_pkg::StateIdle : timer_pkg::StateTransport;
      end
    endcase
    if (retry) begin  // TMR-3
      changed   = 1'b1;
      exhausted = retries == 3'd0;
      state_d   = exhausted | off ? timer_pkg::StateIdle : timer_pkg::StateTransport;
      if (!exhausted & !for_ever) retries_d = retries - 3'd1;
    end
  end

  logic mark_d;
  assign mark_d = !changed ? mark : op2_done ^ (state_d != timer_pkg::StateIdle);

  // ---------------------------------------------------------------------------------------------------------------
  // 3: the result.

  logic op3_changed_q, op3_exhausted_q, op3_mark_q;
  logic [1:0] op3_state_q;
  logic [GenWidth-1:0] op3_gen_q;
  logic [2:0] op3_retries_q, op3_rnr_retries_q, op3_retry_cnt_q, op3_rnr_retry_q;
  logic [TickWidth-1:0] op3_deadline_q;

  always_ff @(posedge clk_i) begin
    op3_qpn_q         <= op2_qpn_q;
    op3_changed_q     <= changed;
    op3_exhausted_q   <= exhausted;
    op3_state_q       <= state_d;
    op3_gen_q         <= gen + GenWidth'(changed);
    op3_retries_q     <= retries_d;
    op3_rnr_retries_q <= rnr_retries_d;
    op3_retry_cnt_q   <= retry_cnt_d;
    op3_rnr_retry_q   <= rnr_retry_d;
    op3_mark_q        <= mark_d;
    op3_deadline_q    <= op2_deadline_q;
    if (op2_no_qp_q) begin
      {op3_changed_q, op3_exhausted_q, op3_state_q, op3_gen_q, op3_retries_q, op3_rnr_retries_q} <= '0;
    end
  end

  assign op3_word = {op3_mark_q, op3_rnr_retry_q, op3_retry_cnt_q, op3_rnr_retries_q, op3_retries_q, op3_state_q,
                     op3_gen_q};

  assign op1_valid_o       = op1_valid_q;
  assign op1_qpn_o         = op1_qpn_q;
  assign op1_o             = op1_q;
  assign op2_valid_o       = op2_valid_q;
  assign op2_qpn_o         = op2_qpn_q;
  assign op2_o             = op2_q;
  assign op3_valid_o       = op3_valid_q;
  assign op3_no_qp_o       = op3_no_qp_q;
  assign op3_qpn_o         = op3_qpn_q;
  assign op3_changed_o     = op3_changed_q;
  assign op3_exhausted_o   = op3_exhausted_q;
  assign op3_state_o       = op3_state_q;
  assign op3_gen_o         = op3_gen_q;
  assign op3_retries_o     = op3_retries_q;
  assign op3_rnr_retries_o = op3_rnr_retries_q;
  assign op3_mark_o        = op3_mark_q;
  assign op3_deadline_o    = op3_deadline_q;

endmodule
