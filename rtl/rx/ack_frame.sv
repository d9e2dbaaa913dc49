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

  localparam logic [15:0] TypeRocev1 = 16'h8915;
  localparam logic [15:0] TypeIpv4 = 16'h0800;
  localparam logic [15:0] TypeIpv6 = 16'h86DD;
  localparam logic [15:0] Port = 16'd4791;

  // ---------------------------------------------------------------------------------------------------------------
  // Parts, first byte highest.

  logic [7:0] tclass;
  logic [191:0] transport;
  logic [159:0] ipv4;
  logic [319:0] grh, ipv6;
  logic [63:0] udp, lrh_local, lrh_global;
  logic [31:0] sum;
  logic [16:0] folded;
  logic [15:0] checksum;

  ack_pkg::query_t rec;
  logic [15:0] bytes;
  logic [1:0] pad;
  logic [95:0] bth;
  logic [31:0] aeth;

  assign rec    = rec_i.way;
  assign tclass = {rec.tclass[7:2], 2'b00};
  assign bytes  = 16'(transport_i);
  assign pad    = 2'd0 - rec_i.bytes[1:0];
  assign aeth   = {rec.syndrome, rec.msn};
  assign udp    = {rec.udp_src_port, Port, bytes + 16'd8, 16'd0};

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

  // Ones' complement: what runs over is added again, twice at most.
  always_comb begin
    sum      = {12'h0, sum_i} + {16'h0, ctx_i.hop_limit, 8'd17};
    folded   = {1'b0, sum[15:0]} + {1'b0, sum[31:16]};
    checksum = ~(folded[15:0] + {15'h0, folded[16]});
  end

  assign ipv4 = {8'h45, tclass, bytes + 16'd28, 16'd0, 16'h4000, ctx_i.hop_limit, 8'd17, checksum, rec.dst[31:0],
    rec.src[31:0]};
  assign ipv6 = {4'd6, tclass, 20'd0, bytes + 16'd8, 8'd17, ctx_i.hop_limit, rec.dst, rec.src};
  assign grh  = {4'd6, tclass, 20'd0, bytes, 8'h1B, ctx_i.hop_limit, rec.dst, rec.src};

  assign lrh_local  = {8'h00, rec.sl, 4'd2, rec.slid, (bytes >> 2) + 16'd2, rec.dlid};
  assign lrh_global = {8'h00, rec.sl, 4'd3, rec.slid, (bytes >> 2) + 16'd12, rec.dlid};

  // ---------------------------------------------------------------------------------------------------------------
  // Together.

  logic [591:0] behind_tags;  // the type, and what follows
  logic [ack_pkg::MaxHead*8-1:0] frame;
  logic [95:0] macs;

  assign macs = {ctx_i.mac, own_mac_i};

  always_comb begin
    case (rec.encap)
      hca_pkg::EncapRocev1: behind_tags = {TypeRocev1, grh, transport, 64'h0};
      hca_pkg::EncapRocev2Ipv4: behind_tags = {TypeIpv4, ipv4, udp, transport, 160'h0};
      default: behind_tags = {TypeIpv6, ipv6, udp, transport};
    endcase
    case (rec.tags)
      2'd0: frame = {macs, behind_tags, 64'h0};
      2'd1: frame = {macs, rec.vlan0, behind_tags, 32'h0};
      default: frame = {macs, rec.vlan0, rec.vlan1, behind_tags};
    endcase
    if (rec.encap == hca_pkg::EncapIbLocal) frame = {lrh_local, transport, 496'h0};
    if (rec.encap == hca_pkg::EncapIbGlobal) frame = {lrh_global, grh, transport, 176'h0};
  end

  for (genvar i = 0; i < ack_pkg::MaxHead; i++) begin : gen_byte
    assign frame_o[8*i+:8] = frame[8*(ack_pkg::MaxHead-1-i)+:8];
  end

endmodule
