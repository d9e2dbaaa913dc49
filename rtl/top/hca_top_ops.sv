// SPDX-License-Identifier: Apache-2.0
// Who gives hca_tx operations in hca_top: qp_ctl first, then the host's doorbell, then time in a simulation.
//
// What a command gives goes first: the access waits for it, and has few. Posts and time wait for it alone.
module hca_top_ops (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [3:0]                     s_op_target_i,  // qp_ctl's: of the transmit side only
  input  logic [qpc_pkg::DataWidth-1:0]  s_op_data_i,
  input  logic                           s_op_valid_i,
  output logic                           s_op_ready_o,

  input  logic                           s_post_done_i,
  input  retire_pkg::query_t             s_post_i,  // without op
  input  logic                           s_post_valid_i,
  output logic                           s_post_ready_o,

  input  logic [31:0]                    s_time_ticks_i,
  input  logic                           s_time_valid_i,
  output logic                           s_time_ready_o,

  output logic [2:0]                     m_op_target_o,
  output logic [hca_tx_pkg::OpWidth-1:0] m_op_data_o,
  output logic                           m_op_valid_o,
  input  logic                           m_op_ready_i
);

  retire_pkg::query_t post;
  logic [31:0] ticks;
  logic ticks_valid, ticks_ready;
  logic [1:0] unused_count;
  logic [2:0] to;
  logic unused_op;

  // Targets stand in one order, but for time, which qp_ctl does not have.
  assign to        = 3'(s_op_target_i - qpc_pkg::ToCheck);
  assign unused_op = ^s_op_data_i;

  always_comb begin
    post    = s_post_i;
    post.op = s_post_done_i ? retire_pkg::OpLocalDone : retire_pkg::OpPost;
  end

  sync_fifo #(
    .Width(32),
    .Depth(2)
  ) u_time (
    .clk_i,
    .rst_ni,
    .s_data_i (s_time_ticks_i),
    .s_valid_i(s_time_valid_i),
    .s_ready_o(s_time_ready_o),
    .m_data_o (ticks),
    .m_valid_o(ticks_valid),
    .m_ready_i(ticks_ready),
    .count_o  (unused_count)
  );

  hca_tx_input #(
    .Width (3 + hca_tx_pkg::OpWidth),
    .Inputs(3)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({3'(hca_tx_pkg::ToTime), hca_tx_pkg::OpWidth'(ticks),
                3'(hca_tx_pkg::ToQueue), hca_tx_pkg::OpWidth'(post),
                to >= 3'(hca_tx_pkg::ToTime) ? to + 3'd1 : to, s_op_data_i[hca_tx_pkg::OpWidth-1:0]}),
    .s_valid_i({ticks_valid, s_post_valid_i, s_op_valid_i}),
    .s_ready_o({ticks_ready, s_post_ready_o, s_op_ready_o}),
    .m_data_o ({m_op_target_o, m_op_data_o}),
    .m_valid_o(m_op_valid_o),
    .m_ready_i(m_op_ready_i)
  );

endmodule
