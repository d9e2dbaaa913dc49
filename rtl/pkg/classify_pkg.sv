// SPDX-License-Identifier: Apache-2.0
// Types and codes of rx_classify: docs/blocks/rx_classify.md.
package classify_pkg;

  localparam int unsigned Addresses = 4;
  localparam int unsigned Pkeys = 16;

  typedef enum logic [2:0] {
    OpPacket  = 3'd0,
    OpSet     = 3'd1,
    OpRemove  = 3'd2,
    OpAddress = 3'd3,
    OpPkey    = 3'd4,
    OpInject  = 3'd6,  // with Ecc only
    OpCounts  = 3'd7   // with Ecc only
  } op_e;

  typedef enum logic [1:0] {
    ServiceRc   = 2'd0,
    ServiceUc   = 2'd1,
    ServiceUd   = 2'd2,
    ServiceNone = 2'd3
  } service_e;

  typedef enum logic [2:0] {
    ClassDropped  = 3'd0,
    ClassRequest  = 3'd1,
    ClassResponse = 3'd2,
    ClassCnp      = 3'd3,
    ClassDone     = 3'd4,
    ClassIgnored  = 3'd5
  } class_e;

  typedef enum logic [3:0] {
    WhyGood      = 4'd0,
    WhyNotRoce   = 4'd1,
    WhyRaw       = 4'd2,
    WhyAddress   = 4'd3,
    WhyMalformed = 4'd4,
    WhyNoQp      = 4'd5,
    WhyService   = 4'd6,
    WhyNotLive   = 4'd7,
    WhyPeer      = 4'd8,
    WhyNoGrh     = 4'd9,
    WhyPkey      = 4'd10,
    WhyNoSuch    = 4'd11,
    WhyTaken     = 4'd12,
    WhyLost      = 4'd13   // with Ecc only
  } why_e;

  // What a QP is set with for the blocks behind this one.
  typedef struct packed {
    logic [31:0] qkey;  // of UD
    logic        whole_write;
    logic [23:0] pd;
    logic        is_shared;
    logic [23:0] rq;  // number of the receive queue
  } receive_t;

  // The first bit of the record is the last one here.
  typedef struct packed {
    receive_t     receive;
    logic [127:0] dst;
    logic [127:0] src;
    logic         is_global;
    logic         live;
    service_e     service;
    logic [3:0]   entry;
    logic [15:0]  dlid;
    logic [15:0]  slid;
    logic [15:0]  pkey;
    logic [23:0]  dest_qp;
    logic [7:0]   opcode;
    logic [2:0]   encap;   // hca_pkg::encap_e
    logic [3:0]   reason;  // hca_pkg::reason_e
    logic [2:0]   op;      // op_e, and a code that is none
  } query_t;

  typedef struct packed {
    receive_t    receive;
    service_e    service;
    logic [2:0]  op;
    why_e        why;
    class_e      what;
    logic [15:0] pkey;
    logic [23:0] qpn;
  } result_t;

  // The word of a QP. All zero is none.
  typedef struct packed {
    logic         there;
    logic [23:0]  number;
    service_e     service;
    logic         live;
    logic         is_global;
    logic [3:0]   entry;
    logic [127:0] peer;
    receive_t     receive;
  } context_t;

endpackage
