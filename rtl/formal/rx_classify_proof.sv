// SPDX-License-Identifier: Apache-2.0
// rx_classify gives a result for every record that it takes, in order. The record in R looks up the word of its QP; the
// one in X is decided on by that word and by the port's tables, as the operations before it left them, and what is
// decided is written and said. What the word is, and what is decided, may be anything: that they are right is
// qp_context's and rx_admit's. One entry of the tables is watched, chosen by the solver once. Check: bits 0 to 5 as
// pipe_rules has them, then one bit a property of rx_classify.go.
module rx_classify_proof #(
  parameter logic [9:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [435:0] s_rec_i,  // as docs/blocks/rx_classify.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic [3:0]   watch_i
);

  logic s_ready, m_valid;
  logic [133:0] m_rec;

  rx_classify #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i     (s_rec_i[2:0]),
    .s_reason_i (s_rec_i[6:3]),
    .s_encap_i  (s_rec_i[9:7]),
    .s_opcode_i (s_rec_i[17:10]),
    .s_dest_qp_i(s_rec_i[41:18]),
    .s_pkey_i   (s_rec_i[57:42]),
    .s_slid_i   (s_rec_i[73:58]),
    .s_dlid_i   (s_rec_i[89:74]),
    .s_entry_i  (s_rec_i[93:90]),
    .s_service_i(s_rec_i[95:94]),
    .s_live_i   (s_rec_i[96]),
    .s_global_i (s_rec_i[97]),
    .s_src_i    (s_rec_i[225:98]),
    .s_dst_i    (s_rec_i[353:226]),
    .s_queue_i  (s_rec_i[377:354]),
    .s_shared_i (s_rec_i[378]),
    .s_pd_i     (s_rec_i[402:379]),
    .s_whole_write_i(s_rec_i[403]),
    .s_qkey_i   (s_rec_i[435:404]),
    .s_valid_i,
    .s_ready_o  (s_ready),
    .m_qpn_o    (m_rec[23:0]),
    .m_pkey_o   (m_rec[39:24]),
    .m_class_o  (m_rec[42:40]),
    .m_why_o    (m_rec[46:43]),
    .m_op_o     (m_rec[49:47]),
    .m_service_o(m_rec[51:50]),
    .m_queue_o  (m_rec[75:52]),
    .m_shared_o (m_rec[76]),
    .m_pd_o     (m_rec[100:77]),
    .m_whole_write_o(m_rec[101]),
    .m_qkey_o   (m_rec[133:102]),
    .m_valid_o  (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_pipe.r_valid_q ;
  (* hierconn *) wire \dut.u_pipe.f_valid_q ;
  (* hierconn *) wire \dut.u_pipe.x_valid_q ;
  (* hierconn *) wire [435:0] \dut.u_pipe.r_q ;
  (* hierconn *) wire [435:0] \dut.u_pipe.f_q ;
  (* hierconn *) wire [435:0] \dut.u_pipe.x_q ;
  (* hierconn *) wire [1:0] \dut.gen_plain.u_context.r_qpn_i ;
  (* hierconn *) wire [242:0] \dut.gen_plain.u_context.x_ctx_o ;
  (* hierconn *) wire [242:0] \dut.gen_plain.u_context.x_ctx_i ;
  (* hierconn *) wire \dut.gen_plain.u_context.x_we_i ;
  (* hierconn *) wire [435:0] \dut.u_admit.rec_i ;
  (* hierconn *) wire [242:0] \dut.u_admit.ctx_i ;
  (* hierconn *) wire [511:0] \dut.u_admit.own_i ;
  (* hierconn *) wire [255:0] \dut.u_admit.pkeys_i ;
  (* hierconn *) wire [242:0] \dut.u_admit.ctx_o ;
  (* hierconn *) wire \dut.u_admit.own_we_o ;
  (* hierconn *) wire \dut.u_admit.pkey_we_o ;
  (* hierconn *) wire [133:0] \dut.u_admit.result_o ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_pipe.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_pipe.u_queue.count_q ;
  (* hierconn *) wire \dut.u_pipe.u_queue.valid_i ;
  (* hierconn *) wire [133:0] \dut.u_pipe.u_queue.data_i ;
  (* hierconn *) wire [133:0] \dut.u_pipe.u_queue.m_data_o ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [435:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (436),
    .OutWidth(134),
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
    .same_i        (\dut.u_admit.rec_i == due && \dut.u_pipe.u_queue.data_i == \dut.u_admit.result_o ),
    .due_o         (due),
    .stages_valid_i({\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q }),
    .stages_id_i   ({\dut.u_pipe.x_q , \dut.u_pipe.f_q , \dut.u_pipe.r_q }),
    .queued_i      (3'(\dut.u_pipe.u_queue.write_ptr_q - \dut.u_pipe.u_queue.read_ptr_q )),
    .count_i       (\dut.u_pipe.u_queue.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // Is a record in R, F and X; and the entry that is watched, by what was decided to be written.
  logic [2:0] entered_q;
  logic [23:0] one_q;
  logic [3:0] watch_q;
  logic [127:0] own_q;
  logic [15:0] pkey_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entered_q <= '0;
    else entered_q <= {entered_q[1:0], push};
  end
  always_ff @(posedge clk_i) begin
    one_q <= s_rec_i[41:18];
    if (initial_q) watch_q <= watch_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {own_q, pkey_q} <= '0;
    else if (entered_q[2]) begin
      if (\dut.u_admit.own_we_o && due[91:90] == watch_q[1:0]) own_q <= due[225:98];
      if (\dut.u_admit.pkey_we_o && due[93:90] == watch_q) pkey_q <= due[57:42];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (entered_q == {\dut.u_pipe.x_valid_q , \dut.u_pipe.f_valid_q , \dut.u_pipe.r_valid_q });
        if (entered_q[0]) assert (\dut.u_pipe.r_q [41:18] == one_q);
      end
      if (Check[6] && entered_q[0]) assert (\dut.gen_plain.u_context.r_qpn_i == one_q[1:0]);
      if (Check[7]) begin
        assert (\dut.gen_plain.u_context.x_we_i == entered_q[2]);
        if (entered_q[2]) begin
          assert (\dut.u_admit.ctx_i == \dut.gen_plain.u_context.x_ctx_o &&
                  \dut.gen_plain.u_context.x_ctx_i == \dut.u_admit.ctx_o );
        end
      end
      if (Check[8]) assert (m_rec == \dut.u_pipe.u_queue.m_data_o );
      if (Check[9]) begin
        // For the tables, the record in X has to be the one that is due.
        if (entered_q[2]) assert (\dut.u_admit.rec_i == due);
        assert (\dut.u_admit.own_i [128*watch_q[1:0]+:128] == own_q);
        assert (\dut.u_admit.pkeys_i [16*watch_q+:16] == pkey_q);
      end
    end
  end

endmodule
