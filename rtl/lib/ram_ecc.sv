// SPDX-License-Identifier: Apache-2.0
// Words words of Width bits with one write and one read port on one clock, in block RAM with a code that corrects one
// wrong bit of a piece and finds two: ECC-1 to ECC-4, docs/ecc.md.
//
// The word of raddr_i stands at rdata_o two clocks later, with what the code says of it. A read in the clock of a
// write to the same address gives the OLD word, one in the next clock the new one, as in ram_1r1w. Contents are
// unknown until written; there is no reset. flip_i with a write turns bits flip_a_i and flip_b_i of its code word,
// one bit where they are the same; a number that the code word does not have turns none.
//
// A word is encoded and written in the clock behind the one in which it comes.
module ram_ecc #(
  parameter int unsigned Words = 512,  // a power of two from 2
  parameter int unsigned Width = 32,
  parameter int unsigned Piece = ecc_pkg::PieceBits,  // data bits of a piece, 1 to 64
  parameter Style = "block"            // of ram_1r1w
) (
  input  logic                     clk_i,
  input  logic                     we_i,
  input  logic [$clog2(Words)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
  input  logic                     flip_i,
  input  logic [ecc_pkg::BitWidth-1:0] flip_a_i,
  input  logic [ecc_pkg::BitWidth-1:0] flip_b_i,
  input  logic [$clog2(Words)-1:0] raddr_i,
  output logic [Width-1:0]         rdata_o,
  output logic                     corrected_o,  // a bit was wrong in one piece or more; rdata_o is right
  output logic                     failed_o      // two were in a piece; rdata_o is worthless
);

  localparam int unsigned CodeBits = ecc_pkg::word_bits(Width, Piece);
  localparam int unsigned Pieces = (Width + Piece - 1) / Piece;
  localparam int unsigned PieceCode = ecc_pkg::code_bits(Piece);

  if (Piece < 1 || Piece > ecc_pkg::PieceBits) begin : gen_bad_piece
    $error("ram_ecc: Piece must be 1 to 64");
  end
  if (CodeBits > 2 ** ecc_pkg::BitWidth) begin : gen_bad_width
    $error("ram_ecc: the code word must have 1024 bits at most");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Write: a register, then the code.

  logic we_q, flip_q;
  logic [$clog2(Words)-1:0] waddr_q;
  logic [Width-1:0] wdata_q;
  logic [ecc_pkg::BitWidth-1:0] flip_a_q, flip_b_q;
  logic [CodeBits-1:0] turned, code, wcode;

  always_ff @(posedge clk_i) begin
    we_q     <= we_i;
    waddr_q  <= waddr_i;
    wdata_q  <= wdata_i;
    flip_q   <= flip_i;
    flip_a_q <= flip_a_i;
    flip_b_q <= flip_b_i;
  end

  for (genvar i = 0; i < CodeBits; i++) begin : gen_turned
    assign turned[i] = flip_q & (flip_a_q == ecc_pkg::BitWidth'(i) | flip_b_q == ecc_pkg::BitWidth'(i));
  end

  assign wcode = code ^ turned;

  // ---------------------------------------------------------------------------------------------------------------
  // Read: what the memory had, or what was on its way to it.

  logic late_q;
  logic [CodeBits-1:0] late_code_q, mem_code, rcode;

  ram_1r1w #(
    .Words      (Words),
    .Width      (CodeBits),
    .ReadLatency(1),
    .Style      (Style)
  ) u_ram (
    .clk_i,
    .wlanes_i(we_q),
    .waddr_i (waddr_q),
    .wdata_i (wcode),
    .re_i    (1'b1),
    .raddr_i,
    .rdata_o (mem_code)
  );

  always_ff @(posedge clk_i) begin
    late_q      <= we_q & waddr_q == raddr_i;
    late_code_q <= wcode;
  end

  assign rcode = late_q ? late_code_q : mem_code;

  // ---------------------------------------------------------------------------------------------------------------
  // The pieces, each with its code.

  logic [Width-1:0] rdata;
  logic [Pieces-1:0] corrected, failed;

  for (genvar p = 0; p < Pieces; p++) begin : gen_piece
    localparam int unsigned Bits = Width - p * Piece < Piece ? Width - p * Piece : Piece;
    localparam int unsigned Code = ecc_pkg::code_bits(Bits);

    ecc_encode #(
      .Width(Bits)
    ) u_encode (
      .data_i(wdata_q[p*Piece+:Bits]),
      .code_o(code[p*PieceCode+:Code])
    );

    ecc_decode #(
      .Width(Bits)
    ) u_decode (
      .code_i     (rcode[p*PieceCode+:Code]),
      .data_o     (rdata[p*Piece+:Bits]),
      .corrected_o(corrected[p]),
      .failed_o   (failed[p])
    );
  end

  logic [Width-1:0] rdata_q;
  logic corrected_q, failed_q;

  always_ff @(posedge clk_i) begin
    rdata_q     <= rdata;
    corrected_q <= corrected != '0 & failed == '0;
    failed_q    <= failed != '0;
  end

  assign rdata_o     = rdata_q;
  assign corrected_o = corrected_q;
  assign failed_o    = failed_q;

endmodule
