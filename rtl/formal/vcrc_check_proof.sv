// SPDX-License-Identifier: Apache-2.0
// vcrc_check gives a beat for every one that it takes, in order and unchanged, by the stream rules, whatever the
// packets hold.
module vcrc_check_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [63:0] s_data_i,
  input logic [7:0]  s_keep_i,
  input logic        s_last_i,
  input logic        s_valid_i,
  input logic        m_ready_i
);

  logic s_ready, m_valid, m_last;
  logic [63:0] m_data;
  logic [7:0] m_keep;
  logic [11:0] m_user;

  vcrc_check #(
    .DataWidth(64)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (s_data_i),
    .s_axis_tkeep_i (s_keep_i),
    .s_axis_tlast_i (s_last_i),
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
  (* hierconn *) wire \dut.in_valid_q ;
  (* hierconn *) wire [6:0] \dut.valid_q ;
  (* hierconn *) wire [72:0] \dut.in_q ;
  (* hierconn *) wire [72:0] \dut.beat1_q ;
  (* hierconn *) wire [72:0] \dut.beat2_q ;
  (* hierconn *) wire [72:0] \dut.beat3_q ;
  (* hierconn *) wire [72:0] \dut.beat4_q ;
  (* hierconn *) wire [81:0] \dut.u_side.gen_stage[0].data_q ;
  (* hierconn *) wire [81:0] \dut.u_side.gen_stage[1].data_q ;
  (* hierconn *) wire [81:0] \dut.u_side.gen_stage[2].data_q ;
  (* hierconn *) wire [3:0] \dut.u_output.u_queue.write_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_output.u_queue.read_ptr_q ;
  (* hierconn *) wire [4:0] \dut.u_output.u_queue.count_q ;
  (* hierconn *) wire \dut.u_output.valid_i ;
  (* hierconn *) wire \dut.u_output.last_i ;
  (* hierconn *) wire [7:0] \dut.u_output.keep_i ;
  (* hierconn *) wire [63:0] \dut.u_output.data_i ;

  logic initial_q = 1'b1;
  logic push;
  logic [72:0] due;

  always_ff @(posedge clk_i) initial_q <= 1'b0;

  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (73),
    .OutWidth(85),
    .Latency (8),
    .Depth   (16),
    .Check   (Check)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i (initial_q),
    .push_i    (push),
    .waiting_i (2'd0),
    .enter_i   (push),
    .enter_id_i({s_last_i, s_keep_i, s_data_i}),
    .queue_i   (\dut.u_output.valid_i ),
    .same_i    ({\dut.u_output.last_i , \dut.u_output.keep_i , \dut.u_output.data_i } == due),
    .due_o     (due),
    .stages_valid_i({\dut.valid_q , \dut.in_valid_q }),
    .stages_id_i   ({\dut.u_side.gen_stage[2].data_q [72:0],
                       \dut.u_side.gen_stage[1].data_q [72:0],
                       \dut.u_side.gen_stage[0].data_q [72:0],
                       \dut.beat4_q ,
                       \dut.beat3_q ,
                       \dut.beat2_q ,
                       \dut.beat1_q ,
                       \dut.in_q }),
    .queued_i  (4'(\dut.u_output.u_queue.write_ptr_q - \dut.u_output.u_queue.read_ptr_q )),
    .count_i   (\dut.u_output.u_queue.count_q ),
    .data_i    ({m_user, m_last, m_keep, m_data}),
    .valid_i   (m_valid),
    .ready_i   (m_ready_i)
  );

endmodule
