// SPDX-License-Identifier: Apache-2.0
// tx_arbiter lets frames leave whole and as they are, and each in its turn. What the queues of its inputs hold, and
// when its output has room, may be anything.
// Check: bit 0 what induction needs, then one bit a property of tx_arbiter.go.
module tx_arbiter_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [295:0] beats_i,  // link, last, keep and data of four inputs
  input logic [3:0]   valid_i,
  input logic         ready_i
);

  logic [3:0] s_ready;
  logic [63:0] m_data;
  logic [7:0] m_keep;
  logic [2:0] m_user;
  logic m_last, m_valid;

  tx_arbiter #(
    .NumInputs(4),
    .DataWidth(64),
    .Depth    (2)
  ) dut (
    .clk_i,
    .rst_ni,
    .s0_axis_tdata_i (beats_i[63:0]),
    .s0_axis_tkeep_i (beats_i[71:64]),
    .s0_axis_tlast_i (beats_i[72]),
    .s0_axis_tuser_i (beats_i[73]),
    .s0_axis_tvalid_i(valid_i[0]),
    .s0_axis_tready_o(s_ready[0]),
    .s1_axis_tdata_i (beats_i[137:74]),
    .s1_axis_tkeep_i (beats_i[145:138]),
    .s1_axis_tlast_i (beats_i[146]),
    .s1_axis_tuser_i (beats_i[147]),
    .s1_axis_tvalid_i(valid_i[1]),
    .s1_axis_tready_o(s_ready[1]),
    .s2_axis_tdata_i (beats_i[211:148]),
    .s2_axis_tkeep_i (beats_i[219:212]),
    .s2_axis_tlast_i (beats_i[220]),
    .s2_axis_tuser_i (beats_i[221]),
    .s2_axis_tvalid_i(valid_i[2]),
    .s2_axis_tready_o(s_ready[2]),
    .s3_axis_tdata_i (beats_i[285:222]),
    .s3_axis_tkeep_i (beats_i[293:286]),
    .s3_axis_tlast_i (beats_i[294]),
    .s3_axis_tuser_i (beats_i[295]),
    .s3_axis_tvalid_i(valid_i[3]),
    .s3_axis_tready_o(s_ready[3]),
    .m_axis_tdata_o  (m_data),
    .m_axis_tkeep_o  (m_keep),
    .m_axis_tlast_o  (m_last),
    .m_axis_tuser_o  (m_user),
    .m_axis_tvalid_o (m_valid),
    .m_axis_tready_i (ready_i)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [3:0] \dut.there ;
  (* hierconn *) wire [3:0] \dut.grant ;
  (* hierconn *) wire [3:0] \dut.busy_q ;
  (* hierconn *) wire [1:0] \dut.from ;
  (* hierconn *) wire [73:0] \dut.beat ;
  (* hierconn *) wire [73:0] \dut.head0 ;
  (* hierconn *) wire [73:0] \dut.head1 ;
  (* hierconn *) wire [73:0] \dut.head2 ;
  (* hierconn *) wire [73:0] \dut.head3 ;
  (* hierconn *) wire \dut.move ;
  (* hierconn *) wire \dut.out_ready ;
  (* hierconn *) wire [3:0] \dut.u_turn.later_q ;
  (* hierconn *) wire [3:0] \dut.u_turn.held_q ;
  (* hierconn *) wire \dut.u_turn.locked_q ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // What leaves the queues: the head of each stays until it is taken, sync_fifo's.
  logic [3:0] pop, held_q;
  logic [295:0] heads, heads_q;
  logic one_pop, one_grant;

  assign pop       = \dut.grant & \dut.there & {4{\dut.out_ready }};
  assign heads     = {\dut.head3 , \dut.head2 , \dut.head1 , \dut.head0 };
  assign one_pop   = (pop & (pop - 4'd1)) == 4'd0;
  assign one_grant = (\dut.grant & (\dut.grant - 4'd1)) == 4'd0;

  always_ff @(posedge clk_i) begin
    held_q  <= {4{rst_ni}} & \dut.there & ~pop;
    heads_q <= heads;
    for (int unsigned i = 0; i < 4; i++) begin
      if (held_q[i] && rst_ni) assume (\dut.there [i] && heads[74*i+:74] == heads_q[74*i+:74]);
    end
  end

  // Whose frame is open: begun, and its last beat has not left. begun_q[4 * i + j]: how many frames of j began while a
  // beat of i stood at the head of its queue, 3 for more.
  logic [3:0] open_q, begins;
  logic [31:0] begun_q;

  assign begins = pop & ~open_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q  <= '0;
      begun_q <= '0;
    end else begin
      if (pop != 4'd0) open_q <= \dut.beat [72] ? 4'd0 : pop;
      for (int unsigned i = 0; i < 4; i++) begin
        for (int unsigned j = 0; j < 4; j++) begin
          if (!\dut.there [i] || pop[i]) begun_q[8*i+2*j+:2] <= '0;
          else if (begins[j] && begun_q[8*i+2*j+:2] != 2'd3) begun_q[8*i+2*j+:2] <= begun_q[8*i+2*j+:2] + 2'd1;
        end
      end
    end
  end

  // before[4 * i + j]: i comes before j, as the arbiter counts from the last turn on.
  logic [15:0] before;

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      for (int unsigned j = 0; j < 4; j++) begin
        before[4*i+j] = \dut.u_turn.later_q [i] == \dut.u_turn.later_q [j] ? i < j : \dut.u_turn.later_q [i];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.busy_q == open_q);
        assert (one_grant);
        if (open_q != 4'd0) assert (\dut.u_turn.locked_q && \dut.u_turn.held_q == open_q);
        if (\dut.u_turn.locked_q ) begin
          assert (\dut.u_turn.held_q != 4'd0 && (\dut.u_turn.held_q & (\dut.u_turn.held_q - 4'd1)) == 4'd0);
          assert ((\dut.u_turn.held_q & (\dut.there | open_q)) != 4'd0);
        end
        // The inputs behind the last turn are those of the higher numbers.
        assert (({\dut.u_turn.later_q [2:0], 1'b0} & ~\dut.u_turn.later_q ) == 4'd0);
        for (int unsigned i = 0; i < 4; i++) begin
          for (int unsigned j = 0; j < 4; j++) begin
            if (i != j && begun_q[8*i+2*j+:2] != 2'd0) begin
              assert (open_q[j] || before[4*i+j] && !(\dut.u_turn.locked_q && \dut.u_turn.held_q [j]));
              for (int unsigned k = 0; k < 4; k++) begin
                if (!open_q[j] && \dut.u_turn.locked_q && \dut.u_turn.held_q [k] && k != i) assert (before[4*k+i]);
              end
            end
          end
        end
      end
      if (Check[1]) begin
        assert (one_pop && \dut.move == (pop != 4'd0));
        for (int unsigned i = 0; i < 4; i++) begin
          if (pop[i]) assert ({\dut.from , \dut.beat } == {2'(i), heads[74*i+:74]});
        end
      end
      if (Check[2] && open_q != 4'd0) assert ((pop & ~open_q) == 4'd0);
      if (Check[3]) begin
        for (int unsigned i = 0; i < 4; i++) begin
          for (int unsigned j = 0; j < 4; j++) begin
            if (i != j) assert (!begun_q[8*i+2*j+1]);
          end
        end
      end
      if (Check[4] && \dut.out_ready && (open_q == 4'd0 ? \dut.there : \dut.there & open_q) != 4'd0) begin
        assert (pop != 4'd0);
      end
    end
  end

endmodule
