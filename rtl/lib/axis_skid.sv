// SPDX-License-Identifier: Apache-2.0
// A two-entry buffer that cuts the ready path: s_ready_o, m_valid_o and m_data_o all come straight from registers, and
// a beat passes per clock. Used at the edge of a block whose pipeline stalls as a whole.
module axis_skid #(
  parameter int unsigned Width = 8
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

  // The head leaves at m_*; the spare takes the one beat that arrives while the head is stuck.
  logic [Width-1:0] head_q, spare_q;
  logic head_valid_q, spare_valid_q, spare_valid_d, ready_q;
  logic push, move;

  assign push = s_valid_i & ready_q;
  assign move = m_ready_i | ~head_valid_q;
  assign spare_valid_d = ~move & (spare_valid_q | push);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q  <= 1'b0;
      spare_valid_q <= 1'b0;
      ready_q       <= 1'b0;
    end else begin
      if (move) head_valid_q <= spare_valid_q | push;
      spare_valid_q <= spare_valid_d;
      ready_q       <= ~spare_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) head_q <= spare_valid_q ? spare_q : s_data_i;
    if (push) spare_q <= s_data_i;
  end

  assign s_ready_o = ready_q;
  assign m_valid_o = head_valid_q;
  assign m_data_o  = head_q;

endmodule
