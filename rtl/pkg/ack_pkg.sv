// SPDX-License-Identifier: Apache-2.0
// Types and codes of ack_gen: docs/blocks/ack_gen.md.
package ack_pkg;

  localparam int unsigned MaxBytes = 90;  // RoCEv2 over IPv6 with two tags

  typedef enum logic [2:0] {
    OpAnswer = 3'd0,
    OpSet    = 3'd1,
    OpOwn    = 3'd2
  } op_e;

  typedef enum logic [1:0] {
    WhyGood   = 2'd0,
    WhyNoQp   = 2'd1,
    WhyEncap  = 2'd2,
    WhyNoSuch = 2'd3
  } why_e;

  // The first bit of the record is the last one here.
  typedef struct packed {
    logic [7:0]   hop_limit;
    logic [47:0]  mac;
    logic [23:0]  peer_qpn;
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
    logic [2:0]   encap;  // hca_pkg::encap_e
    logic [7:0]   syndrome;
    logic [23:0]  msn;
    logic [23:0]  psn;
    logic [23:0]  qpn;
    logic [2:0]   op;     // op_e, and five codes that are none
  } query_t;

  // The word of a QP. All zero is none.
  typedef struct packed {
    logic        there;
    logic [23:0] number;
    logic [23:0] peer_qpn;
    logic [47:0] mac;
    logic [7:0]  hop_limit;
  } context_t;

endpackage
