// SPDX-License-Identifier: Apache-2.0
// sched_decide gives a QP a place in the queue as docs/blocks/sq_scheduler.md says, for all records and states. It has
// no state: one clock says all. Check: one bit a property, bit 0 is not used.
module sched_decide_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [33:0] rec_i,    // as docs/blocks/sq_scheduler.md lays it out
  input logic        known_i,
  input logic        ends_i,
  input logic [6:0]  state_i
);

  logic [6:0] state;
  logic push;
  logic [3:0] packets;

  sched_decide dut (
    .rec_i,
    .known_i,
    .ends_i,
    .state_i,
    .state_o  (state),
    .push_o   (push),
    .packets_o(packets)
  );

  // By the words of the document.
  logic [2:0] op, why;
  logic wake, done, set, remove, is_set, awake, woken, is_set_d, awake_d, woken_d, more;
  logic [3:0] weight, weight_d;
  assign op     = rec_i[26:24];
  assign why    = rec_i[29:27];
  assign {is_set, awake, woken, weight} = state_i;
  assign {is_set_d, awake_d, woken_d, weight_d} = state;
  assign wake   = known_i && op == 3'd0;
  assign done   = known_i && op == 3'd1 && ends_i;
  assign set    = known_i && op == 3'd2;
  assign remove = known_i && op == 3'd3;
  assign more   = why == 3'd0 || why == 3'd6;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (!ends_i || op == 3'd1);                // R says it of a done
    assume (!woken || (is_set && awake));
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (push) assert ((wake && is_set && !awake) || (done && awake));
        assert (awake_d == (push || (awake && !done)));
        assert (!woken_d || (is_set_d && awake_d));
      end
      if (Check[2] && done && awake) assert (push == (is_set && (more || woken)) && !woken_d);
      if (Check[3]) begin
        if (wake && is_set) assert (awake_d && (push || woken_d));
        if (woken && !woken_d) assert (remove || (done && push));
      end
      if (Check[4]) begin
        if (!(wake || done || set || remove)) assert (state == state_i && !push);
        assert (is_set_d == ((is_set || set) && !remove));
        assert (weight_d == (set ? rec_i[33:30] : weight));
      end
      if (Check[5]) assert (packets == (weight == '0 ? 4'd1 : weight));
    end
  end

endmodule
