// SPDX-License-Identifier: Apache-2.0
// What goes into sync_fifo comes out of it, once, in order and by the stream rules: for every input, stall and reset.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of sync_fifo.go.
module sync_fifo_proof #(
  parameter int unsigned Width = 4,
  parameter int unsigned Depth = 4,
  parameter logic [6:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] s_data_i,
  input logic             s_valid_i,
  input logic             m_ready_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam int unsigned PtrWidth = $clog2(Depth);

  logic s_ready, m_valid, push, pop;
  logic [Width-1:0] m_data;
  logic [CountWidth-1:0] count;

  sync_fifo #(
    .Width(Width),
    .Depth(Depth)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_data_i,
    .s_valid_i,
    .s_ready_o(s_ready),
    .m_data_o (m_data),
    .m_valid_o(m_valid),
    .m_ready_i,
    .count_o  (count)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [PtrWidth-1:0] \dut.write_ptr_q ;
  (* hierconn *) wire [PtrWidth-1:0] \dut.read_ptr_q ;
  (* hierconn *) wire [Width-1:0] \dut.mem[0] ;
  (* hierconn *) wire [Width-1:0] \dut.mem[1] ;
  (* hierconn *) wire [Width-1:0] \dut.mem[2] ;
  (* hierconn *) wire [Width-1:0] \dut.mem[3] ;

  logic [Width*Depth-1:0] mem;
  assign mem = {\dut.mem[3] , \dut.mem[2] , \dut.mem[1] , \dut.mem[0] };

  // What is inside, oldest first: a row that moves up, without pointers. It has a place to spare for a block that
  // takes too much.
  logic [CountWidth-1:0] inside_q, kept;
  logic [Width*(Depth+1)-1:0] row_q, moved;

  assign push  = s_valid_i & s_ready;
  assign pop   = m_valid & m_ready_i;
  assign kept  = inside_q - CountWidth'(pop);
  assign moved = pop ? row_q >> Width : row_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= '0;
    else inside_q <= kept + CountWidth'(push);
  end
  always_ff @(posedge clk_i) begin
    row_q <= moved;
    if (push) row_q[kept*Width+:Width] <= s_data_i;
  end

  // The cycle before.
  logic initial_q = 1'b1;
  logic was_up_q = 1'b0;  // it was not a reset
  logic was_stalled_q = 1'b0;
  logic pushed_q = 1'b0;
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    was_up_q      <= rst_ni;
    was_stalled_q <= rst_ni & m_valid & ~m_ready_i;
    pushed_q      <= rst_ni & push;
    data_q        <= m_data;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (m_valid == (inside_q != '0));
        assert (PtrWidth'(\dut.write_ptr_q - \dut.read_ptr_q ) == PtrWidth'(inside_q - CountWidth'(m_valid)));
        for (int unsigned i = 1; i < Depth; i++) begin
          if (i < inside_q) assert (mem[PtrWidth'(\dut.read_ptr_q + i - 1)*Width+:Width] == row_q[i*Width+:Width]);
        end
      end
      if (Check[0] || Check[1]) begin
        if (m_valid) assert (inside_q != '0 && m_data == row_q[Width-1:0]);
      end
      if (Check[0] || Check[2]) begin
        assert (inside_q <= CountWidth'(Depth));
        assert (s_ready == (was_up_q && inside_q < CountWidth'(Depth)));
      end
      if (Check[3] && was_stalled_q) assert (m_valid);
      if (Check[4] && was_stalled_q) assert (m_data == data_q);
      if (Check[5] && pushed_q) assert (m_valid);
      if (Check[0] || Check[6]) assert (count == inside_q);
    end
  end

endmodule
