// SPDX-License-Identifier: Apache-2.0
// The opcode of a request taken apart (OPC-1): docs/blocks/resp_psn_check.md.
module resp_opcode (
  input  logic [7:0]         opcode_i,
  output resp_pkg::decoded_t dec_o
);

  resp_pkg::decoded_t dec;
  logic [2:0] transport;
  logic [4:0] operation;

  assign transport = opcode_i[7:5];
  assign operation = opcode_i[4:0];

  always_comb begin
    dec = '0;
    case (operation)
      5'h00: {dec.send, dec.first} = '1;
      5'h01: dec.send = 1'b1;
      5'h02: {dec.send, dec.last} = '1;
      5'h03: {dec.send, dec.last, dec.imm} = '1;
      5'h04: {dec.send, dec.first, dec.last} = '1;
      5'h05: {dec.send, dec.first, dec.last, dec.imm} = '1;
      5'h06: {dec.write, dec.first} = '1;
      5'h07: dec.write = 1'b1;
      5'h08: {dec.write, dec.last} = '1;
      5'h09: {dec.write, dec.last, dec.imm} = '1;
      5'h0A: {dec.write, dec.first, dec.last} = '1;
      5'h0B: {dec.write, dec.first, dec.last, dec.imm} = '1;
      5'h0C: {dec.read, dec.first, dec.last} = '1;
      5'h13, 5'h14: {dec.atomic, dec.first, dec.last} = '1;
      5'h16: {dec.send, dec.last, dec.inv} = '1;
      5'h17: {dec.send, dec.first, dec.last, dec.inv} = '1;
      5'h1C: {dec.flush, dec.first, dec.last} = '1;
      5'h1D: {dec.awrite, dec.first, dec.last} = '1;
      default: ;
    endcase
    dec.replayed = dec.read | dec.atomic | dec.awrite | dec.flush;
    dec.rc       = transport == 3'd0 && (dec.send | dec.write | dec.replayed);
    dec.uc       = transport == 3'd1 && operation <= 5'h0B;
    dec.ud       = transport == 3'd3 && (operation == 5'h04 || operation == 5'h05);
  end

  assign dec_o = dec;

endmodule
