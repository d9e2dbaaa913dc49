// SPDX-License-Identifier: Apache-2.0
// Types and codes of sq_scheduler: docs/blocks/sq_scheduler.md.
package sched_pkg;

  typedef enum logic [2:0] {
    OpWake   = 3'd0,
    OpDone   = 3'd1,
    OpSet    = 3'd2,
    OpRemove = 3'd3
  } op_e;

  localparam logic [2:0] WhyMore = 3'd0;
  localparam logic [2:0] WhyRate = 3'd6;

  // The first bit of the record is the last one here.
  typedef struct packed {
    logic [3:0]  weight;
    logic [2:0]  why;
    logic [2:0]  op;  // op_e, and four codes that are none
    logic [23:0] qpn;
  } query_t;

  typedef struct packed {
    logic [3:0]  packets;
    logic [23:0] qpn;
  } turn_t;

  // What is known of a QP. All zero is behind reset.
  typedef struct packed {
    logic       is_set;
    logic       awake;   // it stands in the queue, or has a turn under way
    logic       woken;   // since it came to stand in the queue
    logic [3:0] weight;
  } state_t;

endpackage
