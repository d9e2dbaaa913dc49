// Packets in; of each a header record and its payload out: docs/blocks/roce_parse.md.
//
// icrc_locate finds the packet, roce_headers its headers. What follows turns every beat so that the payload starts in byte 0,
// joins it with the beat behind it, and keeps the result or not once the packet's last beat has been judged.
module roce_parse #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned StoreBytes = 8192  // fewer in proofs only
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic [0:0]             s_axis_tuser_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [3:0]                   m_hdr_reason_o,
  output logic [2:0]                   m_hdr_encap_o,
  output logic                         m_hdr_cut_o,
  output logic                         m_hdr_short_o,
  output logic [1:0]                   m_hdr_tags_o,
  output logic                         m_hdr_se_o,
  output logic                         m_hdr_mig_req_o,
  output logic                         m_hdr_fecn_o,
  output logic                         m_hdr_becn_o,
  output logic                         m_hdr_ack_req_o,
  output logic [7:0]                   m_hdr_opcode_o,
  output logic [1:0]                   m_hdr_pad_o,
  output logic [3:0]                   m_hdr_tver_o,
  output logic [1:0]                   m_hdr_flush_sel_o,
  output logic [3:0]                   m_hdr_flush_plt_o,
  output logic [3:0]                   m_hdr_sl_o,
  output logic [15:0]                  m_hdr_pkey_o,
  output logic [23:0]                  m_hdr_dest_qp_o,
  output logic [23:0]                  m_hdr_psn_o,
  output logic [15:0]                  m_hdr_payload_bytes_o,
  output logic [15:0]                  m_hdr_udp_src_port_o,
  output logic [7:0]                   m_hdr_tclass_o,
  output logic [15:0]                  m_hdr_slid_o,
  output logic [15:0]                  m_hdr_dlid_o,
  output logic [31:0]                  m_hdr_vlan0_o,
  output logic [31:0]                  m_hdr_vlan1_o,
  output logic [127:0]                 m_hdr_src_o,
  output logic [127:0]                 m_hdr_dst_o,
  output logic [23:0]                  m_hdr_ee_context_o,
  output logic [31:0]                  m_hdr_qkey_o,
  output logic [23:0]                  m_hdr_src_qp_o,
  output logic [23:0]                  m_hdr_xrcsrq_o,
  output logic [63:0]                  m_hdr_va_o,
  output logic [31:0]                  m_hdr_rkey_o,
  output logic [31:0]                  m_hdr_dma_len_o,
  output logic [63:0]                  m_hdr_swap_add_o,
  output logic [63:0]                  m_hdr_compare_o,
  output logic [7:0]                   m_hdr_syndrome_o,
  output logic [23:0]                  m_hdr_msn_o,
  output logic [63:0]                  m_hdr_original_o,
  output logic [31:0]                  m_hdr_inv_rkey_o,
  output logic [31:0]                  m_hdr_immediate_o,
  output logic                   m_hdr_valid_o,
  input  logic                   m_hdr_ready_i,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned BeatShift = $clog2(BeatBytes);
  localparam int unsigned IdxWidth = 17 - BeatShift;
  localparam int unsigned RelWidth = 18;
  localparam logic signed [RelWidth-1:0] BeatRel = RelWidth'(BeatBytes);
  localparam logic signed [RelWidth-1:0] MaxPayload = RelWidth'(rx_pkg::MaxPayloadBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("roce_parse: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: a skid buffer registers ready. Behind it everything up to the store moves together or not at all.

  logic en, in_valid, in_last, in_ib;
  logic [BeatBytes-1:0] in_keep;
  logic [DataWidth-1:0] in_data;

  axis_skid #(
    .Width(DataWidth + BeatBytes + 2)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_axis_tlast_i, s_axis_tuser_i, s_axis_tkeep_i, s_axis_tdata_i}),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o ({in_last, in_ib, in_keep, in_data}),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 1 to 6: find the packet and its headers.

  logic valid6, last6, covered6, short6, trunc6;
  logic [DataWidth-1:0] data6;
  logic signed [RelWidth-1:0] icrc_rel6;  // E - 4, counted from this beat
  logic [2:0] encap6;
  logic [3:0] reason6;
  logic [IdxWidth-1:0] idx6;
  logic [7:0] bth_end6;
  logic [319:0] ext6;
  logic [1:0] tags6;
  logic [3:0] sl6;
  logic [7:0] tclass6;
  logic [15:0] dlid6, slid6, udp_src_port6;
  logic [31:0] vlan0_6, vlan1_6;
  logic [127:0] src6, dst6;
  logic [95:0] bth6;
  logic unused_first, unused_known;
  logic [BeatBytes-1:0] unused_keep;
  logic [DataWidth-1:0] unused_masked;

  icrc_locate #(
    .DataWidth(DataWidth),
    .Trim     (4)
  ) u_locate (
    .clk_i,
    .rst_ni,
    .en_i       (en),
    .valid_i    (in_valid),
    .last_i     (in_last),
    .ib_i       (in_ib),
    .keep_i     (in_keep),
    .data_i     (in_data),
    .valid_o    (valid6),
    .first_o    (unused_first),
    .last_o     (last6),
    .keep_o     (unused_keep),
    .data_o     (data6),
    .masked_o   (unused_masked),
    .end_known_o(unused_known),
    .end_rel_o  (icrc_rel6),
    .covered_o  (covered6),
    .short_o    (short6),
    .trunc_o    (trunc6),
    .encap_o    (encap6),
    .reason_o   (reason6)
  );

  roce_headers #(
    .DataWidth(DataWidth)
  ) u_headers (
    .clk_i,
    .rst_ni,
    .en_i          (en),
    .valid_i       (in_valid),
    .last_i        (in_last),
    .ib_i          (in_ib),
    .data_i        (in_data),
    .idx_o         (idx6),
    .tags_o        (tags6),
    .vlan0_o       (vlan0_6),
    .vlan1_o       (vlan1_6),
    .sl_o          (sl6),
    .dlid_o        (dlid6),
    .slid_o        (slid6),
    .tclass_o      (tclass6),
    .src_o         (src6),
    .dst_o         (dst6),
    .udp_src_port_o(udp_src_port6),
    .bth_o         (bth6),
    .ext_o         (ext6),
    .bth_end_o     (bth_end6)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 7: the opcode; the fields of network header and BTH, where there are such headers.

  rx_pkg::opcode_t op6;
  logic [2:0] lead_words6;
  logic [3:0] words6;

  roce_opcode u_opcode (
    .opcode_i    (bth6[95:88]),
    .op_o        (op6),
    .lead_words_o(lead_words6),
    .words_o     (words6)
  );

  logic ib6, udp6, bth_there6;
  rx_pkg::header_t hdr7_d, hdr7_q;
  rx_pkg::opcode_t op7_q;
  logic valid7_q, last7_q, bth_there7_q;
  logic [1:0] pad7_q;
  logic [2:0] lead_words7_q;
  logic [3:0] words7_q;
  logic [7:0] bth_end7_q;
  logic [319:0] ext7_q;
  logic [IdxWidth-1:0] idx7_q;
  logic [DataWidth-1:0] data7_q;
  logic signed [RelWidth-1:0] icrc_rel7_q, icrc_at7_q;  // E - 4 from this beat, and from the packet's first byte

  assign ib6        = encap6[2];
  assign udp6       = encap6[2:1] == 2'b01;
  assign bth_there6 = covered6 & (reason6 == hca_pkg::ReasonNone);

  always_comb begin
    hdr7_d          = '0;
    hdr7_d.reason   = reason6;
    hdr7_d.encap    = encap6;
    hdr7_d.cut      = covered6 & trunc6;
    hdr7_d.is_short = covered6 & short6;
    if (ib6) begin
      hdr7_d.sl   = sl6;
      hdr7_d.slid = slid6;
      hdr7_d.dlid = dlid6;
    end else if (encap6 != hca_pkg::EncapNone) begin
      hdr7_d.tags = tags6;
      if (tags6 != 2'd0) hdr7_d.vlan0 = vlan0_6;
      if (tags6 == 2'd2) hdr7_d.vlan1 = vlan1_6;
    end
    if (encap6 == hca_pkg::EncapRocev1 || udp6 || encap6 == hca_pkg::EncapIbGlobal) begin
      hdr7_d.src    = src6;
      hdr7_d.dst    = dst6;
      hdr7_d.tclass = tclass6;
    end
    if (udp6) hdr7_d.udp_src_port = udp_src_port6;
    if (bth_there6) begin
      hdr7_d.opcode  = bth6[95:88];
      hdr7_d.se      = bth6[87];
      hdr7_d.mig_req = bth6[86];
      hdr7_d.pad     = bth6[85:84];
      hdr7_d.tver    = bth6[83:80];
      hdr7_d.pkey    = bth6[79:64];
      hdr7_d.fecn    = bth6[63];
      hdr7_d.becn    = bth6[62];
      hdr7_d.dest_qp = bth6[55:32];
      hdr7_d.ack_req = bth6[31];
      hdr7_d.psn     = bth6[23:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      last7_q       <= last6;
      bth_there7_q  <= bth_there6;
      op7_q         <= op6;
      lead_words7_q <= lead_words6;
      words7_q      <= words6;
      pad7_q        <= bth6[85:84];
      hdr7_q        <= hdr7_d;
      bth_end7_q    <= bth_end6;
      ext7_q        <= ext6;
      idx7_q        <= idx6;
      data7_q       <= data6;
      icrc_rel7_q   <= icrc_rel6;
      icrc_at7_q    <= icrc_rel6 + {1'b0, idx6, BeatShift'(0)};
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 8: P. The extension headers behind RDETH, DETH, XRCETH and FETH come to a fixed place.

  rx_pkg::header_t hdr8_q;
  rx_pkg::opcode_t op8_q;
  logic valid8_q, last8_q, bth_there8_q;
  logic [1:0] pad8_q;
  logic [7:0] payload_at8_q;  // P
  logic [95:0] lead8_q;
  logic [5:0] flush8_q;  // SEL, PLT
  logic [223:0] rest8_d, rest8_q;
  logic [IdxWidth-1:0] idx8_q;
  logic [DataWidth-1:0] data8_q;
  logic signed [RelWidth-1:0] icrc_rel8_q, icrc_at8_q;

  always_comb begin
    rest8_d = '0;
    for (int n = 0; n < 4; n++) begin
      if (lead_words7_q == n[2:0]) rest8_d = ext7_q[320-224-32*n+:224];
    end
    if (lead_words7_q == 3'd4) rest8_d = {ext7_q[191:0], 32'b0};  // RD FLUSH: a RETH follows
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      last8_q       <= last7_q;
      bth_there8_q  <= bth_there7_q;
      op8_q         <= op7_q;
      pad8_q        <= pad7_q;
      hdr8_q        <= hdr7_q;
      payload_at8_q <= bth_end7_q + {2'b00, words7_q, 2'b00};
      lead8_q       <= ext7_q[319-:96];
      flush8_q      <= op7_q.rdeth ? ext7_q[192+:6] : ext7_q[288+:6];
      rest8_q       <= rest8_d;
      idx8_q        <= idx7_q;
      data8_q       <= data7_q;
      icrc_rel8_q   <= icrc_rel7_q;
      icrc_at8_q    <= icrc_at7_q;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 9: the fields of the extension headers; bytes behind the headers; the first turn of the beat, to P's word.
  //
  // P is even. It lies in byte turn of a beat: beat j from that one on makes payload beat j out of its bytes from turn on and the
  // first turn bytes of the next. left counts what there is of the payload from byte turn of this beat on, the pad included here.

  rx_pkg::header_t hdr9_d, hdr9_q;
  logic valid9_q, last9_q, bth_there9_q, known9_q, payload9_q, started9_q;
  logic [1:0] pad9_q;
  logic [6:0] turn8, turn9_q;
  logic [63:0] deth8;
  logic [DataWidth-1:0] data9_d, data9_q;
  logic signed [RelWidth-1:0] space9_q, left9_q;

  assign turn8 = 7'(payload_at8_q[BeatShift-1:0]);
  assign deth8 = op8_q.rdeth ? lead8_q[63:0] : lead8_q[95:32];

  always_comb begin
    hdr9_d = hdr8_q;
    if (op8_q.rdeth) hdr9_d.ee_context = lead8_q[87:64];
    if (op8_q.deth) begin
      hdr9_d.qkey   = deth8[63:32];
      hdr9_d.src_qp = deth8[23:0];
    end
    if (op8_q.xrceth) hdr9_d.xrcsrq = lead8_q[87:64];
    if (op8_q.feth) begin
      hdr9_d.flush_sel = flush8_q[5:4];
      hdr9_d.flush_plt = flush8_q[3:0];
    end
    if (op8_q.reth || op8_q.atomic) begin
      hdr9_d.va   = rest8_q[223-:64];
      hdr9_d.rkey = rest8_q[159-:32];
    end
    if (op8_q.reth) hdr9_d.dma_len = rest8_q[127-:32];
    if (op8_q.atomic) begin
      hdr9_d.swap_add = rest8_q[127-:64];
      hdr9_d.compare  = rest8_q[63-:64];
    end
    if (op8_q.aeth) begin
      hdr9_d.syndrome = rest8_q[223-:8];
      hdr9_d.msn      = rest8_q[215-:24];
    end
    if (op8_q.atomic_ack) hdr9_d.original = rest8_q[191-:64];
    if (op8_q.ieth) hdr9_d.inv_rkey = rest8_q[223-:32];
    if (op8_q.immdt) hdr9_d.immediate = op8_q.reth ? rest8_q[95-:32] : rest8_q[223-:32];
  end

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(2)
  ) u_turn9 (
    .steps_i(turn8[2:1]),
    .data_i (data8_q),
    .data_o (data9_d)
  );

  always_ff @(posedge clk_i) begin
    if (en) begin
      last9_q      <= last8_q;
      bth_there9_q <= bth_there8_q;
      known9_q     <= op8_q.known;
      payload9_q   <= op8_q.payload;
      started9_q   <= idx8_q >= IdxWidth'(payload_at8_q[7:BeatShift]);
      pad9_q       <= pad8_q;
      turn9_q      <= turn8;
      hdr9_q       <= hdr9_d;
      data9_q      <= data9_d;
      space9_q     <= icrc_at8_q - RelWidth'(payload_at8_q);
      left9_q      <= icrc_rel8_q - RelWidth'(turn8);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 10: without the pad; the second turn.

  rx_pkg::header_t hdr10_q;
  logic valid10_q, last10_q, bth_there10_q, known10_q, payload10_q, started10_q, header_cut10_q, unaligned10_q;
  logic [6:0] turn10_q;
  logic [DataWidth-1:0] data10_d, data10_q;
  logic signed [RelWidth-1:0] length10_q, left10_q;

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(8)
  ) u_turn10 (
    .steps_i(turn9_q[4:3]),
    .data_i (data9_q),
    .data_o (data10_d)
  );

  always_ff @(posedge clk_i) begin
    if (en) begin
      last10_q       <= last9_q;
      bth_there10_q  <= bth_there9_q;
      known10_q      <= known9_q;
      payload10_q    <= payload9_q;
      started10_q    <= started9_q;
      header_cut10_q <= space9_q[RelWidth-1];
      unaligned10_q  <= space9_q[1:0] != 2'b00;
      turn10_q       <= turn9_q;
      hdr10_q        <= hdr9_q;
      data10_q       <= data10_d;
      length10_q     <= space9_q - RelWidth'(pad9_q);
      left10_q       <= left9_q - RelWidth'(pad9_q);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 11: the reason; how much of the payload this beat and the next hold; the last turn.

  rx_pkg::header_t hdr11_d, hdr11_q;
  logic ext_there10, overlong10, more10;
  logic valid11_q, last11_q, good11_q, store11_q, ends11_q;
  logic [BeatBytes-1:0] keep11_d, keep11_q, own11_d, own11_q;
  logic [DataWidth-1:0] data11_d, data11_q;

  assign ext_there10 = bth_there10_q & known10_q & ~header_cut10_q;
  assign overlong10  = length10_q > MaxPayload;
  assign more10      = left10_q > BeatRel;

  always_comb begin
    hdr11_d = hdr10_q;
    if (bth_there10_q) begin
      if (hdr10_q.tver != 4'd0) hdr11_d.reason = rx_pkg::ReasonTver;
      else if (!known10_q) hdr11_d.reason = rx_pkg::ReasonOpcode;
      else if (header_cut10_q) hdr11_d.reason = rx_pkg::ReasonHeaderCut;
      else if (length10_q[RelWidth-1]) hdr11_d.reason = rx_pkg::ReasonPad;
      else if (unaligned10_q) hdr11_d.reason = rx_pkg::ReasonUnaligned;
      else if (overlong10) hdr11_d.reason = rx_pkg::ReasonOverlong;
    end
    if (ext_there10) begin
      if (!length10_q[RelWidth-1]) hdr11_d.payload_bytes = length10_q[15:0];
    end else begin
      hdr11_d.ee_context = '0;
      hdr11_d.qkey       = '0;
      hdr11_d.src_qp     = '0;
      hdr11_d.xrcsrq     = '0;
      hdr11_d.flush_sel  = '0;
      hdr11_d.flush_plt  = '0;
      hdr11_d.va         = '0;
      hdr11_d.rkey       = '0;
      hdr11_d.dma_len    = '0;
      hdr11_d.swap_add   = '0;
      hdr11_d.compare    = '0;
      hdr11_d.syndrome   = '0;
      hdr11_d.msn        = '0;
      hdr11_d.original   = '0;
      hdr11_d.inv_rkey   = '0;
      hdr11_d.immediate  = '0;
    end
  end

  // keep: the bytes of the payload beat; own: those that come from this beat and not from the next.
  always_comb begin
    for (int i = 0; i < BeatBytes; i++) begin
      keep11_d[i] = more10 || left10_q[BeatShift:0] > (BeatShift + 1)'(i);
      own11_d[i]  = 8'(i) + {1'b0, turn10_q} < 8'(BeatBytes);
    end
  end

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(32)
  ) u_turn11 (
    .steps_i(turn10_q[6:5]),
    .data_i (data10_q),
    .data_o (data11_d)
  );

  always_ff @(posedge clk_i) begin
    if (en) begin
      last11_q  <= last10_q;
      good11_q  <= bth_there10_q & (hdr11_d.reason == hca_pkg::ReasonNone);
      store11_q <= started10_q & payload10_q & (left10_q > 0) & ~overlong10;
      ends11_q  <= ~more10;
      keep11_q  <= keep11_d;
      own11_q   <= own11_d;
      hdr11_q   <= hdr11_d;
      data11_q  <= data11_d;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 12: a beat waits here for the next one of its packet. Its payload beat is stored when it leaves.

  rx_pkg::header_t hdr12_q;
  logic valid12_q, last12_q, good12_q, store12_q, ends12_q, leave12;
  logic [BeatBytes-1:0] keep12_q, own12_q;
  logic [DataWidth-1:0] data12_q, joined;

  assign leave12 = valid12_q & (last12_q | valid11_q);

  always_comb begin
    for (int i = 0; i < BeatBytes; i++) begin
      joined[8*i+:8] = own12_q[i] ? data12_q[8*i+:8] : data11_q[8*i+:8];
    end
  end

  always_ff @(posedge clk_i) begin
    if (en && valid11_q) begin
      last12_q  <= last11_q;
      good12_q  <= good11_q;
      store12_q <= store11_q;
      ends12_q  <= ends11_q;
      keep12_q  <= keep11_q;
      own12_q   <= own11_q;
      hdr12_q   <= hdr11_q;
      data12_q  <= data11_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {valid7_q, valid8_q, valid9_q, valid10_q, valid11_q, valid12_q} <= '0;
    end else if (en) begin
      {valid7_q, valid8_q, valid9_q, valid10_q, valid11_q} <= {valid6, valid7_q, valid8_q, valid9_q, valid10_q};
      valid12_q <= valid11_q | (valid12_q & ~leave12);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 13: the record in the output register, the payload in the store.

  logic store_full, out_valid_q, packet_end;
  rx_pkg::header_t out_hdr_q;

  assign en         = (m_hdr_ready_i | ~out_valid_q) & ~store_full;
  assign packet_end = en & leave12 & last12_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_valid_q <= 1'b0;
    else if (en || m_hdr_ready_i) out_valid_q <= packet_end;
  end

  always_ff @(posedge clk_i) begin
    if (packet_end) out_hdr_q <= hdr12_q;
  end

  packet_store #(
    .Width(DataWidth + BeatBytes + 1),
    .Depth(StoreBytes / BeatBytes)
  ) u_store (
    .clk_i,
    .rst_ni,
    .push_i   (en & leave12 & store12_q),
    .keep_i   (packet_end & good12_q),
    .drop_i   (packet_end & ~good12_q),
    .data_i   ({ends12_q, keep12_q, joined}),
    .full_o   (store_full),
    .m_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i)
  );

  assign m_hdr_reason_o        = out_hdr_q.reason;
  assign m_hdr_encap_o         = out_hdr_q.encap;
  assign m_hdr_cut_o           = out_hdr_q.cut;
  assign m_hdr_short_o         = out_hdr_q.is_short;
  assign m_hdr_tags_o          = out_hdr_q.tags;
  assign m_hdr_se_o            = out_hdr_q.se;
  assign m_hdr_mig_req_o       = out_hdr_q.mig_req;
  assign m_hdr_fecn_o          = out_hdr_q.fecn;
  assign m_hdr_becn_o          = out_hdr_q.becn;
  assign m_hdr_ack_req_o       = out_hdr_q.ack_req;
  assign m_hdr_opcode_o        = out_hdr_q.opcode;
  assign m_hdr_pad_o           = out_hdr_q.pad;
  assign m_hdr_tver_o          = out_hdr_q.tver;
  assign m_hdr_flush_sel_o     = out_hdr_q.flush_sel;
  assign m_hdr_flush_plt_o     = out_hdr_q.flush_plt;
  assign m_hdr_sl_o            = out_hdr_q.sl;
  assign m_hdr_pkey_o          = out_hdr_q.pkey;
  assign m_hdr_dest_qp_o       = out_hdr_q.dest_qp;
  assign m_hdr_psn_o           = out_hdr_q.psn;
  assign m_hdr_payload_bytes_o = out_hdr_q.payload_bytes;
  assign m_hdr_udp_src_port_o  = out_hdr_q.udp_src_port;
  assign m_hdr_tclass_o        = out_hdr_q.tclass;
  assign m_hdr_slid_o          = out_hdr_q.slid;
  assign m_hdr_dlid_o          = out_hdr_q.dlid;
  assign m_hdr_vlan0_o         = out_hdr_q.vlan0;
  assign m_hdr_vlan1_o         = out_hdr_q.vlan1;
  assign m_hdr_src_o           = out_hdr_q.src;
  assign m_hdr_dst_o           = out_hdr_q.dst;
  assign m_hdr_ee_context_o    = out_hdr_q.ee_context;
  assign m_hdr_qkey_o          = out_hdr_q.qkey;
  assign m_hdr_src_qp_o        = out_hdr_q.src_qp;
  assign m_hdr_xrcsrq_o        = out_hdr_q.xrcsrq;
  assign m_hdr_va_o            = out_hdr_q.va;
  assign m_hdr_rkey_o          = out_hdr_q.rkey;
  assign m_hdr_dma_len_o       = out_hdr_q.dma_len;
  assign m_hdr_swap_add_o      = out_hdr_q.swap_add;
  assign m_hdr_compare_o       = out_hdr_q.compare;
  assign m_hdr_syndrome_o      = out_hdr_q.syndrome;
  assign m_hdr_msn_o           = out_hdr_q.msn;
  assign m_hdr_original_o      = out_hdr_q.original;
  assign m_hdr_inv_rkey_o      = out_hdr_q.inv_rkey;
  assign m_hdr_immediate_o     = out_hdr_q.immediate;
  assign m_hdr_valid_o         = out_valid_q;

`ifdef VERILATOR
  axis_rules #(
    .DataWidth(DataWidth)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s_axis_tdata_i),
    .tkeep_i (s_axis_tkeep_i),
    .tlast_i (s_axis_tlast_i),
    .tuser_i (s_axis_tuser_i),
    .tvalid_i(s_axis_tvalid_i),
    .tready_i(s_axis_tready_o)
  );

  axis_rules #(
    .DataWidth(DataWidth)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (m_axis_tdata_o),
    .tkeep_i (m_axis_tkeep_o),
    .tlast_i (m_axis_tlast_o),
    .tuser_i (1'b0),
    .tvalid_i(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i)
  );

  record_rules #(
    .Width($bits(rx_pkg::header_t))
  ) u_hdr_rules (
    .clk_i,
    .rst_ni,
    .data_i (out_hdr_q),
    .valid_i(m_hdr_valid_o),
    .ready_i(m_hdr_ready_i)
  );
`endif

endmodule
