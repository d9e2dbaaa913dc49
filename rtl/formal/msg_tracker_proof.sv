// SPDX-License-Identifier: Apache-2.0
// msg_tracker gives a result for every record that it takes, in order. The record in R looks up the word of its QP;
// the one in X is decided on by that word, and what is decided is written and said. What the word is, and what is
// decided, may be anything: that they are right is qp_context's and msg_decide's. Check: bits 0 to 5 as pipe_rules has
// them, then one bit a property of msg_tracker.go.
module msg_tracker_proof #(
  parameter logic [8:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [174:0] s_rec_i,  // as docs/blocks/msg_tracker.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i
);

  logic s_ready, m_valid;
  logic [187:0] m_rec;

  msg_tracker #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i        (s_rec_i[2:0]),
    .s_qpn_i       (s_rec_i[26:3]),
    .s_verb_i      (s_rec_i[28:27]),
    .s_first_i     (s_rec_i[29]),
    .s_last_i      (s_rec_i[30]),
    .s_payload_i   (s_rec_i[46:31]),
    .s_va_i        (s_rec_i[110:47]),
    .s_rkey_i      (s_rec_i[142:111]),
    .s_dma_length_i(s_rec_i[174:143]),
    .s_valid_i,
    .s_ready_o     (s_ready),
    .m_qpn_o       (m_rec[23:0]),
    .m_op_o        (m_rec[26:24]),
    .m_found_o     (m_rec[27]),
    .m_va_o        (m_rec[91:28]),
    .m_rkey_o      (m_rec[123:92]),
    .m_offset_o    (m_rec[155:124]),
    .m_left_o      (m_rec[187:156]),
    .m_valid_o     (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_pipe.r_valid_q ;
  (* hierconn *) wire \dut.u_pipe.f_valid_q ;
  (* hierconn *) wire \dut.u_pipe.x_valid_q ;
  (* hierconn *) wire [174:0] \dut.u_pipe.r_q ;
  (* hierconn *) wire [174:0] \dut.u_pipe.f_q ;
  (* hierconn *) wire [174:0] \dut.u_pipe.x_q ;
  (* hierconn *) wire \dut.f_in_range_q ;
  (* hierconn *) wire [1:0] \dut.gen_plain.u_context.r_qpn_i ;
  (* hierconn *) wire [161:0] \dut.gen_plain.u_context.x_ctx_o ;
  (* hierconn *) wire [161:0] \dut.gen_plain.u_context.x_ctx_i ;
  (* hierconn *) wire \dut.gen_plain.u_context.x_we_i ;
  (* hierconn *) wire [174:0] \dut.u_decide.rec_i ;
  (* hierconn *) wire \dut.u_decide.in_range_i ;
  (* hierconn *) wire [161:0] \dut.u_decide.ctx_i ;
  (* hierconn *) wire [161:0] \dut.u_decide.ctx_o ;
  (* hierconn *) wire [187:0] \dut.u_decide.result_o ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_pipe.u_queue.count_q ;
  (* hierconn *) wire \dut.u_pipe.u_queue.valid_i ;
  (* hierconn *) wire [187:0] \dut.u_pipe.u_queue.data_i ;
  (* hierconn *) wire [187:0] \dut.u_pipe.u_queue.m_data_o ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [174:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (175),
    .OutWidth(188),
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
    .enter_id_i    (s_rec_i),
    .queue_i       (\dut.u_pipe.u_queue.valid_i ),
    .same_i        (\dut.u_decide.rec_i == due && \dut.u_pipe.u_queue.data_i == \dut.u_decide.result_o ),
    .due_o         (due),
    .stages_valid_i({\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q }),
    .stages_id_i   ({\dut.u_pipe.x_q , \dut.u_pipe.f_q , \dut.u_pipe.r_q }),
    .queued_i      (3'(\dut.u_pipe.u_queue.write_ptr_q - \dut.u_pipe.u_queue.read_ptr_q )),
    .count_i       (\dut.u_pipe.u_queue.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // The QP of the record that was accepted a clock before, two and three.
  logic [2:0] entered_q;
  logic [23:0] one_q, two_q, three_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entered_q <= '0;
    else entered_q <= {entered_q[1:0], push};
  end
  always_ff @(posedge clk_i) begin
    one_q   <= s_rec_i[26:3];
    two_q   <= one_q;
    three_q <= two_q;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (entered_q == {\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q });
        if (entered_q[0]) assert (\dut.u_pipe.r_q [26:3] == one_q);
        if (entered_q[1]) assert (\dut.f_in_range_q == (two_q < 24'd4));
      end
      if (Check[6] && entered_q[0]) assert (\dut.gen_plain.u_context.r_qpn_i == one_q[1:0]);
      if (Check[7]) begin
        assert (\dut.gen_plain.u_context.x_we_i == entered_q[2]);
        if (entered_q[2]) begin
          assert (\dut.u_decide.in_range_i == (three_q < 24'd4));
          assert (\dut.u_decide.ctx_i == \dut.gen_plain.u_context.x_ctx_o &&
                  \dut.gen_plain.u_context.x_ctx_i == \dut.u_decide.ctx_o );
        end
      end
      if (Check[8]) assert (m_rec == \dut.u_pipe.u_queue.m_data_o );
    end
  end

endmodule
