// SPDX-License-Identifier: Apache-2.0
// What a WQE is as packets, and the opcode and bytes of the one with an index: docs/blocks/tx_packetizer.md, Shape.
module pkt_shape (
  input  logic [3:0]       verb_i,
  input  logic             immediate_i,
  input  logic             invalidate_i,
  input  logic [31:0]      length_i,
  input  logic [1:0]       service_i,
  input  logic [2:0]       pmtu_i,     // 1 to 5
  input  logic [23:0]      index_i,    // of the packet, below shape_o.packets

  output tx_pkg::shape_t   shape_o,
  output logic [7:0]       opcode_o,
  output logic [31:0]      offset_o,   // of its bytes in the message
  output logic [31:0]      bytes_o,    // of payload; of a READ what it asks for
  output logic [12:0]      payload_o   // for req_ack_check
);

  // ---------------------------------------------------------------------------------------------------------------
  // The WQE (PSN-4, LEN-1).

  logic send, write, cut, read, flush, atomic_write, compares, adds, at_home, bad;
  logic [3:0] shift;          // of PMTU: 8 to 12
  logic [31:0] pmtu_bytes;
  logic [5*25-1:0] cuts;      // into packets of each PMTU
  logic [24:0] cut_packets, packets;

  assign send         = verb_i == tx_pkg::VerbSend;
  assign write        = verb_i == tx_pkg::VerbWrite;
  assign cut          = send | write;  // packets of PMTU bytes
  assign read         = verb_i == tx_pkg::VerbRead;
  assign compares     = verb_i == tx_pkg::VerbCmpSwap;
  assign adds         = verb_i == tx_pkg::VerbFetchAdd;
  assign atomic_write = verb_i == tx_pkg::VerbAtomicWrite;
  assign flush        = verb_i == tx_pkg::VerbFlush;
  assign at_home      = (verb_i == tx_pkg::VerbBind) | (verb_i == tx_pkg::VerbInvalidate);

  assign shift       = 4'd7 + 4'(pmtu_i);
  assign pmtu_bytes  = 32'd1 << shift;

  // The length is there before the PMTU is.
  for (genvar i = 0; i < 5; i++) begin : gen_cuts
    logic [32:0] rounded;  // length, and what makes it whole packets
    assign rounded         = 33'(length_i) + 33'(2 ** (8 + i) - 1);
    assign cuts[25*i+:25]  = 25'(rounded >> (8 + i));
  end

  always_comb begin
    cut_packets = cuts[24:0];
    for (int unsigned i = 1; i < 5; i++) if (pmtu_i == 3'(i + 1)) cut_packets = cuts[25*i+:25];
  end

  always_comb begin
    packets = 25'd1;
    if (at_home) packets = '0;
    else if ((send | write | read) & (length_i != '0)) packets = cut_packets;
  end

  always_comb begin
    bad = (verb_i == 4'd0) | (verb_i > tx_pkg::VerbInvalidate) | (length_i > tx_pkg::MaxMessage);
    if (atomic_write & (length_i != tx_pkg::AtomicBytes)) bad = 1'b1;
    if (invalidate_i & (send | write) & (immediate_i | write | (service_i != tx_pkg::ServiceRc))) bad = 1'b1;
    if ((service_i == tx_pkg::ServiceUc) & ~send & ~write) bad = 1'b1;
    if ((service_i == tx_pkg::ServiceUd) & (~send | (length_i > pmtu_bytes))) bad = 1'b1;
  end

  always_comb begin
    shape_o            = '0;
    shape_o.bad        = bad;
    shape_o.local_work = at_home;
    shape_o.limited    = send | (write & immediate_i);
    shape_o.packets    = packets;
    shape_o.kind       = tx_pkg::KindWrite;
    if (shape_o.limited) shape_o.kind = tx_pkg::KindLimited;
    if (read | atomic_write | flush) shape_o.kind = tx_pkg::KindRead;
    if (compares | adds) shape_o.kind = tx_pkg::KindAtomic;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The packet (OPC-1).

  logic first, last;
  logic [7:0] base, operation;

  assign first = index_i == '0;
  assign last  = 25'(index_i) == packets - 25'd1;

  always_comb begin
    base = 8'd0;
    if (service_i == tx_pkg::ServiceUc) base = tx_pkg::OpcodeUc;
    if (service_i == tx_pkg::ServiceUd) base = tx_pkg::OpcodeUd;
  end

  always_comb begin
    operation = first ? tx_pkg::OperationFirst : tx_pkg::OperationMiddle;
    if (last) operation = first ? tx_pkg::OperationOnly : tx_pkg::OperationLast;
    if (write) operation = first ? tx_pkg::OperationWrite : tx_pkg::OperationWrite + tx_pkg::OperationMiddle;
    if (write & last) operation = tx_pkg::OperationWrite + (first ? tx_pkg::OperationOnly : tx_pkg::OperationLast);
    if (last & immediate_i) operation[0] = 1'b1;
    if (last & invalidate_i) operation = first ? tx_pkg::OperationOnlyInv : tx_pkg::OperationLastInv;
    if (read) operation = tx_pkg::OperationRead;
    if (compares) operation = tx_pkg::OperationCmpSwap;
    if (adds) operation = tx_pkg::OperationFetchAdd;
    if (atomic_write) operation = tx_pkg::OperationAtomicWrite;
    if (flush) operation = tx_pkg::OperationFlush;
  end

  assign opcode_o = base | operation;

  logic [31:0] offset, left;
  logic [12:0] tail;  // bytes of the last packet

  assign offset = 32'(index_i) << shift;
  assign left   = length_i - offset;
  assign tail   = length_i[12:0] - 13'((packets - 25'd1) << shift);

  always_comb begin
    offset_o  = '0;
    bytes_o   = '0;
    payload_o = '0;
    if (cut | read) begin
      offset_o  = offset;
      bytes_o   = left;
      payload_o = tail;
    end
    if (cut & ~last) bytes_o = pmtu_bytes;
    if (cut) payload_o = bytes_o[12:0];
    if (atomic_write) bytes_o = tx_pkg::AtomicBytes;
  end

endmodule
