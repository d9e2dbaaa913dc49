// SPDX-License-Identifier: Apache-2.0
// One of several memories of a block: qp_context, or with Ecc the same with a code, orders and counts of its own
// (ecc_context): ECC-7, docs/ecc.md. The caller says which records look the word up and which write it.
module coded_context #(
  parameter int unsigned NumQps = 4096,  // words: a power of two, 4 to 65,536
  parameter int unsigned Width = 64,
  parameter int unsigned Ecc = 0,
  parameter RamStyle = "block"           // of ram_1r1w
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      ready_o,

  input  logic [$clog2(NumQps)-1:0] s_index_i,   // of the record that stands in R in the next clock

  input  logic [$clog2(NumQps)-1:0] x_index_i,   // of the record in X
  input  logic                      x_looks_i,   // it looks the word up
  input  logic                      x_writes_i,  // it writes it
  input  logic                      x_poison_i,  // what it writes was lost before
  input  logic                      x_inject_i,  // it orders an injection, and does neither
  input  logic [15:0]               x_bit_a_i,
  input  logic [15:0]               x_bit_b_i,
  output logic [Width-1:0]          x_ctx_o,     // 0 where it was lost
  output logic                      x_lost_o,
  input  logic [Width-1:0]          x_ctx_i,
  output logic                      inject_ok_o,
  output ecc_pkg::counts_t          counts_o
);

  if (Ecc == 0) begin : gen_plain
    logic [$clog2(NumQps)-1:0] r_index_q;
    logic unused_order;

    always_ff @(posedge clk_i) r_index_q <= s_index_i;

    qp_context #(
      .NumQps  (NumQps),
      .Width   (Width),
      .RamStyle(RamStyle)
    ) u_words (
      .clk_i,
      .rst_ni,
      .ready_o,
      .r_qpn_i(r_index_q),
      .x_ctx_o,
      .x_ctx_i,
      .x_we_i (x_writes_i)
    );

    assign x_lost_o     = 1'b0;
    assign inject_ok_o  = 1'b0;
    assign counts_o     = '0;
    assign unused_order = ^{x_index_i, x_looks_i, x_poison_i, x_inject_i, x_bit_a_i, x_bit_b_i};
  end else begin : gen_ecc
    ecc_context #(
      .NumQps  (NumQps),
      .Width   (Width),
      .RamStyle(RamStyle)
    ) u_words (
      .clk_i,
      .rst_ni,
      .ready_o,
      .s_index_i,
      .x_index_i,
      .x_looks_i,
      .x_writes_i,
      .x_poison_i,
      .x_inject_i,
      .x_bit_a_i,
      .x_bit_b_i,
      .x_ctx_o,
      .x_lost_o,
      .x_ctx_i,
      .inject_ok_o,
      .counts_o
    );
  end

endmodule
