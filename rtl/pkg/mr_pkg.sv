// SPDX-License-Identifier: Apache-2.0
// Types and codes of mr_lookup: docs/blocks/mr_lookup.md.
package mr_pkg;

  typedef enum logic [2:0] {
    OpCheck      = 3'd0,
    OpSet        = 3'd1,
    OpRemove     = 3'd2,
    OpInvalidate = 3'd3,
    OpInject     = 3'd6,  // with Ecc only
    OpCounts     = 3'd7   // with Ecc only
  } op_e;

  typedef enum logic [2:0] {
    WhyGood       = 3'd0,
    WhyNoKey      = 3'd1,
    WhyDomain     = 3'd2,
    WhyPermission = 3'd3,
    WhyBounds     = 3'd4,
    WhyNoWindow   = 3'd5,
    WhyNoSuch     = 3'd6,
    WhyTaken      = 3'd7
  } why_e;

  // The first bit of the record is the last one here.
  typedef struct packed {
    logic [63:0] base;
    logic        window;
    logic        whole;
    logic [4:0]  need;
    logic [63:0] len;
    logic [63:0] va;
    logic [23:0] pd;
    logic [31:0] rkey;
    logic [2:0]  op;  // op_e, and two codes that are none
  } query_t;

  // What a record says by its numbers alone.
  typedef struct packed {
    logic [64:0] past;   // the byte behind the last one: va + length
    logic [63:0] delta;  // base - va
    logic        empty;  // length 0
  } sums_t;

  typedef struct packed {
    why_e        why;
    logic        ok;
    logic [2:0]  op;
    logic [31:0] rkey;
    logic [63:0] address;
  } result_t;

  // The word of a key. All zero is none.
  typedef struct packed {
    logic        there;
    logic        window;
    logic [4:0]  allows;
    logic [23:0] pd;
    logic [31:0] rkey;
    logic [63:0] start;
    logic [64:0] past;
    logic [63:0] delta;  // from a peer's address to the bus's
  } context_t;

endpackage
