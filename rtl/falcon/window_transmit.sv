// SPDX-License-Identifier: Apache-2.0
// What a record does to one window of the transmitting half of a connection: docs/blocks/falcon_window.md, operations
// send, back and eack. Combinational. The request window uses the lower half of every bitmap.
module window_transmit (
  input  logic [31:0]                      base_i,
  input  logic [31:0]                      next_i,
  input  logic [7:0]                       size_i,
  input  logic [window_pkg::DataBits-1:0]  ack_i,

  input  logic                             send_i,   // a packet leaves
  input  logic                             take_i,   // the ACK is neither stale nor ghost
  input  logic [31:0]                      to_i,     // the base that the ACK has
  input  logic [window_pkg::DataBits-1:0]  names_i,  // what it acknowledges behind its base

  output logic                             full_o,
  output logic                             stale_o,
  output logic                             ghost_o,
  output logic [31:0]                      base_o,
  output logic [31:0]                      next_o,
  output logic [window_pkg::DataBits-1:0]  ack_o,
  output logic [7:0]                       moved_o,
  output logic [window_pkg::DataBits-1:0]  newly_o   // acknowledged now; bit 0 is base_i
);

  localparam int unsigned W = window_pkg::DataBits;

  logic [31:0] sent, from_base, to_next;

  assign sent      = next_i - base_i;  // 0 to size
  assign from_base = to_i - base_i;
  assign to_next   = next_i - to_i;

  assign full_o  = sent == {24'd0, size_i};
  assign stale_o = from_base[31];
  assign ghost_o = to_next[31];

  // Everything in front of the new base, and what is named behind it, as far as it was sent.
  logic [W-1:0] said;
  assign moved_o = take_i ? from_base[7:0] : 8'd0;
  assign said    = (window_pkg::below(moved_o) | (names_i << moved_o)) & window_pkg::below(sent[7:0]);
  assign newly_o = said & ~ack_i & {W{take_i}};
  assign ack_o   = (ack_i | newly_o) >> moved_o;
  assign base_o  = take_i ? to_i : base_i;
  assign next_o  = next_i + {31'd0, send_i & ~full_o};

endmodule
