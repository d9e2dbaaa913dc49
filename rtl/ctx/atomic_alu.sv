// SPDX-License-Identifier: Apache-2.0
// What an atomic makes of what memory gave: docs/blocks/atomic_engine.md.
module atomic_alu (
  input  logic        is_add_i,
  input  logic [63:0] compare_i,
  input  logic [63:0] swap_add_i,
  input  logic        failed_i,    // memory could not be read: data_i means nothing
  input  logic [63:0] data_i,
  output logic        writes_o,
  output logic [63:0] value_o,     // to be written
  output logic [63:0] original_o
);

  assign writes_o   = ~failed_i & (is_add_i | data_i == compare_i);
  assign value_o    = is_add_i ? data_i + swap_add_i : swap_add_i;
  assign original_o = failed_i ? 64'd0 : data_i;

endmodule
