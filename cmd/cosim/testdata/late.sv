// A port of a device that is late: what comes in goes out as it came, `delay` clocks later or up to `jitter` more, of
// which each record has its own number. Both come by plusargs, NAME=delay and NAME_jitter; without them none is late.
module late_port #(
  parameter int unsigned Width = 8,
  parameter string Name = ""
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [Width-1:0] s_data_i,
  input  logic             s_valid_i,
  output logic             s_ready_o,

  output logic [Width-1:0] m_data_o,
  output logic             m_valid_o,
  input  logic             m_ready_i
);

  localparam int unsigned Depth = 1024;

  int unsigned delay, jitter, now_q, out_at;
  logic [Width-1:0] mem[Depth];
  int unsigned due[Depth];
  logic [9:0] write_q, read_q;

  initial begin
    delay  = 0;
    jitter = 0;
    void'($value$plusargs({Name, "=%d"}, delay));
    void'($value$plusargs({Name, "_jitter=%d"}, jitter));
  end

  assign out_at    = due[read_q];
  assign s_ready_o = write_q - read_q != 10'(Depth - 1);
  assign m_data_o  = mem[read_q];
  assign m_valid_o = write_q != read_q && now_q >= out_at;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q   <= 0;
      write_q <= '0;
      read_q  <= '0;
    end else begin
      now_q <= now_q + 1;
      if (s_valid_i && s_ready_o) write_q <= write_q + 1'b1;
      if (m_valid_o && m_ready_i) read_q <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    mem[write_q] <= s_data_i;
    due[write_q] <= now_q + delay + (((now_q * 32'd2654435761) >> 7) % (jitter + 1));
  end

endmodule
