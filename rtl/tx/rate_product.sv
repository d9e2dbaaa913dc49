// SPDX-License-Identifier: Apache-2.0
// What rate_decide multiplies, by itself so that proofs can leave it out: docs/blocks/rate_limiter.md. Which of two
// bases counts is known late: both are multiplied.
module rate_product (
  input  logic [15:0] own_i,
  input  logic [15:0] static_i,
  input  logic        is_own_i,
  input  logic [7:0]  factor_i,
  output logic [23:0] product_o
);

  logic [23:0] own, fixed;

  assign own       = own_i * factor_i;
  assign fixed     = static_i * factor_i;
  assign product_o = is_own_i ? own : fixed;

endmodule
