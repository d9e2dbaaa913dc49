// SPDX-License-Identifier: Apache-2.0
// What rq_head says of a record for which a word was lost, and its operations inject and counts: docs/ecc.md,
// docs/blocks/rq_head.md. In X2: it has the last word.
module rq_ecc (
  input  rq_pkg::query_t                rec_i,
  input  rq_pkg::decision_t             decision_i,
  input  logic                          slot_lost_i,  // what X2 looked up
  input  logic                          held_lost_i,
  input  logic [rq_pkg::Memories-1:0]   inject_ok_i,  // there are such bits
  input  ecc_pkg::counts_t              counts_i,     // of the memory that the record names
  input  rq_pkg::result_t               result_i,
  output rq_pkg::result_t               result_o
);

  logic lost, unused_in;

  assign lost      = decision_i.lost | (decision_i.shows & (decision_i.is_held ? held_lost_i : slot_lost_i));
  assign unused_in = ^{rec_i, decision_i};

  always_comb begin
    result_o = result_i;
    if (lost) begin
      result_o.present   = 1'b0;
      result_o.credits   = rec_i.op == rq_pkg::OpLookUp && rec_i.is_shared ? rq_pkg::CreditsUnlimited : '0;
      result_o.wqe       = '0;
      result_o.wqe.bytes = 32'd1;
    end
    if (rec_i.op == rq_pkg::OpInject) result_o.present = decision_i.injects & inject_ok_i[rec_i.wqe.wqe[1:0]];
    if (rec_i.op == rq_pkg::OpCounts) begin
      result_o.present   = 1'b1;
      result_o.wqe.bytes = {8'd0, counts_i.failed, 8'd0, counts_i.corrected};
      result_o.wqe.wqe   = {counts_i.failed_at, counts_i.corrected_at};
    end
  end

endmodule
