// SPDX-License-Identifier: Apache-2.0
// Answers of hca_rx: ack_gen makes the frame, icrc_insert its ICRC.
module hca_rx_answer #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  ack_pkg::record_t                 s_answer_i,
  input  logic                             s_answer_valid_i,
  output logic                             s_answer_ready_o,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,  // of READ responses
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
  input  logic                             s_axis_tvalid_i,
  output logic                             s_axis_tready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0]   op_i,
  input  logic                             op_valid_i,  // goes before answers
  output logic                             op_ready_o,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i
);

  ack_pkg::record_t op, ack_in;
  logic ack_in_valid, ack_in_ready, a_last, a_valid, a_ready, unused_ack_valid;
  logic [23:0] unused_ack_qpn;
  logic [2:0] unused_ack_op, unused_ack_count;
  logic [1:0] unused_ack_why;
  logic [0:0] a_user;
  logic [DataWidth-1:0] a_data;
  logic [DataWidth/8-1:0] a_keep;

  assign s_answer_ready_o = op_ready_o & ~op_valid_i;

  always_comb begin
    op     = '0;
    op.way = op_i;
  end

  sync_fifo #(
    .Width($bits(ack_in)),
    .Depth(4)
  ) u_ack_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_valid_i ? op : s_answer_i),
    .s_valid_i(op_valid_i | s_answer_valid_i),
    .s_ready_o(op_ready_o),
    .m_data_o (ack_in),
    .m_valid_o(ack_in_valid),
    .m_ready_i(ack_in_ready),
    .count_o  (unused_ack_count)
  );

  ack_gen #(
    .NumQps   (NumQps),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_ack (
    .clk_i,
    .rst_ni,
    .s_op_i          (ack_in.way.op),
    .s_qpn_i         (ack_in.way.qpn),
    .s_psn_i         (ack_in.way.psn),
    .s_msn_i         (ack_in.way.msn),
    .s_syndrome_i    (ack_in.way.syndrome),
    .s_encap_i       (ack_in.way.encap),
    .s_tags_i        (ack_in.way.tags),
    .s_vlan0_i       (ack_in.way.vlan0),
    .s_vlan1_i       (ack_in.way.vlan1),
    .s_sl_i          (ack_in.way.sl),
    .s_slid_i        (ack_in.way.slid),
    .s_dlid_i        (ack_in.way.dlid),
    .s_tclass_i      (ack_in.way.tclass),
    .s_udp_src_port_i(ack_in.way.udp_src_port),
    .s_src_i         (ack_in.way.src),
    .s_dst_i         (ack_in.way.dst),
    .s_pkey_i        (ack_in.way.pkey),
    .s_peer_qpn_i    (ack_in.way.peer_qpn),
    .s_mac_i         (ack_in.way.mac),
    .s_hop_limit_i   (ack_in.way.hop_limit),
    .s_opcode_i      (ack_in.opcode),
    .s_bytes_i       (ack_in.bytes),
    .s_original_i    (ack_in.original),
    .s_valid_i       (ack_in_valid),
    .s_ready_o       (ack_in_ready),
    .s_axis_tdata_i,
    .s_axis_tkeep_i,
    .s_axis_tlast_i,
    .s_axis_tvalid_i,
    .s_axis_tready_o,
    .m_qpn_o         (unused_ack_qpn),
    .m_op_o          (unused_ack_op),
    .m_why_o         (unused_ack_why),
    .m_valid_o       (unused_ack_valid),
    .m_ready_i       (1'b1),
    .m_axis_tdata_o  (a_data),
    .m_axis_tkeep_o  (a_keep),
    .m_axis_tlast_o  (a_last),
    .m_axis_tuser_o  (a_user),
    .m_axis_tvalid_o (a_valid),
    .m_axis_tready_i (a_ready)
  );

  icrc_insert #(
    .DataWidth(DataWidth)
  ) u_insert (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (a_data),
    .s_axis_tkeep_i (a_keep),
    .s_axis_tlast_i (a_last),
    .s_axis_tuser_i (a_user),
    .s_axis_tvalid_i(a_valid),
    .s_axis_tready_o(a_ready),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tuser_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i
  );

endmodule
