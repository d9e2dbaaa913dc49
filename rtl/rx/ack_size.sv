// SPDX-License-Identifier: Apache-2.0
// Whether a record of ack_gen gives a frame, and how long its parts are: docs/blocks/ack_gen.md. Only wires.
module ack_size (
  input  ack_pkg::record_t rec_i,
  output ack_pkg::size_t   size_o
);

  localparam int unsigned Bth = 12;
  localparam int unsigned Icrc = 4;

  logic has_aeth, is_read, is_cnp, is_atomic, known, has_way, is_frame;
  logic [ack_pkg::SizeWidth-1:0] front, extensions, payload, transport;

  assign is_cnp    = rec_i.way.op == ack_pkg::OpCnp;
  assign is_atomic = rec_i.way.op == ack_pkg::OpAtomic;
  assign is_read   = rec_i.way.op == ack_pkg::OpRead;
  assign has_aeth  = ~is_cnp & ~(is_read & (rec_i.opcode == ack_pkg::ReadMiddle));

  always_comb begin
    known = rec_i.way.op <= ack_pkg::OpRead;
    if (is_read) known = rec_i.opcode >= ack_pkg::ReadFirst && rec_i.opcode <= ack_pkg::ReadOnly;

    // Up to the BTH.
    front  = {10'h0, rec_i.way.tags[1], rec_i.way.tags[0] & ~rec_i.way.tags[1], 2'b00};
    has_way = 1'b1;
    case (rec_i.way.encap)
      hca_pkg::EncapRocev1: front = front + 14'd54;
      hca_pkg::EncapRocev2Ipv4: front = front + 14'd42;
      hca_pkg::EncapRocev2Ipv6: front = front + 14'd62;
      hca_pkg::EncapIbLocal: front = 14'd8;
      hca_pkg::EncapIbGlobal: front = 14'd48;
      default: has_way = 1'b0;
    endcase
    if (is_cnp && rec_i.way.encap != hca_pkg::EncapRocev2Ipv4 && rec_i.way.encap != hca_pkg::EncapRocev2Ipv6) begin
      has_way = 1'b0;
    end

    extensions = {11'h0, has_aeth, 2'b00};
    if (is_atomic) extensions = extensions + 14'd8;
    payload = is_cnp ? ack_pkg::SizeWidth'(16) : '0;
    if (is_read) payload = ({1'b0, rec_i.bytes} + 14'd3) & 14'h3FFC;
  end

  assign transport = ack_pkg::SizeWidth'(Bth + Icrc) + extensions + payload;
  assign is_frame  = known & has_way & (rec_i.way.op != ack_pkg::OpSet) & (rec_i.way.op != ack_pkg::OpOwn);

  always_comb begin
    size_o.known     = known;
    size_o.is_frame  = is_frame;
    size_o.is_read   = is_read;
    size_o.head      = is_frame ? front + ack_pkg::SizeWidth'(Bth) + extensions : '0;
    size_o.transport = transport;
    size_o.total     = '0;
    if (is_frame) size_o.total = front + transport;
    else if (is_read) size_o.total = {1'b0, rec_i.bytes};
  end

endmodule
