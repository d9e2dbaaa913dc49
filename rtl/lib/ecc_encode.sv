// SPDX-License-Identifier: Apache-2.0
// The code word of Width data bits, one piece: ECC-2, docs/ecc.md. No state, no clock.
module ecc_encode #(
  parameter int unsigned Width = 64  // 1 to 64
) (
  input  logic [Width-1:0]                     data_i,
  output logic [ecc_pkg::code_bits(Width)-1:0] code_o  // {parity, check bits, data}
);

  localparam int unsigned Checks = ecc_pkg::checks(Width);

  logic [Checks:0] rows;

  ecc_rows #(
    .Width(Width)
  ) u_rows (
    .data_i,
    .rows_o(rows)
  );

  assign code_o = {rows, data_i};

endmodule
