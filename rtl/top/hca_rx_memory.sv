// SPDX-License-Identifier: Apache-2.0
// The host's memory in hca_rx: rx_dma writes the payload of what is executed, takes the rest from the parser's store
// and forgets it, and completes. A write that failed is told twice: to the host, and to who takes its QP to error.
module hca_rx_memory #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  dma_pkg::cmd_t                  s_cmd_i,  // of a packet
  input  logic                           s_cmd_valid_i,
  output logic                           s_cmd_ready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0] op_i,        // clears a QP, whatever it says besides
  input  logic                           op_valid_i,  // goes before packets
  output logic                           op_ready_o,

  input  logic [DataWidth-1:0]           s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]         s_axis_tkeep_i,
  input  logic                           s_axis_tlast_i,
  input  logic                           s_axis_tvalid_i,
  output logic                           s_axis_tready_o,

  input  logic [7:0]                     s_mem_tag_i,
  input  logic                           s_mem_error_i,
  input  logic                           s_mem_valid_i,
  output logic                           s_mem_ready_o,

  output dma_pkg::write_t                m_mem_o,
  output logic                           m_mem_valid_o,
  input  logic                           m_mem_ready_i,

  output logic [DataWidth-1:0]           m_axis_tdata_o,
  output logic [DataWidth/8-1:0]         m_axis_tkeep_o,
  output logic                           m_axis_tlast_o,
  output logic                           m_axis_tvalid_o,
  input  logic                           m_axis_tready_i,

  output dma_pkg::record_t               m_cqe_o,
  output logic                           m_cqe_valid_o,
  input  logic                           m_cqe_ready_i,

  output logic [23:0]                    m_failed_qpn_o,
  output logic                           m_failed_valid_o,
  input  logic                           m_failed_ready_i
);

  dma_pkg::cmd_t op, clear, cmd;
  logic cmd_valid, cmd_ready, cqe_valid, cqe_take, failed_ready, unused_op;
  logic [6:0] unused_cmd_count;
  logic [3:0] unused_failed_count;

  assign op            = op_i[$bits(op)-1:0];
  assign unused_op     = ^op;
  assign s_cmd_ready_o = op_ready_o & ~op_valid_i;

  always_comb begin
    clear       = '0;
    clear.clear = 1'b1;
    clear.qpn   = op.qpn;
  end

  sync_fifo #(
    .Width($bits(cmd)),
    .Depth(64)
  ) u_cmds (
    .clk_i,
    .rst_ni,
    .s_data_i (op_valid_i ? clear : s_cmd_i),
    .s_valid_i(op_valid_i | s_cmd_valid_i),
    .s_ready_o(op_ready_o),
    .m_data_o (cmd),
    .m_valid_o(cmd_valid),
    .m_ready_i(cmd_ready),
    .count_o  (unused_cmd_count)
  );

  rx_dma #(
    .DataWidth(DataWidth),
    .NumQps   (NumQps),
    .RamStyle (RamStyle)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .s_cmd_clear_i        (cmd.clear),
    .s_cmd_place_i        (cmd.place),
    .s_cmd_complete_i     (cmd.complete),
    .s_cmd_solicited_i    (cmd.solicited),
    .s_cmd_status_i       (cmd.status),
    .s_cmd_qpn_i          (cmd.qpn),
    .s_cmd_psn_i          (cmd.psn),
    .s_cmd_bytes_i        (cmd.bytes),
    .s_cmd_address_i      (cmd.address),
    .s_cmd_wqe_i          (cmd.wqe),
    .s_cmd_length_i       (cmd.length),
    .s_cmd_has_immediate_i(cmd.has_immediate),
    .s_cmd_immediate_i    (cmd.immediate),
    .s_cmd_valid_i        (cmd_valid),
    .s_cmd_ready_o        (cmd_ready),
    .s_axis_tdata_i,
    .s_axis_tkeep_i,
    .s_axis_tlast_i,
    .s_axis_tvalid_i,
    .s_axis_tready_o,
    .s_mem_tag_i,
    .s_mem_error_i,
    .s_mem_valid_i,
    .s_mem_ready_o,
    .m_mem_tag_o          (m_mem_o.tag),
    .m_mem_bytes_o        (m_mem_o.bytes),
    .m_mem_address_o      (m_mem_o.address),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i,
    .m_rec_cleared_o      (m_cqe_o.clear),
    .m_rec_complete_o     (m_cqe_o.complete),
    .m_rec_failed_o       (m_cqe_o.failed),
    .m_rec_solicited_o    (m_cqe_o.cqe.solicited),
    .m_rec_status_o       (m_cqe_o.cqe.status),
    .m_rec_qpn_o          (m_cqe_o.cqe.qpn),
    .m_rec_psn_o          (m_cqe_o.cqe.psn),
    .m_rec_wqe_o          (m_cqe_o.cqe.wqe),
    .m_rec_length_o       (m_cqe_o.cqe.length),
    .m_rec_has_immediate_o(m_cqe_o.cqe.has_immediate),
    .m_rec_immediate_o    (m_cqe_o.cqe.immediate),
    .m_rec_valid_o        (cqe_valid),
    .m_rec_ready_i        (m_cqe_ready_i & failed_ready)
  );

  // A record leaves when there is room for what it may lead to.
  assign m_cqe_valid_o = cqe_valid & failed_ready;
  assign cqe_take      = m_cqe_valid_o & m_cqe_ready_i;

  sync_fifo #(
    .Width(24),
    .Depth(8)
  ) u_failed (
    .clk_i,
    .rst_ni,
    .s_data_i (m_cqe_o.cqe.qpn),
    .s_valid_i(cqe_take & m_cqe_o.failed),
    .s_ready_o(failed_ready),
    .m_data_o (m_failed_qpn_o),
    .m_valid_o(m_failed_valid_o),
    .m_ready_i(m_failed_ready_i),
    .count_o  (unused_failed_count)
  );

endmodule
