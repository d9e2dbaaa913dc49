// SPDX-License-Identifier: Apache-2.0
// record_pipe gives a result for every record that it takes, in order, the one that was handed in while that record
// stood in X. What stands in R and X is the record of two clocks less and more. Nothing in it looks at data.
module record_pipe_proof #(
  parameter logic [6:0] Check = '1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       open_i,
  input logic [3:0] s_data_i,
  input logic       s_valid_i,
  input logic [3:0] x_result_i,
  input logic       m_ready_i
);

  logic s_ready, x_valid, m_valid;
  logic [3:0] r_data, x_data, m_data;

  record_pipe #(
    .Width   (4),
    .OutWidth(4),
    .Depth   (8)
  ) dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .s_data_i,
    .s_valid_i,
    .s_ready_o (s_ready),
    .r_data_o  (r_data),
    .x_data_o  (x_data),
    .x_valid_o (x_valid),
    .x_result_i,
    .m_data_o  (m_data),
    .m_valid_o (m_valid),
    .m_ready_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.r_valid_q ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire [3:0] \dut.r_q ;
  (* hierconn *) wire [3:0] \dut.f_q ;
  (* hierconn *) wire [3:0] \dut.x_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [3:0] \dut.u_queue.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [3:0] due, r_due_q;
  assign push = s_valid_i & s_ready;
  always_ff @(posedge clk_i) r_due_q <= s_data_i;

  pipe_rules #(
    .Width   (4),
    .OutWidth(4),
    .Latency (3),
    .Depth   (8),
    .Check   (Check[5:0])
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (push),
    .waiting_i     (2'd0),
    .enter_i       (push),
    .enter_id_i    (s_data_i),
    .queue_i       (\dut.u_queue.valid_i ),
    .same_i        (x_data == due && \dut.u_queue.data_i == x_result_i),
    .due_o         (due),
    .stages_valid_i({\dut.x_valid_q , \dut.f_valid_q , \dut.r_valid_q }),
    .stages_id_i   ({\dut.x_q , \dut.f_q , \dut.r_q }),
    .queued_i      (3'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i       (\dut.u_queue.count_q ),
    .data_i        (m_data),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  logic pushed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pushed_q <= 1'b0;
    else pushed_q <= push;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[6]) begin
      assert (!s_ready || open_i);
      if (pushed_q) assert (r_data == r_due_q);
    end
  end

endmodule
