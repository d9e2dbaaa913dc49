// OPC-1 and OPC-2: is an opcode known, and which extension headers follow its BTH. Those that a transport or FLUSH puts first
// (RDETH, DETH, XRCETH, FETH) take lead_words words; behind them the others always look the same.
module roce_opcode (
  input  logic [7:0] opcode_i,
  output logic       known_o,
  output logic       rdeth_o,
  output logic       deth_o,
  output logic       xrceth_o,
  output logic       feth_o,
  output logic       reth_o,
  output logic       atomic_o,
  output logic       aeth_o,
  output logic       atomic_ack_o,
  output logic       ieth_o,
  output logic       immdt_o,
  output logic [1:0] lead_words_o,
  output logic [3:0] words_o  // of all extension headers
);

  localparam logic [2:0] Rc = 3'd0;
  localparam logic [2:0] Uc = 3'd1;
  localparam logic [2:0] Rd = 3'd2;
  localparam logic [2:0] Ud = 3'd3;
  localparam logic [2:0] Xrc = 3'd5;
  localparam logic [7:0] Cnp = 8'h81;

  logic [2:0] transport;
  logic [4:0] op;
  logic response;
  logic [2:0] rest_words;

  assign transport = opcode_i[7:5];
  assign op        = opcode_i[4:0];
  assign response  = op >= 5'h0D && op <= 5'h12;

  always_comb begin
    case (transport)
      Rc: known_o = op <= 5'h14 || op == 5'h16 || op == 5'h17 || op == 5'h1C || op == 5'h1D;
      Uc: known_o = op <= 5'h0B;
      Rd: known_o = op <= 5'h15;
      Ud: known_o = op == 5'h04 || op == 5'h05;
      Xrc: known_o = op <= 5'h14 || op == 5'h16 || op == 5'h17;
      default: known_o = opcode_i == Cnp;
    endcase
  end

  assign rdeth_o      = known_o & (transport == Rd);
  assign deth_o       = known_o & (transport == Ud || (transport == Rd && !response));
  assign xrceth_o     = known_o & (transport == Xrc) & ~response;
  assign feth_o       = known_o & (op == 5'h1C);
  assign reth_o       = known_o & (op == 5'h06 || op == 5'h0A || op == 5'h0B || op == 5'h0C || op == 5'h1C || op == 5'h1D);
  assign atomic_o     = known_o & (op == 5'h13 || op == 5'h14);
  assign aeth_o       = known_o & response & (op != 5'h0E);
  assign atomic_ack_o = known_o & (op == 5'h12);
  assign ieth_o       = known_o & (op == 5'h16 || op == 5'h17);
  assign immdt_o      = known_o & (op == 5'h03 || op == 5'h05 || op == 5'h09 || op == 5'h0B);

  always_comb begin
    lead_words_o = 2'd0;
    if (xrceth_o || feth_o || rdeth_o) lead_words_o = 2'd1;
    if (deth_o) lead_words_o = rdeth_o ? 2'd3 : 2'd2;

    rest_words = {2'b00, immdt_o | ieth_o | aeth_o};
    if (reth_o) rest_words = immdt_o ? 3'd5 : 3'd4;
    if (atomic_o) rest_words = 3'd7;
    if (atomic_ack_o) rest_words = 3'd3;

    words_o = {2'b00, lead_words_o} + {1'b0, rest_words};
  end

endmodule
