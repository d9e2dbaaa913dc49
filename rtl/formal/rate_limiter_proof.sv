// SPDX-License-Identifier: Apache-2.0
// rate_limiter gives a result for every record that it takes, in order. The record in R looks up the word of its
// QP; the one in X is decided on by that word and the law, as the operations before it left it, and what is decided
// is written and said. What the word is, and what is decided, may be anything: that they are right is qp_context's and
// rate_decide's. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of rate_limiter.go.
module rate_limiter_proof #(
  parameter logic [9:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [135:0] s_rec_i,  // as docs/blocks/rate_limiter.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i
);

  logic s_ready, m_valid;
  logic [45:0] m_rec;

  rate_limiter #(
    .NumQps    (4),
    .StampWidth(8)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i(s_rec_i[2:0]),
    .s_qpn_i(s_rec_i[26:3]),
    .s_bytes_i(s_rec_i[39:27]),
    .s_pace_i(s_rec_i[55:40]),
    .s_period_i(s_rec_i[87:56]),
    .s_forget_i(s_rec_i[119:88]),
    .s_cut_i(s_rec_i[127:120]),
    .s_raise_i(s_rec_i[135:128]),
    .s_valid_i,
    .s_ready_o(s_ready),
    .m_qpn_o(m_rec[23:0]),
    .m_op_o(m_rec[26:24]),
    .m_why_o(m_rec[29:27]),
    .m_pace_o(m_rec[45:30]),
    .m_valid_o(m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_pipe.r_valid_q ;
  (* hierconn *) wire \dut.u_pipe.f_valid_q ;
  (* hierconn *) wire \dut.u_pipe.x_valid_q ;
  (* hierconn *) wire [135:0] \dut.u_pipe.r_q ;
  (* hierconn *) wire [135:0] \dut.u_pipe.f_q ;
  (* hierconn *) wire [135:0] \dut.u_pipe.x_q ;
  (* hierconn *) wire \dut.r_visit ;
  (* hierconn *) wire \dut.x_visit ;
  (* hierconn *) wire [7:0] \dut.now ;
  (* hierconn *) wire [1:0] \dut.u_context.r_qpn_i ;
  (* hierconn *) wire [91:0] \dut.u_context.x_ctx_o ;
  (* hierconn *) wire [91:0] \dut.u_context.x_ctx_i ;
  (* hierconn *) wire \dut.u_context.x_we_i ;
  (* hierconn *) wire [135:0] \dut.u_decide.rec_i ;
  (* hierconn *) wire \dut.u_decide.valid_i ;
  (* hierconn *) wire \dut.u_decide.visit_i ;
  (* hierconn *) wire [75:0] \dut.u_decide.ctx_i ;
  (* hierconn *) wire [7:0] \dut.u_decide.next_i ;
  (* hierconn *) wire [7:0] \dut.u_decide.change_i ;
  (* hierconn *) wire [7:0] \dut.u_decide.now_i ;
  (* hierconn *) wire [6:0] \dut.u_decide.period_i ;
  (* hierconn *) wire [6:0] \dut.u_decide.forget_i ;
  (* hierconn *) wire [31:0] \dut.u_decide.factors_i ;
  (* hierconn *) wire [75:0] \dut.u_decide.ctx_o ;
  (* hierconn *) wire [7:0] \dut.u_decide.next_o ;
  (* hierconn *) wire [7:0] \dut.u_decide.change_o ;
  (* hierconn *) wire \dut.u_decide.we_o ;
  (* hierconn *) wire \dut.u_decide.law_we_o ;
  (* hierconn *) wire [45:0] \dut.u_decide.result_o ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_pipe.u_queue.count_q ;
  (* hierconn *) wire \dut.u_pipe.u_queue.valid_i ;
  (* hierconn *) wire [45:0] \dut.u_pipe.u_queue.data_i ;
  (* hierconn *) wire [45:0] \dut.u_pipe.u_queue.m_data_o ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [135:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (136),
    .OutWidth(46),
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

  // Is a record in R, F and X; the number of the one in R; the law, by what was decided to be written.
  logic [2:0] entered_q;
  logic [23:0] one_q;
  logic [45:0] law_q;  // slowest, raise, cut, forget, period

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entered_q <= '0;
    else entered_q <= {entered_q[1:0], push};
  end
  always_ff @(posedge clk_i) one_q <= s_rec_i[26:3];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) law_q <= {16'hFFFF, 30'd0};
    else if (\dut.u_decide.law_we_o )
      law_q <= {due[55:40] == '0 ? 16'hFFFF : due[55:40], due[135:120], due[94:88], due[62:56]};
  end

  always_ff @(posedge clk_i) begin
    // A bubble decides nothing: rate_decide's.
    if (!entered_q[2]) assume (!\dut.u_decide.law_we_o );
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (entered_q == {\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q });
        if (entered_q[0]) assert (\dut.u_pipe.r_q [26:3] == one_q);
      end
      if (Check[6] && entered_q[0] && !\dut.r_visit ) assert (\dut.u_context.r_qpn_i == one_q[1:0]);
      if (Check[7]) begin
        assert (\dut.u_context.x_we_i == \dut.u_decide.we_o );
        assert ({\dut.u_decide.ctx_i , \dut.u_decide.next_i , \dut.u_decide.change_i } == \dut.u_context.x_ctx_o );
        assert (\dut.u_context.x_ctx_i ==
                {\dut.u_decide.ctx_o , \dut.u_decide.next_o , \dut.u_decide.change_o });
        assert (\dut.u_decide.valid_i == entered_q[2] && \dut.u_decide.visit_i == \dut.x_visit );
        assert (\dut.u_decide.now_i == \dut.now );
      end
      if (Check[8]) assert (m_rec == \dut.u_pipe.u_queue.m_data_o );
      if (Check[9]) begin
        if (entered_q[2]) assert (\dut.u_decide.rec_i == due);
        assert ({\dut.u_decide.factors_i , \dut.u_decide.forget_i , \dut.u_decide.period_i } == law_q);
      end
    end
  end

endmodule
