// SPDX-License-Identifier: Apache-2.0
// What goes between the parts of hca_tx: docs/blocks/hca_tx.md. The first bit of a record is the last one here.
package hca_tx_pkg;

  // The block that an operation is for: its bit in a set of them.
  localparam int unsigned ToCheck = 0;
  localparam int unsigned ToRetry = 1;
  localparam int unsigned ToQueue = 2;
  localparam int unsigned ToPackets = 3;
  localparam int unsigned ToTurns = 4;
  localparam int unsigned ToTime = 5;
  localparam int unsigned ToFrames = 6;
  localparam int unsigned ToPace = 7;
  localparam int unsigned Targets = 8;

  // An operation: the longest record of a block, from bit 0 on.
  localparam int unsigned OpWidth = 542;

  // How the WQE ends whose packet could not be sent: retry_ctl numbers statuses.
  localparam logic [3:0] StatusLocal = 4'd7;

  // What a packet is counted with beside its payload: its headers and its ICRC, in bytes.
  localparam logic [12:0] HeadBytes = 13'd64;

  // An operation of tx_frame: its way stands right behind qpn.
  localparam int unsigned WayOpWidth = 508;

  // A response.
  typedef struct packed {
    logic [63:0] original;  // of an atomic: AtomicAckETH
    logic [1:0]  pad;
    logic [7:0]  syndrome;
    logic [7:0]  opcode;
    logic [12:0] payload;
    logic [23:0] number;
    logic [23:0] psn;
    logic [23:0] qpn;
  } response_t;

  // A packet that is to be sent: s_rec of tx_frame without its op.
  typedef struct packed {
    logic [4:0]  entries;
    logic [31:0] offset;
    logic [63:0] address;
    logic [12:0] bytes;
    logic [31:0] qkey;
    logic [63:0] compare;
    logic [63:0] swap_add;
    logic [31:0] imm;
    logic [31:0] dma_length;
    logic [31:0] rkey;
    logic [63:0] va;
    logic        solicited;
    logic        ack_req;
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic [23:0] qpn;
  } packet_t;

  // Local work whose turn has come: m_local.
  typedef struct packed {
    logic [63:0] gather;
    logic [31:0] qkey;
    logic [31:0] imm;
    logic [31:0] length;
    logic [63:0] va;
    logic [31:0] rkey;
    logic [3:0]  verb;
    logic [5:0]  slot;
    logic [23:0] qpn;
  } local_t;

  // Of a packet that is on its way out: whether its WQE ends when it has left.
  typedef struct packed {
    logic        ends;
    logic [23:0] una;
    logic [23:0] qpn;
  } end_t;

  // What read_place is to have with a record of req_ack_check: it waits beside that block.
  typedef struct packed {
    logic [63:0] address;  // of what is sent its WQE's memory; of a response the value of an atomic
    logic [12:0] bytes;    // of a response: of its frame
    logic [1:0]  kind;     // of what is sent: place_pkg::kind_e
    logic        joins;    // a READ or what is answered like one, or an atomic, goes out for the first time
    logic [23:0] psn;
  } note_t;

  // What req_ack_check said beside what retry_ctl is given: it waits for that one's answer.
  typedef struct packed {
    logic        told;  // of an open QP
    logic        ended;
    logic        unlimited;
    logic [23:0] lsn;
  } beside_t;

endpackage
