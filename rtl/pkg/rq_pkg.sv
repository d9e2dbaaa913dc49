// SPDX-License-Identifier: Apache-2.0
// Types and codes of rq_head: docs/blocks/rq_head.md.
package rq_pkg;

  typedef enum logic [2:0] {
    OpLookUp  = 3'd0,
    OpPost    = 3'd1,
    OpTake    = 3'd2,
    OpClear   = 3'd3,
    OpRelease = 3'd4,
    OpInject  = 3'd6,  // with Ecc only
    OpCounts  = 3'd7   // with Ecc only
  } op_e;

  localparam logic [4:0] CreditsUnlimited = 5'd31;

  // A receive WQE.
  typedef struct packed {
    logic [31:0] wqe;
    logic [31:0] bytes;
  } wqe_t;

  // The first bit of the record is the last one here.
  typedef struct packed {
    wqe_t        wqe;
    logic        complete;
    logic        is_shared;
    logic [23:0] rq;  // number of the receive queue
    logic [23:0] qpn;
    logic [2:0]  op;  // op_e, and three codes that are none
  } query_t;

  typedef struct packed {
    logic [4:0]  credits;
    wqe_t        wqe;
    logic        present;
    logic [2:0]  op;
    logic [23:0] qpn;
  } result_t;

  // The memories, as inject and counts name them in the two low bits of wqe. Of inject the next six are the slot.
  localparam int unsigned Memories = 4;

  typedef enum logic [1:0] {
    MemoryQueue = 2'd0,  // where a queue begins, and how many are in it
    MemoryQp    = 2'd1,  // whether a QP holds a WQE
    MemorySlot  = 2'd2,  // a WQE of a queue
    MemoryHeld  = 2'd3   // the one that a QP holds
  } memory_e;

  // What is decided by the state of queue and QP, before a WQE is read: for the stages that read and write them.
  typedef struct packed {
    logic        lost;     // of that state
    logic        injects;  // and there is such a queue or QP
    logic        stores;   // the record's WQE goes into its slot
    logic        shows;    // the WQE that is present is given out
    logic        is_held;  // it is the one that the QP holds
    logic        binds;    // the head becomes the one that the QP holds
    logic        present;
    logic [4:0]  credits;
  } decision_t;

endpackage
