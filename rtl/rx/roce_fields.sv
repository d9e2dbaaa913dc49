// SPDX-License-Identifier: Apache-2.0
// The header record of a packet (docs/blocks/roce_parse.md): the fields of network header and BTH, P, the fields of
// the extension headers, the reason. Worked out anew for every beat; what comes with a packet's last beat counts. The
// number behind a name is the stage that it belongs to: what comes in belongs to stage 6, the record leaves stage 11.
module roce_fields (
  input  logic                              clk_i,

  input  hca_pkg::found_t                   found6_i,
  input  rx_pkg::net_t                      net6_i,
  input  logic [15:0]                       udp_src_port6_i,
  input  rx_pkg::bth_t                      bth6_i,
  input  logic [319:0]                      ext6_i,
  input  logic [7:0]                        bth_end6_i,
  input  logic [locate_pkg::RelWidth-1:0]   icrc_at6_i,     // E - 4, from the packet's first byte

  output logic [7:0]                        payload_at8_o,  // P
  output logic                              has8_o,         // the opcode has a payload
  output logic [1:0]                        pad9_o,
  output logic                              overlong10_o,
  output rx_pkg::header_t                   hdr11_o,
  output logic                              good11_o        // the payload may be passed on
);

  localparam int unsigned RelWidth = locate_pkg::RelWidth;
  localparam logic signed [RelWidth-1:0] MaxPayload = RelWidth'(rx_pkg::MaxPayloadBytes);

  // What is known of the packet so far goes from stage to stage as a whole.
  rx_pkg::record_t rec7_q, rec8_q, rec9_q, rec10_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 7: the opcode; the fields of network header and BTH, where there are such headers.

  rx_pkg::opcode_t op6;
  logic [2:0] lead_words6;
  logic [3:0] words6;

  roce_opcode u_opcode (
    .opcode_i    (bth6_i.opcode),
    .op_o        (op6),
    .lead_words_o(lead_words6),
    .words_o     (words6)
  );

  logic ib6, ethernet6, udp6, address6, bth_there6;
  rx_pkg::header_t hdr7_d;

  always_comb begin
    ib6        = 1'b0;
    ethernet6  = 1'b0;
    udp6       = 1'b0;
    address6   = 1'b0;
    case (found6_i.encap)
      hca_pkg::EncapRocev1: {ethernet6, address6} = '1;
      hca_pkg::EncapRocev2Ipv4, hca_pkg::EncapRocev2Ipv6: {ethernet6, udp6, address6} = '1;
      hca_pkg::EncapIbLocal, hca_pkg::EncapIbRaw: ib6 = 1'b1;
      hca_pkg::EncapIbGlobal: {ib6, address6} = '1;
      default: ib6 = 1'b0;
    endcase
    bth_there6 = found6_i.covered & (found6_i.reason == hca_pkg::ReasonNone);

    hdr7_d          = '0;
    hdr7_d.reason   = found6_i.reason;
    hdr7_d.encap    = found6_i.encap;
    hdr7_d.cut      = found6_i.covered & found6_i.trunc;
    hdr7_d.is_short = found6_i.covered & found6_i.is_short;
    if (ib6) begin
      hdr7_d.sl   = net6_i.sl;
      hdr7_d.slid = net6_i.slid;
      hdr7_d.dlid = net6_i.dlid;
    end
    if (ethernet6) begin
      hdr7_d.tags = net6_i.tags;
      if (net6_i.tags != 2'd0) hdr7_d.vlan0 = net6_i.vlan0;
      if (net6_i.tags == 2'd2) hdr7_d.vlan1 = net6_i.vlan1;
    end
    if (address6) begin
      hdr7_d.src    = net6_i.src;
      hdr7_d.dst    = net6_i.dst;
      hdr7_d.tclass = net6_i.tclass;
    end
    if (udp6) hdr7_d.udp_src_port = udp_src_port6_i;
    if (bth_there6) begin
      hdr7_d.opcode  = bth6_i.opcode;
      hdr7_d.se      = bth6_i.se;
      hdr7_d.mig_req = bth6_i.mig_req;
      hdr7_d.pad     = bth6_i.pad;
      hdr7_d.tver    = bth6_i.tver;
      hdr7_d.pkey    = bth6_i.pkey;
      hdr7_d.fecn    = bth6_i.fecn;
      hdr7_d.becn    = bth6_i.becn;
      hdr7_d.dest_qp = bth6_i.dest_qp;
      hdr7_d.ack_req = bth6_i.ack_req;
      hdr7_d.psn     = bth6_i.psn;
    end
  end

  logic [2:0] lead_words7_q;
  logic [3:0] words7_q;
  logic [7:0] bth_end7_q;
  logic [319:0] ext7_q;
  logic [RelWidth-1:0] icrc_at7_q;

  always_ff @(posedge clk_i) begin
    rec7_q.bth_there <= bth_there6;
    rec7_q.op        <= op6;
    rec7_q.pad       <= bth6_i.pad;
    rec7_q.hdr       <= hdr7_d;
    lead_words7_q    <= lead_words6;
    words7_q         <= words6;
    bth_end7_q       <= bth_end6_i;
    ext7_q           <= ext6_i;
    icrc_at7_q       <= icrc_at6_i;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 8: P. The extension headers behind RDETH, DETH, XRCETH and FETH come to a fixed place.

  logic [7:0] payload_at8_q;  // P
  logic [95:0] lead8_q;
  logic [5:0] flush8_q;  // SEL, PLT
  logic [223:0] rest8_d, rest8_q;
  logic [RelWidth-1:0] icrc_at8_q;

  always_comb begin
    rest8_d = '0;
    for (int n = 0; n < 4; n++) begin
      if (lead_words7_q == n[2:0]) rest8_d = ext7_q[320-224-32*n+:224];
    end
    if (lead_words7_q == 3'd4) rest8_d = {ext7_q[191:0], 32'b0};  // RD FLUSH: a RETH follows
  end

  always_ff @(posedge clk_i) begin
    rec8_q        <= rec7_q;
    payload_at8_q <= bth_end7_q + {2'b00, words7_q, 2'b00};
    lead8_q       <= ext7_q[319-:96];
    flush8_q      <= rec7_q.op.rdeth ? ext7_q[192+:6] : ext7_q[288+:6];
    rest8_q       <= rest8_d;
    icrc_at8_q    <= icrc_at7_q;
  end

  assign payload_at8_o = payload_at8_q;
  assign has8_o        = rec8_q.op.payload;

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 9: the fields of the extension headers; bytes behind the headers.

  rx_pkg::opcode_t op8;
  rx_pkg::header_t hdr9_d;
  logic [63:0] deth8;
  logic signed [RelWidth-1:0] space9_q;

  assign op8   = rec8_q.op;
  assign deth8 = op8.rdeth ? lead8_q[63:0] : lead8_q[95:32];

  always_comb begin
    hdr9_d = rec8_q.hdr;
    if (op8.rdeth) hdr9_d.ee_context = lead8_q[87:64];
    if (op8.deth) begin
      hdr9_d.qkey   = deth8[63:32];
      hdr9_d.src_qp = deth8[23:0];
    end
    if (op8.xrceth) hdr9_d.xrcsrq = lead8_q[87:64];
    if (op8.feth) begin
      hdr9_d.flush_sel = flush8_q[5:4];
      hdr9_d.flush_plt = flush8_q[3:0];
    end
    if (op8.reth || op8.atomic) begin
      hdr9_d.va   = rest8_q[223-:64];
      hdr9_d.rkey = rest8_q[159-:32];
    end
    if (op8.reth) hdr9_d.dma_len = rest8_q[127-:32];
    if (op8.atomic) begin
      hdr9_d.swap_add = rest8_q[127-:64];
      hdr9_d.compare  = rest8_q[63-:64];
    end
    if (op8.aeth) begin
      hdr9_d.syndrome = rest8_q[223-:8];
      hdr9_d.msn      = rest8_q[215-:24];
    end
    if (op8.atomic_ack) hdr9_d.original = rest8_q[191-:64];
    if (op8.ieth) hdr9_d.inv_rkey = rest8_q[223-:32];
    if (op8.immdt) hdr9_d.immediate = op8.reth ? rest8_q[95-:32] : rest8_q[223-:32];
  end

  always_ff @(posedge clk_i) begin
    rec9_q     <= rec8_q;
    rec9_q.hdr <= hdr9_d;
    space9_q   <= icrc_at8_q - RelWidth'(payload_at8_q);
  end

  assign pad9_o = rec9_q.pad;

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 10: without the pad.

  logic header_cut10_q, unaligned10_q;
  logic signed [RelWidth-1:0] length10_q;

  always_ff @(posedge clk_i) begin
    rec10_q        <= rec9_q;
    header_cut10_q <= space9_q[RelWidth-1];
    unaligned10_q  <= space9_q[1:0] != 2'b00;
    length10_q     <= space9_q - RelWidth'(rec9_q.pad);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 11: the reason.

  rx_pkg::header_t hdr11_d, hdr11_q;
  logic bth_there10, known10, ext_there10, overlong10, good11_q;

  assign bth_there10  = rec10_q.bth_there;
  assign known10      = rec10_q.op.known;
  assign ext_there10  = bth_there10 & known10 & ~header_cut10_q;
  assign overlong10   = length10_q > MaxPayload;
  assign overlong10_o = overlong10;

  always_comb begin
    hdr11_d = rec10_q.hdr;
    if (bth_there10) begin
      if (rec10_q.hdr.tver != 4'd0) hdr11_d.reason = hca_pkg::ReasonTver;
      else if (!known10) hdr11_d.reason = hca_pkg::ReasonOpcode;
      else if (header_cut10_q) hdr11_d.reason = hca_pkg::ReasonHeaderCut;
      else if (length10_q[RelWidth-1]) hdr11_d.reason = hca_pkg::ReasonPad;
      else if (unaligned10_q) hdr11_d.reason = hca_pkg::ReasonUnaligned;
      else if (overlong10) hdr11_d.reason = hca_pkg::ReasonOverlong;
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

  always_ff @(posedge clk_i) begin
    hdr11_q  <= hdr11_d;
    good11_q <= bth_there10 & (hdr11_d.reason == hca_pkg::ReasonNone);
  end

  assign hdr11_o  = hdr11_q;
  assign good11_o = good11_q;

endmodule
