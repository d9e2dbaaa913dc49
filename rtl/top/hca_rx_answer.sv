// SPDX-License-Identifier: Apache-2.0
// Answers of hca_rx: ack_gen makes the frame, icrc_insert its ICRC.
module hca_rx_answer #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  ack_pkg::query_t                  s_answer_i,
  input  logic                             s_answer_valid_i,
  output logic                             s_answer_ready_o,

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

  ack_pkg::query_t ack_in;
  logic ack_in_valid, ack_in_ready, a_last, a_valid, a_ready, unused_ack_valid, unused_payload_ready;
  logic [23:0] unused_ack_qpn;
  logic [2:0] unused_ack_op, unused_ack_count;
  logic [1:0] unused_ack_why;
  logic [0:0] a_user;
  logic [DataWidth-1:0] a_data;
  logic [DataWidth/8-1:0] a_keep;

  assign s_answer_ready_o = op_ready_o & ~op_valid_i;

  sync_fifo #(
    .Width($bits(ack_in)),
    .Depth(4)
  ) u_ack_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_valid_i ? op_i : s_answer_i),
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
    .s_op_i          (ack_in.op),
    .s_qpn_i         (ack_in.qpn),
    .s_psn_i         (ack_in.psn),
    .s_msn_i         (ack_in.msn),
    .s_syndrome_i    (ack_in.syndrome),
    .s_encap_i       (ack_in.encap),
    .s_tags_i        (ack_in.tags),
    .s_vlan0_i       (ack_in.vlan0),
    .s_vlan1_i       (ack_in.vlan1),
    .s_sl_i          (ack_in.sl),
    .s_slid_i        (ack_in.slid),
    .s_dlid_i        (ack_in.dlid),
    .s_tclass_i      (ack_in.tclass),
    .s_udp_src_port_i(ack_in.udp_src_port),
    .s_src_i         (ack_in.src),
    .s_dst_i         (ack_in.dst),
    .s_pkey_i        (ack_in.pkey),
    .s_peer_qpn_i    (ack_in.peer_qpn),
    .s_mac_i         (ack_in.mac),
    .s_hop_limit_i   (ack_in.hop_limit),
    .s_opcode_i      ('0),
    .s_bytes_i       ('0),
    .s_original_i    ('0),
    .s_valid_i       (ack_in_valid),
    .s_ready_o       (ack_in_ready),
    .s_axis_tdata_i  ('0),  // no READ response comes this way
    .s_axis_tkeep_i  ('0),
    .s_axis_tlast_i  (1'b0),
    .s_axis_tvalid_i (1'b0),
    .s_axis_tready_o (unused_payload_ready),
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
