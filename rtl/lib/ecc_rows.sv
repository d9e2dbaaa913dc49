// SPDX-License-Identifier: Apache-2.0
// The check bits and, on top, the parity that Width data bits have in memory: ECC-2, docs/ecc.md. Each is the XOR of
// some data bits. No state, no clock.
module ecc_rows #(
  parameter int unsigned Width = 64  // 1 to 64
) (
  input  logic [Width-1:0]                data_i,
  output logic [ecc_pkg::checks(Width):0] rows_o
);

  localparam int unsigned Checks = ecc_pkg::checks(Width);

  if (Width < 1 || Width > ecc_pkg::PieceBits) begin : gen_bad_width
    $error("ecc_rows: Width must be 1 to 64");
  end

  // The data bits of row r. In the parity's row, the last one, are those that an even number of check bits has: a
  // data bit and the check bits that have it together make it odd.
  function automatic logic [Width-1:0] row(input int unsigned r);
    for (int unsigned i = 0; i < Width; i++) begin
      row[i] = r == Checks;
      for (int unsigned j = 0; j < Checks; j++) begin
        if (r == j || r == Checks) row[i] = row[i] ^ ((ecc_pkg::number(i) >> j) % 2 == 1);
      end
    end
  endfunction

  for (genvar r = 0; r <= Checks; r++) begin : gen_row
    localparam logic [Width-1:0] Row = row(r);
    assign rows_o[r] = ^(data_i & Row);
  end

endmodule
