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
  localparam int unsigned ToReplay = 8;
  localparam int unsigned Targets = 9;
  localparam int unsigned TargetWidth = 4;

  // Requests between rx_issue and their commit, at most: as many as the queues behind resp_psn_check hold.
  localparam int unsigned UnderWay = 32;

  // An operation: the longest record of a block, from bit 0 on.
  localparam int unsigned OpWidth = 564;

  // A packet behind rx_classify, as hca_rx_commit needs it: where it came from, and what became of it so far.
  typedef struct packed {
    logic [63:0]  compare;   // of an atomic, as swap_add
    logic [63:0]  swap_add;
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
    logic [23:0] src_qp;       // of UD: whom it came from; else 0
    logic        is_datagram;  // UD
    logic        qkey_ok;      // of UD
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
    logic        lost;      // msg_tracker had a worthless word: with Ecc only
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
    logic        access_ok;
    request_t    req;
  } settled_t;

  // A datagram begins so far behind the start of its receive WQE: the room is for a GRH.
  localparam int unsigned GrhBytes = 40;

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

  // How many READs and atomics replay_fifo keeps of a QP.
  localparam int unsigned ReplaySlots = 8;

  // Bits of a number of a write: as many may be acknowledged while an answer waits.
  localparam int unsigned CountWidth = 24;

  // ack_pkg::query_t, field by field: Yosys 0.23 finds no type of another package here.
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
  } answer_t;

  // An answer that is due, in the order of the commits: one that passes the engines as it is, or what they are asked.
  typedef struct packed {
    answer_t               answer;     // as it leaves; of what is asked its way, PSN, MSN and syndrome
    logic [CountWidth-1:0] writes;     // of packets before it, and its own
    logic [63:0]           swap_add;
    logic [63:0]           compare;
    logic [63:0]           address;    // on the host's bus
    logic [31:0]           bytes;      // of a READ; else 0
    logic [31:0]           rkey;
    logic [63:0]           va;
    logic [23:0]           last_psn;
    logic                  is_add;
    logic                  allowed;    // its key opens what it asks for
    logic                  duplicate;
    logic [1:0]            kind;       // replay_pkg::kind_e
    logic                  passes;
  } work_t;

  // What leaves in its turn.
  typedef enum logic [1:0] {
    TurnPass   = 2'd0,
    TurnRead   = 2'd1,  // as read_engine has it
    TurnAtomic = 2'd2,
    TurnSilent = 2'd3
  } turn_e;

  // What became of a READ or atomic.
  typedef enum logic [2:0] {
    EndAnswered = 3'd0,
    EndNotKept  = 3'd1,
    EndNoAccess = 3'd2,
    EndFailed   = 3'd3,
    EndDead     = 3'd4,
    EndLost     = 3'd5  // with Ecc only: what replay_fifo had of it
  } end_e;

  typedef struct packed {
    answer_t         answer;
    logic [63:0]     original;  // of an atomic
    end_e            status;    // of an atomic, and of what is silent
    logic            frees;     // it was executed: one fewer is in flight
    turn_e           what;
  } turn_t;

  // The record of m_end. Its first bit is the last one here.
  typedef struct packed {
    end_e        status;
    logic [23:0] count;
    logic [23:0] psn;
    logic [23:0] qpn;
  } ended_t;

  // What resp_psn_check is told of a QP: that it goes to error, or that a READ or atomic was answered.
  typedef struct packed {
    logic        is_error;
    logic [23:0] qpn;
  } outcome_t;

endpackage
