// SPDX-License-Identifier: Apache-2.0
// What replay_fifo says of a record for which a word was lost, and its operations inject and counts: docs/ecc.md,
// docs/blocks/replay_fifo.md. In X2: it has the last word.
module replay_ecc (
  input  logic [2:0]           op_i,       // of the record
  input  logic                 lost_i,     // the word of the QP, or what was found
  input  logic                 injects_i,  // there are such bits
  input  ecc_pkg::counts_t     counts_i,   // of the memory that the record names
  input  replay_pkg::result_t  result_i,
  output replay_pkg::result_t  result_o
);

  logic own;  // an operation of the code: of the record no slot is told

  assign own = op_i == replay_pkg::OpInject || op_i == replay_pkg::OpCounts;

  always_comb begin
    result_o = result_i;
    if (lost_i) begin
      result_o.found    = 1'b0;
      result_o.known    = 1'b1;
      result_o.original = '0;
    end
    if (lost_i || own) result_o.slot = '0;
    if (op_i == replay_pkg::OpInject) result_o.found = injects_i;
    if (op_i == replay_pkg::OpCounts) begin
      result_o.found    = 1'b1;
      result_o.original = {counts_i.failed_at, counts_i.corrected_at, 8'd0, counts_i.failed, 8'd0, counts_i.corrected};
    end
  end

endmodule
