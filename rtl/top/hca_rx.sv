// SPDX-License-Identifier: Apache-2.0
// The responder, as far as it is joined: docs/blocks/hca_rx.md, and docs/pipeline.md for the whole.
//
// Records go from block to block through queues; what a block does not need of a packet waits beside it in another one
// and is its head when the block's record comes. Every queue's input is the choice of an operation or a packet.
module hca_rx #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536; of keys as many
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic                             wqe_present_i,
  input  logic [31:0]                      wqe_bytes_i,
  input  logic [23:0]                      pd_i,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
  input  logic [0:0]                       s_axis_tuser_i,
  input  logic                             s_axis_tvalid_i,
  output logic                             s_axis_tready_o,

  input  logic [1:0]                       s_op_target_i,
  input  logic [563:0]                     s_op_data_i,
  input  logic                             s_op_valid_i,
  output logic                             s_op_ready_o,

  output logic [2:0]                       m_gate_why_o,
  output logic [1:0]                       m_gate_icrc_o,
  output logic [2:0]                       m_gate_encap_o,
  output logic [3:0]                       m_gate_reason_o,
  output logic                             m_gate_valid_o,
  input  logic                             m_gate_ready_i,

  output logic [23:0]                      m_rec_qpn_o,
  output logic [23:0]                      m_rec_psn_o,
  output logic [2:0]                       m_rec_class_o,
  output logic [3:0]                       m_rec_dropped_o,
  output logic [2:0]                       m_rec_verdict_o,
  output logic [4:0]                       m_rec_why_o,
  output logic [2:0]                       m_rec_answer_o,
  output logic                             m_rec_complete_o,
  output logic                             m_rec_placed_o,
  output logic                             m_rec_valid_o,
  input  logic                             m_rec_ready_i,

  output logic [DataWidth-1:0]             m_pay_tdata_o,
  output logic [DataWidth/8-1:0]           m_pay_tkeep_o,
  output logic                             m_pay_tlast_o,
  output logic                             m_pay_tvalid_o,
  input  logic                             m_pay_tready_i,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i
);

  localparam int unsigned BeatBytes = DataWidth / 8;

  // ---------------------------------------------------------------------------------------------------------------
  // Frames: verdict, gate, parser.

  logic [DataWidth-1:0] c_data, g_data, p_data;
  logic [BeatBytes-1:0] c_keep, g_keep, p_keep;
  logic c_last, c_valid, c_ready, g_last, g_valid, g_ready, p_last, p_valid, p_ready;
  logic [hca_pkg::VerdictWidth-1:0] c_user;
  logic [0:0] g_user;
  rx_pkg::header_t p_hdr;
  logic p_hdr_valid, p_hdr_ready;

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
    .m_hdr_reason_o(p_hdr.reason),
    .m_hdr_encap_o(p_hdr.encap),
    .m_hdr_cut_o(p_hdr.cut),
    .m_hdr_short_o(p_hdr.is_short),
    .m_hdr_tags_o(p_hdr.tags),
    .m_hdr_se_o(p_hdr.se),
    .m_hdr_mig_req_o(p_hdr.mig_req),
    .m_hdr_fecn_o(p_hdr.fecn),
    .m_hdr_becn_o(p_hdr.becn),
    .m_hdr_ack_req_o(p_hdr.ack_req),
    .m_hdr_opcode_o(p_hdr.opcode),
    .m_hdr_pad_o(p_hdr.pad),
    .m_hdr_tver_o(p_hdr.tver),
    .m_hdr_flush_sel_o(p_hdr.flush_sel),
    .m_hdr_flush_plt_o(p_hdr.flush_plt),
    .m_hdr_sl_o(p_hdr.sl),
    .m_hdr_pkey_o(p_hdr.pkey),
    .m_hdr_dest_qp_o(p_hdr.dest_qp),
    .m_hdr_psn_o(p_hdr.psn),
    .m_hdr_payload_bytes_o(p_hdr.payload_bytes),
    .m_hdr_udp_src_port_o(p_hdr.udp_src_port),
    .m_hdr_tclass_o(p_hdr.tclass),
    .m_hdr_slid_o(p_hdr.slid),
    .m_hdr_dlid_o(p_hdr.dlid),
    .m_hdr_vlan0_o(p_hdr.vlan0),
    .m_hdr_vlan1_o(p_hdr.vlan1),
    .m_hdr_src_o(p_hdr.src),
    .m_hdr_dst_o(p_hdr.dst),
    .m_hdr_ee_context_o(p_hdr.ee_context),
    .m_hdr_qkey_o(p_hdr.qkey),
    .m_hdr_src_qp_o(p_hdr.src_qp),
    .m_hdr_xrcsrq_o(p_hdr.xrcsrq),
    .m_hdr_va_o(p_hdr.va),
    .m_hdr_rkey_o(p_hdr.rkey),
    .m_hdr_dma_len_o(p_hdr.dma_len),
    .m_hdr_swap_add_o(p_hdr.swap_add),
    .m_hdr_compare_o(p_hdr.compare),
    .m_hdr_syndrome_o(p_hdr.syndrome),
    .m_hdr_msn_o(p_hdr.msn),
    .m_hdr_original_o(p_hdr.original),
    .m_hdr_inv_rkey_o(p_hdr.inv_rkey),
    .m_hdr_immediate_o(p_hdr.immediate),
    .m_hdr_valid_o  (p_hdr_valid),
    .m_hdr_ready_i  (p_hdr_ready),
    .m_axis_tdata_o (p_data),
    .m_axis_tkeep_o (p_keep),
    .m_axis_tlast_o (p_last),
    .m_axis_tvalid_o(p_valid),
    .m_axis_tready_i(p_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Operations: the head of their queue goes to its block, before packets.

  logic op_valid, op_take;
  logic [1:0] op_target;
  logic [563:0] op_data;
  logic [3:0] op_to, in_ready;  // by target: rx_classify, resp_psn_check, mr_lookup, ack_gen
  logic [2:0] unused_ops;

  sync_fifo #(
    .Width(566),
    .Depth(4)
  ) u_ops (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_op_target_i, s_op_data_i}),
    .s_valid_i(s_op_valid_i),
    .s_ready_o(s_op_ready_o),
    .m_data_o ({op_target, op_data}),
    .m_valid_o(op_valid),
    .m_ready_i(op_take),
    .count_o  (unused_ops)
  );

  assign op_to   = {3'b000, op_valid} << op_target;
  assign op_take = (op_to & in_ready) != '0;

  // ---------------------------------------------------------------------------------------------------------------
  // Classification. The header waits beside it.

  logic cls_push, cls_in_valid, cls_in_ready, hdrq_ready, hdr_valid, hdr_take;
  logic [353:0] cls_in, cls_hdr;
  rx_pkg::header_t hdr;
  logic [2:0] unused_cls_count;
  logic [4:0] unused_hdr_count;

  assign cls_hdr     = {p_hdr.dst, p_hdr.src, 8'h0, p_hdr.dlid, p_hdr.slid, p_hdr.pkey, p_hdr.dest_qp, p_hdr.opcode,
    p_hdr.encap,
                        p_hdr.reason, 3'd0};
  assign p_hdr_ready = in_ready[0] & hdrq_ready & ~op_to[0];
  assign cls_push    = op_to[0] | (p_hdr_valid & hdrq_ready);

  sync_fifo #(
    .Width(354),
    .Depth(4)
  ) u_cls_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_to[0] ? op_data[353:0] : cls_hdr),
    .s_valid_i(cls_push),
    .s_ready_o(in_ready[0]),
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
    .s_data_i (p_hdr),
    .s_valid_i(p_hdr_valid & p_hdr_ready),
    .s_ready_o(hdrq_ready),
    .m_data_o (hdr),
    .m_valid_o(hdr_valid),
    .m_ready_i(hdr_take),
    .count_o  (unused_hdr_count)
  );

  logic [23:0] cls_qpn;
  logic [15:0] cls_pkey;
  logic [2:0] cls_class, cls_op;
  logic [3:0] cls_why;
  logic [1:0] unused_cls_service;
  logic cls_valid, cls_ready;

  rx_classify #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_classify (
    .clk_i,
    .rst_ni,
    .s_op_i(cls_in[2:0]),
    .s_reason_i(cls_in[6:3]),
    .s_encap_i(cls_in[9:7]),
    .s_opcode_i(cls_in[17:10]),
    .s_dest_qp_i(cls_in[41:18]),
    .s_pkey_i(cls_in[57:42]),
    .s_slid_i(cls_in[73:58]),
    .s_dlid_i(cls_in[89:74]),
    .s_entry_i(cls_in[93:90]),
    .s_service_i(cls_in[95:94]),
    .s_live_i(cls_in[96]),
    .s_global_i(cls_in[97]),
    .s_src_i(cls_in[225:98]),
    .s_dst_i(cls_in[353:226]),
    .s_valid_i  (cls_in_valid),
    .s_ready_o  (cls_in_ready),
    .m_qpn_o    (cls_qpn),
    .m_pkey_o   (cls_pkey),
    .m_class_o  (cls_class),
    .m_why_o    (cls_why),
    .m_op_o     (cls_op),
    .m_service_o(unused_cls_service),
    .m_valid_o  (cls_valid),
    .m_ready_i  (cls_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Behind it: every packet has a place in the queue of ways; a request goes on to its key.

  typedef struct packed {
    logic [15:0]  pkey;
    logic [127:0] dst;
    logic [127:0] src;
    logic [15:0]  udp_src_port;
    logic [7:0]   tclass;
    logic [15:0]  dlid;
    logic [15:0]  slid;
    logic [3:0]   sl;
    logic [31:0]  vlan1;
    logic [31:0]  vlan0;
    logic [1:0]   tags;
    logic [2:0]   encap;
    logic         payload;  // the parser has one of it
    logic [3:0]   dropped;
    logic [2:0]   what;     // classify_pkg::class_e
    logic [23:0]  qpn;
  } way_t;

  // What resp_psn_check is asked, but for the key.
  typedef struct packed {
    logic        by_key;  // the key decides; else granted does
    logic        granted;
    logic [1:0]  flush_sel;
    logic [3:0]  flush_plt;
    logic        solicited;
    logic        ack_req;
    logic [1:0]  pad;
    logic [2:0]  va_low;
    logic [31:0] dma_length;
    logic [15:0] payload;
    logic [7:0]  opcode;
    logic [23:0] psn;
    logic [23:0] qpn;
  } ask_t;

  way_t cls_way, way;
  ask_t cls_ask, ask;
  rx_pkg::opcode_t dec;
  logic [2:0] unused_lead;
  logic [3:0] unused_words;
  logic [4:0] operation, mr_need;
  logic is_packet, is_request, go, way_ready, way_valid, way_take, ask_ready, ask_valid, ask_take;
  logic [257:0] mr_check, mr_in;
  logic [31:0] mr_length;
  logic [6:0] unused_way_count;
  logic [4:0] unused_ask_count;
  logic [2:0] unused_mr_count;

  roce_opcode u_opcode (
    .opcode_i    (hdr.opcode),
    .op_o        (dec),
    .lead_words_o(unused_lead),
    .words_o     (unused_words)
  );

  assign is_packet  = cls_op == classify_pkg::OpPacket;
  assign is_request = cls_class == classify_pkg::ClassRequest;
  assign go         = cls_valid & is_packet & hdr_valid & way_ready & ask_ready & in_ready[2] & ~op_to[2];
  assign cls_ready  = ~is_packet | go;
  assign hdr_take   = go;
  assign operation  = hdr.opcode[4:0];

  always_comb begin
    cls_way.pkey         = cls_pkey;
    cls_way.dst          = hdr.dst;
    cls_way.src          = hdr.src;
    cls_way.udp_src_port = hdr.udp_src_port;
    cls_way.tclass       = hdr.tclass;
    cls_way.dlid         = hdr.dlid;
    cls_way.slid         = hdr.slid;
    cls_way.sl           = hdr.sl;
    cls_way.vlan1        = hdr.vlan1;
    cls_way.vlan0        = hdr.vlan0;
    cls_way.tags         = hdr.tags;
    cls_way.encap        = hdr.encap;
    cls_way.payload      = hdr.reason == hca_pkg::ReasonNone && dec.known && dec.payload && hdr.payload_bytes != '0;
    cls_way.dropped      = cls_why;
    cls_way.what         = cls_class;
    cls_way.qpn          = cls_qpn;
  end

  // The key of a WRITE Middle or Last was asked for with its First; none of SEND is, and no window can be given back.
  always_comb begin
    cls_ask.by_key     = dec.reth | dec.atomic;
    cls_ask.granted    = ~dec.ieth;
    cls_ask.flush_sel  = hdr.flush_sel;
    cls_ask.flush_plt  = hdr.flush_plt;
    cls_ask.solicited  = hdr.se;
    cls_ask.ack_req    = hdr.ack_req;
    cls_ask.pad        = hdr.pad;
    cls_ask.va_low     = hdr.va[2:0];
    cls_ask.dma_length = hdr.dma_len;
    cls_ask.payload    = hdr.payload_bytes;
    cls_ask.opcode     = hdr.opcode;
    cls_ask.psn        = hdr.psn;
    cls_ask.qpn        = cls_qpn;
  end

  always_comb begin
    mr_need   = 5'b00001;  // WRITE, ATOMIC WRITE
    mr_length = hdr.dma_len;
    if (operation == 5'h0C) mr_need = 5'b00010;
    if (dec.atomic) {mr_need, mr_length} = {5'b00100, 32'd8};
    if (operation == 5'h1D) mr_length = 32'd8;
    if (dec.feth) mr_need = {hdr.flush_plt[1:0], 3'b000};
    mr_check = {64'h0, 1'b0, dec.feth && hdr.flush_sel == 2'd1, mr_need, 32'h0, mr_length, hdr.va, pd_i, hdr.rkey,
      3'd0};
  end

  sync_fifo #(
    .Width($bits(way)),
    .Depth(64)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .s_data_i (cls_way),
    .s_valid_i(go),
    .s_ready_o(way_ready),
    .m_data_o (way),
    .m_valid_o(way_valid),
    .m_ready_i(way_take),
    .count_o  (unused_way_count)
  );

  sync_fifo #(
    .Width($bits(ask)),
    .Depth(16)
  ) u_asks (
    .clk_i,
    .rst_ni,
    .s_data_i (cls_ask),
    .s_valid_i(go & is_request),
    .s_ready_o(ask_ready),
    .m_data_o (ask),
    .m_valid_o(ask_valid),
    .m_ready_i(ask_take),
    .count_o  (unused_ask_count)
  );

  logic mr_in_valid, mr_in_ready, mr_valid, mr_ready, mr_ok, mr_is_check;
  logic [2:0] mr_op, unused_mr_why;
  logic [31:0] unused_mr_rkey;
  logic [63:0] unused_mr_address;

  sync_fifo #(
    .Width(258),
    .Depth(4)
  ) u_mr_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_to[2] ? op_data[257:0] : mr_check),
    .s_valid_i(op_to[2] | (go & is_request)),
    .s_ready_o(in_ready[2]),
    .m_data_o (mr_in),
    .m_valid_o(mr_in_valid),
    .m_ready_i(mr_in_ready),
    .count_o  (unused_mr_count)
  );

  mr_lookup #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .s_op_i(mr_in[2:0]),
    .s_rkey_i(mr_in[34:3]),
    .s_pd_i(mr_in[58:35]),
    .s_va_i(mr_in[122:59]),
    .s_length_i(mr_in[186:123]),
    .s_need_i(mr_in[191:187]),
    .s_whole_i(mr_in[192]),
    .s_window_i(mr_in[193]),
    .s_base_i(mr_in[257:194]),
    .s_valid_i  (mr_in_valid),
    .s_ready_o  (mr_in_ready),
    .m_address_o(unused_mr_address),
    .m_rkey_o   (unused_mr_rkey),
    .m_op_o     (mr_op),
    .m_ok_o     (mr_ok),
    .m_why_o    (unused_mr_why),
    .m_valid_o  (mr_valid),
    .m_ready_i  (mr_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The verdict.

  logic [188:0] rsp_ask, rsp_in;
  logic rsp_go, rsp_in_valid, rsp_in_ready, res_valid, res_ready;
  resp_pkg::result_t res;
  logic [2:0] unused_rsp_count;

  assign mr_is_check = mr_op == mr_pkg::OpCheck;
  assign rsp_go      = mr_valid & mr_is_check & ask_valid & in_ready[1] & ~op_to[1];
  assign mr_ready    = ~mr_is_check | rsp_go;
  assign ask_take    = rsp_go;

  // Credits are not used: code 31.
  assign rsp_ask = {2'b00, ask.flush_sel, ask.flush_plt, ask.by_key ? mr_ok : ask.granted, wqe_present_i, 1'b0, 1'b0,
                    ask.solicited, 8'h0, ask.ack_req, ask.pad, 5'd31, ask.va_low, 5'd0, 3'd0, 5'd0, 3'd0, 2'd0, 3'd0,
                    wqe_bytes_i, ask.dma_length, ask.payload, ask.opcode, ask.psn, ask.qpn};

  sync_fifo #(
    .Width(189),
    .Depth(4)
  ) u_rsp_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_to[1] ? op_data[188:0] : rsp_ask),
    .s_valid_i(op_to[1] | rsp_go),
    .s_ready_o(in_ready[1]),
    .m_data_o (rsp_in),
    .m_valid_o(rsp_in_valid),
    .m_ready_i(rsp_in_ready),
    .count_o  (unused_rsp_count)
  );

  resp_psn_check #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_verdict (
    .clk_i,
    .rst_ni,
    .s_qpn_i(rsp_in[23:0]),
    .s_psn_i(rsp_in[47:24]),
    .s_opcode_i(rsp_in[55:48]),
    .s_payload_i(rsp_in[71:56]),
    .s_dma_length_i(rsp_in[103:72]),
    .s_wqe_bytes_i(rsp_in[135:104]),
    .s_op_i(rsp_in[138:136]),
    .s_service_i(rsp_in[140:139]),
    .s_pmtu_i(rsp_in[143:141]),
    .s_max_reads_i(rsp_in[148:144]),
    .s_enabled_i(rsp_in[151:149]),
    .s_rnr_timer_i(rsp_in[156:152]),
    .s_va_low_i(rsp_in[159:157]),
    .s_credits_i(rsp_in[164:160]),
    .s_pad_i(rsp_in[166:165]),
    .s_ack_req_i(rsp_in[167]),
    .s_profile_i(rsp_in[175:168]),
    .s_solicited_i(rsp_in[176]),
    .s_own_error_i(rsp_in[177]),
    .s_qkey_ok_i(rsp_in[178]),
    .s_wqe_present_i(rsp_in[179]),
    .s_access_ok_i(rsp_in[180]),
    .s_flush_plt_i(rsp_in[184:181]),
    .s_flush_sel_i(rsp_in[186:185]),
    .s_flush_enabled_i(rsp_in[188:187]),
    .s_valid_i      (rsp_in_valid),
    .s_ready_o      (rsp_in_ready),
    .m_qpn_o        (res.qpn),
    .m_epsn_before_o(res.epsn_before),
    .m_epsn_after_o (res.epsn_after),
    .m_psn_o        (res.psn),
    .m_msn_o        (res.msn),
    .m_syndrome_o   (res.syndrome),
    .m_op_o         (res.op),
    .m_why_o        (res.why),
    .m_verdict_o    (res.verdict),
    .m_answer_o     (res.answer),
    .m_first_o      (res.first),
    .m_last_o       (res.last),
    .m_complete_o   (res.complete),
    .m_solicited_o  (res.solicited),
    .m_to_error_o   (res.to_error),
    .m_behind_o     (res.behind),
    .m_valid_o      (res_valid),
    .m_ready_i      (res_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Commit: packet by packet, in order.

  typedef struct packed {
    logic        placed;
    logic        complete;
    logic [2:0]  answer;
    logic [4:0]  why;
    logic [2:0]  verdict;
    logic [3:0]  dropped;
    logic [2:0]  what;
    logic [23:0] psn;
    logic [23:0] qpn;
  } told_t;

  told_t told, told_out;
  logic of_request, res_is_packet, commit, placed, answers, told_ready, place_ready, place_valid, place, place_take;
  logic [563:0] ack_answer, ack_in;
  logic [3:0] unused_told_count;
  logic [6:0] unused_place_count;
  logic [2:0] unused_ack_count;

  assign of_request    = way.what == classify_pkg::ClassRequest;
  assign res_is_packet = res.op == 3'd0;
  assign commit        = way_valid & (~of_request | (res_valid & res_is_packet)) & told_ready & place_ready &
    in_ready[3] &
                         ~op_to[3];
  assign way_take      = commit;
  assign res_ready     = ~res_is_packet | (commit & of_request);
  assign placed        = of_request & way.payload & (res.verdict == resp_pkg::VerdictExecute);
  assign answers       = of_request & (res.answer == resp_pkg::AnswerAck || res.answer == resp_pkg::AnswerNak);

  always_comb begin
    told         = '0;
    told.qpn     = way.qpn;
    told.what    = way.what;
    told.dropped = way.dropped;
    if (of_request) begin
      told.psn      = res.psn;
      told.verdict  = res.verdict;
      told.why      = res.why;
      told.answer   = res.answer;
      told.complete = res.complete;
      told.placed   = placed;
    end
  end

  sync_fifo #(
    .Width($bits(told)),
    .Depth(8)
  ) u_told (
    .clk_i,
    .rst_ni,
    .s_data_i (told),
    .s_valid_i(commit),
    .s_ready_o(told_ready),
    .m_data_o (told_out),
    .m_valid_o(m_rec_valid_o),
    .m_ready_i(m_rec_ready_i),
    .count_o  (unused_told_count)
  );

  assign {m_rec_placed_o, m_rec_complete_o, m_rec_answer_o, m_rec_why_o, m_rec_verdict_o, m_rec_dropped_o,
    m_rec_class_o,
          m_rec_psn_o, m_rec_qpn_o} = told_out;

  // ---------------------------------------------------------------------------------------------------------------
  // Payload: placed, or taken from the parser's store and forgotten.

  logic pay_ready;

  sync_fifo #(
    .Width(1),
    .Depth(64)
  ) u_places (
    .clk_i,
    .rst_ni,
    .s_data_i (placed),
    .s_valid_i(commit & way.payload),
    .s_ready_o(place_ready),
    .m_data_o (place),
    .m_valid_o(place_valid),
    .m_ready_i(place_take),
    .count_o  (unused_place_count)
  );

  assign p_ready    = place_valid & (pay_ready | ~place);
  assign place_take = p_valid & p_ready & p_last;

  axis_skid #(
    .Width(DataWidth + BeatBytes + 1)
  ) u_pay (
    .clk_i,
    .rst_ni,
    .s_data_i ({p_last, p_keep, p_data}),
    .s_valid_i(p_valid & place_valid & place),
    .s_ready_o(pay_ready),
    .m_data_o ({m_pay_tlast_o, m_pay_tkeep_o, m_pay_tdata_o}),
    .m_valid_o(m_pay_tvalid_o),
    .m_ready_i(m_pay_tready_i)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Answers.

  logic ack_in_valid, ack_in_ready, a_last, a_valid, a_ready, unused_ack_valid;
  logic [23:0] unused_ack_qpn;
  logic [2:0] unused_ack_op;
  logic [1:0] unused_ack_why;
  logic [0:0] a_user;
  logic [DataWidth-1:0] a_data;
  logic [BeatBytes-1:0] a_keep;

  assign ack_answer = {80'h0, way.pkey, way.dst, way.src, way.udp_src_port, way.tclass, way.dlid, way.slid, way.sl,
    way.vlan1,
                       way.vlan0, way.tags, way.encap, res.syndrome, res.msn, res.psn, way.qpn, 3'd0};

  sync_fifo #(
    .Width(564),
    .Depth(4)
  ) u_ack_in (
    .clk_i,
    .rst_ni,
    .s_data_i (op_to[3] ? op_data[563:0] : ack_answer),
    .s_valid_i(op_to[3] | (commit & answers)),
    .s_ready_o(in_ready[3]),
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
    .s_op_i(ack_in[2:0]),
    .s_qpn_i(ack_in[26:3]),
    .s_psn_i(ack_in[50:27]),
    .s_msn_i(ack_in[74:51]),
    .s_syndrome_i(ack_in[82:75]),
    .s_encap_i(ack_in[85:83]),
    .s_tags_i(ack_in[87:86]),
    .s_vlan0_i(ack_in[119:88]),
    .s_vlan1_i(ack_in[151:120]),
    .s_sl_i(ack_in[155:152]),
    .s_slid_i(ack_in[171:156]),
    .s_dlid_i(ack_in[187:172]),
    .s_tclass_i(ack_in[195:188]),
    .s_udp_src_port_i(ack_in[211:196]),
    .s_src_i(ack_in[339:212]),
    .s_dst_i(ack_in[467:340]),
    .s_pkey_i(ack_in[483:468]),
    .s_peer_qpn_i(ack_in[507:484]),
    .s_mac_i(ack_in[555:508]),
    .s_hop_limit_i(ack_in[563:556]),
    .s_valid_i      (ack_in_valid),
    .s_ready_o      (ack_in_ready),
    .m_qpn_o        (unused_ack_qpn),
    .m_op_o         (unused_ack_op),
    .m_why_o        (unused_ack_why),
    .m_valid_o      (unused_ack_valid),
    .m_ready_i      (1'b1),
    .m_axis_tdata_o (a_data),
    .m_axis_tkeep_o (a_keep),
    .m_axis_tlast_o (a_last),
    .m_axis_tuser_o (a_user),
    .m_axis_tvalid_o(a_valid),
    .m_axis_tready_i(a_ready)
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
