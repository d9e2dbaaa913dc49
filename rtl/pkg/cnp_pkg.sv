// SPDX-License-Identifier: Apache-2.0
// Types and codes of cnp_gen: docs/blocks/cnp_gen.md.
package cnp_pkg;

  localparam logic [7:0] Cnp = 8'h81;             // the opcode
  localparam logic [1:0] Congestion = 2'b11;      // ECN: congestion experienced
  localparam logic [1:0] ServiceUd = 2'd2;

  typedef enum logic [2:0] {
    OpPacket = 3'd0,
    OpSet    = 3'd1,
    OpPeriod = 3'd2,
    OpRemove = 3'd3
  } op_e;

  typedef enum logic [2:0] {
    WhyGood      = 3'd0,
    WhyNotMarked = 3'd1,
    WhyEncap     = 3'd2,
    WhyIsCnp     = 3'd3,
    WhyNoQp      = 3'd4,
    WhySoon      = 3'd5,
    WhyPeriod    = 3'd6,
    WhyNoSuch    = 3'd7
  } why_e;

  // The way that a packet came. The first bit of the record is the last one here.
  typedef struct packed {
    logic [15:0]  pkey;
    logic [127:0] dst;
    logic [127:0] src;
    logic [15:0]  udp_src_port;
    logic [7:0]   tclass;
    logic [31:0]  vlan1;
    logic [31:0]  vlan0;
    logic [1:0]   tags;
    logic [2:0]   encap;  // hca_pkg::encap_e
  } way_t;

  typedef struct packed {
    logic [31:0] period;
    logic [23:0] peer_qpn;
    way_t        way;
    logic [7:0]  opcode;
    logic [1:0]  service;
    logic [23:0] qpn;
    logic [2:0]  op;  // op_e, and four codes that are none
  } query_t;

  typedef struct packed {
    way_t        way;
    logic [23:0] peer_qpn;
    logic [7:0]  opcode;
    logic [2:0]  why;  // why_e
    logic [2:0]  op;
    logic [23:0] qpn;
  } result_t;

  // The word of a QP, beside its time stamp. All zero is none.
  typedef struct packed {
    logic        there;
    logic        recent;  // it has a stamp
    logic [23:0] number;
    logic [23:0] peer_qpn;
  } context_t;

endpackage
