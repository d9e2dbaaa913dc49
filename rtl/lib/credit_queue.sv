// SPDX-License-Identifier: Apache-2.0
// The output of a pipeline that never stands still: a queue with room for every record that is under way. A record
// may go into the pipeline while room_o is high (claim_i), comes out of it some fixed number of clocks later
// (valid_i), and leaves at m_*.
//
// Records that were claimed and have not left are never more than Depth, so what comes out of the pipeline always
// finds a place. room_o, m_valid_o and m_data_o come straight from registers. room_o is high in every cycle with
// fewer than Depth of them, but in the first one after reset. A record that finds the queue empty is offered in the
// next cycle. So a pipeline of L stages whose output is taken at once passes a record a clock if Depth is at least L
// + 1, its input register and this queue's output counted in.
module credit_queue #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16  // a power of two from 2; LUT memory
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             claim_i,  // only while room_o is high
  output logic             room_o,

  input  logic [Width-1:0] data_i,
  input  logic             valid_i,  // as many as were claimed, in their order

  output logic [Width-1:0] m_data_o,
  output logic             m_valid_o,
  input  logic             m_ready_i
);

  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  if (Width < 1) begin : gen_bad_width
    $error("credit_queue: Width must be at least 1");
  end
  if (Depth < 2 || Depth != 2 ** PtrWidth) begin : gen_bad_depth
    $error("credit_queue: Depth must be a power of two from 2");
  end

  // The oldest record stands in the output register, those behind it in the memory: at most Depth - 1.
  logic [Width-1:0] mem[Depth];
  logic [Width-1:0] out_q;
  logic [PtrWidth-1:0] write_ptr_q, read_ptr_q;
  logic [CountWidth-1:0] count_q, count_d;  // claimed and not left
  logic out_valid_q, room_q, pop, move, mem_empty;

  assign pop       = out_valid_q & m_ready_i;
  assign move      = m_ready_i | ~out_valid_q;
  assign mem_empty = write_ptr_q == read_ptr_q;
  assign count_d   = count_q + CountWidth'(claim_i) - CountWidth'(pop);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_ptr_q <= '0;
      read_ptr_q  <= '0;
      count_q     <= '0;
      out_valid_q <= 1'b0;
      room_q      <= 1'b0;
    end else begin
      if (valid_i & ~(move & mem_empty)) write_ptr_q <= write_ptr_q + 1'b1;
      if (move & ~mem_empty) read_ptr_q <= read_ptr_q + 1'b1;
      if (move) out_valid_q <= ~mem_empty | valid_i;
      count_q <= count_d;
      room_q  <= count_d != CountWidth'(Depth);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) mem[write_ptr_q] <= data_i;
    if (move) out_q <= mem_empty ? data_i : mem[read_ptr_q];
  end

  assign room_o    = room_q;
  assign m_valid_o = out_valid_q;
  assign m_data_o  = out_q;

endmodule
