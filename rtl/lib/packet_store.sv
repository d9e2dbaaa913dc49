// SPDX-License-Identifier: Apache-2.0
// A FIFO whose writer decides at the end of a packet whether it counts. What is pushed is offered after keep_i only;
// drop_i takes back everything pushed since the last of either. Once full_o is high, the caller may still push Spare
// entries, those that were on their way: full_o means that no more than these have a place for certain. The output
// comes straight from the memory's read register.
module packet_store #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 64,  // a power of two
  parameter int unsigned Spare = 0    // less than Depth
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             push_i,  // with full_o high no more than Spare times
  input  logic             keep_i,  // with the last push of a packet or later
  input  logic             drop_i,  // instead of keep_i; a push in the same clock is dropped too
  input  logic [Width-1:0] data_i,
  output logic             full_o,  // from a register; it may fall a clock late

  output logic [Width-1:0] m_data_o,
  output logic             m_valid_o,
  input  logic             m_ready_i
);

  localparam int unsigned AddrWidth = $clog2(Depth);

  if (Width < 1) begin : gen_bad_width
    $error("packet_store: Width must be at least 1");
  end
  if (Depth < 2 || Depth != 2 ** AddrWidth) begin : gen_bad_depth
    $error("packet_store: Depth must be a power of two from 2");
  end
  if (Spare >= Depth) begin : gen_bad_spare
    $error("packet_store: Spare must be less than Depth");
  end

  // Pointers have a bit more than an address: equal means empty, equal but for that bit full.
  logic [AddrWidth:0] write_q, write_d, kept_q, read_q, pushed, level_d;
  logic full_q, valid_q, read;
  logic [Width-1:0] mem_q[Depth];
  logic [Width-1:0] data_q;

  assign pushed  = write_q + {{AddrWidth{1'b0}}, push_i};
  assign write_d = drop_i ? kept_q : pushed;
  assign level_d = write_d - read_q;
  assign read    = (m_ready_i | ~valid_q) & (read_q != kept_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {write_q, kept_q, read_q} <= '0;
      {full_q, valid_q} <= '0;
    end else begin
      write_q <= write_d;
      full_q  <= level_d >= (AddrWidth + 1)'(Depth - Spare);
      if (keep_i) kept_q <= pushed;
      if (read) read_q <= read_q + 1'b1;
      if (m_ready_i || !valid_q) valid_q <= read;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[write_q[AddrWidth-1:0]] <= data_i;
    if (read) data_q <= mem_q[read_q[AddrWidth-1:0]];
  end

  assign full_o    = full_q;
  assign m_valid_o = valid_q;
  assign m_data_o  = data_q;

endmodule
