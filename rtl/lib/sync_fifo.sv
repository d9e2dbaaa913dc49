// SPDX-License-Identifier: Apache-2.0
// A queue of Depth entries on one clock. s_ready_o, m_valid_o and m_data_o come straight from registers; an entry
// passes per clock, also while the queue is full or empty all the time.
//
// An entry taken in cycle c is offered in cycle c + 1 if the queue was empty. ready is high in every cycle with room:
// taken and not yet handed over are never more than Depth. It is low during reset and until one cycle after it.
module sync_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16  // a power of two from 2; LUT memory, so meant for some hundreds at most
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [Width-1:0]           s_data_i,
  input  logic                       s_valid_i,
  output logic                       s_ready_o,
  output logic [Width-1:0]           m_data_o,
  output logic                       m_valid_o,
  input  logic                       m_ready_i,
  output logic [$clog2(Depth+1)-1:0] count_o  // entries inside
);

  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  if (Depth < 2 || Depth != 2 ** PtrWidth) begin : gen_bad_depth
    $error("sync_fifo: Depth must be a power of two from 2");
  end

  // The oldest entry stands in the output register, those behind it in the memory.
  logic [Width-1:0] mem[Depth];
  logic [Width-1:0] out_q;
  logic [PtrWidth-1:0] write_ptr_q, read_ptr_q;
  logic [CountWidth-1:0] count_q, count_d;
  logic out_valid_q, ready_q;
  logic push, pop, move, mem_empty;

  assign push      = s_valid_i & ready_q;
  assign pop       = out_valid_q & m_ready_i;
  assign move      = m_ready_i | ~out_valid_q;
  assign mem_empty = write_ptr_q == read_ptr_q;  // never full: one entry is in the output register by then
  assign count_d   = count_q + CountWidth'(push) - CountWidth'(pop);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_ptr_q <= '0;
      read_ptr_q  <= '0;
      count_q     <= '0;
      out_valid_q <= 1'b0;
      ready_q     <= 1'b0;
    end else begin
      if (push & ~(move & mem_empty)) write_ptr_q <= write_ptr_q + 1'b1;
      if (move & ~mem_empty) read_ptr_q <= read_ptr_q + 1'b1;
      if (move) out_valid_q <= ~mem_empty | push;
      count_q <= count_d;
      ready_q <= count_d != CountWidth'(Depth);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem[write_ptr_q] <= s_data_i;
    if (move) out_q <= mem_empty ? s_data_i : mem[read_ptr_q];
  end

  assign s_ready_o = ready_q;
  assign m_valid_o = out_valid_q;
  assign m_data_o  = out_q;
  assign count_o   = count_q;

endmodule
