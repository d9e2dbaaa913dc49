// SPDX-License-Identifier: Apache-2.0
// Operations of hca_tx: the head of their queue goes to its block.
module hca_tx_ops (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [2:0]                     s_op_target_i,
  input  logic [hca_tx_pkg::OpWidth-1:0] s_op_data_i,
  input  logic                           s_op_valid_i,
  output logic                           s_op_ready_o,

  output logic [hca_tx_pkg::OpWidth-1:0] data_o,
  output logic [hca_tx_pkg::Targets-1:0] to_o,    // the block that data_o is for; none is none
  input  logic [hca_tx_pkg::Targets-1:0] ready_i  // of the blocks' input queues
);

  logic valid, take;
  logic [2:0] target;
  logic [2:0] unused_count;

  sync_fifo #(
    .Width(3 + hca_tx_pkg::OpWidth),
    .Depth(4)
  ) u_ops (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_op_target_i, s_op_data_i}),
    .s_valid_i(s_op_valid_i),
    .s_ready_o(s_op_ready_o),
    .m_data_o ({target, data_o}),
    .m_valid_o(valid),
    .m_ready_i(take),
    .count_o  (unused_count)
  );

  assign to_o = {7'b0000000, valid} << target;
  assign take = (to_o & ready_i) != '0;

endmodule
