// SPDX-License-Identifier: Apache-2.0
// The headers of a request: docs/blocks/tx_frame.md. Only wires.
module frame_head (
  input  frame_pkg::ready_t                rec_i,
  input  logic [1:0]                       pad_i,
  input  logic [47:0]                      own_mac_i,
  input  logic [frame_pkg::SizeWidth-1:0]  transport_i,  // bytes from BTH to ICRC
  input  logic [19:0]                      sum_i,        // of the IPv4 header's words but TTL and protocol
  output logic [8*frame_pkg::MaxHead-1:0]  frame_o       // byte 0 lowest; behind the headers 0
);

  rx_pkg::opcode_t op;
  logic [2:0] unused_lead;
  logic [3:0] unused_words;
  logic [95:0] bth;
  logic [223:0] extensions;
  logic [127:0] reth;
  logic [63:0] deth;
  frame_pkg::packet_t packet;
  frame_pkg::way_t way;

  assign packet = rec_i.packet;
  assign way    = rec_i.way;

  roce_opcode u_opcode (
    .opcode_i    (packet.opcode),
    .op_o        (op),
    .lead_words_o(unused_lead),
    .words_o     (unused_words)
  );

  assign bth  = {packet.opcode, packet.solicited, 1'b0, pad_i, 4'h0, way.pkey, 8'h00, way.peer_qpn, packet.ack_req,
    7'h00, rec_i.head.psn};
  assign reth = {packet.va, packet.rkey, packet.dma_length};
  assign deth = {packet.qkey, 8'h00, rec_i.head.qpn};

  // OPC-2: the headers of an opcode, one behind the other.
  always_comb begin
    extensions = '0;
    if (op.deth) begin
      extensions[223:160] = deth;
      if (op.immdt) extensions[159:128] = packet.imm;
    end else if (op.feth) begin
      extensions[223:64] = {26'h0, packet.imm[5:0], reth};
    end else if (op.reth) begin
      extensions[223:96] = reth;
      if (op.immdt) extensions[95:64] = packet.imm;
    end else if (op.atomic) begin
      extensions = {packet.va, packet.rkey, packet.swap_add, packet.compare};
    end else if (op.immdt || op.ieth) begin
      extensions[223:192] = packet.imm;
    end
  end

  way_headers #(
    .TransportBytes(frame_pkg::Transport)
  ) u_way (
    .encap_i       (way.encap),
    .tags_i        (way.tags),
    .vlan0_i       (way.vlan0),
    .vlan1_i       (way.vlan1),
    .sl_i          (way.sl),
    .slid_i        (way.slid),
    .dlid_i        (way.dlid),
    .tclass_i      (way.tclass),
    .udp_src_port_i(way.udp_src_port),
    .src_i         (way.src),
    .dst_i         (way.dst),
    .dst_mac_i     (way.mac),
    .src_mac_i     (own_mac_i),
    .hop_limit_i   (way.hop_limit),
    .transport_i   ({bth, extensions}),
    .bytes_i       (16'(transport_i)),
    .sum_i,
    .frame_o
  );

endmodule
