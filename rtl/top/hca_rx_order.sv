// SPDX-License-Identifier: Apache-2.0
// What leaves hca_rx next: answers in the order of the commits, READ responses in their turn among them. A QP whose
// memory failed behind its verdict, or of which replay_fifo lost a word, is dead here until it is set anew: nothing
// more of it is answered.
module hca_rx_order #(
  parameter int unsigned NumQps = 4096,
  parameter RamStyle = "block"
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic                 ready_o,  // low while a memory is made zero

  input  hca_rx_pkg::turn_t    s_turn_i,
  input  logic                 s_turn_valid_i,
  output logic                 s_turn_ready_o,

  input  logic [23:0]          alive_qpn_i,  // a QP begins anew
  input  logic                 alive_i,

  input  read_pkg::hdr_t       s_hdr_i,
  input  logic                 s_hdr_valid_i,
  output logic                 s_hdr_ready_o,

  input  read_pkg::rec_t       s_rec_i,
  input  logic                 s_rec_valid_i,
  output logic                 s_rec_ready_o,

  input  logic [23:0]          s_failed_qpn_i,  // a write of its failed
  input  logic                 s_failed_valid_i,
  output logic                 s_failed_ready_o,

  output hca_rx_pkg::outcome_t m_outcome_o,  // to resp_psn_check
  output logic                 m_outcome_valid_o,
  input  logic                 m_outcome_ready_i,

  output ack_pkg::record_t     m_answer_o,
  output logic                 m_answer_valid_o,
  input  logic                 m_answer_ready_i,

  output hca_rx_pkg::ended_t   m_end_o,
  output logic                 m_end_valid_o,
  input  logic                 m_end_ready_i,
  output logic                 through_o  // an answer that was due has left
);

  hca_rx_pkg::turn_t turn;
  logic turn_valid, turn_pop;
  logic [6:0] unused_turn_count;

  sync_fifo #(
    .Width($bits(turn)),
    .Depth(64)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .s_data_i (s_turn_i),
    .s_valid_i(s_turn_valid_i),
    .s_ready_o(s_turn_ready_o),
    .m_data_o (turn),
    .m_valid_o(turn_valid),
    .m_ready_i(turn_pop),
    .count_o  (unused_turn_count)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Is the QP dead? Nobody is asked before one is.

  logic any_dead_q, looking_q, looked_q, dead_q, word, told, asks, fails, settled, dead;

  assign asks    = turn_valid & any_dead_q & ~looking_q & ~looked_q & ~alive_i;
  assign settled = turn_valid & (~any_dead_q | looked_q);
  assign dead    = any_dead_q & dead_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      any_dead_q <= 1'b0;
      looking_q  <= 1'b0;
      looked_q   <= 1'b0;
    end else begin
      if (fails) any_dead_q <= 1'b1;
      if (asks) looking_q <= 1'b1;
      if (told) {looking_q, looked_q} <= 2'b01;
      if (turn_pop) {looking_q, looked_q} <= 2'b00;
    end
  end

  always_ff @(posedge clk_i) begin
    if (told) dead_q <= word;
  end

  hca_rx_word #(
    .NumQps  (NumQps),
    .Width   (1),
    .RamStyle(RamStyle)
  ) u_dead (
    .clk_i,
    .rst_ni,
    .ready_o,
    .qpn_i  (alive_i ? alive_qpn_i : turn.answer.qpn),
    .word_i (~alive_i),
    .set_i  (alive_i | fails),
    .ask_i  (asks),
    .word_o (word),
    .told_o (told)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The head of the queue: what it gives, and when it is through.

  logic [23:0] given_q;  // responses of this READ so far
  logic is_pass, is_read, is_atomic, is_silent, relays, over, ends, naks, loses, frames, through, room, state_room;

  assign is_pass   = turn.what == hca_rx_pkg::TurnPass;
  assign is_read   = turn.what == hca_rx_pkg::TurnRead;
  assign is_atomic = turn.what == hca_rx_pkg::TurnAtomic;
  assign is_silent = turn.what == hca_rx_pkg::TurnSilent;

  // A header behind the last one of this READ is another's.
  assign over   = s_rec_valid_i && given_q == s_rec_i.count;
  assign relays = settled & is_read & s_hdr_valid_i & ~over;
  assign ends   = settled & (is_pass | is_atomic | is_silent | (is_read & over)) & room & state_room & ~alive_i;

  // What it gives at its end: none, a frame or a NAK.
  assign naks   = ~dead & ((is_read && s_rec_i.status == read_pkg::StatusError) ||
                           (is_atomic && turn.status == hca_rx_pkg::EndFailed));
  assign loses  = ~dead && is_silent && turn.status == hca_rx_pkg::EndLost;  // without one: its QP is dead
  assign frames = is_pass ? (~dead | turn.answer.op == ack_pkg::OpCnp) : naks | (is_atomic & ~dead);

  assign through          = ends & (~frames | m_answer_ready_i);
  assign turn_pop         = through;
  assign through_o        = through;
  assign fails            = through & (naks | loses);
  assign m_answer_valid_o = relays | (ends & frames);
  assign s_hdr_ready_o    = relays & m_answer_ready_i;
  assign s_rec_ready_o    = through & is_read;

  always_ff @(posedge clk_i) begin
    if (!turn_valid | through) given_q <= '0;
    else if (s_hdr_ready_o) given_q <= given_q + 1'b1;
  end

  logic unused_in;
  assign unused_in = ^{s_hdr_i.qpn, s_hdr_i.last, s_rec_i.qpn, s_rec_i.psn};

  always_comb begin
    m_answer_o.way      = turn.answer;
    m_answer_o.opcode   = s_hdr_i.opcode;
    m_answer_o.bytes    = s_hdr_i.bytes;
    m_answer_o.original = turn.original;
    if (relays) begin
      m_answer_o.way.op       = ack_pkg::OpRead;
      m_answer_o.way.psn      = s_hdr_i.psn;
      m_answer_o.way.msn      = s_hdr_i.msn;
      m_answer_o.way.syndrome = s_hdr_i.syndrome;
      if (dead) m_answer_o.way.encap = '0;  // its payload is taken and thrown away
    end else if (naks) begin
      m_answer_o.way.op       = ack_pkg::OpAnswer;
      m_answer_o.way.psn      = is_read ? turn.answer.psn + psn_pkg::steps(s_rec_i.count) : turn.answer.psn;
      m_answer_o.way.syndrome = resp_pkg::NakOperational;
    end else if (is_atomic) begin
      m_answer_o.way.op = ack_pkg::OpAtomic;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What became of it, and what resp_psn_check is told.

  hca_rx_pkg::ended_t ended;
  hca_rx_pkg::outcome_t outcome, told_outcome;
  logic outcome_push, outcome_valid, outcome_ready;
  logic [2:0] unused_end_count;
  logic [3:0] unused_outcome_count;

  always_comb begin
    ended.qpn    = turn.answer.qpn;
    ended.psn    = turn.answer.psn;
    ended.count  = '0;
    ended.status = turn.status;
    if (is_read && s_rec_i.status == read_pkg::StatusError) ended.status = hca_rx_pkg::EndFailed;
    if (is_read) ended.count = s_rec_i.count;
    if (is_atomic && turn.status == hca_rx_pkg::EndAnswered) ended.count = 24'd1;
    if (dead) begin
      ended.status = hca_rx_pkg::EndDead;
      ended.count  = '0;
    end
  end

  sync_fifo #(
    .Width($bits(ended)),
    .Depth(4)
  ) u_ended (
    .clk_i,
    .rst_ni,
    .s_data_i (ended),
    .s_valid_i(through & ~is_pass),
    .s_ready_o(room),
    .m_data_o (m_end_o),
    .m_valid_o(m_end_valid_o),
    .m_ready_i(m_end_ready_i),
    .count_o  (unused_end_count)
  );

  assign outcome.qpn      = turn.answer.qpn;
  assign outcome.is_error = naks | loses;
  assign outcome_push     = through & ~dead & (naks | loses | (turn.frees & (is_read | is_atomic)));

  sync_fifo #(
    .Width($bits(outcome)),
    .Depth(8)
  ) u_outcomes (
    .clk_i,
    .rst_ni,
    .s_data_i (outcome),
    .s_valid_i(outcome_push),
    .s_ready_o(state_room),
    .m_data_o (told_outcome),
    .m_valid_o(outcome_valid),
    .m_ready_i(outcome_ready),
    .count_o  (unused_outcome_count)
  );

  // A write that failed goes first.
  assign m_outcome_valid_o = s_failed_valid_i | outcome_valid;
  assign s_failed_ready_o  = m_outcome_ready_i;
  assign outcome_ready     = m_outcome_ready_i & ~s_failed_valid_i;

  always_comb begin
    m_outcome_o = told_outcome;
    if (s_failed_valid_i) begin
      m_outcome_o.is_error = 1'b1;
      m_outcome_o.qpn      = s_failed_qpn_i;
    end
  end

endmodule
