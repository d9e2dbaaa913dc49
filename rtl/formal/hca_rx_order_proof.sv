// SPDX-License-Identifier: Apache-2.0
// hca_rx_order has of every turn leave what is due, in its turn, and tells what became of it. Its queues and the memory
// that knows dead QPs are taken out: what stands at the head of the turns stays until it is taken (sync_fifo's), the
// memory says of a QP anything, once it was asked. Check: bit 0 what induction needs, then one bit a property of
// hca_rx_order.go.
module hca_rx_order_proof #(
  parameter logic [8:0] Check = '1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input hca_rx_pkg::turn_t    s_turn_i,
  input logic                 s_turn_valid_i,
  input logic [23:0]          alive_qpn_i,
  input logic                 alive_i,
  input logic [101:0]         s_hdr_i,
  input logic                 s_hdr_valid_i,
  input logic [73:0]          s_rec_i,
  input logic                 s_rec_valid_i,
  input logic [23:0]          s_failed_qpn_i,
  input logic                 s_failed_valid_i,
  input logic                 m_outcome_ready_i,
  input logic                 m_answer_ready_i,
  input logic                 m_end_ready_i
);

  logic ready, turn_ready, hdr_ready, rec_ready, failed_ready, outcome_valid, answer_valid, end_valid, through;
  ack_pkg::record_t answer;
  hca_rx_pkg::outcome_t outcome;
  hca_rx_pkg::ended_t told_end;

  hca_rx_order #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .ready_o          (ready),
    .s_turn_i,
    .s_turn_valid_i,
    .s_turn_ready_o   (turn_ready),
    .alive_qpn_i,
    .alive_i,
    .s_hdr_i,
    .s_hdr_valid_i,
    .s_hdr_ready_o    (hdr_ready),
    .s_rec_i,
    .s_rec_valid_i,
    .s_rec_ready_o    (rec_ready),
    .s_failed_qpn_i,
    .s_failed_valid_i,
    .s_failed_ready_o (failed_ready),
    .m_outcome_o      (outcome),
    .m_outcome_valid_o(outcome_valid),
    .m_outcome_ready_i,
    .m_answer_o       (answer),
    .m_answer_valid_o (answer_valid),
    .m_answer_ready_i,
    .m_end_o          (told_end),
    .m_end_valid_o    (end_valid),
    .m_end_ready_i,
    .through_o        (through)
  );

  // Registers and ports of the block, joined by name when the design is flattened.
  localparam int unsigned TurnWidth = $bits(s_turn_i);
  localparam int unsigned WayWidth = 564;  // of ack_pkg::query_t

  (* hierconn *) wire [TurnWidth-1:0] \dut.u_turns.m_data_o ;
  (* hierconn *) wire \dut.u_turns.m_valid_o ;
  (* hierconn *) wire \dut.u_turns.m_ready_i ;
  (* hierconn *) wire \dut.u_dead.word_o ;
  (* hierconn *) wire \dut.u_dead.told_o ;
  (* hierconn *) wire \dut.u_dead.ask_i ;
  (* hierconn *) wire \dut.u_dead.set_i ;
  (* hierconn *) wire \dut.u_dead.word_i ;
  (* hierconn *) wire [23:0] \dut.u_dead.qpn_i ;
  (* hierconn *) wire [74:0] \dut.u_ended.s_data_i ;
  (* hierconn *) wire \dut.u_ended.s_valid_i ;
  (* hierconn *) wire \dut.u_ended.s_ready_o ;
  (* hierconn *) wire [24:0] \dut.u_outcomes.s_data_i ;
  (* hierconn *) wire \dut.u_outcomes.s_valid_i ;
  (* hierconn *) wire \dut.u_outcomes.s_ready_o ;
  (* hierconn *) wire [24:0] \dut.u_outcomes.m_data_o ;
  (* hierconn *) wire \dut.u_outcomes.m_valid_o ;
  (* hierconn *) wire \dut.u_outcomes.m_ready_i ;
  (* hierconn *) wire \dut.any_dead_q ;
  (* hierconn *) wire \dut.looking_q ;
  (* hierconn *) wire \dut.looked_q ;
  (* hierconn *) wire [23:0] \dut.given_q ;

  hca_rx_pkg::turn_t turn;
  logic [WayWidth-1:0] way, turn_way;
  logic there, is_pass, is_read, is_atomic, is_silent, leaves, offers, relays;
  assign turn      = \dut.u_turns.m_data_o ;
  assign way       = answer.way;
  assign turn_way  = turn.answer;
  assign there     = \dut.u_turns.m_valid_o ;
  assign is_pass   = turn.what == 2'd0;
  assign is_read   = turn.what == 2'd1;
  assign is_atomic = turn.what == 2'd2;
  assign is_silent = turn.what == 2'd3;
  assign leaves    = answer_valid && m_answer_ready_i;
  assign offers    = answer_valid && is_read && s_hdr_valid_i && !(s_rec_valid_i && given_q == s_rec_i[71:48]);
  assign relays    = s_hdr_valid_i && hdr_ready;

  // By the words of the document: whether the QP of the head is dead, as far as was told; how many responses it gave.
  logic any_dead_q, told_q, dead_q, asked_q, known, dead, fails, loses;
  logic [23:0] given_q;
  assign known = there && (!any_dead_q || told_q);
  assign dead  = any_dead_q && dead_q;
  assign loses = is_silent && turn.status == 3'd5;
  assign fails = !dead && (loses || (is_read && s_rec_i[73:72] == 2'd2) || (is_atomic && turn.status == 3'd3));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      any_dead_q <= 1'b0;
      told_q     <= 1'b0;
      asked_q    <= 1'b0;
      given_q    <= '0;
    end else begin
      if (through && fails) any_dead_q <= 1'b1;
      if (\dut.u_dead.ask_i ) asked_q <= 1'b1;
      if (\dut.u_dead.told_o ) {asked_q, told_q} <= 2'b01;
      if (through) {asked_q, told_q} <= 2'b00;
      if (relays) given_q <= given_q + 24'd1;
      if (through) given_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (\dut.u_dead.told_o ) dead_q <= \dut.u_dead.word_o ;
  end

  // The cycle before: what waits stays.
  logic initial_q = 1'b1;
  logic stays_q = 1'b0;
  logic rec_stays_q = 1'b0;
  logic [TurnWidth-1:0] turn_q;
  logic [73:0] rec_q;

  always_ff @(posedge clk_i) begin
    initial_q   <= 1'b0;
    stays_q     <= rst_ni && there && !\dut.u_turns.m_ready_i ;
    rec_stays_q <= rst_ni && s_rec_valid_i && !rec_ready;
    turn_q      <= turn;
    rec_q       <= s_rec_i;
  end

  (* hierconn *) wire \dut.dead_q ;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!rst_ni) assume (!there);                        // sync_fifo
    if (rst_ni && stays_q) assume (there && turn == turn_q);
    if (rst_ni && rec_stays_q) assume (s_rec_valid_i && s_rec_i == rec_q);
    assume (!\dut.u_dead.told_o || asked_q);             // hca_rx_word tells who asked, and of who is still at the head
    assume (s_rec_valid_i == 1'b0 || given_q <= s_rec_i[71:48]);  // read_engine: as many headers as its record says
    if (!initial_q && rst_ni) begin
      if (Check[0] || Check[4]) begin
        assert (\dut.any_dead_q == any_dead_q && \dut.looked_q == told_q && \dut.looking_q == asked_q);
        assert (!(told_q || asked_q) || there);
        if (told_q) assert (\dut.dead_q == dead_q);
      end
      if (Check[0] || Check[1]) assert (\dut.given_q == given_q && (given_q == '0 || (there && is_read)));
      if (Check[1]) begin
        if (through && is_read) assert (s_rec_valid_i && rec_ready && given_q == s_rec_i[71:48]);
        if (rec_ready) assert (through && is_read);
        if (relays) assert (is_read && known && leaves && !through && answer.way.op == 3'd5);
        if (relays && s_rec_valid_i) assert (given_q < s_rec_i[71:48]);
        if (relays) assert (answer.way.psn == s_hdr_i[55:32] && answer.opcode == s_hdr_i[31:24]);
        if (relays) assert (answer.bytes == s_hdr_i[100:88]);
      end
      if (Check[2]) begin
        assert (through == (there && \dut.u_turns.m_ready_i ));
        if (through && !dead) assert (leaves == (is_pass || is_atomic || (fails && !loses)));
        if (leaves) assert (relays || through);
      end
      if (Check[3] && dead && leaves) begin
        assert ((through && is_pass && turn.answer.op == 3'd3) || (relays && answer.way.encap == '0));
      end
      if (Check[4]) begin
        if (answer_valid || through) assert (known);
      end
      if (Check[5]) begin
        assert (\dut.u_ended.s_valid_i == (through && !is_pass));
        if (through) assert (\dut.u_ended.s_ready_o && \dut.u_outcomes.s_ready_o );
        if (through) assert (\dut.u_ended.s_data_i [47:0] == {turn.answer.psn, turn.answer.qpn});
        if (through && dead) assert (\dut.u_ended.s_data_i [74:48] == {3'd4, 24'd0});
        if (through && loses && !dead) assert (\dut.u_ended.s_data_i [74:72] == 3'd5);
      end
      if (Check[6]) begin
        assert (\dut.u_dead.set_i == (alive_i || (through && fails)));
        if (through && fails) assert (\dut.u_dead.word_i && \dut.u_dead.qpn_i == turn.answer.qpn);
        assert (\dut.u_outcomes.s_valid_i ==
                (through && !dead && (fails || (turn.frees && (is_read || is_atomic)))));
        if (\dut.u_outcomes.s_valid_i ) assert (\dut.u_outcomes.s_data_i == {fails, turn.answer.qpn});
      end
      if (Check[7] && answer_valid) begin
        assert (way[WayWidth-1:86] == turn_way[WayWidth-1:86] && way[26:3] == turn_way[26:3]);
        assert (answer.way.encap == (offers && dead ? 3'd0 : turn.answer.encap));
        assert (answer.original == turn.original);
        if (is_pass) assert (way == turn_way);
        if (is_read) assert (s_hdr_valid_i || s_rec_valid_i);
        if (offers) begin
          assert (is_read && answer.way.op == 3'd5 && answer.opcode == s_hdr_i[31:24]);
          assert (answer.way.psn == s_hdr_i[55:32] && answer.way.msn == s_hdr_i[79:56]);
          assert (answer.way.syndrome == s_hdr_i[87:80] && answer.bytes == s_hdr_i[100:88]);
        end else begin
          assert (answer.way.msn == turn.answer.msn);
          assert (answer.way.psn == 24'(turn.answer.psn + (is_read ? given_q : 24'd0)));
          if (is_read || (is_atomic && fails)) assert (answer.way.op == 3'd0 && answer.way.syndrome == 8'h63);
          else assert (answer.way.syndrome == turn.answer.syndrome);
          if (is_atomic && !fails) assert (answer.way.op == 3'd4);
        end
      end
      if (Check[8]) begin
        assert (outcome_valid == (s_failed_valid_i || \dut.u_outcomes.m_valid_o ));
        assert (failed_ready == m_outcome_ready_i);
        assert (\dut.u_outcomes.m_ready_i == (m_outcome_ready_i && !s_failed_valid_i));
        assert (outcome == (s_failed_valid_i ? {1'b1, s_failed_qpn_i} : \dut.u_outcomes.m_data_o ));
      end
    end
  end

endmodule
