// SPDX-License-Identifier: Apache-2.0
// Types and codes of atomic_engine: docs/blocks/atomic_engine.md.
package atomic_pkg;

  localparam int unsigned TagWidth = 6;  // 64 numbers, in turn

  typedef enum logic [1:0] {
    StatusDone       = 2'd0,  // a comparison that failed is done
    StatusNotRead    = 2'd1,
    StatusNotWritten = 2'd2
  } status_e;

  // What is asked for. The first bit of a record is the last one here.
  typedef struct packed {
    logic [63:0] swap_add;
    logic [63:0] compare;
    logic [63:0] address;
    logic        is_add;
  } op_t;

  // Who asks.
  typedef struct packed {
    logic [23:0] psn;
    logic [23:0] qpn;
  } id_t;

  typedef struct packed {
    logic [63:0] address;
    logic [5:0]  tag;
  } read_t;

  typedef struct packed {
    logic [63:0] data;
    logic [63:0] address;
    logic [5:0]  tag;
  } write_t;

  // What memory gives, beside its tag. An acknowledgement is the error alone.
  typedef struct packed {
    logic [63:0] data;
    logic        failed;
  } answer_t;

  typedef struct packed {
    logic [63:0] original;
    status_e     status;
    id_t         id;
  } result_t;

  // What is known of an atomic that is decided.
  typedef struct packed {
    logic [63:0] original;
    logic        not_read;
    logic        writes;
  } decided_t;

endpackage
