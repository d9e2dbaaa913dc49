// SPDX-License-Identifier: Apache-2.0
// qp_context with a code that protects its memory (docs/ecc.md): docs/blocks/qp_context.md.
//
//   stage R   r_qpn_i names the QP of the record that is being looked up
//   stage F   two clocks later the word leaves the memory, corrected; newer words are put in its place
//   stage X   three clocks after R: x_ctx_o is the word as every earlier record left it, x_ctx_i what this record makes
//             of it, written if x_we_i is high. x_flip_i turns bits of what is written, as ram_ecc has it
//
// A word that is forwarded never was in memory. It carries what the code would say of it, so that a bit that is
// turned on purpose shows at the next look-up, however soon that comes (ECC-4).
module qp_context_ecc #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Width = 64,     // bits of a word
  parameter int unsigned Piece = ecc_pkg::PieceBits,  // data bits that have a code of their own
  parameter RamStyle = "block"           // of ram_1r1w
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      ready_o,

  input  logic [$clog2(NumQps)-1:0] r_qpn_i,
  output logic [Width-1:0]          x_ctx_o,
  output logic                      x_corrected_o,  // the word had a wrong bit
  output logic                      x_failed_o,     // it had two: x_ctx_o is worthless
  input  logic [Width-1:0]          x_ctx_i,
  input  logic                      x_we_i,
  input  logic                      x_flip_i,
  input  logic [ecc_pkg::BitWidth-1:0] x_flip_a_i,
  input  logic [ecc_pkg::BitWidth-1:0] x_flip_b_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned L = 2;  // read latency
  localparam int unsigned N = L + 1;
  localparam int unsigned PieceCode = ecc_pkg::code_bits(Piece);
  localparam int unsigned CodeBits = ecc_pkg::word_bits(Width, Piece);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("qp_context_ecc: NumQps must be a power of two from 4 to 65536");
  end
  if (Width < 1) begin : gen_bad_width
    $error("qp_context_ecc: Width must be at least 1");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The scrub after reset: one zero a clock.

  logic [QpnWidth:0] scrub_q;  // the top bit says done

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) scrub_q <= '0;
    else if (!scrub_q[QpnWidth]) scrub_q <= scrub_q + 1'b1;
  end

  assign ready_o = scrub_q[QpnWidth];

  // ---------------------------------------------------------------------------------------------------------------
  // Memory. A word travels as {failed, corrected, data}.

  logic [(L+1)*QpnWidth-1:0] qpn_q;  // of the stages behind R, the next one lowest, X on top
  logic [QpnWidth-1:0] x_qpn;
  logic [Width+1:0] f_read, x_word_q, x_word_d, x_written;

  assign x_qpn = qpn_q[L*QpnWidth+:QpnWidth];

  ram_ecc #(
    .Words(NumQps),
    .Width(Width),
    .Piece(Piece),
    .Style(RamStyle)
  ) u_ram (
    .clk_i,
    .we_i       (ready_o ? x_we_i : 1'b1),
    .waddr_i    (ready_o ? x_qpn : scrub_q[QpnWidth-1:0]),
    .wdata_i    (ready_o ? x_ctx_i : '0),
    .flip_i     (ready_o & x_flip_i),
    .flip_a_i   (x_flip_a_i),
    .flip_b_i   (x_flip_b_i),
    .raddr_i    (r_qpn_i),
    .rdata_o    (f_read[Width-1:0]),
    .corrected_o(f_read[Width]),
    .failed_o   (f_read[Width+1])
  );

  // What the code will say of what X writes: two bits of one piece that are turned are found, all else is corrected.
  logic two, same_piece, a_there, b_there;

  always_comb begin
    same_piece = 1'b1;
    for (int unsigned bound = PieceCode; bound < CodeBits; bound += PieceCode) begin
      if (32'(x_flip_a_i) >= bound && 32'(x_flip_b_i) < bound) same_piece = 1'b0;
      if (32'(x_flip_b_i) >= bound && 32'(x_flip_a_i) < bound) same_piece = 1'b0;
    end
  end

  assign a_there   = 32'(x_flip_a_i) < CodeBits;
  assign b_there   = 32'(x_flip_b_i) < CodeBits;
  assign two       = x_flip_i & a_there & b_there & same_piece & x_flip_a_i != x_flip_b_i;
  assign x_written = {two, x_flip_i & (a_there | b_there) & ~two, x_ctx_i};

  // ---------------------------------------------------------------------------------------------------------------
  // Forwarding, as in qp_context.

  logic [L:0] r_same, f_same;
  logic [L*N-1:0] same_q;  // N flags of each of the stages behind R, F's on top
  logic [L*(Width+2)-1:0] late_q;
  logic [L-1:0] late_we_q;

  for (genvar n = 0; n <= L; n++) begin : gen_same
    assign r_same[n] = r_qpn_i == qpn_q[n*QpnWidth+:QpnWidth];
  end

  assign f_same = same_q[(L-1)*N+:N];

  always_comb begin
    x_word_d = f_read;
    for (int n = L - 1; n >= 0; n--) begin
      if (f_same[n+1] & late_we_q[n]) x_word_d = late_q[n*(Width+2)+:Width+2];
    end
    if (f_same[0] & x_we_i) x_word_d = x_written;
  end

  always_ff @(posedge clk_i) begin
    qpn_q     <= {qpn_q[L*QpnWidth-1:0], r_qpn_i};
    same_q    <= (L * N)'({same_q, r_same});
    late_q    <= (L * (Width + 2))'({late_q, x_written});
    late_we_q <= L'({late_we_q, x_we_i});
    x_word_q  <= x_word_d;
  end

  assign {x_failed_o, x_corrected_o, x_ctx_o} = x_word_q;

endmodule
