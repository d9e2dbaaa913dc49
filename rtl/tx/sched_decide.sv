// SPDX-License-Identifier: Apache-2.0
// What sq_scheduler makes of a record by the word of its QP: docs/blocks/sq_scheduler.md.
module sched_decide (
  input  sched_pkg::query_t rec_i,
  input  logic              known_i,  // there is a QP of the record's number
  input  logic              ends_i,   // it is a done of the oldest turn that left
  input  sched_pkg::state_t state_i,
  output sched_pkg::state_t state_o,
  output logic              push_o,   // the QP comes to stand at the end of the queue
  output logic [3:0]        packets_o
);

  logic wakes, ends, again, unused_rec;

  assign unused_rec = ^rec_i;
  assign wakes      = known_i && rec_i.op == sched_pkg::OpWake && state_i.is_set;
  assign ends       = known_i && ends_i && state_i.awake;
  assign again      = rec_i.why == sched_pkg::WhyMore || rec_i.why == sched_pkg::WhyRate || state_i.woken;
  assign push_o     = (wakes && !state_i.awake) || (ends && state_i.is_set && again);
  assign packets_o  = state_i.weight == '0 ? 4'd1 : state_i.weight;

  always_comb begin
    state_o = state_i;
    if (wakes) state_o.woken = state_i.awake;
    if (ends) state_o.woken = 1'b0;
    if (ends) state_o.awake = 1'b0;
    if (push_o) state_o.awake = 1'b1;
    if (known_i && rec_i.op == sched_pkg::OpSet) begin
      state_o.is_set = 1'b1;
      state_o.weight = rec_i.weight;
    end
    if (known_i && rec_i.op == sched_pkg::OpRemove) begin
      state_o.is_set = 1'b0;
      state_o.woken  = 1'b0;
    end
  end

endmodule
