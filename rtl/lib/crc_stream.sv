// SPDX-License-Identifier: Apache-2.0
// A reflected CRC over whole beats, one beat per clock. Byte 0 of a beat is data_i[7:0].
//
// The register starts at zero on the first beat of a packet and never sees a part of a beat. A caller that wants other
// bounds prepares the data: it zeroes what lies before the first byte and XORs the initial value (low byte first) into
// the bytes from there, and it zeroes what lies behind the last byte and accounts for the k zero bytes itself.
//
// One matrix does it. Data bit i ends up in register bit r where Row[i] of row r is set; an old register bit s acts
// like data bit s, so the same rows serve both. The CrcWidth x DataWidth XORs are cut in three stages of about two
// LUT levels:
//   1 for every row as many partial sums as there are 64-bit words, 2 their sum, 3 the register.
// A partial sum takes every NumParts-th bit, not a word: words are XORed as words then, which simulates several times
// faster and costs the same.
// state_o is the register after the beat that was on data_i three clocks before.
module crc_stream #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned CrcWidth = 32,
  parameter logic [CrcWidth-1:0] Poly = 32'hEDB8_8320  // reflected
) (
  input  logic                 clk_i,
  input  logic                 valid_i,
  input  logic                 first_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [CrcWidth-1:0]  state_o
);

  localparam int unsigned NumParts = DataWidth / 64;

  // Which data bits reach register bit r: the last bit of a beat is shifted once, the one before it twice, and so on.
  function automatic logic [DataWidth-1:0] matrix_row(input int unsigned r);
    logic [CrcWidth-1:0] column;
    column = CrcWidth'(1);
    for (int i = DataWidth - 1; i >= 0; i--) begin
      column = (column >> 1) ^ (column[0] ? Poly : '0);
      matrix_row[i] = column[r];
    end
  endfunction

  logic valid1_q, first1_q, valid2_q, first2_q;
  logic [CrcWidth-1:0] sum2_d, sum2_q, state3_d, state3_q;

  for (genvar r = 0; r < CrcWidth; r++) begin : gen_row
    localparam logic [DataWidth-1:0] Row = matrix_row(r);
    logic [63:0] words;
    logic [NumParts-1:0] parts1_q;
    always_comb begin
      words = '0;
      for (int w = 0; w < NumParts; w++) words = words ^ (data_i[w*64+:64] & Row[w*64+:64]);
      // Halves XORed until NumParts bits are left; the bits above are not used.
      for (int half = 32; half >= NumParts; half = half / 2) words = words ^ (words >> half);
    end
    always_ff @(posedge clk_i) begin
      parts1_q <= words[NumParts-1:0];
    end
    assign sum2_d[r]   = ^parts1_q;
    assign state3_d[r] = sum2_q[r] ^ (~first2_q & ^(state3_q & Row[CrcWidth-1:0]));
  end

  // No reset: the caller's valid bits are reset, and a packet's first beat clears the register.
  always_ff @(posedge clk_i) begin
    valid1_q <= valid_i;
    first1_q <= first_i;
    valid2_q <= valid1_q;
    first2_q <= first1_q;
    sum2_q   <= sum2_d;
    if (valid2_q) state3_q <= state3_d;
  end

  assign state_o = state3_q;

endmodule
