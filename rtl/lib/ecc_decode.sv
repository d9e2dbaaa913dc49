// SPDX-License-Identifier: Apache-2.0
// The Width data bits of a code word of ecc_encode, one piece, whichever bit of it is wrong: ECC-3, docs/ecc.md. No
// state, no clock.
module ecc_decode #(
  parameter int unsigned Width = 64  // 1 to 64
) (
  input  logic [ecc_pkg::code_bits(Width)-1:0] code_i,
  output logic [Width-1:0]                     data_o,
  output logic                                 corrected_o,  // one bit was wrong; data_o is right
  output logic                                 failed_o      // two were; data_o is worthless
);

  localparam int unsigned Checks = ecc_pkg::checks(Width);

  logic [Checks:0] rows, wrong;  // what the data bits come to, and where that is not what stands there
  logic odd;                     // an odd number of bits is wrong
  logic [Checks-1:0] place;      // the number of the bit that is wrong, if one is; 0 is the parity
  logic [Width-1:0] flip;

  ecc_rows #(
    .Width(Width)
  ) u_rows (
    .data_i(code_i[Width-1:0]),
    .rows_o(rows)
  );

  assign wrong = rows ^ code_i[Width+:Checks+1];
  assign place = wrong[Checks-1:0];
  assign odd   = ^wrong;  // the parity's row and those of all check bits together have every data bit once

  for (genvar i = 0; i < Width; i++) begin : gen_flip
    assign flip[i] = odd & place == Checks'(ecc_pkg::number(i));
  end

  // Above Width + Checks there is no bit.
  logic known;
  assign known       = (Checks + 1)'(place) <= (Checks + 1)'(Width + Checks);
  assign data_o      = code_i[Width-1:0] ^ flip;
  assign corrected_o = odd & known;
  assign failed_o    = odd ? ~known : place != '0;

endmodule
