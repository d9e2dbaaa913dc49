// SPDX-License-Identifier: Apache-2.0
// The one multiplier of rate_decide, by itself so that proofs can leave it out: docs/blocks/rate_limiter.md.
module rate_product (
  input  logic [15:0] base_i,
  input  logic [7:0]  factor_i,
  output logic [23:0] product_o
);

  assign product_o = base_i * factor_i;

endmodule
