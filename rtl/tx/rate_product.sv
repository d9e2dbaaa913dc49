// SPDX-License-Identifier: Apache-2.0
// What rate_decide multiplies, by itself so that proofs can leave it out: docs/blocks/rate_limiter.md. Which of two
// bases counts is known late: both are multiplied, and who needs only the first does not wait.
module rate_product (
  input  logic [15:0] own_i,
  input  logic [15:0] static_i,
  input  logic        is_own_i,
  input  logic [7:0]  factor_i,
  output logic [23:0] own_o,     // of the first
  output logic [23:0] product_o  // of that which counts
);

  logic [23:0] fixed;

  assign own_o     = own_i * factor_i;
  assign fixed     = static_i * factor_i;
  assign product_o = is_own_i ? own_o : fixed;

endmodule
