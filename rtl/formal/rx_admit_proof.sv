// SPDX-License-Identifier: Apache-2.0
// rx_admit lets a packet through if ADM-1 to ADM-5 say so, and then only, whatever the record, the word of the QP and
// the tables hold; and only operations change anything. It has no state: one clock says all.
module rx_admit_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [435:0] rec_i,  // as docs/blocks/rx_classify.md lays it out
  input logic [242:0] ctx_i,
  input logic [511:0] own_i,
  input logic [255:0] pkeys_i
);

  logic [242:0] ctx;
  logic own_we, pkey_we;
  logic [133:0] result;

  rx_admit dut (
    .rec_i,
    .ctx_i,
    .own_i,
    .pkeys_i,
    .ctx_o    (ctx),
    .own_we_o (own_we),
    .pkey_we_o(pkey_we),
    .result_o (result)
  );

  logic [2:0] op, encap, what;
  logic [3:0] reason, entry, why;
  logic [7:0] opcode;
  logic [23:0] dest_qp;
  logic [15:0] pkey, own_pkey;
  logic [1:0] service;
  logic [127:0] src, dst;
  logic there, live, is_global, through;
  logic [23:0] number;
  logic [127:0] peer;
  logic [81:0] receive;

  assign {dst, src}         = rec_i[353:98];
  assign pkey               = rec_i[57:42];
  assign dest_qp            = rec_i[41:18];
  assign opcode             = rec_i[17:10];
  assign {encap, reason, op} = rec_i[9:0];
  assign {there, number, service, live, is_global, entry, peer, receive} = ctx_i;
  assign own_pkey           = pkeys_i[16*entry+:16];
  assign what               = result[42:40];
  assign why                = result[46:43];
  assign through            = op == 3'd0 && what >= 3'd1 && what <= 3'd3;

  // The packet's addresses, by the words of the document. The solver is slow to find two forms of them equal. So they
  // are muxes, as the block has them: Yosys makes one of those that are the same, and a fault in either leaves two.
  localparam logic [95:0] V4Prefix = 96'h0000_0000_0000_0000_0000_FFFF;
  logic [127:0] from, to;
  assign from = encap == 3'd4 ? {112'h0, rec_i[73:58]} : encap == 3'd2 ? {V4Prefix, src[31:0]} : src;
  assign to   = encap == 3'd4 ? {112'h0, rec_i[89:74]} : encap == 3'd2 ? {V4Prefix, dst[31:0]} : dst;

  // OPC-1 of the three services: one bit an operation.
  localparam logic [31:0] OfRc = 32'h30DF_FFFF;
  localparam logic [31:0] OfUc = 32'h0000_0FFF;
  localparam logic [31:0] OfUd = 32'h0000_0030;

  logic has_address, adm1, adm3, adm4, adm5, of_service;
  assign has_address = encap >= 3'd1 && encap <= 3'd5;
  assign adm1 = to != 128'd0 && (to == own_i[127:0] || to == own_i[255:128] || to == own_i[383:256] ||
    to == own_i[511:384]);
  always_comb begin
    case (service)
      2'd1: of_service = opcode[7:5] == 3'd1 && OfUc[opcode[4:0]];
      2'd2: of_service = opcode[7:5] == 3'd3 && OfUd[opcode[4:0]];
      default: of_service = opcode[7:5] == 3'd0 && OfRc[opcode[4:0]];
    endcase
  end
  assign adm3 = there && live && number == dest_qp && (of_service || opcode == 8'h81);
  assign adm4 = service == 2'd2 || (from == peer && !(is_global && encap == 3'd4));
  assign adm5 = own_pkey[14:0] == pkey[14:0] && pkey[14:0] != 15'd0 && (own_pkey[15] || pkey[15]);

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[1] && through) assert (has_address && adm1 && reason == 4'd0);
      if (Check[2] && through) assert (adm3);
      if (Check[3] && through) assert (adm4);
      if (Check[4] && through) assert (adm5 && result[39:24] == own_pkey);
      if (Check[5] && op == 3'd0) begin
        assert (through == (has_address && adm1 && reason == 4'd0 && adm3 && adm4 && adm5));
        assert (through || (what == 3'd0 && why != 4'd0));
      end
      // What the blocks behind ask by is the QP's own, and as it was set.
      if (Check[7]) begin
        if (through) assert (result[133:52] == receive);
        if (op == 3'd1 && what == 3'd4) assert (ctx[81:0] == rec_i[435:354]);
      end
      if (Check[6]) begin
        if (op != 3'd1 && op != 3'd2) assert (ctx == ctx_i);
        if (there && number != dest_qp) assert (ctx == ctx_i);
        assert (own_we == (op == 3'd3 && what == 3'd4) && pkey_we == (op == 3'd4 && what == 3'd4));
        if (op != 3'd0) assert (what == (why == 4'd0 ? 3'd4 : 3'd5));
      end
    end
  end

endmodule
