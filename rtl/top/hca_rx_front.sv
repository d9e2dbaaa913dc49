// SPDX-License-Identifier: Apache-2.0
// The front of hca_rx: verdict on every frame, gate, parser. What comes out had a good ICRC.
module hca_rx_front #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic [0:0]             s_axis_tuser_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [2:0]             m_gate_why_o,
  output logic [1:0]             m_gate_icrc_o,
  output logic [2:0]             m_gate_encap_o,
  output logic [3:0]             m_gate_reason_o,
  output logic                   m_gate_valid_o,
  input  logic                   m_gate_ready_i,

  output rx_pkg::header_t        m_hdr_o,
  output logic                   m_hdr_valid_o,
  input  logic                   m_hdr_ready_i,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned BeatBytes = DataWidth / 8;

  logic [DataWidth-1:0] c_data, g_data;
  logic [BeatBytes-1:0] c_keep, g_keep;
  logic c_last, c_valid, c_ready, g_last, g_valid, g_ready;
  logic [hca_pkg::VerdictWidth-1:0] c_user;
  logic [0:0] g_user;

  icrc_check #(
    .DataWidth(DataWidth)
  ) u_check (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i,
    .s_axis_tkeep_i,
    .s_axis_tlast_i,
    .s_axis_tuser_i,
    .s_axis_tvalid_i,
    .s_axis_tready_o,
    .m_axis_tdata_o (c_data),
    .m_axis_tkeep_o (c_keep),
    .m_axis_tlast_o (c_last),
    .m_axis_tuser_o (c_user),
    .m_axis_tvalid_o(c_valid),
    .m_axis_tready_i(c_ready)
  );

  icrc_gate #(
    .DataWidth(DataWidth)
  ) u_gate (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (c_data),
    .s_axis_tkeep_i (c_keep),
    .s_axis_tlast_i (c_last),
    .s_axis_tuser_i (c_user),
    .s_axis_tvalid_i(c_valid),
    .s_axis_tready_o(c_ready),
    .m_axis_tdata_o (g_data),
    .m_axis_tkeep_o (g_keep),
    .m_axis_tlast_o (g_last),
    .m_axis_tuser_o (g_user),
    .m_axis_tvalid_o(g_valid),
    .m_axis_tready_i(g_ready),
    .m_rec_why_o    (m_gate_why_o),
    .m_rec_icrc_o   (m_gate_icrc_o),
    .m_rec_encap_o  (m_gate_encap_o),
    .m_rec_reason_o (m_gate_reason_o),
    .m_rec_valid_o  (m_gate_valid_o),
    .m_rec_ready_i  (m_gate_ready_i)
  );

  roce_parse #(
    .DataWidth(DataWidth)
  ) u_parse (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (g_data),
    .s_axis_tkeep_i (g_keep),
    .s_axis_tlast_i (g_last),
    .s_axis_tuser_i (g_user),
    .s_axis_tvalid_i(g_valid),
    .s_axis_tready_o(g_ready),
    .m_hdr_reason_o(m_hdr_o.reason),
    .m_hdr_encap_o(m_hdr_o.encap),
    .m_hdr_cut_o(m_hdr_o.cut),
    .m_hdr_short_o(m_hdr_o.is_short),
    .m_hdr_tags_o(m_hdr_o.tags),
    .m_hdr_se_o(m_hdr_o.se),
    .m_hdr_mig_req_o(m_hdr_o.mig_req),
    .m_hdr_fecn_o(m_hdr_o.fecn),
    .m_hdr_becn_o(m_hdr_o.becn),
    .m_hdr_ack_req_o(m_hdr_o.ack_req),
    .m_hdr_opcode_o(m_hdr_o.opcode),
    .m_hdr_pad_o(m_hdr_o.pad),
    .m_hdr_tver_o(m_hdr_o.tver),
    .m_hdr_flush_sel_o(m_hdr_o.flush_sel),
    .m_hdr_flush_plt_o(m_hdr_o.flush_plt),
    .m_hdr_sl_o(m_hdr_o.sl),
    .m_hdr_pkey_o(m_hdr_o.pkey),
    .m_hdr_dest_qp_o(m_hdr_o.dest_qp),
    .m_hdr_psn_o(m_hdr_o.psn),
    .m_hdr_payload_bytes_o(m_hdr_o.payload_bytes),
    .m_hdr_udp_src_port_o(m_hdr_o.udp_src_port),
    .m_hdr_tclass_o(m_hdr_o.tclass),
    .m_hdr_slid_o(m_hdr_o.slid),
    .m_hdr_dlid_o(m_hdr_o.dlid),
    .m_hdr_vlan0_o(m_hdr_o.vlan0),
    .m_hdr_vlan1_o(m_hdr_o.vlan1),
    .m_hdr_src_o(m_hdr_o.src),
    .m_hdr_dst_o(m_hdr_o.dst),
    .m_hdr_ee_context_o(m_hdr_o.ee_context),
    .m_hdr_qkey_o(m_hdr_o.qkey),
    .m_hdr_src_qp_o(m_hdr_o.src_qp),
    .m_hdr_xrcsrq_o(m_hdr_o.xrcsrq),
    .m_hdr_va_o(m_hdr_o.va),
    .m_hdr_rkey_o(m_hdr_o.rkey),
    .m_hdr_dma_len_o(m_hdr_o.dma_len),
    .m_hdr_swap_add_o(m_hdr_o.swap_add),
    .m_hdr_compare_o(m_hdr_o.compare),
    .m_hdr_syndrome_o(m_hdr_o.syndrome),
    .m_hdr_msn_o(m_hdr_o.msn),
    .m_hdr_original_o(m_hdr_o.original),
    .m_hdr_inv_rkey_o(m_hdr_o.inv_rkey),
    .m_hdr_immediate_o(m_hdr_o.immediate),
    .m_hdr_valid_o,
    .m_hdr_ready_i,
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i
  );

endmodule
