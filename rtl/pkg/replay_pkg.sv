// SPDX-License-Identifier: Apache-2.0
// Types and codes of replay_fifo: docs/blocks/replay_fifo.md.
package replay_pkg;

  typedef enum logic [2:0] {
    OpKeep   = 3'd0,
    OpLookUp = 3'd1,
    OpResult = 3'd2,
    OpSet    = 3'd3,
    OpInject = 3'd6,  // with Ecc only
    OpCounts = 3'd7   // with Ecc only
  } op_e;

  typedef enum logic [1:0] {
    KindRead        = 2'd0,
    KindAtomic      = 2'd1,
    KindAtomicWrite = 2'd2,
    KindFlush       = 2'd3
  } kind_e;

  // The range of a READ.
  typedef struct packed {
    logic [31:0] bytes;
    logic [31:0] rkey;
    logic [63:0] va;
  } range_t;

  // The first bit of the record is the last one here.
  typedef struct packed {
    logic [4:0]  depth;
    logic [2:0]  pmtu;
    logic [63:0] original;
    range_t      asked;
    logic [23:0] last_psn;
    kind_e       kind;
    logic [23:0] psn;
    logic [23:0] qpn;
    logic [2:0]  op;  // op_e, and four codes that are none
  } query_t;

  typedef struct packed {
    logic [63:0] original;
    logic        known;
    logic [4:0]  slot;
    logic        found;
    logic [2:0]  op;
    logic [23:0] qpn;
  } result_t;

  // What a QP knows of one of its slots. All zero is none.
  typedef struct packed {
    logic        there;
    kind_e       kind;
    logic [23:0] first;  // PSN of the request
    logic [23:0] span;   // PSNs behind that one
  } entry_t;

  localparam int unsigned EntryWidth = 51;  // of entry_t

  // The rest of a slot.
  typedef struct packed {
    logic [63:0] original;
    logic        known;
    range_t      kept;
  } slot_t;

  // What is decided by the word of the QP. Inject and counts name the memory in the low bit of kind: 0 that word, 1 the
  // slots; inject the slot in depth.
  typedef struct packed {
    logic        lost;     // of that word
    logic        injects;  // and there is such a QP
    logic        found;    // but for the range of a READ
    logic        keeps;    // the record's range goes into the slot
    logic        returns;  // the record's original goes into the slot
    logic        in_range; // a READ is looked up: its range is asked
    logic        shows;    // another kind is: its result is given out
    logic [4:0]  slot;
    logic [23:0] ahead;    // PSNs from the original's to the record's
    logic [2:0]  pmtu;
  } decision_t;

endpackage
