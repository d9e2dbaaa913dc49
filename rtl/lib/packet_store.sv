// A FIFO whose writer decides at the end of a packet whether it counts. What is pushed is offered after keep_i only; drop_i
// takes back everything pushed since the last of either. The output comes straight from the memory's read register.
module packet_store #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 64  // a power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             push_i,  // not while full_o
  input  logic             keep_i,  // with the last push of a packet or later
  input  logic             drop_i,  // instead of keep_i; a push in the same clock is dropped too
  input  logic [Width-1:0] data_i,
  output logic             full_o,  // from a register; it may fall a clock late

  output logic [Width-1:0] m_data_o,
  output logic             m_valid_o,
  input  logic             m_ready_i
);

  localparam int unsigned AddrWidth = $clog2(Depth);

  // Pointers have a bit more than an address: equal means empty, equal but for that bit full.
  logic [AddrWidth:0] write_q, write_d, kept_q, read_q, pushed;
  logic full_q, valid_q, read;
  logic [Width-1:0] mem_q[Depth];
  logic [Width-1:0] data_q;

  assign pushed  = write_q + {{AddrWidth{1'b0}}, push_i};
  assign write_d = drop_i ? kept_q : pushed;
  assign read    = (m_ready_i | ~valid_q) & (read_q != kept_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {write_q, kept_q, read_q} <= '0;
      {full_q, valid_q} <= '0;
    end else begin
      write_q <= write_d;
      full_q  <= write_d == {~read_q[AddrWidth], read_q[AddrWidth-1:0]};
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
