// SPDX-License-Identifier: Apache-2.0
// The bytes of an ACK or NAK on the way back of its request, ICRC 0: docs/blocks/ack_gen.md. Only wires.
module ack_frame (
  input  ack_pkg::query_t                rec_i,
  input  ack_pkg::context_t              ctx_i,
  input  logic [47:0]                    own_mac_i,
  input  logic [19:0]                    sum_i,  // of the IPv4 header's words but TTL and protocol
  output logic [ack_pkg::MaxBytes*8-1:0] frame_o  // byte 0 lowest; behind its length 0
);

  localparam logic [15:0] TypeRocev1 = 16'h8915;
  localparam logic [15:0] TypeIpv4 = 16'h0800;
  localparam logic [15:0] TypeIpv6 = 16'h86DD;
  localparam logic [7:0] Acknowledge = 8'h11;
  localparam logic [15:0] Port = 16'd4791;

  // ---------------------------------------------------------------------------------------------------------------
  // Parts, first byte highest.

  logic [7:0] tclass;
  logic [159:0] transport, ipv4;
  logic [319:0] grh, ipv6;
  logic [63:0] udp, lrh_local, lrh_global;
  logic [31:0] sum;
  logic [16:0] folded;
  logic [15:0] checksum;

  assign tclass    = {rec_i.tclass[7:2], 2'b00};
  assign transport = {Acknowledge, 8'h00, rec_i.pkey, 8'h00, ctx_i.peer_qpn, 8'h00, rec_i.psn, rec_i.syndrome,
    rec_i.msn,
                      32'h0};
  assign udp       = {rec_i.udp_src_port, Port, 16'd28, 16'd0};

  // Ones' complement: what runs over is added again, twice at most.
  always_comb begin
    sum      = {12'h0, sum_i} + {16'h0, ctx_i.hop_limit, 8'd17};
    folded   = {1'b0, sum[15:0]} + {1'b0, sum[31:16]};
    checksum = ~(folded[15:0] + {15'h0, folded[16]});
  end

  assign ipv4 = {8'h45, tclass, 16'd48, 16'd0, 16'h4000, ctx_i.hop_limit, 8'd17, checksum, rec_i.dst[31:0],
    rec_i.src[31:0]};
  assign ipv6 = {4'd6, tclass, 20'd0, 16'd28, 8'd17, ctx_i.hop_limit, rec_i.dst, rec_i.src};
  assign grh  = {4'd6, tclass, 20'd0, 16'd20, 8'h1B, ctx_i.hop_limit, rec_i.dst, rec_i.src};

  assign lrh_local  = {8'h00, rec_i.sl, 4'd2, rec_i.slid, 16'd7, rec_i.dlid};
  assign lrh_global = {8'h00, rec_i.sl, 4'd3, rec_i.slid, 16'd17, rec_i.dlid};

  // ---------------------------------------------------------------------------------------------------------------
  // Together.

  logic [559:0] behind_tags;  // the type, and what follows
  logic [ack_pkg::MaxBytes*8-1:0] frame;
  logic [95:0] macs;

  assign macs = {ctx_i.mac, own_mac_i};

  always_comb begin
    case (rec_i.encap)
      hca_pkg::EncapRocev1: behind_tags = {TypeRocev1, grh, transport, 64'h0};
      hca_pkg::EncapRocev2Ipv4: behind_tags = {TypeIpv4, ipv4, udp, transport, 160'h0};
      default: behind_tags = {TypeIpv6, ipv6, udp, transport};
    endcase
    case (rec_i.tags)
      2'd0: frame = {macs, behind_tags, 64'h0};
      2'd1: frame = {macs, rec_i.vlan0, behind_tags, 32'h0};
      default: frame = {macs, rec_i.vlan0, rec_i.vlan1, behind_tags};
    endcase
    if (rec_i.encap == hca_pkg::EncapIbLocal) frame = {lrh_local, transport, 496'h0};
    if (rec_i.encap == hca_pkg::EncapIbGlobal) frame = {lrh_global, grh, transport, 176'h0};
  end

  for (genvar i = 0; i < ack_pkg::MaxBytes; i++) begin : gen_byte
    assign frame_o[8*i+:8] = frame[8*(ack_pkg::MaxBytes-1-i)+:8];
  end

endmodule
