// psn_window answers every record by the definition of PSN-1 to PSN-3, once, in order and by the stream rules: for all inputs,
// stalls and resets.
//
// The definition here has no subtraction modulo 2^24: it says of integers which run of PSNs they lie in. una_i and high_i
// are any window that the expected PSN may lie in. Check selects assertions: bit 0 the invariants that induction needs,
// then one bit a property of psn_window.go.
module psn_window_proof #(
  parameter logic [11:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [72:0] s_rec_i,  // as docs/blocks/psn_window.md lays it out
  input logic [23:0] una_i,
  input logic [23:0] high_i,
  input logic        s_valid_i,
  input logic        m_ready_i
);

  logic s_ready, m_valid, push, pop, stalled;
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

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.valid1_q ;
  (* hierconn *) wire \dut.requester1_q ;
  (* hierconn *) wire [23:0] \dut.from_base1_q ;
  (* hierconn *) wire [23:0] \dut.outstanding1_q ;
  (* hierconn *) wire \dut.u_skid.head_valid_q ;
  (* hierconn *) wire [72:0] \dut.u_skid.head_q ;
  (* hierconn *) wire \dut.u_skid.spare_valid_q ;
  (* hierconn *) wire [72:0] \dut.u_skid.spare_q ;

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

  logic [72:0] first_q, second_q, third_q, fourth_q;  // records inside, oldest first
  logic [2:0] count_q;
  logic requester;
  logic [25:0] p, base, next, outstanding;
  logic expected, behind, unacked, acked;
  logic [2:0] class_due;

  assign requester   = first_q[72];
  assign p           = {2'd0, first_q[23:0]};
  assign base        = {2'd0, first_q[47:24]};
  assign next        = {2'd0, first_q[71:48]};
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
  assign in_window = m_valid && !requester && epsn_at <= high_at && high_at <= Half;

  // ---------------------------------------------------------------------------------------------------------------
  // What is inside: a queue that knows nothing of stages. It counts further than the block can take.

  assign push    = s_valid_i & s_ready;
  assign pop     = m_valid & m_ready_i;
  assign stalled = m_valid & ~m_ready_i;

  logic [2:0] last;
  assign last = count_q - 3'(pop);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= last + 3'(push);
  end
  always_ff @(posedge clk_i) begin
    if (pop) {fourth_q, third_q, second_q, first_q} <= {fourth_q, fourth_q, third_q, second_q};
    if (push) begin
      case (last)
        3'd0: first_q <= s_rec_i;
        3'd1: second_q <= s_rec_i;
        3'd2: third_q <= s_rec_i;
        default: fourth_q <= s_rec_i;
      endcase
    end
  end

  // Record number i of the queue.
  function automatic logic [72:0] at(input logic [2:0] i, input logic [4*73-1:0] all);
    at = i == 3'd0 ? all[0+:73] : i == 3'd1 ? all[73+:73] : i == 3'd2 ? all[146+:73] : all[219+:73];
  endfunction
  logic [4*73-1:0] all;
  logic [72:0] in_stage1, in_head, in_spare;
  assign all       = {fourth_q, third_q, second_q, first_q};
  assign in_stage1 = at(3'(m_valid), all);
  assign in_head   = at(3'(m_valid) + 3'(\dut.valid1_q ), all);
  assign in_spare  = at(3'(m_valid) + 3'(\dut.valid1_q ) + 3'd1, all);

  // ---------------------------------------------------------------------------------------------------------------
  // The cycles before.

  logic initial_q = 1'b1;
  logic was_up_q = 1'b0;
  logic was_stalled_q = 1'b0;
  logic [2:0] class_q;
  logic [23:0] distance_q;
  logic [2:0] pushed_q = '0;     // in the last three cycles
  logic [2:0] unstalled_q = '0;  // cycles since a stall or a reset, up to 7

  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    was_up_q      <= rst_ni;
    was_stalled_q <= rst_ni & stalled;
    class_q       <= m_class;
    distance_q    <= m_distance;
    pushed_q      <= {pushed_q[1:0], push & rst_ni};
    if (!rst_ni || stalled) unstalled_q <= '0;
    else if (unstalled_q != 3'd7) unstalled_q <= unstalled_q + 3'd1;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (count_q == 3'(m_valid) + 3'(\dut.valid1_q ) + 3'(\dut.u_skid.head_valid_q ) + 3'(\dut.u_skid.spare_valid_q ));
        assert (\dut.u_skid.head_valid_q || ! \dut.u_skid.spare_valid_q );
        if (s_ready) assert (! \dut.u_skid.spare_valid_q );
        if (\dut.u_skid.head_valid_q ) assert (\dut.u_skid.head_q == in_head);
        if (\dut.u_skid.spare_valid_q ) assert (\dut.u_skid.spare_q == in_spare);
        if (\dut.valid1_q ) begin
          assert (\dut.requester1_q == in_stage1[72]);
          assert (\dut.from_base1_q == in_stage1[23:0] - in_stage1[47:24]);
          assert (\dut.outstanding1_q == in_stage1[71:48] - in_stage1[47:24]);
        end
      end
      if ((Check[1] || (Check[0] && Check[11])) && m_valid && !requester) assert (m_class == class_due);
      if (Check[2] && m_valid && requester) assert (m_class == class_due);
      // PSN-1: a signed 24-bit number that leads from base to the PSN.
      if (Check[3] && m_valid) assert (first_q[47:24] + m_distance == first_q[23:0]);
      if (Check[4] && count_q == 3'd0) assert (!m_valid);
      if (Check[5]) assert (count_q <= 3'd4);
      if (Check[6] && was_stalled_q) assert (m_valid);
      if (Check[7] && was_stalled_q) assert ({m_class, m_distance} == {class_q, distance_q});
      if (Check[8] && unstalled_q == 3'd7) assert (m_valid == pushed_q[2]);
      if (Check[9] && unstalled_q != 3'd0) assert (s_ready);
      if (Check[10] && !was_up_q) assert (!s_ready);
      if (Check[11] && in_window) begin
        if (psn_at < epsn_at) assert (m_class == 3'd1);
        if (psn_at == epsn_at) assert (m_class == 3'd0);
        if (psn_at > epsn_at && psn_at < high_at) assert (m_class == 3'd2);
      end
    end
  end

endmodule
