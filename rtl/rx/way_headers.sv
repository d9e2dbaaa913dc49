// SPDX-License-Identifier: Apache-2.0
// Headers of a frame up to its transport headers, and these behind them, for ack_gen and tx_frame: Ethernet, tags, IPv4
// or IPv6 and UDP, or GRH; or LRH, and GRH (docs/blocks/ack_gen.md). Only wires.
module way_headers #(
  parameter int unsigned TransportBytes = 24,              // of the longest transport headers
  localparam int unsigned MaxHead = 70 + TransportBytes
) (
  input  logic [2:0]                  encap_i,             // hca_pkg::encap_e, with a way
  input  logic [1:0]                  tags_i,
  input  logic [31:0]                 vlan0_i,
  input  logic [31:0]                 vlan1_i,
  input  logic [3:0]                  sl_i,
  input  logic [15:0]                 slid_i,
  input  logic [15:0]                 dlid_i,
  input  logic [7:0]                  tclass_i,
  input  logic [15:0]                 udp_src_port_i,
  input  logic [127:0]                src_i,
  input  logic [127:0]                dst_i,
  input  logic [47:0]                 dst_mac_i,
  input  logic [47:0]                 src_mac_i,
  input  logic [7:0]                  hop_limit_i,
  input  logic [8*TransportBytes-1:0] transport_i,         // first byte highest; behind the headers 0
  input  logic [15:0]                 bytes_i,             // from BTH to ICRC
  input  logic [19:0]                 sum_i,               // of the IPv4 header's words but TTL and protocol
  output logic [8*MaxHead-1:0]        frame_o              // byte 0 lowest; behind the headers 0
);

  localparam int unsigned TransportBits = 8 * TransportBytes;
  localparam int unsigned BehindBits = 128 + 16 + 192 + 64 + TransportBits;  // type, IPv6, UDP, transport

  localparam logic [15:0] Port = 16'd4791;

  // ---------------------------------------------------------------------------------------------------------------
  // Parts, first byte highest.

  logic [159:0] ipv4;
  logic [319:0] grh, ipv6;
  logic [63:0] udp, lrh_local, lrh_global;
  logic [31:0] sum;
  logic [16:0] folded;
  logic [15:0] checksum;

  assign udp = {udp_src_port_i, Port, bytes_i + 16'd8, 16'd0};

  // Ones' complement: what runs over is added again, twice at most.
  always_comb begin
    sum      = {12'h0, sum_i} + {16'h0, hop_limit_i, 8'd17};
    folded   = {1'b0, sum[15:0]} + {1'b0, sum[31:16]};
    checksum = ~(folded[15:0] + {15'h0, folded[16]});
  end

  assign ipv4 = {8'h45, tclass_i, bytes_i + 16'd28, 16'd0, 16'h4000, hop_limit_i, 8'd17, checksum, src_i[31:0],
    dst_i[31:0]};
  assign ipv6 = {4'd6, tclass_i, 20'd0, bytes_i + 16'd8, 8'd17, hop_limit_i, src_i, dst_i};
  assign grh  = {4'd6, tclass_i, 20'd0, bytes_i, 8'h1B, hop_limit_i, src_i, dst_i};

  assign lrh_local  = {8'h00, sl_i, 4'd2, dlid_i, (bytes_i >> 2) + 16'd2, slid_i};
  assign lrh_global = {8'h00, sl_i, 4'd3, dlid_i, (bytes_i >> 2) + 16'd12, slid_i};

  // ---------------------------------------------------------------------------------------------------------------
  // Together.

  logic [BehindBits-1:0] behind_tags;  // the type, and what follows
  logic [8*MaxHead-1:0] frame;
  logic [95:0] macs;

  assign macs = {dst_mac_i, src_mac_i};

  always_comb begin
    case (encap_i)
      hca_pkg::EncapRocev1: behind_tags = {ib_pkg::EthTypeRocev1, grh, transport_i, 64'h0};
      hca_pkg::EncapRocev2Ipv4: behind_tags = {ib_pkg::EthTypeIpv4, ipv4, udp, transport_i, 160'h0};
      default: behind_tags = {ib_pkg::EthTypeIpv6, ipv6, udp, transport_i};
    endcase
    case (tags_i)
      2'd0: frame = {macs, behind_tags, 64'h0};
      2'd1: frame = {macs, vlan0_i, behind_tags, 32'h0};
      default: frame = {macs, vlan0_i, vlan1_i, behind_tags};
    endcase
    if (encap_i == hca_pkg::EncapIbLocal) frame = {lrh_local, transport_i, 496'h0};
    if (encap_i == hca_pkg::EncapIbGlobal) frame = {lrh_global, grh, transport_i, 176'h0};
  end

  for (genvar i = 0; i < MaxHead; i++) begin : gen_byte
    assign frame_o[8*i+:8] = frame[8*(MaxHead-1-i)+:8];
  end

endmodule
