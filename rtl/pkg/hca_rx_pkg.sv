// SPDX-License-Identifier: Apache-2.0
// What goes between the parts of hca_rx: docs/blocks/hca_rx.md.
package hca_rx_pkg;

  // The block that an operation is for: its bit in a set of them.
  localparam int unsigned ToClassify = 0;
  localparam int unsigned ToVerdict = 1;
  localparam int unsigned ToKeys = 2;
  localparam int unsigned ToAnswers = 3;
  localparam int unsigned ToMessages = 4;
  localparam int unsigned ToReceiveQueues = 5;
  localparam int unsigned ToMemory = 6;
  localparam int unsigned ToNotify = 7;
  localparam int unsigned Targets = 8;

  // Requests between rx_issue and their commit, at most: as many as the queues behind resp_psn_check hold.
  localparam int unsigned UnderWay = 32;

  // An operation: the longest record of a block, from bit 0 on.
  localparam int unsigned OpWidth = 564;

  // A packet behind rx_classify, as hca_rx_commit needs it: where it came from, and what became of it so far.
  typedef struct packed {
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
    logic [2:0]   encap;
    logic [31:0]  immediate;
    logic         has_immediate;
    logic [15:0]  bytes;    // of the payload that the parser has of it
    logic [3:0]   dropped;
    logic [2:0]   what;     // classify_pkg::class_e
    logic [23:0]  qpn;
  } way_t;

  // What cnp_gen says of a packet.
  typedef struct packed {
    logic [23:0] peer_qpn;  // whom a CNP goes to
    logic        gives;
  } notice_t;

  // A request behind rx_classify: what the blocks are asked and told about it.
  typedef struct packed {
    logic [4:0]  need;         // of the key: as mr_lookup has it
    logic        whole;        // only the key
    logic        by_key;       // mr_lookup decides; else granted does
    logic        granted;
    logic        eight;        // as many bytes, whatever dma_length says
    logic        whole_write;  // of the QP, as the four behind it
    logic [23:0] pd;
    logic        is_shared;
    logic [23:0] rq;
    logic        ends;         // a message that has a receive WQE
    logic        needs_wqe;
    logic        uses_wqe;
    logic        invalidates;
    logic        last;
    logic        first;
    logic [1:0]  verb;         // msg_pkg::verb_e
    logic [1:0]  flush_sel;
    logic [3:0]  flush_plt;
    logic        solicited;
    logic        ack_req;
    logic [1:0]  pad;
    logic [63:0] va;
    logic [31:0] rkey;         // of RETH, AtomicETH or IETH
    logic [31:0] dma_length;
    logic [15:0] payload;
    logic [7:0]  opcode;
    logic [23:0] psn;
    logic [23:0] qpn;
  } request_t;

  // A request whose key was looked up, and its message.
  typedef struct packed {
    logic        access_ok;
    logic [63:0] address;  // of what it touches by its key; else 0
    logic [31:0] offset;   // in its message
    request_t    req;
  } located_t;

  // A request as hca_rx_commit needs it beside its verdict.
  typedef struct packed {
    logic [63:0] address;
    logic [31:0] offset;
    logic [31:0] wqe;
    request_t    req;
  } settled_t;

  // The record of a packet: what became of it. The first bit of m_rec is the last one here.
  typedef struct packed {
    logic [31:0] wqe;
    logic [31:0] offset;
    logic [63:0] address;
    logic        placed;
    logic        complete;
    logic [2:0]  answer;
    logic [4:0]  why;
    logic [2:0]  verdict;
    logic [3:0]  dropped;
    logic [2:0]  what;
    logic [23:0] psn;
    logic [23:0] qpn;
  } told_t;

endpackage
