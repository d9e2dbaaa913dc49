// SPDX-License-Identifier: Apache-2.0
// The headers of a frame on the way back of its request: docs/blocks/ack_gen.md. Only wires.
module ack_frame (
  input  ack_pkg::record_t               rec_i,
  input  ack_pkg::context_t              ctx_i,
  input  logic [47:0]                    own_mac_i,
  input  logic [ack_pkg::SizeWidth-1:0]  transport_i,  // bytes from BTH to ICRC
  input  logic [19:0]                    sum_i,        // of the IPv4 header's words but TTL and protocol
  output logic [ack_pkg::MaxHead*8-1:0]  frame_o       // byte 0 lowest; behind the headers 0
);

  // Transport headers, first byte highest.
  logic [191:0] transport;
  ack_pkg::query_t rec;
  logic [1:0] pad;
  logic [95:0] bth;
  logic [31:0] aeth;

  assign rec  = rec_i.way;
  assign pad  = 2'd0 - rec_i.bytes[1:0];
  assign aeth = {rec.syndrome, rec.msn};

  always_comb begin
    bth       = {ack_pkg::Acknowledge, 8'h00, rec.pkey, 8'h00, ctx_i.peer_qpn, 8'h00, rec.psn};
    transport = {bth, aeth, 64'h0};
    case (rec.op)
      ack_pkg::OpCnp: transport = {ack_pkg::Cnp, 8'h00, rec.pkey, 8'h40, rec.peer_qpn, 32'h0, 96'h0};
      ack_pkg::OpAtomic: transport = {ack_pkg::AtomicAcknowledge, bth[87:0], aeth, rec_i.original};
      ack_pkg::OpRead: begin
        transport = {rec_i.opcode, 2'b00, pad, 4'h0, bth[79:0], aeth, 64'h0};
        if (rec_i.opcode == ack_pkg::ReadMiddle) transport[95:0] = '0;
      end
      default: ;
    endcase
  end

  // The way back: source and destination change places; not ECN-capable.
  way_headers #(
    .TransportBytes(24)
  ) u_way (
    .encap_i       (rec.encap),
    .tags_i        (rec.tags),
    .vlan0_i       (rec.vlan0),
    .vlan1_i       (rec.vlan1),
    .sl_i          (rec.sl),
    .slid_i        (rec.dlid),
    .dlid_i        (rec.slid),
    .tclass_i      ({rec.tclass[7:2], 2'b00}),
    .udp_src_port_i(rec.udp_src_port),
    .src_i         (rec.dst),
    .dst_i         (rec.src),
    .dst_mac_i     (ctx_i.mac),
    .src_mac_i     (own_mac_i),
    .hop_limit_i   (ctx_i.hop_limit),
    .transport_i   (transport),
    .bytes_i       (16'(transport_i)),
    .sum_i,
    .frame_o
  );

endmodule
