// SPDX-License-Identifier: Apache-2.0
// qp_context_ecc with its orders and counts (ecc_orders), for a block in which a word that is lost is a word of zeros:
// nothing is there. docs/ecc.md.
//
// A look-up takes a clock more than in qp_context: it begins in the clock in which the record is accepted, which stands
// in R one later.
module ecc_context #(
  parameter int unsigned NumQps = 4096,  // words: a power of two, 4 to 65,536
  parameter int unsigned Width = 64,
  parameter RamStyle = "block"           // of ram_1r1w
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      ready_o,

  input  logic [$clog2(NumQps)-1:0] s_index_i,  // of the record that is accepted

  input  logic [$clog2(NumQps)-1:0] x_index_i,  // of the record in X
  input  logic                      x_looks_i,  // it looks the word up
  input  logic                      x_writes_i, // it writes it
  input  logic                      x_poison_i, // what it writes is lost at once
  input  logic                      x_inject_i, // it orders an injection, and does not look
  input  logic [15:0]               x_bit_a_i,
  input  logic [15:0]               x_bit_b_i,
  output logic [Width-1:0]          x_ctx_o,    // 0 where it was lost
  output logic                      x_lost_o,
  input  logic [Width-1:0]          x_ctx_i,
  output logic                      inject_ok_o,
  output ecc_pkg::counts_t          counts_o
);

  // Two bits of the first piece.
  localparam logic [ecc_pkg::BitWidth-1:0] PoisonA = '0;
  localparam logic [ecc_pkg::BitWidth-1:0] PoisonB = ecc_pkg::BitWidth'(1);

  logic corrected, failed, flip;
  logic [ecc_pkg::BitWidth-1:0] flip_a, flip_b;
  logic [Width-1:0] x_ctx;

  qp_context_ecc #(
    .NumQps  (NumQps),
    .Width   (Width),
    .RamStyle(RamStyle)
  ) u_words (
    .clk_i,
    .rst_ni,
    .ready_o,
    .r_qpn_i      (s_index_i),
    .x_ctx_o      (x_ctx),
    .x_corrected_o(corrected),
    .x_failed_o   (failed),
    .x_ctx_i,
    .x_we_i       (x_writes_i),
    .x_flip_i     (flip | x_poison_i),
    .x_flip_a_i   (x_poison_i ? PoisonA : flip_a),
    .x_flip_b_i   (x_poison_i ? PoisonB : flip_b)
  );

  ecc_orders #(
    .IndexWidth($clog2(NumQps)),
    .CodeBits  (ecc_pkg::word_bits(Width, ecc_pkg::PieceBits))
  ) u_orders (
    .clk_i,
    .rst_ni,
    .index_i    (x_index_i),
    .looks_i    (x_looks_i),
    .writes_i   (x_writes_i),
    .corrected_i(corrected),
    .failed_i   (failed),
    .inject_i   (x_inject_i),
    .bit_a_i    (x_bit_a_i),
    .bit_b_i    (x_bit_b_i),
    .inject_ok_o,
    .flip_o     (flip),
    .flip_a_o   (flip_a),
    .flip_b_o   (flip_b),
    .counts_o
  );

  assign x_lost_o = failed;
  assign x_ctx_o  = failed ? '0 : x_ctx;

endmodule
