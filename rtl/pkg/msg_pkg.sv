// SPDX-License-Identifier: Apache-2.0
// Types and codes of msg_tracker: docs/blocks/msg_tracker.md.
package msg_pkg;

  typedef enum logic [2:0] {
    OpLookUp = 3'd0,
    OpCommit = 3'd1,
    OpClear  = 3'd2,
    OpInject = 3'd6,  // with Ecc only
    OpCounts = 3'd7   // with Ecc only
  } op_e;

  typedef enum logic [1:0] {
    VerbNone  = 2'd0,
    VerbSend  = 2'd1,
    VerbWrite = 2'd2,
    VerbStopped = 2'd3  // with Ecc only: of a word that was lost, until it is cleared
  } verb_e;

  // The first bit of the record is the last one here.
  typedef struct packed {
    logic [31:0] dma_length;
    logic [31:0] rkey;
    logic [63:0] va;
    logic [15:0] payload;
    logic        last;
    logic        first;
    logic [1:0]  verb;  // verb_e; of a packet the last code is none
    logic [23:0] qpn;
    logic [2:0]  op;    // op_e, and three codes that are none
  } query_t;

  // How far a message has come. Of a SEND only the offset is not 0.
  typedef struct packed {
    logic [31:0] left;
    logic [31:0] offset;
    logic [31:0] rkey;
    logic [63:0] va;
  } place_t;

  typedef struct packed {
    place_t      place;
    logic        found;
    logic [2:0]  op;
    logic [23:0] qpn;
  } result_t;

  // The word of a QP: its open message, and where the next packet of it begins. All zero is none.
  typedef struct packed {
    verb_e  open;
    place_t place;
  } context_t;

endpackage
