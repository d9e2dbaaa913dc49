// SPDX-License-Identifier: Apache-2.0
// Types and codes of sq_retire: docs/blocks/sq_retire.md.
package retire_pkg;

  typedef enum logic [2:0] {
    OpPost      = 3'd0,
    OpBegun     = 3'd1,
    OpVerdict   = 3'd2,
    OpClear     = 3'd3,
    OpLook      = 3'd4,
    OpLocalDone = 3'd5
  } op_e;

  typedef enum logic [1:0] {
    StateClosed = 2'd0,
    StateOpen   = 2'd1,
    StateFailed = 2'd2
  } state_e;

  typedef enum logic [2:0] {
    WhyTaken   = 3'd0,
    WhyNoQp    = 3'd1,
    WhyFailed  = 3'd2,
    WhyFull    = 3'd3,
    WhyNotTurn = 3'd4
  } why_e;

  localparam logic [3:0] StatusSuccess = 4'd0;
  localparam logic [3:0] StatusFlushed = 4'd6;

  // A send WQE. The first bit of the record is the last one here, as in all of these.
  typedef struct packed {
    logic [4:0]  entries;
    logic [63:0] gather;  // address of the list
    logic [31:0] qkey;
    logic [63:0] compare;
    logic [63:0] swap_add;
    logic [31:0] imm;
    logic [31:0] rkey;
    logic [63:0] va;
    logic [31:0] length;
    logic [4:0]  more_flags;  // solicited, immediate, invalidate, fence, inline
    logic        signaled;
    logic [3:0]  verb;
    logic [31:0] wqe;
  } wqe_t;

  typedef struct packed {
    wqe_t        wqe;
    logic [3:0]  status;
    logic        fail;
    logic        progress;
    logic [23:0] una;
    logic [23:0] last_psn;
    logic [23:0] first_psn;
    logic [5:0]  slot;
    logic [2:0]  op;  // op_e, and two codes that are none
    logic [23:0] qpn;
  } query_t;

  typedef struct packed {
    wqe_t        wqe;
    logic [23:0] last_psn;
    logic [23:0] first_psn;
    logic        begun;
    logic        present;
    logic        failed;
    logic [6:0]  count;
    logic [6:0]  ended;
    logic [5:0]  slot;
    logic [2:0]  why;  // why_e
    logic [2:0]  op;
    logic [23:0] qpn;
  } result_t;

  typedef struct packed {
    logic [31:0] length;
    logic [3:0]  verb;
    logic [3:0]  status;
    logic [31:0] wqe;
    logic [23:0] qpn;
  } cqe_t;

  // What is decided by the word of the QP, before a slot is read: for the stages that go through the slots.
  typedef struct packed {
    logic [63:0] asked;     // bit k: the k-th WQE that ends is signaled
    logic [23:0] first_psn; // begins: to be kept
    logic [23:0] last_psn;  // of the slot that is looked at
    logic [3:0]  status;    // of the first WQE that does not end with success
    logic [6:0]  good;      // WQEs that end with success
    logic [6:0]  ended;     // WQEs that end
    logic [6:0]  count;     // WQEs that are left
    logic [5:0]  head;      // slot of the first that ends
    logic [5:0]  slot;
    logic        stores;    // the record's WQE goes into slot
    logic        begins;    // the record's first PSN goes with it
    logic        flushes;   // the record's WQE ends as it came
    logic        failed;
    logic        present;
    logic        begun;
    logic [2:0]  why;  // why_e
  } decision_t;

endpackage
