// SPDX-License-Identifier: Apache-2.0
// No QP stands in the queue of sq_scheduler twice, nor while it has a turn under way; the queue has room for all, and a
// done waits for nothing that does not come. Four QPs, two turns under way.
//
// Places are numbered in the order in which they are given. `place_q` is the number of a QP's place, from when it is
// given until X has seen the done of its turn. Assumed, as they have their own proofs: qp_context gives the word that
// was written last, and the queue, u_turns and u_left give out in order what they took, so that the QP at the head of
// u_left is the one whose place has the number of turns that have ended. Check: bit 0 what induction needs, then one
// bit a property of sq_scheduler.go.
module sq_scheduler_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [33:0] s_rec_i,  // as docs/blocks/sq_scheduler.md lays it out
  input logic        s_valid_i,
  input logic        m_ready_i
);

  logic s_ready, m_valid;
  logic [27:0] m_turn;

  sq_scheduler #(
    .NumQps(4),
    .Turns (2)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_qpn_i    (s_rec_i[23:0]),
    .s_op_i     (s_rec_i[26:24]),
    .s_why_i    (s_rec_i[29:27]),
    .s_weight_i (s_rec_i[33:30]),
    .s_valid_i,
    .s_ready_o  (s_ready),
    .m_qpn_o    (m_turn[23:0]),
    .m_packets_o(m_turn[27:24]),
    .m_valid_o  (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.r_valid ;
  (* hierconn *) wire \dut.r_go ;
  (* hierconn *) wire \dut.r_ends ;
  (* hierconn *) wire [33:0] \dut.r_rec ;
  (* hierconn *) wire \dut.out_valid ;
  (* hierconn *) wire [23:0] \dut.out_qpn ;
  (* hierconn *) wire [1:0] \dut.valid_q ;
  (* hierconn *) wire [33:0] \dut.f_q ;
  (* hierconn *) wire [33:0] \dut.x_q ;
  (* hierconn *) wire \dut.f_known_q ;
  (* hierconn *) wire \dut.x_known_q ;
  (* hierconn *) wire \dut.f_ends_q ;
  (* hierconn *) wire \dut.x_ends_q ;
  (* hierconn *) wire [6:0] \dut.x_state ;
  (* hierconn *) wire [6:0] \dut.x_state_d ;
  (* hierconn *) wire \dut.push ;
  (* hierconn *) wire \dut.leave ;
  (* hierconn *) wire [3:0] \dut.x_packets ;
  (* hierconn *) wire [2:0] \dut.count_q ;
  (* hierconn *) wire \dut.some_q ;
  (* hierconn *) wire \dut.place_q ;
  (* hierconn *) wire [1:0] \dut.under_way_q ;
  (* hierconn *) wire \dut.d_valid_q ;
  (* hierconn *) wire [5:0] \dut.d_data ;
  (* hierconn *) wire \dut.u_context.x_we_i ;
  (* hierconn *) wire \dut.u_queue.wlanes_i ;
  (* hierconn *) wire [1:0] \dut.u_queue.waddr_i ;
  (* hierconn *) wire [5:0] \dut.u_queue.wdata_i ;
  (* hierconn *) wire \dut.u_queue.re_i ;
  (* hierconn *) wire [1:0] \dut.u_queue.raddr_i ;
  (* hierconn *) wire \dut.u_turns.valid_i ;
  (* hierconn *) wire [27:0] \dut.u_turns.data_i ;
  (* hierconn *) wire [1:0] \dut.u_turns.count_q ;
  (* hierconn *) wire \dut.u_turns.write_ptr_q ;
  (* hierconn *) wire \dut.u_turns.read_ptr_q ;
  (* hierconn *) wire [1:0] \dut.u_left.count_q ;
  (* hierconn *) wire \dut.u_left.ready_q ;
  (* hierconn *) wire \dut.u_left.write_ptr_q ;
  (* hierconn *) wire \dut.u_left.read_ptr_q ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // Places that were given, left the queue, were taken by the packetizer, and ended; modulo 16.
  logic [3:0] given_q, left_q, taken_q, ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      given_q <= '0;
      left_q  <= '0;
      taken_q <= '0;
      ended_q <= '0;
    end else begin
      given_q <= given_q + 4'(\dut.push );
      left_q  <= left_q + 4'(\dut.leave );
      taken_q <= taken_q + 4'(m_valid & m_ready_i);
      ended_q <= ended_q + 4'(\dut.r_ends );
    end
  end

  // Each QP: its word, its place, and whether the done of its turn is in F or X.
  logic [27:0] words_q;
  logic [15:0] place_q;
  logic [3:0] stands_q, in_f_q, in_x_q, at_head, in_r, pushes;
  for (genvar q = 0; q < 4; q++) begin : gen_qps
    logic x_is;
    assign x_is       = \dut.valid_q [1] && \dut.x_q [23:0] == 24'(q);
    assign at_head[q] = stands_q[q] && !in_f_q[q] && !in_x_q[q] && place_q[4*q+:4] == ended_q;
    assign in_r[q]    = \dut.r_ends && \dut.r_rec [23:0] == 24'(q);
    assign pushes[q]  = \dut.push && \dut.x_q [23:0] == 24'(q);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        words_q[7*q+:7] <= '0;
        stands_q[q]     <= 1'b0;
        in_f_q[q]       <= 1'b0;
        in_x_q[q]       <= 1'b0;
      end else begin
        if (x_is && \dut.u_context.x_we_i ) words_q[7*q+:7] <= \dut.x_state_d ;
        in_f_q[q] <= in_r[q];
        in_x_q[q] <= in_f_q[q];
        if (in_x_q[q]) stands_q[q] <= 1'b0;
        if (pushes[q]) stands_q[q] <= 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      if (pushes[q]) place_q[4*q+:4] <= given_q;
    end
    always_ff @(posedge clk_i) begin
      if (!initial_q && rst_ni) begin
        if (x_is) assume (\dut.x_state == words_q[7*q+:7]);
        if (\dut.out_valid && at_head[q]) assume (\dut.out_qpn == 24'(q));
        if (Check[0] || Check[3]) begin
          assert (words_q[7*q+5] == stands_q[q]);  // awake
          assert (!(in_f_q[q] && in_x_q[q]) && (stands_q[q] || !(in_f_q[q] || in_x_q[q])));
          assert (in_f_q[q] == (\dut.valid_q [0] && \dut.f_ends_q && \dut.f_q [23:0] == 24'(q)));
          assert (in_x_q[q] == (\dut.valid_q [1] && \dut.x_ends_q && \dut.x_q [23:0] == 24'(q)));
          if (stands_q[q] && !in_f_q[q] && !in_x_q[q]) begin
            assert (4'(place_q[4*q+:4] - ended_q) < 4'(given_q - ended_q));
            for (int unsigned p = 0; p < q; p++) begin
              if (stands_q[p] && !in_f_q[p] && !in_x_q[p]) assert (place_q[4*p+:4] != place_q[4*q+:4]);
            end
          end
        end
        if (Check[3] && pushes[q]) assert (!stands_q[q] || in_x_q[q]);
      end
    end
  end

  // QPs that stand in the queue or have a turn under way whose done has not come.
  logic [2:0] standing;
  always_comb begin
    standing = '0;
    for (int unsigned q = 0; q < 4; q++) standing = standing + 3'(stands_q[q] && !in_f_q[q] && !in_x_q[q]);
  end

  logic was_stalled_q = 1'b0;
  logic [27:0] turn_q;
  always_ff @(posedge clk_i) begin
    was_stalled_q <= rst_ni & m_valid & ~m_ready_i;
    turn_q        <= m_turn;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[1] && was_stalled_q) assert (m_valid);
      if (Check[2] && was_stalled_q) assert (m_turn == turn_q);
      if (Check[0]) begin
        assert (4'(\dut.count_q ) == 4'(given_q - left_q) && \dut.some_q == (\dut.count_q != '0));
        assert (4'(\dut.under_way_q ) == 4'(left_q - ended_q) && \dut.place_q == (\dut.under_way_q != 2'd2) ||
                !\dut.place_q && \dut.under_way_q == '0 && 4'(left_q - ended_q) == '0);
        assert (4'(\dut.u_turns.count_q ) == 4'(left_q - taken_q) && 4'(\dut.u_left.count_q ) == 4'(taken_q - ended_q));
        assert (2'(\dut.d_valid_q ) + 2'(m_valid) + 2'(1'(\dut.u_turns.write_ptr_q - \dut.u_turns.read_ptr_q )) ==
                \dut.u_turns.count_q );
        assert (m_valid || \dut.u_turns.write_ptr_q == \dut.u_turns.read_ptr_q );
        assert (2'(\dut.out_valid ) + 2'(1'(\dut.u_left.write_ptr_q - \dut.u_left.read_ptr_q )) ==
                \dut.u_left.count_q );
        assert (\dut.out_valid || \dut.u_left.write_ptr_q == \dut.u_left.read_ptr_q );
        assert (\dut.u_left.ready_q == (\dut.u_left.count_q != 2'd2) || (!\dut.u_left.ready_q && left_q == '0));
        if (\dut.valid_q [0]) assert (\dut.f_known_q == (\dut.f_q [23:2] == '0));
        if (\dut.valid_q [1]) assert (\dut.x_known_q == (\dut.x_q [23:2] == '0));
        if (\dut.valid_q [0] && \dut.f_ends_q ) assert (\dut.f_q [26:24] == 3'd1 && \dut.f_known_q );
        if (\dut.valid_q [1] && \dut.x_ends_q ) assert (\dut.x_q [26:24] == 3'd1 && \dut.x_known_q );
      end
      if (Check[0] || Check[4]) begin
        assert (4'(standing) == 4'(given_q - ended_q));
        assert (\dut.count_q <= 3'd4 && 4'(left_q - ended_q) <= 4'd2);
      end
      if (Check[4]) begin
        if (m_valid && m_ready_i) assert (\dut.u_left.ready_q );
        if (\dut.out_valid ) assert (at_head != '0 && (at_head & 4'(at_head - 4'd1)) == '0);
      end
      if (Check[5]) begin
        assert (\dut.u_queue.wlanes_i == \dut.push && \dut.u_queue.re_i == \dut.leave );
        assert (\dut.u_queue.waddr_i == given_q[1:0] && \dut.u_queue.raddr_i == left_q[1:0]);
        if (\dut.push ) assert (\dut.u_queue.wdata_i == {\dut.x_packets , \dut.x_q [1:0]} && \dut.x_q [23:2] == '0);
        if (\dut.leave ) assert (given_q != left_q);
        if (\dut.u_turns.valid_i ) assert (\dut.u_turns.data_i == {\dut.d_data [5:2], 22'd0, \dut.d_data [1:0]});
      end
      if (Check[6] && \dut.r_valid && !\dut.r_go ) begin
        assert (\dut.r_rec [26:24] == 3'd1 && taken_q == ended_q);
        assert (given_q != taken_q || \dut.valid_q != '0);
      end
      if (Check[7]) begin
        if (\dut.r_ends ) assert (\dut.r_valid && \dut.r_go && \dut.r_rec [26:24] == 3'd1 && (in_r & at_head) != '0);
        if (\dut.valid_q [1] && \dut.x_ends_q ) assert (in_x_q != '0);
      end
    end
  end

endmodule
