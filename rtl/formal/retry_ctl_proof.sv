// SPDX-License-Identifier: Apache-2.0
// retry_ctl gives an answer for every record that it takes, in order, and what X decides of a record is what leaves.
// What the memory gives may be anything; that it gives the right words is qp_context's, and what is decided
// retry_decide's. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of retry_ctl.go.
module retry_ctl_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        forever_i,
  input logic [91:0] s_rec_i,  // as docs/blocks/retry_ctl.md lays it out
  input logic        s_valid_i,
  input logic        m_ready_i
);

  logic s_ready, m_valid;
  logic [104:0] m_rec;

  retry_ctl #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .retry7_forever_i(forever_i),
    .s_qpn_i         (s_rec_i[23:0]),
    .s_op_i          (s_rec_i[26:24]),
    .s_una_i         (s_rec_i[50:27]),
    .s_action_i      (s_rec_i[53:51]),
    .s_why_i         (s_rec_i[58:54]),
    .s_region_i      (s_rec_i[60:59]),
    .s_syndrome_i    (s_rec_i[68:61]),
    .s_progress_i    (s_rec_i[69]),
    .s_idle_i        (s_rec_i[70]),
    .s_gen_i         (s_rec_i[78:71]),
    .s_rnr_i         (s_rec_i[79]),
    .s_code_i        (s_rec_i[84:80]),
    .s_retry_cnt_i   (s_rec_i[87:85]),
    .s_rnr_retry_i   (s_rec_i[90:88]),
    .s_any_answer_i  (s_rec_i[91]),
    .s_valid_i,
    .s_ready_o       (s_ready),
    .m_qpn_o         (m_rec[23:0]),
    .m_op_o          (m_rec[26:24]),
    .m_una_o         (m_rec[50:27]),
    .m_order_o       (m_rec[53:51]),
    .m_cause_o       (m_rec[56:54]),
    .m_status_o      (m_rec[60:57]),
    .m_why_o         (m_rec[63:61]),
    .m_progress_o    (m_rec[64]),
    .m_first_o       (m_rec[66:65]),
    .m_timer_o       (m_rec[67]),
    .m_timer_op_o    (m_rec[70:68]),
    .m_code_o        (m_rec[75:71]),
    .m_wait_code_o   (m_rec[80:76]),
    .m_gen_o         (m_rec[88:81]),
    .m_retry_cnt_o   (m_rec[91:89]),
    .m_rnr_retry_o   (m_rec[94:92]),
    .m_ask_o         (m_rec[96:95]),
    .m_waiting_o     (m_rec[97]),
    .m_retrying_o    (m_rec[98]),
    .m_retries_o     (m_rec[101:99]),
    .m_rnr_retries_o (m_rec[104:102]),
    .m_valid_o       (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [3:0] \dut.valid_q ;
  (* hierconn *) wire [91:0] \dut.r_q ;
  (* hierconn *) wire [91:0] \dut.f_q ;
  (* hierconn *) wire [91:0] \dut.x_q ;
  (* hierconn *) wire [104:0] \dut.y_q ;
  (* hierconn *) wire \dut.f_known_q ;
  (* hierconn *) wire \dut.x_known_q ;
  (* hierconn *) wire [104:0] \dut.x_result ;
  (* hierconn *) wire [53:0] \dut.x_state_d ;
  (* hierconn *) wire \dut.u_context.x_we_i ;
  (* hierconn *) wire [53:0] \dut.u_context.x_ctx_i ;
  (* hierconn *) wire [1:0] \dut.u_context.r_qpn_i ;
  (* hierconn *) wire [2:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [104:0] \dut.u_queue.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [26:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (27),
    .OutWidth(105),
    .Latency (4),
    .Depth   (8),
    .Check   (Check[5:0])
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (push),
    .waiting_i     (2'd0),
    .enter_i       (push),
    .enter_id_i    (s_rec_i[26:0]),
    .queue_i       (\dut.u_queue.valid_i ),
    .same_i        (\dut.u_queue.data_i [26:0] == due),
    .due_o         (due),
    .stages_valid_i(\dut.valid_q ),
    .stages_id_i   ({\dut.y_q [26:0], \dut.x_q [26:0], \dut.f_q [26:0], \dut.r_q [26:0]}),
    .queued_i      (3'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i       (\dut.u_queue.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // What came one to three clocks before, and what X decided; of a stage that is empty it may be anything.
  logic [91:0] one_q, two_q, three_q;
  logic [104:0] result_q;
  always_ff @(posedge clk_i) begin
    one_q    <= s_rec_i;
    two_q    <= one_q;
    three_q  <= two_q;
    result_q <= \dut.x_result ;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[6]) begin
        if (\dut.valid_q [0]) assert (\dut.r_q == one_q && \dut.u_context.r_qpn_i == one_q[1:0]);
        if (\dut.valid_q [1]) assert (\dut.f_q == two_q && \dut.f_known_q == (two_q[23:2] == '0));
        if (\dut.valid_q [2]) assert (\dut.x_q == three_q && \dut.x_known_q == (three_q[23:2] == '0));
        assert (\dut.u_context.x_we_i == (\dut.valid_q [2] && \dut.x_known_q ));
        assert (\dut.u_context.x_ctx_i == \dut.x_state_d );
      end
      if (Check[7] && \dut.valid_q [3]) assert (\dut.u_queue.data_i == result_q);
    end
  end

endmodule
