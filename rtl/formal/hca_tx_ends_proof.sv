// SPDX-License-Identifier: Apache-2.0
// hca_tx_ends ends the WQE of each packet of UC and UD that leaves and is its last, once. The queue of packets is taken
// out: what stands at its head stays until it is taken, and that is what was given first (sync_fifo's). Check: one bit
// a property of hca_tx_ends.go, bit 0 is not used.
module hca_tx_ends_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [48:0] s_end_i,
  input logic        s_end_valid_i,
  input logic        s_left_good_i,
  input logic        s_left_valid_i,
  input logic        failing_i,
  input logic        m_verdict_ready_i
);

  logic room, left_ready, verdict_valid;
  retire_pkg::query_t verdict, wanted;

  hca_tx_ends dut (
    .clk_i,
    .rst_ni,
    .s_end_i,
    .s_end_valid_i,
    .s_end_room_o     (room),
    .s_left_good_i,
    .s_left_valid_i,
    .s_left_ready_o   (left_ready),
    .failing_i,
    .m_verdict_o      (verdict),
    .m_verdict_valid_o(verdict_valid),
    .m_verdict_ready_i
  );

  // Ports of the queue, joined by name when the design is flattened.
  (* hierconn *) wire [48:0] \dut.u_given.m_data_o ;
  (* hierconn *) wire \dut.u_given.m_valid_o ;
  (* hierconn *) wire \dut.u_given.m_ready_i ;
  (* hierconn *) wire [48:0] \dut.u_given.s_data_i ;
  (* hierconn *) wire \dut.u_given.s_valid_i ;

  logic initial_q = 1'b1;
  logic there, ends, answered;
  assign there    = \dut.u_given.m_valid_o ;
  assign ends     = \dut.u_given.m_data_o [48] && s_left_good_i;
  assign answered = s_left_valid_i && left_ready;

  always_comb begin
    wanted          = '0;
    wanted.qpn      = \dut.u_given.m_data_o [23:0];
    wanted.una      = \dut.u_given.m_data_o [47:24];
    wanted.op       = 3'd2;
    wanted.progress = 1'b1;
  end

  // The cycle before: what waits stays.
  logic waits_q = 1'b0;
  logic offered_q = 1'b0;
  logic stays_q = 1'b0;
  logic good_q;
  logic [48:0] head_q;
  retire_pkg::query_t verdict_q;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    waits_q   <= rst_ni && s_left_valid_i && !left_ready;
    stays_q   <= rst_ni && there && !\dut.u_given.m_ready_i ;
    offered_q <= rst_ni && verdict_valid && !m_verdict_ready_i;
    good_q    <= s_left_good_i;
    head_q    <= \dut.u_given.m_data_o ;
    verdict_q <= verdict;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (waits_q) assume (s_left_valid_i && s_left_good_i == good_q);
    if (stays_q) assume (there && \dut.u_given.m_data_o == head_q);
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        assert (verdict_valid == (there && s_left_valid_i && ends && !failing_i));
        if (verdict_valid) assert (verdict == wanted);
        assert (\dut.u_given.s_data_i == s_end_i && \dut.u_given.s_valid_i == s_end_valid_i);
      end
      if (Check[2]) begin
        assert (answered == (there && \dut.u_given.m_ready_i ));
        if (answered) assert ((verdict_valid && m_verdict_ready_i) == ends);
        if (verdict_valid && m_verdict_ready_i) assert (answered);
      end
      if (Check[3] && failing_i) assert (!verdict_valid && (!answered || !ends));
      if (Check[4] && offered_q && !failing_i) assert (verdict_valid && verdict == verdict_q);
    end
  end

endmodule
