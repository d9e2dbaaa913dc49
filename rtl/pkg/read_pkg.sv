// SPDX-License-Identifier: Apache-2.0
// Types and codes of read_engine: docs/blocks/read_engine.md.
package read_pkg;

  // Bits of the structs below, as ports have them.
  localparam int unsigned CmdWidth = 181;
  localparam int unsigned PieceWidth = 79;
  localparam int unsigned HdrWidth = 102;
  localparam int unsigned RecWidth = 74;

  // What became of a command.
  localparam logic [1:0] StatusDone    = 2'd0;
  localparam logic [1:0] StatusGivenUp = 2'd1;
  localparam logic [1:0] StatusError   = 2'd2;
  localparam logic [1:0] StatusCleared = 2'd3;

  localparam logic [7:0] OpcodeFirst  = 8'h0D;
  localparam logic [7:0] OpcodeMiddle = 8'h0E;
  localparam logic [7:0] OpcodeLast   = 8'h0F;
  localparam logic [7:0] OpcodeOnly   = 8'h10;

  // What the answer side does.
  typedef enum logic [1:0] {
    Idle    = 2'd0,
    Prepare = 2'd1,  // what was loaded is made ready
    Respond = 2'd2,
    Rest    = 2'd3   // what is left of a READ that ended early is awaited
  } state_e;

  // The first bit of a record is the last one here.
  typedef struct packed {
    logic [7:0]  syndrome;
    logic [23:0] msn;
    logic [2:0]  pmtu;
    logic [31:0] bytes;
    logic [63:0] address;
    logic [23:0] psn;
    logic [23:0] qpn;
    logic        resumed;
    logic        clear;
  } cmd_t;

  typedef struct packed {
    logic [63:0] address;
    logic [8:0]  bytes;
    logic [5:0]  tag;
  } piece_t;

  typedef struct packed {
    logic        last;
    logic [12:0] bytes;
    logic [7:0]  syndrome;
    logic [23:0] msn;
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic [23:0] qpn;
  } hdr_t;

  typedef struct packed {
    logic [1:0]  status;
    logic [23:0] count;
    logic [23:0] psn;
    logic [23:0] qpn;
  } rec_t;

endpackage
