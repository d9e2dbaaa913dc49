// SPDX-License-Identifier: Apache-2.0
// Types and codes of rx_dma: docs/blocks/rx_dma.md.
package dma_pkg;

  localparam logic [3:0] StatusFlushed     = 4'd6;
  localparam logic [3:0] StatusMemoryError = 4'd10;

  // Bits of the structs below, as ports have them.
  localparam int unsigned CmdWidth = 233;
  localparam int unsigned WriteWidth = 88;
  localparam int unsigned AckWidth = 9;
  localparam int unsigned RecordWidth = 153;  // entry_t, record_t

  // How far a QP has failed.
  typedef enum logic [1:0] {
    QpGood    = 2'd0,
    QpFailing = 2'd1,  // a write failed, and no completion said so
    QpFailed  = 2'd2
  } qp_e;

  // The first bit of a record is the last one here.
  typedef struct packed {
    logic [31:0] immediate;
    logic        has_immediate;
    logic [31:0] length;
    logic [31:0] wqe;
    logic [63:0] address;
    logic [15:0] bytes;
    logic [23:0] psn;
    logic [23:0] qpn;
    logic [3:0]  status;
    logic        solicited;
    logic        complete;
    logic        place;
    logic        clear;
  } cmd_t;

  // What a completion says.
  typedef struct packed {
    logic [31:0] immediate;
    logic        has_immediate;
    logic [31:0] length;
    logic [31:0] wqe;
    logic [23:0] psn;
    logic [23:0] qpn;
    logic [3:0]  status;
    logic        solicited;
  } cqe_t;

  // A record that writes, completes or clears, until it is retired.
  typedef struct packed {
    cqe_t cqe;
    logic writes;
    logic complete;
    logic clear;
  } entry_t;

  // One that was retired, of those that give a record.
  typedef struct packed {
    cqe_t cqe;
    logic failed;
    logic complete;
    logic clear;
  } record_t;

  typedef struct packed {
    logic [63:0] address;
    logic [15:0] bytes;
    logic [7:0]  tag;
  } write_t;

  typedef struct packed {
    logic       failed;
    logic [7:0] tag;
  } ack_t;

endpackage
