// SPDX-License-Identifier: Apache-2.0
// Types and codes of read_place: docs/blocks/read_place.md.
package place_pkg;

  // Bits of the structs below, as ports and queues have them.
  localparam int unsigned RecWidth = 204;
  localparam int unsigned ReadWidth = 90;
  localparam int unsigned StateWidth = 8;
  localparam int unsigned DecidedWidth = 226;
  localparam int unsigned ResultWidth = 56;

  typedef enum logic [1:0] {
    OpSent    = 2'd0,
    OpTold    = 2'd1,  // in m_rec: a write failed
    OpClear   = 2'd2,
    OpVerdict = 2'd3
  } op_e;

  typedef enum logic [1:0] {
    KindRead   = 2'd0,
    KindAtomic = 2'd1,
    KindNone   = 2'd2   // and 3: it brings nothing
  } kind_e;

  // The first bit of the record is the last one here.
  typedef struct packed {
    logic [63:0] value;
    logic [63:0] address;
    logic [3:0]  status;
    logic        fail;
    logic        progress;
    logic [2:0]  pmtu;
    logic [1:0]  kind;  // kind_e
    logic [12:0] bytes;
    logic        ended;
    logic        data;
    logic [23:0] psn;
    logic [23:0] qpn;
    logic [1:0]  op;    // op_e
  } rec_t;

  // The word of a QP: a state_t and, above that, the list, oldest lowest.
  typedef struct packed {
    logic [1:0]  kind;
    logic [63:0] address;
    logic [23:0] first;
  } read_t;

  typedef struct packed {
    logic [2:0] pmtu;
    logic [4:0] reads;
  } state_t;

  // What becomes of a record. Where it writes is base + reach PSNs of pmtu: the sum is left to the clock behind.
  typedef struct packed {
    logic [63:0] value;
    logic [63:0] base;
    logic [23:0] reach;
    logic [2:0]  pmtu;
    logic        is_value;
    logic        place;
    logic [12:0] bytes;     // of the frame; of a value 8
    logic [3:0]  status;
    logic        fail;
    logic        progress;
    logic [23:0] psn;
    logic [23:0] qpn;
    logic        verdict;
    logic        clear;
  } decided_t;

  typedef struct packed {
    logic [3:0]  status;
    logic        fail;
    logic        progress;
    logic [23:0] una;
    logic [1:0]  op;
    logic [23:0] qpn;
  } result_t;

endpackage
