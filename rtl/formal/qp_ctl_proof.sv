// SPDX-License-Identifier: Apache-2.0
// qp_ctl gives every access one answer and every operation of a command once, in order, before it takes the next one;
// it counts every event once, and knows when what had entered has left. One counter is watched, chosen by the solver
// once. Check: bit 0 the invariant, then one bit a property of qp_ctl.go.
module qp_ctl_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [48:0] bus_i,    // as docs/blocks/qp_ctl.md lays it out
  input logic        bus_valid_i,
  input logic [9:0]  event_i,
  input logic        event_valid_i,
  input logic        m_bus_ready_i,
  input logic        m_op_ready_i,
  input logic [5:0]  watch_i
);

  logic bus_ready, event_ready, m_bus_valid, m_op_valid;
  logic [34:0] m_bus;
  logic [567:0] m_op;

  qp_ctl #(
    .NumQps   (4),
    .FlowWidth(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_bus_write_i   (bus_i[0]),
    .s_bus_address_i (bus_i[12:1]),
    .s_bus_data_i    (bus_i[44:13]),
    .s_bus_strobe_i  (bus_i[48:45]),
    .s_bus_valid_i   (bus_valid_i),
    .s_bus_ready_o   (bus_ready),
    .s_event_enters_i(event_i[0]),
    .s_event_leaves_i(event_i[1]),
    .s_event_closed_i(event_i[2]),
    .s_event_counts_i(event_i[3]),
    .s_event_reason_i(event_i[9:4]),
    .s_event_valid_i (event_valid_i),
    .s_event_ready_o (event_ready),
    .m_bus_write_o   (m_bus[0]),
    .m_bus_data_o    (m_bus[32:1]),
    .m_bus_resp_o    (m_bus[34:33]),
    .m_bus_valid_o   (m_bus_valid),
    .m_bus_ready_i,
    .m_op_target_o   (m_op[3:0]),
    .m_op_data_o     (m_op[567:4]),
    .m_op_valid_o    (m_op_valid),
    .m_op_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [2:0] \dut.phase_q ;
  (* hierconn *) wire [48:0] \dut.access_q ;
  (* hierconn *) wire [48:0] \dut.u_decide.access_i ;
  (* hierconn *) wire [34:0] \dut.u_decide.answer_o ;
  (* hierconn *) wire [39:0] \dut.u_decide.steps_o ;
  (* hierconn *) wire [39:0] \dut.steps_q ;
  (* hierconn *) wire [39:0] \dut.u_op.step_i ;
  (* hierconn *) wire [567:0] \dut.u_op.op_o ;
  (* hierconn *) wire [301:0] \dut.regs_q ;
  (* hierconn *) wire \dut.drained ;
  (* hierconn *) wire \dut.drained_q ;
  (* hierconn *) wire \dut.closed_q ;
  (* hierconn *) wire [3:0] \dut.entered_q ;
  (* hierconn *) wire [3:0] \dut.left_q ;
  (* hierconn *) wire [3:0] \dut.mark_q ;
  (* hierconn *) wire \dut.r_counts_q ;
  (* hierconn *) wire \dut.f_counts_q ;
  (* hierconn *) wire \dut.x_counts_q ;
  (* hierconn *) wire [5:0] \dut.r_reason_q ;
  (* hierconn *) wire [5:0] \dut.u_counters.r_qpn_i ;
  (* hierconn *) wire \dut.u_counters.x_we_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push, comes, in_x;
  assign push  = bus_valid_i & bus_ready;
  assign comes = event_valid_i & event_ready;
  assign in_x  = \dut.phase_q == 3'd4;

  // The access that is being done, its answer, and the operations that it has to give.
  logic busy_q, decided_q, answered_q;
  logic [48:0] access_q;
  logic [34:0] answer_q;
  logic [39:0] owed_q;  // not given to the output yet
  logic [567:0] op_q;   // given to it
  logic op_out_q, gives;

  assign gives = owed_q != '0 && (!m_op_valid || m_op_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      decided_q  <= 1'b0;
      answered_q <= 1'b0;
      owed_q     <= '0;
      op_out_q   <= 1'b0;
    end else begin
      if (push) {busy_q, decided_q, answered_q} <= 3'b100;
      if (in_x) decided_q <= 1'b1;
      if (m_bus_valid && m_bus_ready_i) answered_q <= 1'b1;
      if (in_x) owed_q <= \dut.u_decide.steps_o ;
      else if (gives) owed_q <= owed_q & (owed_q - 1'b1);
      if (gives) op_out_q <= 1'b1;
      else if (m_op_ready_i) op_out_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (push) access_q <= bus_i;
    if (in_x) answer_q <= \dut.u_decide.answer_o ;
    if (gives) op_q <= \dut.u_op.op_o ;
  end

  // The counter that is watched: events that came and are not counted.
  logic [5:0] watch_q, f_index_q, x_index_q;
  logic [2:0] uncounted_q, inside, quiet_q;

  always_ff @(posedge clk_i) begin
    if (initial_q) watch_q <= watch_i;
    f_index_q <= \dut.u_counters.r_qpn_i ;
    x_index_q <= f_index_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      uncounted_q <= '0;
      quiet_q     <= '0;
    end else begin
      uncounted_q <= uncounted_q + 3'(comes && event_i[3] && event_i[9:4] == watch_q) -
          3'(\dut.u_counters.x_we_i && x_index_q == watch_q);
      quiet_q <= comes ? '0 : quiet_q == 3'd7 ? 3'd7 : quiet_q + 1'b1;
    end
  end
  assign inside = 3'(\dut.r_counts_q && \dut.r_reason_q == watch_q) + 3'(\dut.f_counts_q && f_index_q == watch_q) +
      3'(\dut.x_counts_q && x_index_q == watch_q);

  // Packets that had entered when the QP was closed, and have not left; fewer than 2^FlowWidth are under way.
  logic closed_q, closing;
  logic [3:0] before_q, under_way;
  assign closing   = \dut.regs_q [16];
  assign under_way = \dut.entered_q - \dut.left_q ;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      closed_q <= 1'b0;
      before_q <= '0;
    end else begin
      closed_q <= closing & (closed_q | (comes & event_i[2] & ~\dut.closed_q ));
      if (comes && event_i[2] && closing && !\dut.closed_q ) before_q <= under_way + 4'(event_i[0]) - 4'(event_i[1]);
      else if (comes && event_i[1] && before_q != '0) before_q <= before_q - 1'b1;
    end
  end

  logic bus_stalled_q = 1'b0;
  logic op_stalled_q = 1'b0;
  logic [34:0] m_bus_q;
  logic [567:0] m_op_q;
  always_ff @(posedge clk_i) begin
    bus_stalled_q <= rst_ni & m_bus_valid & ~m_bus_ready_i;
    op_stalled_q  <= rst_ni & m_op_valid & ~m_op_ready_i;
    m_bus_q       <= m_bus;
    m_op_q        <= m_op;
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    // None leaves that has not entered, and there is room to count one more.
    if (under_way == '0) assume (!event_i[1]);
    if (under_way == '1) assume (!event_i[0]);
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.phase_q != 3'd7);
        assert (\dut.steps_q == owed_q);
        if (!busy_q) assert (\dut.phase_q == 3'd6 || \dut.phase_q == 3'd0);
        if (\dut.phase_q >= 3'd1 && \dut.phase_q <= 3'd4) assert (busy_q && !decided_q && !answered_q && !m_op_valid);
        if (\dut.phase_q == 3'd5) assert (busy_q && decided_q);
        if (\dut.phase_q != 3'd5) assert (owed_q == '0 && !m_op_valid && !m_bus_valid);
        if (\dut.phase_q == 3'd0) assert (!busy_q || (decided_q && answered_q));
        if (\dut.phase_q == 3'd6) assert (!busy_q);
        if (busy_q) assert (\dut.access_q == access_q);
        assert (m_bus_valid == (busy_q && decided_q && !answered_q));
        assert (uncounted_q == inside);
        if (closing) assert (\dut.closed_q == closed_q);
        if (closing && !closed_q) assert (!\dut.drained_q );
        assert (m_op_valid == op_out_q);
        if (closed_q && closing && \dut.closed_q ) assert (\dut.drained == (before_q == '0));
        if (closed_q && closing && !\dut.drained ) assert (before_q == \dut.mark_q - \dut.left_q );
        if (closed_q && closing) assert (before_q <= under_way);
      end
      if (Check[2] && bus_stalled_q) assert (m_bus_valid && m_bus == m_bus_q);
      if (Check[3] && op_stalled_q) assert (m_op_valid && m_op == m_op_q);
      if (Check[2]) begin
        if (in_x) assert (busy_q && \dut.u_decide.access_i == access_q);
        assert (m_bus_valid == (busy_q && decided_q && !answered_q));
        if (m_bus_valid) assert (m_bus == answer_q);
        if (push) assert (!busy_q || answered_q);
      end
      if (Check[3]) begin
        if (gives) assert (\dut.u_op.step_i == (owed_q & ~(owed_q - 1'b1)));
        assert (m_op_valid == op_out_q);
        if (m_op_valid) assert (m_op == op_q);
        if (push) assert (owed_q == '0 && !m_op_valid);
      end
      if (Check[4] && quiet_q >= 3'd5) assert (uncounted_q == '0);
      if (Check[5] && closed_q && closing && \dut.closed_q ) assert (\dut.drained == (before_q == '0));
    end
  end

endmodule
