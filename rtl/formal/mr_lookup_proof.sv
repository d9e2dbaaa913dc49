// SPDX-License-Identifier: Apache-2.0
// mr_lookup gives a result for every record that it takes, in order. The record in R looks up the word of its key; the
// one in X is decided on by that word and by the sums of its own numbers, and what is decided is written and said. What
// the word is, and what is decided, may be anything: that they are right is qp_context's and mr_decide's. Check: bits 0
// to 5 as pipe_rules has them, then one bit a property of mr_lookup.go.
module mr_lookup_proof #(
  parameter logic [8:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [257:0] s_rec_i,  // as docs/blocks/mr_lookup.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i
);

  logic s_ready, m_valid;
  logic [102:0] m_rec;

  mr_lookup #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i     (s_rec_i[2:0]),
    .s_rkey_i   (s_rec_i[34:3]),
    .s_pd_i     (s_rec_i[58:35]),
    .s_va_i     (s_rec_i[122:59]),
    .s_length_i (s_rec_i[186:123]),
    .s_need_i   (s_rec_i[191:187]),
    .s_whole_i  (s_rec_i[192]),
    .s_window_i (s_rec_i[193]),
    .s_base_i   (s_rec_i[257:194]),
    .s_valid_i,
    .s_ready_o  (s_ready),
    .m_address_o(m_rec[63:0]),
    .m_rkey_o   (m_rec[95:64]),
    .m_op_o     (m_rec[98:96]),
    .m_ok_o     (m_rec[99]),
    .m_why_o    (m_rec[102:100]),
    .m_valid_o  (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_pipe.r_valid_q ;
  (* hierconn *) wire \dut.u_pipe.f_valid_q ;
  (* hierconn *) wire \dut.u_pipe.x_valid_q ;
  (* hierconn *) wire [257:0] \dut.u_pipe.r_q ;
  (* hierconn *) wire [257:0] \dut.u_pipe.f_q ;
  (* hierconn *) wire [257:0] \dut.u_pipe.x_q ;
  (* hierconn *) wire [129:0] \dut.f_sums_q ;
  (* hierconn *) wire [1:0] \dut.gen_plain.u_context.r_qpn_i ;
  (* hierconn *) wire [255:0] \dut.gen_plain.u_context.x_ctx_o ;
  (* hierconn *) wire [255:0] \dut.gen_plain.u_context.x_ctx_i ;
  (* hierconn *) wire \dut.gen_plain.u_context.x_we_i ;
  (* hierconn *) wire [257:0] \dut.u_decide.rec_i ;
  (* hierconn *) wire [129:0] \dut.u_decide.sums_i ;
  (* hierconn *) wire [255:0] \dut.u_decide.ctx_i ;
  (* hierconn *) wire [255:0] \dut.u_decide.ctx_o ;
  (* hierconn *) wire [102:0] \dut.u_decide.result_o ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_pipe.u_queue.count_q ;
  (* hierconn *) wire \dut.u_pipe.u_queue.valid_i ;
  (* hierconn *) wire [102:0] \dut.u_pipe.u_queue.data_i ;
  (* hierconn *) wire [102:0] \dut.u_pipe.u_queue.m_data_o ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [257:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (258),
    .OutWidth(103),
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

  // Is a record in R, F and X, and what it says by its numbers: past, delta and empty.
  logic [2:0] entered_q;
  logic [31:0] rkey_q;
  logic [63:0] va, length;
  logic [129:0] sums, one_q, two_q;
  assign va     = \dut.u_pipe.r_q [122:59];
  assign length = \dut.u_pipe.r_q [186:123];
  assign sums   = {{1'b0, va} + {1'b0, length}, \dut.u_pipe.r_q [257:194] - va, length == 64'd0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entered_q <= '0;
    else entered_q <= {entered_q[1:0], push};
  end
  always_ff @(posedge clk_i) begin
    rkey_q <= s_rec_i[34:3];
    one_q  <= sums;
    two_q  <= one_q;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (entered_q == {\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q });
        if (entered_q[0]) assert (\dut.u_pipe.r_q [34:3] == rkey_q);
        if (entered_q[1]) assert (\dut.f_sums_q == one_q);
      end
      if (Check[6] && entered_q[0]) assert (\dut.gen_plain.u_context.r_qpn_i == rkey_q[9:8]);
      if (Check[7]) begin
        assert (\dut.gen_plain.u_context.x_we_i == entered_q[2]);
        if (entered_q[2]) begin
          assert (\dut.u_decide.sums_i == two_q);
          assert (\dut.u_decide.ctx_i == \dut.gen_plain.u_context.x_ctx_o &&
                  \dut.gen_plain.u_context.x_ctx_i == \dut.u_decide.ctx_o );
        end
      end
      if (Check[8]) assert (m_rec == \dut.u_pipe.u_queue.m_data_o );
    end
  end

endmodule
