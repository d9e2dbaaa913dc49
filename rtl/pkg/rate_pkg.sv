// SPDX-License-Identifier: Apache-2.0
// Types and codes of rate_limiter: docs/blocks/rate_limiter.md.
package rate_pkg;

  typedef enum logic [2:0] {
    OpAsk    = 3'd0,
    OpCnp    = 3'd1,
    OpLaw    = 3'd2,
    OpSet    = 3'd3,
    OpSent   = 3'd4,
    OpRemove = 3'd5
  } op_e;

  typedef enum logic [2:0] {
    WhyGood   = 3'd0,
    WhyNotYet = 3'd1,
    WhySoon   = 3'd2,
    WhyFar    = 3'd3,
    WhyNoQp   = 3'd4,
    WhyLaw    = 3'd6,
    WhyNoSuch = 3'd7
  } why_e;

  typedef struct packed {
    logic [7:0]  raise;
    logic [7:0]  cut;
    logic [31:0] forget;
    logic [31:0] period;
    logic [15:0] pace;
    logic [12:0] bytes;
    logic [23:0] qpn;
    logic [2:0]  op;  // op_e, and two codes that are none
  } query_t;

  typedef struct packed {
    logic [15:0] pace;
    logic [2:0]  why;  // why_e
    logic [2:0]  op;
    logic [23:0] qpn;
  } result_t;

  // The word of a QP, beside its two time stamps. All zero is none.
  typedef struct packed {
    logic        there;
    logic        ahead;    // its time counts
    logic        changed;  // its last change counts
    logic        fell;     // that was a CNP's
    logic [23:0] number;
    logic [15:0] fixed;    // the static pace
    logic [15:0] pace;
    logic [15:0] target;
  } context_t;

  // The parts of the law that are no times.
  typedef struct packed {
    logic [15:0] slowest;  // no CNP makes a pace longer
    logic [7:0]  raise;
    logic [7:0]  cut;
  } factors_t;

endpackage
