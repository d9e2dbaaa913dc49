// SPDX-License-Identifier: Apache-2.0
// The queue in front of a block of hca_rx that is asked, told and operated on by one port: operations go before
// commits, commits before look-ups. Those who wait do so for registers and for who goes before them only.
module hca_rx_input #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [Width-1:0] op_i,
  input  logic             op_valid_i,
  output logic             op_ready_o,

  input  logic [Width-1:0] commit_i,
  input  logic             commit_valid_i,
  output logic             commit_ready_o,

  input  logic [Width-1:0] ask_i,
  input  logic             ask_valid_i,
  output logic             ask_ready_o,

  output logic [Width-1:0] m_data_o,
  output logic             m_valid_o,
  input  logic             m_ready_i
);

  logic [2:0] unused_count;

  assign commit_ready_o = op_ready_o & ~op_valid_i;
  assign ask_ready_o    = op_ready_o & ~op_valid_i & ~commit_valid_i;

  sync_fifo #(
    .Width(Width),
    .Depth(4)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .s_data_i (op_valid_i ? op_i : commit_valid_i ? commit_i : ask_i),
    .s_valid_i(op_valid_i | commit_valid_i | ask_valid_i),
    .s_ready_o(op_ready_o),
    .m_data_o,
    .m_valid_o,
    .m_ready_i,
    .count_o  (unused_count)
  );

endmodule
