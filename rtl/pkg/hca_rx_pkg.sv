// SPDX-License-Identifier: Apache-2.0
// What goes between the parts of hca_rx: docs/blocks/hca_rx.md.
package hca_rx_pkg;

  // The block that an operation is for: its bit in a set of them.
  localparam int unsigned ToClassify = 0;
  localparam int unsigned ToVerdict = 1;
  localparam int unsigned ToKeys = 2;
  localparam int unsigned ToAnswers = 3;
  localparam int unsigned Targets = 4;

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
    logic         payload;  // the parser has one of it
    logic [3:0]   dropped;
    logic [2:0]   what;     // classify_pkg::class_e
    logic [23:0]  qpn;
  } way_t;

  // What resp_psn_check is asked about a request, but for the key.
  typedef struct packed {
    logic        by_key;  // the key decides; else granted does
    logic        granted;
    logic [1:0]  flush_sel;
    logic [3:0]  flush_plt;
    logic        solicited;
    logic        ack_req;
    logic [1:0]  pad;
    logic [2:0]  va_low;
    logic [31:0] dma_length;
    logic [15:0] payload;
    logic [7:0]  opcode;
    logic [23:0] psn;
    logic [23:0] qpn;
  } ask_t;

  // The record of a packet: what became of it. The first bit of m_rec is the last one here.
  typedef struct packed {
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
