// SPDX-License-Identifier: Apache-2.0
// The injection that waits for its word, and what look-ups found, of a memory with a code: ECC-4 and ECC-5,
// docs/ecc.md. All of it is about the record in X.
module ecc_orders #(
  parameter int unsigned IndexWidth = 12,  // of the number of a word: 2 to 16
  parameter int unsigned CodeBits = 134    // of a word in memory
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic [IndexWidth-1:0]        index_i,      // the word of the record
  input  logic                         looks_i,      // the record looks it up
  input  logic                         writes_i,     // and writes it
  input  logic                         corrected_i,  // of the word that was looked up
  input  logic                         failed_i,
  input  logic                         inject_i,     // the record orders bits of its word turned; it does not look
  input  logic [15:0]                  bit_a_i,
  input  logic [15:0]                  bit_b_i,
  output logic                         inject_ok_o,  // there are such bits

  output logic                         flip_o,       // with what the record writes
  output logic [ecc_pkg::BitWidth-1:0] flip_a_o,
  output logic [ecc_pkg::BitWidth-1:0] flip_b_o,
  output ecc_pkg::counts_t             counts_o
);

  logic inject_q;
  logic [IndexWidth-1:0] inject_at_q;

  assign inject_ok_o = 32'(bit_a_i) < CodeBits & 32'(bit_b_i) < CodeBits;
  assign flip_o      = writes_i & inject_q & index_i == inject_at_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inject_q <= 1'b0;
    else inject_q <= inject_i & inject_ok_o | inject_q & ~flip_o;
  end

  always_ff @(posedge clk_i) begin
    if (inject_i & inject_ok_o) begin
      inject_at_q <= index_i;
      flip_a_o    <= bit_a_i[ecc_pkg::BitWidth-1:0];
      flip_b_o    <= bit_b_i[ecc_pkg::BitWidth-1:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counts_o <= '0;
    else begin
      if (looks_i & corrected_i) begin
        counts_o.corrected    <= counts_o.corrected + 1'b1;
        counts_o.corrected_at <= 16'(index_i);
      end
      if (looks_i & failed_i) begin
        counts_o.failed    <= counts_o.failed + 1'b1;
        counts_o.failed_at <= 16'(index_i);
      end
    end
  end

endmodule
