// SPDX-License-Identifier: Apache-2.0
// What a record of tx_frame says by itself: docs/blocks/tx_frame.md. Only wires.
module frame_entry (
  input  frame_pkg::record_t rec_i,
  output frame_pkg::inside_t inside_o,
  output logic [63:0]        address_o  // of the packet's payload in host memory
);

  localparam logic [12:0] Longest = 13'd4096;

  rx_pkg::opcode_t op;
  frame_pkg::packet_t packet;
  frame_pkg::head_t head;
  logic [2:0] unused_lead;
  logic [3:0] unused_words;
  logic is_packet, is_operation, is_request, carries, brings;

  roce_opcode u_opcode (
    .opcode_i    (rec_i.opcode),
    .op_o        (op),
    .lead_words_o(unused_lead),
    .words_o     (unused_words)
  );

  assign is_packet    = rec_i.op == frame_pkg::OpPacket;
  assign is_operation = rec_i.op == frame_pkg::OpSet || rec_i.op == frame_pkg::OpOwn;
  // RC, UC, UD: neither an answer nor a CNP.
  assign is_request   = op.known & ~op.rdeth & ~op.xrceth & ~rec_i.opcode[7] &
                        ~(rec_i.opcode[4:0] >= 5'h0D && rec_i.opcode[4:0] <= 5'h12);
  assign carries      = is_packet & op.payload & (rec_i.bytes != '0);

  // What the answer to a READ or an atomic brings has one range too (REQ-15).
  assign brings       = is_packet & (op.atomic | (op.reth & ~op.payload & ~op.feth & (rec_i.dma_length != '0)));

  always_comb begin
    packet.bytes      = carries ? rec_i.bytes : '0;
    packet.qkey       = rec_i.qkey;
    packet.compare    = rec_i.compare;
    packet.swap_add   = rec_i.swap_add;
    packet.imm        = rec_i.imm;
    packet.dma_length = rec_i.dma_length;
    packet.rkey       = rec_i.rkey;
    packet.va         = rec_i.va + {32'h0, rec_i.offset};
    packet.solicited  = rec_i.solicited;
    packet.ack_req    = rec_i.ack_req;
    packet.opcode     = rec_i.opcode;

    head.op  = rec_i.op;
    head.qpn = rec_i.qpn;
    head.psn = rec_i.psn;
    head.why = frame_pkg::WhyGood;
    if ((carries || brings) && rec_i.entries > 5'd1) head.why = frame_pkg::WhyList;
    if (is_packet ? !is_request || (carries && rec_i.bytes > Longest) : !is_operation) begin
      head.why = frame_pkg::WhyNoSuch;
    end
    head.gathers = carries && head.why == frame_pkg::WhyGood;

    inside_o.head = head;
    inside_o.body = rec_i.way;
    if (is_packet) inside_o.body = {138'h0, packet};
  end

  assign address_o = rec_i.address + {32'h0, rec_i.offset};

endmodule
