// SPDX-License-Identifier: Apache-2.0
// What goes into credit_queue comes out of it, once, in order and by the stream rules, and never meets a full queue:
// for every pipeline before it, stall and reset. All that is assumed of the pipeline: a record is claimed while there
// is room, and comes once it was.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of credit_queue.go.
module credit_queue_proof #(
  parameter int unsigned Width = 4,
  parameter int unsigned Depth = 4,
  parameter logic [5:0] Check = '1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             claim_i,
  input logic [Width-1:0] data_i,
  input logic             valid_i,
  input logic             m_ready_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam int unsigned PtrWidth = $clog2(Depth);

  logic room, m_valid, pop;
  logic [Width-1:0] m_data;

  credit_queue #(
    .Width(Width),
    .Depth(Depth)
  ) dut (
    .clk_i,
    .rst_ni,
    .claim_i,
    .room_o   (room),
    .data_i,
    .valid_i,
    .m_data_o (m_data),
    .m_valid_o(m_valid),
    .m_ready_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [CountWidth-1:0] \dut.count_q ;
  (* hierconn *) wire [PtrWidth-1:0] \dut.write_ptr_q ;
  (* hierconn *) wire [PtrWidth-1:0] \dut.read_ptr_q ;
  (* hierconn *) wire [Width-1:0] \dut.mem[0] ;
  (* hierconn *) wire [Width-1:0] \dut.mem[1] ;
  (* hierconn *) wire [Width-1:0] \dut.mem[2] ;
  (* hierconn *) wire [Width-1:0] \dut.mem[3] ;

  logic [Width*Depth-1:0] mem;
  assign mem = {\dut.mem[3] , \dut.mem[2] , \dut.mem[1] , \dut.mem[0] };

  // Claimed and not yet there; and what is inside, oldest first: a row that moves up, without pointers, with a place
  // to spare.
  logic [CountWidth-1:0] coming_q, inside_q, kept;
  logic [Width*(Depth+1)-1:0] row_q, moved;

  assign pop   = m_valid & m_ready_i;
  assign kept  = inside_q - CountWidth'(pop);
  assign moved = pop ? row_q >> Width : row_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {coming_q, inside_q} <= '0;
    else begin
      coming_q <= coming_q + CountWidth'(claim_i) - CountWidth'(valid_i);
      inside_q <= kept + CountWidth'(valid_i);
    end
  end
  always_ff @(posedge clk_i) begin
    row_q <= moved;
    if (valid_i) row_q[kept*Width+:Width] <= data_i;
  end

  // The cycle before.
  logic initial_q = 1'b1;
  logic was_up_q = 1'b0;  // it was not a reset
  logic was_stalled_q = 1'b0;
  logic came_q = 1'b0;
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    was_up_q      <= rst_ni;
    was_stalled_q <= rst_ni & m_valid & ~m_ready_i;
    came_q        <= rst_ni & valid_i;
    data_q        <= m_data;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (!claim_i || room);
    assume (!valid_i || coming_q != '0);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (m_valid == (inside_q != '0));
        assert (\dut.count_q == coming_q + inside_q && {1'b0, coming_q} + {1'b0, inside_q} <= (CountWidth + 1)'(Depth));
        assert (PtrWidth'(\dut.write_ptr_q - \dut.read_ptr_q ) == PtrWidth'(inside_q - CountWidth'(m_valid)));
        for (int unsigned i = 1; i < Depth; i++) begin
          if (i < inside_q) assert (mem[PtrWidth'(\dut.read_ptr_q + i - 1)*Width+:Width] == row_q[i*Width+:Width]);
        end
      end
      if (Check[0] || Check[1]) begin
        if (m_valid) assert (inside_q != '0 && m_data == row_q[Width-1:0]);
      end
      if (Check[0] || Check[2]) begin
        assert (room == (was_up_q && {1'b0, coming_q} + {1'b0, inside_q} < (CountWidth + 1)'(Depth)));
      end
      if (Check[3] && was_stalled_q) assert (m_valid);
      if (Check[4] && was_stalled_q) assert (m_data == data_q);
      if (Check[5] && came_q) assert (m_valid);
    end
  end

endmodule
