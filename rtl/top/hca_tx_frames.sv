// SPDX-License-Identifier: Apache-2.0
// Frames of hca_tx: packets become those of tx_frame, and icrc_insert writes their ICRC. Operations on ways come first.
// What becomes of each is told, and the
// QP of the first that cannot be sent.
module hca_tx_frames #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0]   op_i,
  input  logic                             op_valid_i,
  output logic                             op_ready_o,

  input  hca_tx_pkg::packet_t              s_pkt_i,
  input  logic                             s_pkt_valid_i,
  output logic                             s_pkt_ready_o,

  output read_pkg::piece_t                 m_txd_o,
  output logic                             m_txd_valid_o,
  input  logic                             m_txd_ready_i,

  input  logic [DataWidth-1:0]             s_txd_tdata_i,
  input  logic [DataWidth/8-1:0]           s_txd_tkeep_i,
  input  logic [6:0]                       s_txd_tuser_i,
  input  logic                             s_txd_tlast_i,
  input  logic                             s_txd_tvalid_i,
  output logic                             s_txd_tready_o,

  output logic [23:0]                      m_failed_qpn_o,
  output logic                             m_failed_valid_o,
  input  logic                             m_failed_ready_i,

  output logic                             m_left_good_o,  // each packet, in their order: it leaves, or not
  output logic                             m_left_valid_o,
  input  logic                             m_left_ready_i,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i
);

  frame_pkg::record_t op, packet, rec;
  logic rec_valid, rec_ready, unused_op;

  assign unused_op = ^op_i;

  always_comb begin
    op                = '0;
    {op.way, op.qpn, op.op} = op_i[hca_tx_pkg::WayOpWidth-1:0];
    packet            = '0;
    packet.op         = frame_pkg::OpPacket;
    packet.qpn        = s_pkt_i.qpn;
    packet.opcode     = s_pkt_i.opcode;
    packet.psn        = s_pkt_i.psn;
    packet.ack_req    = s_pkt_i.ack_req;
    packet.solicited  = s_pkt_i.solicited;
    packet.va         = s_pkt_i.va;
    packet.rkey       = s_pkt_i.rkey;
    packet.dma_length = s_pkt_i.dma_length;
    packet.imm        = s_pkt_i.imm;
    packet.swap_add   = s_pkt_i.swap_add;
    packet.compare    = s_pkt_i.compare;
    packet.qkey       = s_pkt_i.qkey;
    packet.bytes      = s_pkt_i.bytes;
    packet.address    = s_pkt_i.address;
    packet.offset     = s_pkt_i.offset;
    packet.entries    = s_pkt_i.entries;
  end

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(2)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({packet, op}),
    .s_valid_i({s_pkt_valid_i, op_valid_i}),
    .s_ready_o({s_pkt_ready_o, op_ready_o}),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The frame, its ICRC a placeholder.

  logic [DataWidth-1:0] frame_data;
  logic [DataWidth/8-1:0] frame_keep;
  logic [23:0] out_psn;
  logic [2:0] out_op, out_why;
  logic frame_last, frame_valid, frame_ready, out_valid, out_ready, of_packet, fails, unused_out;
  logic [0:0] frame_user;

  tx_frame #(
    .NumQps   (NumQps),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_frame (
    .clk_i,
    .rst_ni,
    .s_op_i          (rec.op),
    .s_qpn_i         (rec.qpn),
    .s_opcode_i      (rec.opcode),
    .s_psn_i         (rec.psn),
    .s_ack_req_i     (rec.ack_req),
    .s_solicited_i   (rec.solicited),
    .s_va_i          (rec.va),
    .s_rkey_i        (rec.rkey),
    .s_dma_length_i  (rec.dma_length),
    .s_imm_i         (rec.imm),
    .s_swap_add_i    (rec.swap_add),
    .s_compare_i     (rec.compare),
    .s_qkey_i        (rec.qkey),
    .s_bytes_i       (rec.bytes),
    .s_address_i     (rec.address),
    .s_offset_i      (rec.offset),
    .s_entries_i     (rec.entries),
    .s_encap_i       (rec.way.encap),
    .s_tags_i        (rec.way.tags),
    .s_vlan0_i       (rec.way.vlan0),
    .s_vlan1_i       (rec.way.vlan1),
    .s_sl_i          (rec.way.sl),
    .s_slid_i        (rec.way.slid),
    .s_dlid_i        (rec.way.dlid),
    .s_tclass_i      (rec.way.tclass),
    .s_udp_src_port_i(rec.way.udp_src_port),
    .s_src_i         (rec.way.src),
    .s_dst_i         (rec.way.dst),
    .s_pkey_i        (rec.way.pkey),
    .s_peer_qpn_i    (rec.way.peer_qpn),
    .s_mac_i         (rec.way.mac),
    .s_hop_limit_i   (rec.way.hop_limit),
    .s_valid_i       (rec_valid),
    .s_ready_o       (rec_ready),
    .m_mem_tag_o     (m_txd_o.tag),
    .m_mem_bytes_o   (m_txd_o.bytes),
    .m_mem_address_o (m_txd_o.address),
    .m_mem_valid_o   (m_txd_valid_o),
    .m_mem_ready_i   (m_txd_ready_i),
    .s_mem_tdata_i   (s_txd_tdata_i),
    .s_mem_tkeep_i   (s_txd_tkeep_i),
    .s_mem_tuser_i   (s_txd_tuser_i),
    .s_mem_tlast_i   (s_txd_tlast_i),
    .s_mem_tvalid_i  (s_txd_tvalid_i),
    .s_mem_tready_o  (s_txd_tready_o),
    .m_qpn_o         (m_failed_qpn_o),
    .m_op_o          (out_op),
    .m_psn_o         (out_psn),
    .m_why_o         (out_why),
    .m_valid_o       (out_valid),
    .m_ready_i       (out_ready),
    .m_axis_tdata_o  (frame_data),
    .m_axis_tkeep_o  (frame_keep),
    .m_axis_tlast_o  (frame_last),
    .m_axis_tuser_o  (frame_user),
    .m_axis_tvalid_o (frame_valid),
    .m_axis_tready_i (frame_ready)
  );

  // What does not leave because a packet of its QP before it did not is no news.
  assign of_packet        = out_op == frame_pkg::OpPacket;
  assign fails            = of_packet && out_why != frame_pkg::WhyGood &&
                            out_why != frame_pkg::WhyFailed;
  assign m_left_good_o    = out_why == frame_pkg::WhyGood;
  assign m_failed_valid_o = out_valid & fails & m_left_ready_i;
  assign m_left_valid_o   = out_valid & of_packet & (m_failed_ready_i | ~fails);
  assign out_ready        = (m_failed_ready_i | ~fails) & (m_left_ready_i | ~of_packet);
  assign unused_out       = ^out_psn;

  icrc_insert #(
    .DataWidth(DataWidth)
  ) u_insert (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (frame_data),
    .s_axis_tkeep_i (frame_keep),
    .s_axis_tlast_i (frame_last),
    .s_axis_tuser_i (frame_user),
    .s_axis_tvalid_i(frame_valid),
    .s_axis_tready_o(frame_ready),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tuser_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i
  );

endmodule
