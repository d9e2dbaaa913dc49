// SPDX-License-Identifier: Apache-2.0
// Types and codes of tx_packetizer: docs/blocks/tx_packetizer.md. Orders are retry_pkg's.
package tx_pkg;

  typedef enum logic [2:0] {
    OpPacket    = 3'd0,
    OpVerdict   = 3'd1,
    OpConfigure = 3'd2,
    OpClose     = 3'd3,
    OpLook      = 3'd4,
    OpDrain     = 3'd5,
    OpResume    = 3'd6,
    OpLook7     = 3'd7
  } op_e;

  typedef enum logic [3:0] {
    WhyNone    = 4'd0,
    WhyNothing = 4'd1,
    WhyWaits   = 4'd2,
    WhyWindow  = 4'd3,
    WhyReads   = 4'd4,
    WhyCredit  = 4'd5,
    WhyNoQp    = 4'd7,
    WhyOpen    = 4'd8,
    WhyIllegal = 4'd9,
    WhyBadWqe  = 4'd10,
    WhyDrained = 4'd11
  } why_e;

  typedef enum logic [1:0] {
    WhatStands   = 2'd0,
    WhatSends    = 2'd1,
    WhatLocal    = 2'd2,
    WhatSearches = 2'd3
  } what_e;

  typedef enum logic [1:0] {
    ServiceRc   = 2'd0,
    ServiceUc   = 2'd1,
    ServiceUd   = 2'd2,
    ServiceNone = 2'd3
  } service_e;

  // How far a WQE is; 3 is none too.
  typedef enum logic [1:0] {
    BegunNone = 2'd0,
    BegunNew  = 2'd1,
    BegunPsns = 2'd2
  } begun_e;

  typedef enum logic [3:0] {
    VerbSend        = 4'd1,
    VerbWrite       = 4'd2,
    VerbRead        = 4'd3,
    VerbCmpSwap     = 4'd4,
    VerbFetchAdd    = 4'd5,
    VerbAtomicWrite = 4'd6,
    VerbFlush       = 4'd7,
    VerbBind        = 4'd8,
    VerbInvalidate  = 4'd9
  } verb_e;

  // What the answers depend on, as req_ack_check numbers it; bit 1 says that it has responses of its own.
  typedef enum logic [1:0] {
    KindWrite   = 2'd0,
    KindLimited = 2'd1,
    KindRead    = 2'd2,
    KindAtomic  = 2'd3
  } kind_e;

  // BTH byte 0 without the service (OPC-1).
  localparam logic [7:0] OpcodeUc = 8'h20;
  localparam logic [7:0] OpcodeUd = 8'h60;
  localparam logic [7:0] OperationFirst = 8'h00;
  localparam logic [7:0] OperationMiddle = 8'h01;
  localparam logic [7:0] OperationLast = 8'h02;      // with immediate one more
  localparam logic [7:0] OperationOnly = 8'h04;
  localparam logic [7:0] OperationWrite = 8'h06;     // as a SEND's, so much further
  localparam logic [7:0] OperationRead = 8'h0C;
  localparam logic [7:0] OperationCmpSwap = 8'h13;
  localparam logic [7:0] OperationFetchAdd = 8'h14;
  localparam logic [7:0] OperationLastInv = 8'h16;
  localparam logic [7:0] OperationOnlyInv = 8'h17;
  localparam logic [7:0] OperationFlush = 8'h1C;
  localparam logic [7:0] OperationAtomicWrite = 8'h1D;

  localparam logic [31:0] MaxMessage = 32'h8000_0000;  // LEN-1
  localparam logic [31:0] AtomicBytes = 32'd8;

  // s_rec. The first bit of a record is the last one here.
  typedef struct packed {
    logic        told;
    logic [23:0] first;
    logic [31:0] length;
    logic        fence;
    logic        solicited;
    logic        invalidate;
    logic        immediate;
    logic [3:0]  verb;
    logic [1:0]  begun;
    logic        oldest;
    logic [5:0]  slot;
    logic        whole_read;
    logic        restart;
    logic [1:0]  service;
    logic [23:0] window;
    logic [4:0]  max_reads;
    logic [2:0]  pmtu;
    logic        ended;
    logic        unlimited;
    logic [23:0] lsn;
    logic        progress;
    logic [2:0]  order;
    logic [23:0] una;
    logic [2:0]  op;
    logic [23:0] qpn;
  } rec_t;

  // A QP.
  typedef struct packed {
    logic        open;
    logic        waiting;
    logic        drained;
    logic        oldest;  // slot says nothing: the search begins at the oldest WQE
    logic        back;    // nothing has gone out since the last order to go back
    logic        probed;
    logic        unlimited;
    logic        restart;
    logic        whole_read;
    logic [1:0]  service;
    logic [2:0]  pmtu;
    logic [4:0]  max_reads;
    logic [4:0]  reads;
    logic [5:0]  slot;    // of the WQE that next belongs to
    logic [5:0]  top;     // of the one that high belongs to
    logic [23:0] window;
    logic [23:0] ssn;
    logic [23:0] lsn;
    logic [23:0] high;
    logic [23:0] next;
    logic [23:0] una;
  } state_t;

  // A WQE as packets.
  typedef struct packed {
    logic        bad;         // no requester of the service has such a one
    logic        local_work;
    logic        limited;     // needs a credit (CRD-2)
    logic [1:0]  kind;
    logic [24:0] packets;     // PSNs (PSN-4)
  } shape_t;

  // What goes out.
  typedef struct packed {
    logic        solicited;
    logic        ack_req;
    logic [23:0] number;
    logic [1:0]  kind;
    logic [12:0] payload;
    logic [31:0] bytes;
    logic [31:0] offset;
    logic [23:0] count;
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic        again;
    logic        begins;
  } packet_t;

  // m_rec.
  typedef struct packed {
    logic        drained;
    logic        waiting;
    logic [4:0]  reads;
    logic [23:0] high;
    logic [23:0] next;
    logic [23:0] una;
    logic [23:0] last;
    logic [23:0] first;
    packet_t     packet;
    logic        oldest;
    logic [5:0]  slot;
    logic [1:0]  what;
    logic [3:0]  why;
    logic [2:0]  op;
    logic [23:0] qpn;
  } out_t;

endpackage
