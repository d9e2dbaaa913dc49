// SPDX-License-Identifier: Apache-2.0
// psn_window answers every record by the definition of PSN-1 to PSN-3, once, in order and by the stream rules: for
// all inputs, stalls and resets.
//
// The definition here has no subtraction modulo 2^24: it says of integers which run of PSNs they lie in. una_i and
// high_i are any window that the expected PSN may lie in. Check selects assertions: bit 0 the invariants that
// induction needs, then one bit a property of psn_window.go.
module psn_window_proof #(
  parameter logic [12:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [72:0] s_rec_i,  // as docs/blocks/psn_window.md lays it out
  input logic [23:0] una_i,
  input logic [23:0] high_i,
  input logic        s_valid_i,
  input logic        m_ready_i
);

  logic s_ready, m_valid, push, stalled;
  logic [23:0] m_distance;
  logic [2:0] m_class;

  psn_window dut (
    .clk_i,
    .rst_ni,
    .s_psn_i       (s_rec_i[23:0]),
    .s_base_i      (s_rec_i[47:24]),
    .s_next_i      (s_rec_i[71:48]),
    .s_requester_i (s_rec_i[72]),
    .s_valid_i,
    .s_ready_o     (s_ready),
    .m_distance_o  (m_distance),
    .m_class_o     (m_class),
    .m_valid_o     (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.in_valid_q ;
  (* hierconn *) wire \dut.valid1_q ;
  (* hierconn *) wire [72:0] \dut.in_q ;
  (* hierconn *) wire [1:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [1:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [26:0] \dut.u_queue.data_i ;

  // ---------------------------------------------------------------------------------------------------------------
  // The definition.

  localparam logic [25:0] Space = 26'h100_0000;  // 2^24
  localparam logic [25:0] Half = 26'h080_0000;   // 2^23

  // Whether p is one of the `size` PSNs from `start` up; start may stand one turn too high.
  function automatic logic within(input logic [25:0] p, input logic [25:0] start, input logic [25:0] size);
    logic [25:0] from;
    from   = start >= Space ? start - Space : start;
    within = (p >= from && p < from + size) || (p + Space >= from && p + Space < from + size);
  endfunction

  // The record that goes into the queue, and what the block says of it.
  logic [72:0] due;
  logic judged;
  logic [2:0] said;
  logic [23:0] said_distance;
  assign judged                = \dut.u_queue.valid_i ;
  assign {said, said_distance} = \dut.u_queue.data_i ;

  logic requester;
  logic [25:0] p, base, next, outstanding;
  logic expected, behind, unacked, acked;
  logic [2:0] class_due;

  assign requester   = due[72];
  assign p           = {2'd0, due[23:0]};
  assign base        = {2'd0, due[47:24]};
  assign next        = {2'd0, due[71:48]};
  assign outstanding = next >= base ? next - base : next + Space - base;

  assign expected = p == base;
  assign behind   = within(p, base + Half, Half);
  assign unacked  = within(p, base, outstanding);
  assign acked    = outstanding <= Half && within(p, next + Half, Half - outstanding);

  always_comb begin
    if (requester) class_due = unacked ? 3'd4 : acked ? 3'd5 : 3'd6;
    else if (expected) class_due = 3'd0;
    else if (behind) class_due = 3'd1;
    else class_due = 3'd2;
  end

  // PSN-2 and PSN-5 together: how far above una the expected PSN, the packet and the high-water mark lie.
  function automatic logic [25:0] above(input logic [25:0] psn, input logic [25:0] una);
    above = psn >= una ? psn - una : psn + Space - una;
  endfunction

  logic [25:0] epsn_at, psn_at, high_at;
  logic in_window;
  assign epsn_at   = above(base, {2'd0, una_i});
  assign psn_at    = above(p, {2'd0, una_i});
  assign high_at   = above({2'd0, high_i}, {2'd0, una_i});
  assign in_window = judged && !requester && epsn_at <= high_at && high_at <= Half;

  // ---------------------------------------------------------------------------------------------------------------
  // The cycles before.

  assign push    = s_valid_i & s_ready;
  assign stalled = m_valid & ~m_ready_i;

  logic initial_q = 1'b1;
  logic was_up_q = 1'b0;
  logic [2:0] pushed_q = '0;     // in the last three cycles
  logic [2:0] unstalled_q = '0;  // cycles since a stall or a reset, up to 7

  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    was_up_q      <= rst_ni;
    pushed_q      <= {pushed_q[1:0], push & rst_ni};
    if (!rst_ni || stalled) unstalled_q <= '0;
    else if (unstalled_q != 3'd7) unstalled_q <= unstalled_q + 3'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[1] && judged && !requester) assert (said == class_due);
      if (Check[2] && judged && requester) assert (said == class_due);
      // PSN-1: a signed 24-bit number that leads from base to the PSN.
      if (Check[3] && judged) assert (due[47:24] + said_distance == due[23:0]);
      if (Check[8] && unstalled_q == 3'd7) assert (m_valid == pushed_q[2]);
      if (Check[9] && unstalled_q != 3'd0) assert (s_ready);
      if (Check[10] && !was_up_q) assert (!s_ready);
      if (Check[11] && in_window) begin
        if (psn_at < epsn_at) assert (said == 3'd1);
        if (psn_at == epsn_at) assert (said == 3'd0);
        if (psn_at > epsn_at && psn_at < high_at) assert (said == 3'd2);
      end
    end
  end

  pipe_rules #(
    .Width   (73),
    .OutWidth(27),
    .Latency (2),
    .Depth   (4),
    .Check   ({Check[12], Check[5:4], Check[7:6], Check[0]})
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i (initial_q),
    .push_i    (push),
    .waiting_i (2'd0),
    .enter_i   (push),
    .enter_id_i(s_rec_i),
    .queue_i   (judged),
    .same_i    (said_distance == 24'(due[23:0] - due[47:24])),
    .due_o     (due),
    .stages_valid_i({\dut.valid1_q , \dut.in_valid_q }),
    .stages_id_i   ({due,
                       \dut.in_q }),
    .queued_i  (2'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i   (\dut.u_queue.count_q ),
    .data_i    ({m_class, m_distance}),
    .valid_i   (m_valid),
    .ready_i   (m_ready_i)
  );

endmodule
