// SPDX-License-Identifier: Apache-2.0
// The scan of the retransmit timer block: docs/blocks/retx_timer.md, "Scan". It looks at a word of Lanes timers a
// clock, for ever, and gives out those that are due, one a clock.
//
//   R  a word is read
//   S  armed and due? The lanes that are go on
//   W  the word waits until its lanes have left, one a clock, RNR before transport, low before high
//   X  the output register
//
// An operation that ends a timer takes it out of S and W when it is in stage 4 of retx_ops: from then on the memory
// says the same. What leaves W for X is held against all operations before that stage, and what stands in X against
// the one that comes in. So nothing is offered in the clock after an operation on it was accepted, and nothing that
// is not armed.
module retx_scan #(
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
  input  logic [TickWidth-1:0] tick_i,
  input  logic                 scrub_i,
  input  logic [WordWidth-1:0] scrub_word_i,

  // Operations: the one that comes in, and those on their way.
  input  logic                 op_valid_i,
  input  logic [QpnWidth-1:0]  op_qpn_i,
  input  logic [2:0]           op_i,
  input  logic                 op1_valid_i,
  input  logic [QpnWidth-1:0]  op1_qpn_i,
  input  logic [2:0]           op1_i,
  input  logic                 op2_valid_i,
  input  logic [QpnWidth-1:0]  op2_qpn_i,
  input  logic [2:0]           op2_i,
  input  logic                 op3_changes_i,
  input  logic [QpnWidth-1:0]  op3_qpn_i,
  input  logic [GenWidth-1:0]  op3_gen_i,
  input  logic [2:0]           op3_left_i,
  input  logic                 op3_rnr_i,
  input  logic                 op3_mark_i,
  input  logic [TickWidth-1:0] op3_deadline_i,

  output logic [QpnWidth-1:0]  m_exp_qpn_o,
  output logic [GenWidth-1:0]  m_exp_gen_o,
  output logic                 m_exp_rnr_o,
  output logic [2:0]           m_exp_left_o,
  output logic                 m_exp_valid_o,
  input  logic                 m_exp_ready_i,

  // A delivered expiry.
  output logic                 done_we_o,
  output logic [QpnWidth-1:0]  done_qpn_o,
  output logic                 done_mark_o
);

  localparam int unsigned LaneWidth = QpnWidth - WordWidth;
  localparam int unsigned InfoWidth = GenWidth + 5;  // mark, rnr, left, generation
  localparam int unsigned TimerWidth = TickWidth + InfoWidth;

  logic scan, hold, frozen;
  assign scan = ~scrub_i & ~hold;

  // ---------------------------------------------------------------------------------------------------------------
  // R: the walk.

  logic [WordWidth-1:0] r_word_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_word_q <= '0;
    else if (scan) r_word_q <= r_word_q + 1'b1;
  end

  logic [Lanes*TimerWidth-1:0] s_timers;
  logic [Lanes-1:0] s_done, op3_lane;
  logic [WordWidth-1:0] op3_word;
  logic [TimerWidth-1:0] op3_timer;
  assign op3_word  = op3_qpn_i[QpnWidth-1-:WordWidth];
  assign op3_timer = {op3_deadline_i, op3_mark_i, op3_rnr_i, op3_left_i, op3_gen_i};

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic write_done;
    assign op3_lane[lane] = op3_changes_i & (op3_qpn_i[LaneWidth-1:0] == LaneWidth'(lane));
    assign write_done     = done_we_o & (done_qpn_o[LaneWidth-1:0] == LaneWidth'(lane));

    ram_1r1w #(
      .Words(NumWords),
      .Width(TimerWidth)
    ) u_timer (
      .clk_i,
      .wlanes_i(scrub_i | op3_lane[lane]),
      .waddr_i (scrub_i ? scrub_word_i : op3_word),
      .wdata_i (scrub_i ? '0 : op3_timer),
      .re_i    (scan),
      .raddr_i (r_word_q),
      .rdata_o (s_timers[lane*TimerWidth+:TimerWidth])
    );

    ram_1r1w #(
      .Words(NumWords),
      .Width(1)
    ) u_done (
      .clk_i,
      .wlanes_i(scrub_i | write_done),
      .waddr_i (scrub_i ? scrub_word_i : done_qpn_o[QpnWidth-1-:WordWidth]),
      .wdata_i (~scrub_i & done_mark_o),
      .re_i    (scan),
      .raddr_i (r_word_q),
      .rdata_o (s_done[lane])
    );
  end

  // Stage 4 of the operations: what it ended.
  logic [Lanes-1:0] op4_lane_q;
  logic [WordWidth-1:0] op4_word_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) op4_lane_q <= '0;
    else op4_lane_q <= op3_lane;
  end
  always_ff @(posedge clk_i) op4_word_q <= op3_word;

  // ---------------------------------------------------------------------------------------------------------------
  // S: armed and due. A deadline lies at most half the range of ticks ahead, or behind.

  logic s_valid_q;
  logic [WordWidth-1:0] s_word_q;
  logic [Lanes-1:0] s_ended, s_ended_q, s_hits;
  logic [Lanes*InfoWidth-1:0] s_infos;

  assign s_ended = op4_word_q == s_word_q ? op4_lane_q : '0;

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      logic [TickWidth-1:0] late;
      late = tick_i - s_timers[lane*TimerWidth+InfoWidth+:TickWidth];
      s_infos[lane*InfoWidth+:InfoWidth] = s_timers[lane*TimerWidth+:InfoWidth];
      s_hits[lane] = s_valid_q & ~late[TickWidth-1] & (s_infos[lane*InfoWidth+InfoWidth-1] ^ s_done[lane]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_valid_q <= 1'b0;
      s_ended_q <= '0;
    end else begin
      if (scan) s_valid_q <= 1'b1;
      s_ended_q <= scan ? '0 : s_ended_q | s_ended;
    end
  end
  always_ff @(posedge clk_i) if (scan) s_word_q <= r_word_q;

  // ---------------------------------------------------------------------------------------------------------------
  // W: the due lanes of a word, and the one whose turn it is.

  logic [Lanes-1:0] w_hits_q, w_live, w_rnr, w_first, w_turn, w_ending, w_more;
  logic [WordWidth-1:0] w_word_q;
  logic [Lanes*InfoWidth-1:0] w_infos_q;

  assign w_live = w_hits_q & ~(op4_word_q == w_word_q ? op4_lane_q : '0);

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      logic [QpnWidth-1:0] qpn;
      qpn = {w_word_q, LaneWidth'(lane)};
      w_rnr[lane] = w_infos_q[lane*InfoWidth+GenWidth+3];
      w_ending[lane] = (op_valid_i & (op_qpn_i == qpn) & timer_pkg::ends(op_i, w_rnr[lane])) |
                       (op1_valid_i & (op1_qpn_i == qpn) & timer_pkg::ends(op1_i, w_rnr[lane])) |
                       (op2_valid_i & (op2_qpn_i == qpn) & timer_pkg::ends(op2_i, w_rnr[lane])) |
                       (op3_changes_i & (op3_qpn_i == qpn));
    end
  end

  assign w_first = (w_live & w_rnr) != '0 ? w_live & w_rnr : w_live;
  assign w_turn  = w_first & (~w_first + 1'b1);
  assign w_more  = w_live & ~w_turn;
  assign hold    = frozen | (w_more != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) w_hits_q <= '0;
    else if (frozen) w_hits_q <= w_live;
    else if (hold) w_hits_q <= w_more;
    else w_hits_q <= s_hits & ~s_ended_q & ~s_ended;
  end
  always_ff @(posedge clk_i) begin
    if (!hold) begin
      w_word_q  <= s_word_q;
      w_infos_q <= s_infos;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X: the expiry. It is withdrawn if an operation comes that ends its timer.

  logic x_valid_q, x_mark_q, x_rnr_q, x_ended;
  logic [QpnWidth-1:0] x_qpn_q;
  logic [GenWidth-1:0] x_gen_q;
  logic [2:0] x_left_q;
  logic [InfoWidth-1:0] turn_info;
  logic [LaneWidth-1:0] turn_lane;

  always_comb begin
    turn_info = '0;
    turn_lane = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (w_turn[lane]) begin
        turn_info = turn_info | w_infos_q[lane*InfoWidth+:InfoWidth];
        turn_lane = turn_lane | LaneWidth'(lane);
      end
    end
  end

  assign frozen  = x_valid_q & ~m_exp_ready_i;
  assign x_ended = op_valid_i & (op_qpn_i == x_qpn_q) & timer_pkg::ends(op_i, x_rnr_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) x_valid_q <= 1'b0;
    else if (frozen) x_valid_q <= ~x_ended;
    else x_valid_q <= (w_turn & ~w_ending) != '0;
  end
  always_ff @(posedge clk_i) begin
    if (!frozen) begin
      {x_mark_q, x_rnr_q, x_left_q, x_gen_q} <= turn_info;
      x_qpn_q <= {w_word_q, turn_lane};
    end
  end

  assign m_exp_qpn_o   = x_qpn_q;
  assign m_exp_gen_o   = x_gen_q;
  assign m_exp_rnr_o   = x_rnr_q;
  assign m_exp_left_o  = x_left_q;
  assign m_exp_valid_o = x_valid_q;

  assign done_we_o   = x_valid_q & m_exp_ready_i;
  assign done_qpn_o  = x_qpn_q;
  assign done_mark_o = x_mark_q;

endmodule
