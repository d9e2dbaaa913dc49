// SPDX-License-Identifier: Apache-2.0
// The queue in front of a block of hca_tx that several speak to by one port: input 0 goes first, then 1, and so on.
// Those who wait do so for registers and for who goes before them only.
module hca_tx_input #(
  parameter int unsigned Width = 8,
  parameter int unsigned Inputs = 2
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic [Inputs*Width-1:0] s_data_i,
  input  logic [Inputs-1:0]       s_valid_i,
  output logic [Inputs-1:0]       s_ready_o,

  output logic [Width-1:0]        m_data_o,
  output logic                    m_valid_o,
  input  logic                    m_ready_i
);

  logic room, taken;
  logic [Width-1:0] data;
  logic [2:0] unused_count;

  always_comb begin
    taken    = 1'b0;
    data      = '0;
    s_ready_o = '0;
    for (int unsigned i = 0; i < Inputs; i++) begin
      s_ready_o[i] = room & ~taken;
      if (s_valid_i[i] && !taken) data = s_data_i[i*Width+:Width];
      taken = taken | s_valid_i[i];
    end
  end

  sync_fifo #(
    .Width(Width),
    .Depth(4)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .s_data_i (data),
    .s_valid_i(taken),
    .s_ready_o(room),
    .m_data_o,
    .m_valid_o,
    .m_ready_i,
    .count_o  (unused_count)
  );

endmodule
