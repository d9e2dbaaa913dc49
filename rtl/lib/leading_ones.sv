// SPDX-License-Identifier: Apache-2.0
// How many ones a word has from bit 0 up, in front of its first zero: 0 to Width. Combinational.
//
// The word is cut into blocks. Every block counts for itself, and the first block that is not all ones has the zero:
// the upper bits of the count are known before the lower FineWidth ones, so that who shifts by the count shifts by the
// upper bits first.
module leading_ones #(
  parameter int unsigned Width = 128,  // a power of two
  localparam int unsigned Steps = $clog2(Width)
) (
  input  logic [Width-1:0] word_i,
  output logic [Steps:0]   count_o
);

  localparam int unsigned FineWidth = (Steps + 1) / 2;
  localparam int unsigned BlockBits = 2 ** FineWidth;
  localparam int unsigned Blocks = Width / BlockBits;

  if (Width < 4 || Width != 2 ** Steps) begin : gen_bad_width
    $error("leading_ones: Width must be a power of two from 4");
  end

  logic [Blocks-1:0] full, ends;  // all ones; the zero is here
  logic [FineWidth-1:0] fine;
  logic [Steps-FineWidth:0] coarse;

  // At bit n of a block stands the zero when all below it are ones.
  logic [Blocks*FineWidth-1:0] block_fine;

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    logic [BlockBits-1:0] word, zero_at;
    logic [FineWidth-1:0] count;
    assign word       = word_i[b*BlockBits+:BlockBits];
    assign full[b]    = &word;
    assign zero_at[0] = ~word[0];
    for (genvar n = 1; n < BlockBits; n++) begin : gen_bit
      assign zero_at[n] = (&word[n-1:0]) & ~word[n];
    end
    always_comb begin
      count = '0;
      for (int unsigned n = 0; n < BlockBits; n++) count = count | ({FineWidth{zero_at[n]}} & FineWidth'(n));
    end
    assign block_fine[b*FineWidth+:FineWidth] = count;
    if (b == 0) begin : gen_first
      assign ends[b] = ~full[b];
    end else begin : gen_later
      assign ends[b] = ~full[b] & (&full[b-1:0]);
    end
  end

  always_comb begin
    fine   = '0;
    coarse = {&full, {Steps - FineWidth{1'b0}}};
    for (int unsigned b = 0; b < Blocks; b++) begin
      fine   = fine | ({FineWidth{ends[b]}} & block_fine[b*FineWidth+:FineWidth]);
      coarse = coarse | ({Steps - FineWidth + 1{ends[b]}} & (Steps - FineWidth + 1)'(b));
    end
  end

  assign count_o = {coarse, fine};

endmodule
