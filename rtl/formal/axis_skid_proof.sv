// SPDX-License-Identifier: Apache-2.0
// What goes into axis_skid comes out of it, once, in order and by the stream rules: for every input, stall and reset.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of main.go.
module axis_skid_proof #(
  parameter int unsigned Width = 8,
  parameter logic [4:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] s_data_i,
  input logic             s_valid_i,
  input logic             m_ready_i
);

  logic s_ready, m_valid, push, pop;
  logic [Width-1:0] m_data;

  axis_skid #(
    .Width(Width)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_data_i,
    .s_valid_i,
    .s_ready_o(s_ready),
    .m_data_o (m_data),
    .m_valid_o(m_valid),
    .m_ready_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.spare_valid_q ;
  (* hierconn *) wire [Width-1:0] \dut.spare_q ;

  assign push = s_valid_i & s_ready;
  assign pop  = m_valid & m_ready_i;

  // What is inside, oldest first: a queue that knows nothing of head and spare. It has a place to spare for a block
  // that takes too much.
  logic [1:0] count_q;
  logic [Width-1:0] first_q, second_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + 2'(push) - 2'(pop);
  end
  always_ff @(posedge clk_i) begin
    if (pop) first_q <= second_q;
    if (push && count_q - 2'(pop) == 2'd0) first_q <= s_data_i;
    if (push && count_q - 2'(pop) == 2'd1) second_q <= s_data_i;
  end

  // The cycle before.
  logic initial_q = 1'b1;
  logic was_up_q = 1'b0;  // it was not a reset
  logic was_stalled_q = 1'b0;
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    was_up_q      <= rst_ni;
    was_stalled_q <= rst_ni & m_valid & ~m_ready_i;
    data_q        <= m_data;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.spare_valid_q == (count_q == 2'd2));
        if (count_q == 2'd2) assert (\dut.spare_q == second_q);
      end
      if (Check[0] || Check[1]) begin
        assert (m_valid == (count_q != 2'd0));
        if (m_valid) assert (m_data == first_q);
      end
      if (Check[0] || Check[2]) begin
        assert (count_q <= 2'd2);
        assert (s_ready == (was_up_q && count_q < 2'd2));
      end
      if (Check[3] && was_stalled_q) assert (m_valid);
      if (Check[4] && was_stalled_q) assert (m_data == data_q);
    end
  end

endmodule
