// SPDX-License-Identifier: Apache-2.0
// hca_top_events tells qp_ctl of each frame that enters, leaves or is dropped, and of each remove, once. What is not
// told yet is counted here, of each kind.
//
// Assumed: a remove comes when the one before was told: one QP at a time is closing (qp_ctl).
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of hca_top_events.go.
module hca_top_events_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [2:0] why_i,
  input logic       gate_valid_i,
  input logic [2:0] class_i,
  input logic [3:0] dropped_i,
  input logic [2:0] verdict_i,
  input logic [4:0] rec_why_i,
  input logic       rec_valid_i,
  input logic       removed_i,
  input logic       ready_i
);

  logic gate_ready, rec_ready, valid;
  qpc_pkg::event_t told;

  hca_top_events dut (
    .clk_i,
    .rst_ni,
    .s_gate_why_i   (why_i),
    .s_gate_valid_i (gate_valid_i),
    .s_gate_ready_o (gate_ready),
    .s_rec_class_i  (class_i),
    .s_rec_dropped_i(dropped_i),
    .s_rec_verdict_i(verdict_i),
    .s_rec_why_i    (rec_why_i),
    .s_rec_valid_i  (rec_valid_i),
    .s_rec_ready_o  (rec_ready),
    .removed_i,
    .m_event_o      (told),
    .m_event_valid_o(valid),
    .m_event_ready_i(ready_i)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.closed_q ;

  logic initial_q = 1'b1;
  logic stalled_q = 1'b0;
  qpc_pkg::event_t told_q;
  logic enters, leaves, gate_drops, rec_drops, tells;
  logic [5:0] reason, rec_reason;

  assign enters     = gate_valid_i & gate_ready & why_i == '0;
  assign gate_drops = gate_valid_i & gate_ready & why_i != '0;
  assign leaves     = rec_valid_i & rec_ready;
  assign rec_drops  = leaves & (class_i == classify_pkg::ClassDropped ||
                                (class_i == classify_pkg::ClassRequest && verdict_i == resp_pkg::VerdictDropped));
  assign rec_reason = class_i == classify_pkg::ClassDropped ? {2'd1, dropped_i} : {1'b1, rec_why_i};
  assign tells      = valid & ready_i;

  // What is not told yet, of each kind, and the reason of a drop.
  logic entered_q, left_q, removed_q;
  logic [1:0] drops_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entered_q <= 1'b0;
      left_q    <= 1'b0;
      drops_q   <= '0;
      removed_q <= 1'b0;
    end else begin
      entered_q <= enters | (entered_q & ~(tells & told.enters));
      left_q    <= leaves | (left_q & ~(tells & told.leaves));
      drops_q   <= drops_q + 2'(gate_drops) + 2'(rec_drops) - 2'(tells & told.counts);
      removed_q <= removed_i | (removed_q & ~(tells & told.closed));
    end
  end

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    stalled_q <= rst_ni & valid & ~ready_i;
    told_q    <= told;
    if (gate_drops || rec_drops) reason <= gate_drops ? {3'd0, why_i} : rec_reason;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni && removed_i) assume (!removed_q);
    if (!initial_q && rst_ni) begin
      // What is not told stands at the port, all of it; a remove alone may wait for the next event.
      if (Check[0]) assert (removed_q == ((valid && told.closed) || \dut.closed_q ));
      if (Check[0]) assert (!\dut.closed_q || (valid && !told.closed));
      if (Check[1]) assert (entered_q == (valid && told.enters));
      if (Check[1] && entered_q && !tells) assert (!enters);
      if (Check[2]) assert (left_q == (valid && told.leaves));
      if (Check[2] && left_q && !tells) assert (!leaves);
      if (Check[3]) begin
        assert (drops_q == 2'(valid && told.counts));
        if (valid && told.counts) assert (told.reason == reason);
      end
      if (Check[4]) begin
        if (valid && told.closed) assert (removed_q);
        if (removed_q) assert (valid);
        if (removed_q && !told.closed) assert (\dut.closed_q );
      end
      if (Check[5] && stalled_q) assert (valid && told == told_q);
    end
  end

endmodule
