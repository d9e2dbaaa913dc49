// SPDX-License-Identifier: Apache-2.0
// What packet_store was told to keep comes out of it, once and in order, and nothing else: for every input, stall and
// reset.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of packet_store.go.
module packet_store_proof #(
  parameter int unsigned Width = 3,
  parameter int unsigned Depth = 4,
  parameter int unsigned Spare = 1,
  parameter logic [6:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] data_i,
  input logic             push_i,
  input logic             keep_i,
  input logic             drop_i,
  input logic             m_ready_i
);

  localparam int unsigned AddrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = $clog2(Depth + 2);

  logic full, m_valid, pop;
  logic [Width-1:0] m_data;

  packet_store #(
    .Width(Width),
    .Depth(Depth),
    .Spare(Spare)
  ) dut (
    .clk_i,
    .rst_ni,
    .push_i,
    .keep_i,
    .drop_i,
    .data_i,
    .full_o   (full),
    .m_data_o (m_data),
    .m_valid_o(m_valid),
    .m_ready_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [AddrWidth:0] \dut.write_q ;
  (* hierconn *) wire [AddrWidth:0] \dut.kept_q ;
  (* hierconn *) wire [AddrWidth:0] \dut.read_q ;
  (* hierconn *) wire [Width-1:0] \dut.mem_q[0] ;
  (* hierconn *) wire [Width-1:0] \dut.mem_q[1] ;
  (* hierconn *) wire [Width-1:0] \dut.mem_q[2] ;
  (* hierconn *) wire [Width-1:0] \dut.mem_q[3] ;

  logic [Width*Depth-1:0] mem;
  assign mem = {\dut.mem_q[3] , \dut.mem_q[2] , \dut.mem_q[1] , \dut.mem_q[0] };

  // What is inside, oldest first: a row that moves up, without pointers. The first kept_now of them are to come out.
  // It has places to spare, for the entry in the output register and for a block that takes too much.
  logic [CountWidth-1:0] inside_q, kept_q, left, pushed, inside_d, kept_d;
  logic [Width*(Depth+2)-1:0] row_q, moved;

  assign pop      = m_valid & m_ready_i;
  assign left     = inside_q - CountWidth'(pop);
  assign pushed   = left + CountWidth'(push_i);
  assign moved    = pop ? row_q >> Width : row_q;
  assign kept_d   = keep_i ? pushed : kept_q - CountWidth'(pop);
  assign inside_d = drop_i ? kept_q - CountWidth'(pop) : pushed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
      kept_q   <= '0;
    end else begin
      inside_q <= inside_d;
      kept_q   <= kept_d;
    end
  end
  always_ff @(posedge clk_i) begin
    row_q <= moved;
    if (push_i) row_q[left*Width+:Width] <= data_i;
  end

  // Entries in the memory: all but the one in the output register.
  logic [CountWidth-1:0] stored;
  assign stored = inside_q - CountWidth'(m_valid);

  // What was pushed since full_o rose.
  logic [CountWidth-1:0] over_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) over_q <= '0;
    else over_q <= full ? over_q + CountWidth'(push_i) : '0;
  end

  // The cycle before.
  logic initial_q = 1'b1;
  logic was_stalled_q = 1'b0;
  logic was_free_q = 1'b0;   // the output register was, and something kept waited for it
  logic was_taken_q = 1'b0;  // the output was, and something kept waited behind it
  logic was_late_q = 1'b0;   // full_o said full though there were more places, and nothing came
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    was_stalled_q <= rst_ni & m_valid & ~m_ready_i;
    was_free_q    <= rst_ni & ~m_valid & (kept_q != '0);
    was_taken_q   <= rst_ni & pop & (kept_q > CountWidth'(1));
    was_late_q    <= rst_ni & full & ~push_i & (stored < CountWidth'(Depth - Spare));
    data_q        <= m_data;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni) begin
      assume (!(keep_i && drop_i));
      assume (!(push_i && full && over_q == CountWidth'(Spare)));
    end
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (kept_q <= inside_q && inside_q <= CountWidth'(Depth + 1));
        assert (!m_valid || kept_q != '0);
        assert ((AddrWidth + 1)'(\dut.write_q - \dut.read_q ) == (AddrWidth + 1)'(stored));
        assert ((AddrWidth + 1)'(\dut.kept_q - \dut.read_q ) == (AddrWidth + 1)'(kept_q - CountWidth'(m_valid)));
        assert (stored <= CountWidth'(Depth));
        if (full) assert (stored <= CountWidth'(Depth - Spare) + over_q && over_q <= CountWidth'(Spare));
        for (int unsigned i = 0; i < Depth; i++) begin
          if (i < stored) assert (mem[AddrWidth'(\dut.read_q + i)*Width+:Width] == row_q[(i+m_valid)*Width+:Width]);
        end
      end
      if (Check[0] || Check[1]) begin
        if (m_valid) assert (kept_q != '0 && m_data == row_q[Width-1:0]);
      end
      if (Check[0] || Check[2]) begin
        if (stored >= CountWidth'(Depth - Spare)) assert (full);
        if (was_late_q) assert (!full);
      end
      if (Check[3] && was_free_q) assert (m_valid);
      if (Check[4] && was_stalled_q) assert (m_valid);
      if (Check[5] && was_stalled_q) assert (m_data == data_q);
      if (Check[6] && was_taken_q) assert (m_valid);
    end
  end

endmodule
