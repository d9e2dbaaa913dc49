// SPDX-License-Identifier: Apache-2.0
// Types and codes of ack_gen: docs/blocks/ack_gen.md.
package ack_pkg;

  localparam int unsigned MaxHead = 94;       // bytes of headers: an atomic's answer over RoCEv2, IPv6, two tags
  localparam int unsigned SizeWidth = 14;     // of a frame's bytes
  localparam int unsigned PayloadWidth = 13;  // of a payload's

  localparam logic [7:0] Acknowledge = 8'h11;
  localparam logic [7:0] AtomicAcknowledge = 8'h12;
  localparam logic [7:0] Cnp = 8'h81;
  localparam logic [7:0] ReadFirst = 8'h0D;
  localparam logic [7:0] ReadMiddle = 8'h0E;
  localparam logic [7:0] ReadOnly = 8'h10;

  typedef enum logic [2:0] {
    OpAnswer = 3'd0,
    OpSet    = 3'd1,
    OpOwn    = 3'd2,
    OpCnp    = 3'd3,
    OpAtomic = 3'd4,
    OpRead   = 3'd5
  } op_e;

  typedef enum logic [1:0] {
    WhyGood   = 2'd0,
    WhyNoQp   = 2'd1,
    WhyEncap  = 2'd2,
    WhyNoSuch = 2'd3
  } why_e;

  // What an answer and the operations have of the record. Its first bit is the last one here.
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
    logic [2:0]   op;     // op_e, and two codes that are none
  } query_t;

  // The record: and what READ responses and atomics have.
  typedef struct packed {
    logic [63:0]             original;
    logic [PayloadWidth-1:0] bytes;
    logic [7:0]              opcode;
    query_t                  way;
  } record_t;

  // What becomes of a record.
  typedef struct packed {
    logic                 known;      // the operation is one
    logic                 is_frame;   // of an encapsulation that has it
    logic                 is_read;    // it takes a payload, if there are bytes
    logic [SizeWidth-1:0] head;       // bytes of headers; of a payload without a frame 0
    logic [SizeWidth-1:0] transport;  // bytes from BTH to ICRC
    logic [SizeWidth-1:0] total;      // of the frame; of a payload without one its own
  } size_t;

  // The word of a QP. All zero is none.
  typedef struct packed {
    logic        there;
    logic [23:0] number;
    logic [23:0] peer_qpn;
    logic [47:0] mac;
    logic [7:0]  hop_limit;
  } context_t;

endpackage
