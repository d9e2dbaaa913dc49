// SPDX-License-Identifier: Apache-2.0
// OPC-1 and OPC-2: is an opcode known, which extension headers follow its BTH, and may a payload follow them. Headers
// that a transport or FLUSH puts first (RDETH, DETH, XRCETH, FETH) take lead_words words; behind them the others
// always look the same.
module roce_opcode (
  input  logic [7:0]      opcode_i,
  output rx_pkg::opcode_t op_o,
  output logic [2:0]      lead_words_o,
  output logic [3:0]      words_o  // of all extension headers
);

  localparam logic [2:0] Rc = 3'd0;
  localparam logic [2:0] Uc = 3'd1;
  localparam logic [2:0] Rd = 3'd2;
  localparam logic [2:0] Ud = 3'd3;
  localparam logic [2:0] Xrc = 3'd5;
  localparam logic [7:0] Cnp = 8'h81;

  logic [2:0] transport;
  logic [4:0] op;
  logic known, response, rdeth, deth, xrceth, feth, reth, atomic, aeth, atomic_ack, ieth, immdt, bare;
  logic [2:0] rest_words;

  assign transport = opcode_i[7:5];
  assign op        = opcode_i[4:0];
  assign response  = op >= 5'h0D && op <= 5'h12;

  always_comb begin
    case (transport)
      Rc: known = op <= 5'h14 || op == 5'h16 || op == 5'h17 || op == 5'h1C || op == 5'h1D;
      Uc: known = op <= 5'h0B;
      Rd: known = op <= 5'h15 || op == 5'h1C;
      Ud: known = op == 5'h04 || op == 5'h05;
      Xrc: known = op <= 5'h14 || op == 5'h16 || op == 5'h17;
      default: known = opcode_i == Cnp;
    endcase
  end

  assign rdeth      = known & (transport == Rd);
  assign deth       = known & (transport == Ud || (transport == Rd && !response));
  assign xrceth     = known & (transport == Xrc) & ~response;
  assign feth       = known & (op == 5'h1C);
  assign reth       = known & (op == 5'h06 || op == 5'h0A || op == 5'h0B || op == 5'h0C || op == 5'h1C || op == 5'h1D);
  assign atomic     = known & (op == 5'h13 || op == 5'h14);
  assign aeth       = known & response & (op != 5'h0E);
  assign atomic_ack = known & (op == 5'h12);
  assign ieth       = known & (op == 5'h16 || op == 5'h17);
  assign immdt      = known & (op == 5'h03 || op == 5'h05 || op == 5'h09 || op == 5'h0B);

  // READ request, ACK, ATOMIC ACK, atomics, RESYNC, FLUSH: nothing but headers. The CNP stands at 01h, and has a
  // payload.
  always_comb begin
    case (op)
      5'h0C, 5'h11, 5'h12, 5'h13, 5'h14, 5'h15, 5'h1C: bare = 1'b1;
      default: bare = 1'b0;
    endcase
  end

  always_comb begin
    lead_words_o = {2'b00, xrceth | rdeth};
    if (deth) lead_words_o = rdeth ? 3'd3 : 3'd2;
    if (feth) lead_words_o = rdeth ? 3'd4 : 3'd1;

    rest_words = {2'b00, immdt | ieth | aeth};
    if (reth) rest_words = immdt ? 3'd5 : 3'd4;
    if (atomic) rest_words = 3'd7;
    if (atomic_ack) rest_words = 3'd3;

    words_o = {1'b0, lead_words_o} + {1'b0, rest_words};
  end

  assign op_o.known      = known;
  assign op_o.rdeth      = rdeth;
  assign op_o.deth       = deth;
  assign op_o.xrceth     = xrceth;
  assign op_o.feth       = feth;
  assign op_o.reth       = reth;
  assign op_o.atomic     = atomic;
  assign op_o.aeth       = aeth;
  assign op_o.atomic_ack = atomic_ack;
  assign op_o.ieth       = ieth;
  assign op_o.immdt      = immdt;
  assign op_o.payload    = known & ~bare;

endmodule
