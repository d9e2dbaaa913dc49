// SPDX-License-Identifier: Apache-2.0
// icrc_insert gives a beat for every one that it takes, in order and unchanged but where it writes, by the stream
// rules, whatever the packets hold.
module icrc_insert_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [63:0] s_data_i,
  input logic [7:0]  s_keep_i,
  input logic        s_last_i,
  input logic        s_ib_i,
  input logic        s_valid_i,
  input logic        m_ready_i
);

  logic s_ready, m_valid, m_last;
  logic [63:0] m_data;
  logic [7:0] m_keep;
  logic [11:0] m_user;

  icrc_insert #(
    .DataWidth(64)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (s_data_i),
    .s_axis_tkeep_i (s_keep_i),
    .s_axis_tlast_i (s_last_i),
    .s_axis_tuser_i (s_ib_i),
    .s_axis_tvalid_i(s_valid_i),
    .s_axis_tready_o(s_ready),
    .m_axis_tdata_o (m_data),
    .m_axis_tkeep_o (m_keep),
    .m_axis_tlast_o (m_last),
    .m_axis_tuser_o (m_user),
    .m_axis_tvalid_o(m_valid),
    .m_axis_tready_i(m_ready_i)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [6:0] \dut.valid_q ;
  (* hierconn *) wire [5:0] \dut.u_locate.valid_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat1_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat2_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat3_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat4_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat5_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat6_q ;
  (* hierconn *) wire [90:0] \dut.u_side.gen_stage[0].data_q ;
  (* hierconn *) wire [90:0] \dut.u_side.gen_stage[1].data_q ;
  (* hierconn *) wire [90:0] \dut.u_side.gen_stage[2].data_q ;
  (* hierconn *) wire [90:0] \dut.u_side.gen_stage[3].data_q ;
  (* hierconn *) wire [90:0] \dut.u_side.gen_stage[4].data_q ;
  (* hierconn *) wire [90:0] \dut.u_side.gen_stage[5].data_q ;
  (* hierconn *) wire [90:0] \dut.u_side.gen_stage[6].data_q ;
  (* hierconn *) wire [4:0] \dut.u_output.u_queue.write_ptr_q ;
  (* hierconn *) wire [4:0] \dut.u_output.u_queue.read_ptr_q ;
  (* hierconn *) wire [5:0] \dut.u_output.u_queue.count_q ;
  (* hierconn *) wire \dut.u_output.valid_i ;
  (* hierconn *) wire \dut.u_output.last_i ;
  (* hierconn *) wire [7:0] \dut.u_output.keep_i ;
  (* hierconn *) wire [63:0] \dut.u_output.data_i ;
  (* hierconn *) wire \dut.in_valid_q ;
  (* hierconn *) wire [73:0] \dut.in_q ;
  (* hierconn *) wire \dut.held_q ;
  (* hierconn *) wire [73:0] \dut.ahead_q ;
  (* hierconn *) wire \dut.written ;

  logic initial_q = 1'b1;
  logic push;
  logic [72:0] due;

  always_ff @(posedge clk_i) initial_q <= 1'b0;

  assign push = s_valid_i & s_ready;

  // The look-ahead: a beat goes on when it is its packet's last or the next one stands behind it.
  logic behind_q, front_q, go;
  logic [72:0] behind_beat_q, front_beat_q;

  assign go = front_q & (front_beat_q[72] | behind_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {behind_q, front_q} <= '0;
    else {behind_q, front_q} <= {push, behind_q | (front_q & ~go)};
  end
  always_ff @(posedge clk_i) begin
    behind_beat_q <= {s_last_i, s_keep_i, s_data_i};
    if (behind_q) front_beat_q <= behind_beat_q;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0]) begin
      assert (\dut.in_valid_q == behind_q && \dut.held_q == front_q);
      if (behind_q) assert (\dut.in_q [73:72] == {behind_beat_q[72], \dut.in_q [72]} &&
                      \dut.in_q [71:0] == behind_beat_q[71:0]);
      if (front_q) assert (\dut.ahead_q [73] == front_beat_q[72] && \dut.ahead_q [71:0] == front_beat_q[71:0]);
    end
  end

  // All but the ICRC's bytes of a packet that it was written into.
  logic same_data;
  assign same_data = \dut.u_output.data_i == due[63:0] || \dut.written ;

  pipe_rules #(
    .Width   (73),
    .OutWidth(85),
    .Latency (13),
    .Depth   (32),
    .Check   (Check)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i (initial_q),
    .push_i    (push),
    .waiting_i (2'(behind_q) + 2'(front_q)),
    .enter_i   (go),
    .enter_id_i(front_beat_q),
    .queue_i   (\dut.u_output.valid_i ),
    .same_i    ({\dut.u_output.last_i , \dut.u_output.keep_i } == due[72:64] && same_data),
    .due_o     (due),
    .stages_valid_i({\dut.valid_q , \dut.u_locate.valid_q }),
    .stages_id_i   ({\dut.u_side.gen_stage[6].data_q [79], \dut.u_side.gen_stage[6].data_q [71:0],
                       \dut.u_side.gen_stage[5].data_q [79], \dut.u_side.gen_stage[5].data_q [71:0],
                       \dut.u_side.gen_stage[4].data_q [79], \dut.u_side.gen_stage[4].data_q [71:0],
                       \dut.u_side.gen_stage[3].data_q [79], \dut.u_side.gen_stage[3].data_q [71:0],
                       \dut.u_side.gen_stage[2].data_q [79], \dut.u_side.gen_stage[2].data_q [71:0],
                       \dut.u_side.gen_stage[1].data_q [79], \dut.u_side.gen_stage[1].data_q [71:0],
                       \dut.u_side.gen_stage[0].data_q [79], \dut.u_side.gen_stage[0].data_q [71:0],
                       \dut.u_locate.beat6_q [72:0],
                       \dut.u_locate.beat5_q [72:0],
                       \dut.u_locate.beat4_q [72:0],
                       \dut.u_locate.beat3_q [72:0],
                       \dut.u_locate.beat2_q [72:0],
                       \dut.u_locate.beat1_q [72:0]}),
    .queued_i  (5'(\dut.u_output.u_queue.write_ptr_q - \dut.u_output.u_queue.read_ptr_q )),
    .count_i   (\dut.u_output.u_queue.count_q ),
    .data_i    ({m_user, m_last, m_keep, m_data}),
    .valid_i   (m_valid),
    .ready_i   (m_ready_i)
  );

endmodule
