// SPDX-License-Identifier: Apache-2.0
// How many ones a word has from bit 0 up, in front of its first zero: 0 to Width. Combinational, log2(Width) steps twice.
module leading_ones #(
  parameter int unsigned Width = 128  // a power of two
) (
  input  logic [Width-1:0]         word_i,
  output logic [$clog2(Width):0]   count_o
);

  localparam int unsigned Steps = $clog2(Width);

  if (Width < 2 || Width != 2 ** Steps) begin : gen_bad_width
    $error("leading_ones: Width must be a power of two from 2");
  end

  // Bit n of run: everything up to bit n is ones. After step i it was so for the 2^i bits up to n, those below bit 0 counted as ones.
  logic [Width-1:0] run;

  always_comb begin
    run = word_i;
    for (int unsigned i = 0; i < Steps; i++) begin
      run = run & ((run << (1 << i)) | ~({Width{1'b1}} << (1 << i)));
    end
  end

  // The run's length is read off by halves: is the middle in it, and how far does it go in the half where it ends.
  logic [Width-1:0] half;
  logic [Steps:0] count;

  always_comb begin
    half  = run;
    count = '0;
    for (int unsigned i = 0; i < Steps; i++) begin
      if (half[(Width>>(i+1))-1]) begin
        count[Steps-1-i] = 1'b1;
        half             = half >> (Width >> (i + 1));
      end
    end
  end

  assign count_o = run[Width-1] ? {1'b1, {Steps{1'b0}}} : count;

endmodule
