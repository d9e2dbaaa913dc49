// SPDX-License-Identifier: Apache-2.0
// How long the parts of a frame of tx_frame are: docs/blocks/tx_frame.md. Only wires.
module frame_size (
  input  frame_pkg::ready_t rec_i,
  output frame_pkg::sizes_t sizes_o
);

  localparam int unsigned Bth = 12;
  localparam int unsigned Icrc = 4;

  rx_pkg::opcode_t unused_op;
  logic [2:0] unused_lead;
  logic [3:0] words;
  logic is_frame;
  logic [frame_pkg::SizeWidth-1:0] front, extensions, payload, transport;

  roce_opcode u_opcode (
    .opcode_i    (rec_i.packet.opcode),
    .op_o        (unused_op),
    .lead_words_o(unused_lead),
    .words_o     (words)
  );

  always_comb begin
    // Up to the BTH.
    front = {10'h0, rec_i.way.tags[1], rec_i.way.tags[0] & ~rec_i.way.tags[1], 2'b00};
    case (rec_i.way.encap)
      hca_pkg::EncapRocev1: front = front + 14'd54;
      hca_pkg::EncapRocev2Ipv4: front = front + 14'd42;
      hca_pkg::EncapRocev2Ipv6: front = front + 14'd62;
      hca_pkg::EncapIbLocal: front = 14'd8;
      default: front = 14'd48;
    endcase
  end

  assign is_frame   = rec_i.head.op == frame_pkg::OpPacket && rec_i.head.why == frame_pkg::WhyGood;
  assign extensions = {8'h0, words, 2'b00};
  assign payload    = ({1'b0, rec_i.packet.bytes} + 14'd3) & 14'h3FFC;
  assign transport  = frame_pkg::SizeWidth'(Bth + Icrc) + extensions + payload;

  always_comb begin
    sizes_o.is_frame      = is_frame;
    sizes_o.takes_payload = rec_i.head.gathers;
    sizes_o.pad           = 2'd0 - rec_i.packet.bytes[1:0];
    sizes_o.head          = is_frame ? front + frame_pkg::SizeWidth'(Bth) + extensions : '0;
    sizes_o.transport     = transport;
    sizes_o.total         = '0;
    if (is_frame) sizes_o.total = front + transport;
    else if (rec_i.head.gathers) sizes_o.total = {1'b0, rec_i.packet.bytes};
  end

endmodule
