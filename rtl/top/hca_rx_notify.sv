// SPDX-License-Identifier: Apache-2.0
// Marks in hca_rx: cnp_gen is asked about every packet that was admitted. What it says waits for the packet's commit.
module hca_rx_notify #(
  parameter int unsigned NumQps = 4096,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  hca_rx_pkg::way_t               s_way_i,
  input  logic [7:0]                     s_opcode_i,
  input  logic [1:0]                     s_service_i,
  input  logic [23:0]                    s_src_qp_i,  // of UD: whom it came from; else 0
  input  logic                           s_valid_i,  // with s_ready_o only
  output logic                           s_ready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,  // goes before packets
  output logic                           op_ready_o,

  output hca_rx_pkg::notice_t            m_notice_o,  // one for each packet
  output logic                           m_valid_o,
  input  logic                           m_ready_i
);

  // StampWidth: the least that NumQps may have is log2 NumQps + 3.
  localparam int unsigned StampWidth = 24;

  cnp_pkg::query_t ask, cnp_in;
  cnp_pkg::result_t said;
  hca_rx_pkg::notice_t notice;
  logic cnp_valid, cnp_ready, said_valid, said_ready, is_packet, notice_ready, unused_way, unused_said;
  logic [2:0] unused_in_count;
  logic [6:0] unused_count;

  assign s_ready_o  = op_ready_o & ~op_valid_i;
  assign unused_way = ^s_way_i;

  always_comb begin
    ask                  = '0;
    ask.op               = cnp_pkg::OpPacket;
    ask.qpn              = s_way_i.qpn;
    ask.service          = s_service_i;
    ask.opcode           = s_opcode_i;
    ask.peer_qpn         = s_src_qp_i;
    ask.way.encap        = s_way_i.encap;
    ask.way.tags         = s_way_i.tags;
    ask.way.vlan0        = s_way_i.vlan0;
    ask.way.vlan1        = s_way_i.vlan1;
    ask.way.tclass       = s_way_i.tclass;
    ask.way.udp_src_port = s_way_i.udp_src_port;
    ask.way.src          = s_way_i.src;
    ask.way.dst          = s_way_i.dst;
    ask.way.pkey         = s_way_i.pkey;
  end

  sync_fifo #(
    .Width($bits(cnp_in)),
    .Depth(4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_valid_i ? op_i[$bits(cnp_in)-1:0] : ask),
    .s_valid_i(op_valid_i | s_valid_i),
    .s_ready_o(op_ready_o),
    .m_data_o (cnp_in),
    .m_valid_o(cnp_valid),
    .m_ready_i(cnp_ready),
    .count_o  (unused_in_count)
  );

  cnp_gen #(
    .NumQps    (NumQps),
    .StampWidth(StampWidth),
    .RamStyle  (RamStyle)
  ) u_cnp (
    .clk_i,
    .rst_ni,
    .s_op_i          (cnp_in.op),
    .s_qpn_i         (cnp_in.qpn),
    .s_service_i     (cnp_in.service),
    .s_opcode_i      (cnp_in.opcode),
    .s_encap_i       (cnp_in.way.encap),
    .s_tags_i        (cnp_in.way.tags),
    .s_vlan0_i       (cnp_in.way.vlan0),
    .s_vlan1_i       (cnp_in.way.vlan1),
    .s_tclass_i      (cnp_in.way.tclass),
    .s_udp_src_port_i(cnp_in.way.udp_src_port),
    .s_src_i         (cnp_in.way.src),
    .s_dst_i         (cnp_in.way.dst),
    .s_pkey_i        (cnp_in.way.pkey),
    .s_peer_qpn_i    (cnp_in.peer_qpn),
    .s_period_i      (cnp_in.period),
    .s_valid_i       (cnp_valid),
    .s_ready_o       (cnp_ready),
    .m_qpn_o         (said.qpn),
    .m_op_o          (said.op),
    .m_why_o         (said.why),
    .m_opcode_o      (said.opcode),
    .m_peer_qpn_o    (said.peer_qpn),
    .m_encap_o       (said.way.encap),
    .m_tags_o        (said.way.tags),
    .m_vlan0_o       (said.way.vlan0),
    .m_vlan1_o       (said.way.vlan1),
    .m_tclass_o      (said.way.tclass),
    .m_udp_src_port_o(said.way.udp_src_port),
    .m_src_o         (said.way.src),
    .m_dst_o         (said.way.dst),
    .m_pkey_o        (said.way.pkey),
    .m_valid_o       (said_valid),
    .m_ready_i       (said_ready)
  );

  assign is_packet       = said.op == cnp_pkg::OpPacket;
  assign said_ready      = ~is_packet | notice_ready;
  assign notice.gives    = said.why == cnp_pkg::WhyGood;
  assign notice.peer_qpn = said.peer_qpn;
  assign unused_said     = ^{said.way, said.opcode, said.qpn};

  sync_fifo #(
    .Width($bits(notice)),
    .Depth(64)
  ) u_notices (
    .clk_i,
    .rst_ni,
    .s_data_i (notice),
    .s_valid_i(said_valid & is_packet),
    .s_ready_o(notice_ready),
    .m_data_o (m_notice_o),
    .m_valid_o,
    .m_ready_i,
    .count_o  (unused_count)
  );

endmodule
