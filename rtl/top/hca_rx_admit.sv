// SPDX-License-Identifier: Apache-2.0
// Admission in hca_rx: a packet's header waits beside rx_classify. Behind it every packet has a place in the queue of
// ways, and a request goes on.
module hca_rx_admit #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned Ecc = 0,  // of the context memories: docs/ecc.md
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  rx_pkg::header_t                s_hdr_i,
  input  logic                           s_hdr_valid_i,
  output logic                           s_hdr_ready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,  // goes before packets
  output logic                           op_ready_o,

  output hca_rx_pkg::way_t               m_way_o,
  output logic                           m_way_valid_o,
  input  logic                           m_way_ready_i,

  input  logic [hca_rx_pkg::OpWidth-1:0] notify_op_i,
  input  logic                           notify_op_valid_i,
  output logic                           notify_op_ready_o,

  output hca_rx_pkg::notice_t            m_notice_o,  // one for each way of a packet that was admitted
  output logic                           m_notice_valid_o,
  input  logic                           m_notice_ready_i,

  output hca_rx_pkg::request_t           m_req_o,
  output logic                           m_req_valid_o,  // with m_req_ready_i only
  input  logic                           m_req_ready_i,

  output hca_tx_pkg::response_t          m_resp_o,   // for the requester
  output logic                           m_resp_valid_o,
  input  logic                           m_resp_ready_i,

  output logic [23:0]                    m_cnp_qpn_o,
  output logic                           m_cnp_valid_o,
  input  logic                           m_cnp_ready_i,

  output logic                           removed_o  // a remove was answered
);

  // ---------------------------------------------------------------------------------------------------------------
  // Classification. The header waits beside it.

  logic cls_push, cls_in_valid, cls_in_ready, hdrq_ready, hdr_valid, go;
  classify_pkg::query_t cls_in, cls_hdr;
  rx_pkg::header_t hdr;
  logic [2:0] unused_cls_count;
  logic [4:0] unused_hdr_count;

  always_comb begin
    cls_hdr         = '0;
    cls_hdr.dst     = s_hdr_i.dst;
    cls_hdr.src     = s_hdr_i.src;
    cls_hdr.dlid    = s_hdr_i.dlid;
    cls_hdr.slid    = s_hdr_i.slid;
    cls_hdr.pkey    = s_hdr_i.pkey;
    cls_hdr.dest_qp = s_hdr_i.dest_qp;
    cls_hdr.opcode  = s_hdr_i.opcode;
    cls_hdr.encap   = s_hdr_i.encap;
    cls_hdr.reason  = s_hdr_i.reason;
    cls_hdr.op      = classify_pkg::OpPacket;
  end

  assign s_hdr_ready_o = op_ready_o & hdrq_ready & ~op_valid_i;
  assign cls_push      = op_valid_i | (s_hdr_valid_i & hdrq_ready);

  sync_fifo #(
    .Width($bits(cls_in)),
    .Depth(4)
  ) u_cls_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_valid_i ? op_i[$bits(cls_in)-1:0] : cls_hdr),
    .s_valid_i(cls_push),
    .s_ready_o(op_ready_o),
    .m_data_o (cls_in),
    .m_valid_o(cls_in_valid),
    .m_ready_i(cls_in_ready),
    .count_o  (unused_cls_count)
  );

  sync_fifo #(
    .Width($bits(hdr)),
    .Depth(16)
  ) u_headers (
    .clk_i,
    .rst_ni,
    .s_data_i (s_hdr_i),
    .s_valid_i(s_hdr_valid_i & s_hdr_ready_o),
    .s_ready_o(hdrq_ready),
    .m_data_o (hdr),
    .m_valid_o(hdr_valid),
    .m_ready_i(go),
    .count_o  (unused_hdr_count)
  );

  classify_pkg::receive_t cls_receive;
  logic [23:0] cls_qpn;
  logic [15:0] cls_pkey;
  logic [2:0] cls_class, cls_op;
  logic [3:0] cls_why;
  logic [1:0] cls_service;
  logic cls_valid, cls_ready;

  rx_classify #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_classify (
    .clk_i,
    .rst_ni,
    .s_op_i     (cls_in.op),
    .s_reason_i (cls_in.reason),
    .s_encap_i  (cls_in.encap),
    .s_opcode_i (cls_in.opcode),
    .s_dest_qp_i(cls_in.dest_qp),
    .s_pkey_i   (cls_in.pkey),
    .s_slid_i   (cls_in.slid),
    .s_dlid_i   (cls_in.dlid),
    .s_entry_i  (cls_in.entry),
    .s_service_i(cls_in.service),
    .s_live_i   (cls_in.live),
    .s_global_i (cls_in.is_global),
    .s_src_i    (cls_in.src),
    .s_dst_i    (cls_in.dst),
    .s_queue_i  (cls_in.receive.rq),
    .s_shared_i (cls_in.receive.is_shared),
    .s_pd_i     (cls_in.receive.pd),
    .s_whole_write_i(cls_in.receive.whole_write),
    .s_qkey_i   (cls_in.receive.qkey),
    .s_valid_i  (cls_in_valid),
    .s_ready_o  (cls_in_ready),
    .m_qpn_o    (cls_qpn),
    .m_pkey_o   (cls_pkey),
    .m_class_o  (cls_class),
    .m_why_o    (cls_why),
    .m_op_o     (cls_op),
    .m_service_o(cls_service),
    .m_queue_o  (cls_receive.rq),
    .m_shared_o (cls_receive.is_shared),
    .m_pd_o     (cls_receive.pd),
    .m_whole_write_o(cls_receive.whole_write),
    .m_qkey_o   (cls_receive.qkey),
    .m_valid_o  (cls_valid),
    .m_ready_i  (cls_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Behind it. A packet goes on when all that is to hear of it can take it.

  hca_rx_pkg::way_t cls_way;
  logic is_packet, is_request, is_admitted, way_ready, notify_ready, heard_room;
  logic [6:0] unused_way_count;

  assign is_packet     = cls_op == classify_pkg::OpPacket;
  assign is_request    = cls_class == classify_pkg::ClassRequest;
  assign is_admitted   = cls_class != classify_pkg::ClassDropped;
  assign go            = cls_valid & is_packet & hdr_valid & heard_room & way_ready & notify_ready & m_req_ready_i;
  assign cls_ready     = ~is_packet | go;
  assign removed_o     = cls_valid & cls_op == classify_pkg::OpRemove;
  assign m_req_valid_o = go & is_request;

  hca_rx_heard u_heard (
    .clk_i,
    .rst_ni,
    .hdr_i  (hdr),
    .qpn_i  (cls_qpn),
    .class_i(cls_class),
    .go_i   (go),
    .room_o (heard_room),
    .m_resp_o,
    .m_resp_valid_o,
    .m_resp_ready_i,
    .m_cnp_qpn_o,
    .m_cnp_valid_o,
    .m_cnp_ready_i
  );

  hca_rx_ask u_ask (
    .hdr_i          (hdr),
    .qpn_i          (cls_qpn),
    .qp_i           (cls_receive),
    .bytes_o        (cls_way.bytes),
    .has_immediate_o(cls_way.has_immediate),
    .req_o          (m_req_o)
  );

  assign cls_way.compare      = hdr.compare;
  assign cls_way.swap_add     = hdr.swap_add;
  assign cls_way.pkey         = cls_pkey;
  assign cls_way.dst          = hdr.dst;
  assign cls_way.src          = hdr.src;
  assign cls_way.udp_src_port = hdr.udp_src_port;
  assign cls_way.tclass       = hdr.tclass;
  assign cls_way.dlid         = hdr.dlid;
  assign cls_way.slid         = hdr.slid;
  assign cls_way.sl           = hdr.sl;
  assign cls_way.vlan1        = hdr.vlan1;
  assign cls_way.vlan0        = hdr.vlan0;
  assign cls_way.tags         = hdr.tags;
  assign cls_way.encap        = hdr.encap;
  assign cls_way.immediate    = hdr.immediate;
  assign cls_way.dropped      = cls_why;
  assign cls_way.what         = cls_class;
  assign cls_way.qpn          = cls_qpn;

  hca_rx_notify #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_notify (
    .clk_i,
    .rst_ni,
    .s_way_i    (cls_way),
    .s_opcode_i (hdr.opcode),
    .s_service_i(cls_service),
    .s_src_qp_i (hdr.src_qp),
    .s_valid_i  (go & is_admitted),
    .s_ready_o  (notify_ready),
    .op_i       (notify_op_i),
    .op_valid_i (notify_op_valid_i),
    .op_ready_o (notify_op_ready_o),
    .m_notice_o,
    .m_valid_o  (m_notice_valid_o),
    .m_ready_i  (m_notice_ready_i)
  );

  sync_fifo #(
    .Width($bits(cls_way)),
    .Depth(64)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .s_data_i (cls_way),
    .s_valid_i(go),
    .s_ready_o(way_ready),
    .m_data_o (m_way_o),
    .m_valid_o(m_way_valid_o),
    .m_ready_i(m_way_ready_i),
    .count_o  (unused_way_count)
  );

endmodule
