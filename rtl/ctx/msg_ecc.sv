// SPDX-License-Identifier: Apache-2.0
// What msg_tracker makes of a word that was lost, and its operations inject and counts: docs/ecc.md,
// docs/blocks/msg_tracker.md. In X, behind msg_decide: of a QP that stopped it has the last word.
module msg_ecc (
  input  logic [2:0]        op_i,         // of the record
  input  logic              in_range_i,
  input  logic              stopped_i,    // the word was lost, now or before
  input  logic              inject_ok_i,  // there are such bits
  input  ecc_pkg::counts_t  counts_i,
  input  msg_pkg::context_t ctx_i,        // what msg_decide makes of it
  input  msg_pkg::result_t  result_i,

  output logic              looks_o,      // the record looks its word up and writes it
  output logic              inject_o,
  output msg_pkg::context_t ctx_o,
  output msg_pkg::result_t  result_o
);

  logic inject, counts, stays;

  assign inject   = op_i == msg_pkg::OpInject;
  assign counts   = op_i == msg_pkg::OpCounts;
  assign looks_o  = in_range_i & ~inject & ~counts;
  assign inject_o = in_range_i & inject;
  assign stays    = looks_o & stopped_i & op_i != msg_pkg::OpClear;

  always_comb begin
    ctx_o = ctx_i;
    if (stays) begin
      ctx_o      = '0;
      ctx_o.open = msg_pkg::VerbStopped;
    end
  end

  always_comb begin
    result_o = result_i;
    if (stays) begin
      result_o.found      = 1'b0;
      result_o.place      = '0;
      result_o.place.left = 32'd1;
    end
    if (inject) result_o.found = inject_o & inject_ok_i;
    if (counts) begin
      result_o.found        = 1'b1;
      result_o.place.offset = 32'(counts_i.corrected);
      result_o.place.left   = 32'(counts_i.failed);
      result_o.place.rkey   = 32'(counts_i.corrected_at);
      result_o.place.va     = 64'(counts_i.failed_at);
    end
  end

endmodule
