// SPDX-License-Identifier: Apache-2.0
// The payload of hca_rx where it belongs: that of responses to the requester beside it, all else to rx_dma. Frames and
// what is said of them come in one order, and a frame waits for what is said of it.
module hca_rx_steer (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_heard_i,  // the next frame is a response's
  input  logic s_heard_valid_i,
  output logic s_heard_ready_o,

  input  logic s_axis_tlast_i,  // what else a beat has goes to both
  input  logic s_axis_tvalid_i,
  output logic s_axis_tready_o,

  output logic m_memory_tvalid_o,
  input  logic m_memory_tready_i,
  output logic m_heard_tvalid_o,
  input  logic m_heard_tready_i
);

  logic heard, known, ready;
  logic [6:0] unused_count;

  assign m_memory_tvalid_o = s_axis_tvalid_i & known & ~heard;
  assign m_heard_tvalid_o  = s_axis_tvalid_i & known & heard;
  assign ready             = known & (heard ? m_heard_tready_i : m_memory_tready_i);
  assign s_axis_tready_o   = ready;

  sync_fifo #(
    .Width(1),
    .Depth(64)
  ) u_heard (
    .clk_i,
    .rst_ni,
    .s_data_i (s_heard_i),
    .s_valid_i(s_heard_valid_i),
    .s_ready_o(s_heard_ready_o),
    .m_data_o (heard),
    .m_valid_o(known),
    .m_ready_i(ready & s_axis_tvalid_i & s_axis_tlast_i),
    .count_o  (unused_count)
  );

endmodule
