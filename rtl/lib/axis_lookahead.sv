// Holds a beat until its successor in the packet is there to be seen, so that a block can act on a beat knowing whether
// the next one ends the packet: while m_valid_o is high and m_last_o low, the successor is on s_data_i. A last beat does
// not wait. m_valid_o never waits for m_ready_i.
module axis_lookahead #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] s_data_i,
  input  logic             s_last_i,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  output logic [Width-1:0] m_data_o,
  output logic             m_last_o,
  output logic             m_valid_o,
  input  logic             m_ready_i
);

  logic valid_q, last_q;
  logic [Width-1:0] data_q;

  assign m_valid_o = valid_q & (last_q | s_valid_i);
  assign m_data_o  = data_q;
  assign m_last_o  = last_q;
  assign s_ready_o = ~valid_q | (m_valid_o & m_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (s_ready_o) valid_q <= s_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (s_ready_o) begin
      last_q <= s_last_i;
      data_q <= s_data_i;
    end
  end

endmodule
