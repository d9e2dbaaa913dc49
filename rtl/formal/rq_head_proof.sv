// SPDX-License-Identifier: Apache-2.0
// rq_head gives a result for every record that it takes, in order, and what X decides of a record is done to that
// record three clocks later. What the memories give may be anything; that they give the right words is qp_context's,
// and what is decided rq_decide's. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of rq_head.go.
module rq_head_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [116:0] s_rec_i,  // as docs/blocks/rq_head.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i
);

  logic s_ready, m_valid;
  logic [96:0] m_rec;

  rq_head #(
    .NumQps(4),
    .Depth (2)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i      (s_rec_i[2:0]),
    .s_qpn_i     (s_rec_i[26:3]),
    .s_queue_i   (s_rec_i[50:27]),
    .s_shared_i  (s_rec_i[51]),
    .s_complete_i(s_rec_i[52]),
    .s_bytes_i   (s_rec_i[84:53]),
    .s_wqe_i     (s_rec_i[116:85]),
    .s_valid_i,
    .s_ready_o   (s_ready),
    .m_qpn_o     (m_rec[23:0]),
    .m_op_o      (m_rec[26:24]),
    .m_present_o (m_rec[27]),
    .m_bytes_o   (m_rec[59:28]),
    .m_wqe_o     (m_rec[91:60]),
    .m_credits_o (m_rec[96:92]),
    .m_valid_o   (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [5:0] \dut.valid_q ;
  (* hierconn *) wire [116:0] \dut.r_q ;
  (* hierconn *) wire [116:0] \dut.f_q ;
  (* hierconn *) wire [116:0] \dut.x_q ;
  (* hierconn *) wire [116:0] \dut.r2_q ;
  (* hierconn *) wire [116:0] \dut.f2_q ;
  (* hierconn *) wire [116:0] \dut.x2_q ;
  (* hierconn *) wire \dut.x_slot ;
  (* hierconn *) wire [11:0] \dut.x_decision ;
  (* hierconn *) wire [11:0] \dut.r2_decision_q ;
  (* hierconn *) wire [11:0] \dut.f2_decision_q ;
  (* hierconn *) wire [11:0] \dut.x2_decision_q ;
  (* hierconn *) wire [63:0] \dut.x2_slot ;
  (* hierconn *) wire [63:0] \dut.x2_held ;
  (* hierconn *) wire [2:0] \dut.u_slots.gen_plain.u_words.r_qpn_i ;
  (* hierconn *) wire [63:0] \dut.u_slots.gen_plain.u_words.x_ctx_i ;
  (* hierconn *) wire \dut.u_slots.gen_plain.u_words.x_we_i ;
  (* hierconn *) wire [63:0] \dut.u_held.gen_plain.u_words.x_ctx_i ;
  (* hierconn *) wire \dut.u_held.gen_plain.u_words.x_we_i ;
  (* hierconn *) wire [2:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [96:0] \dut.u_queue.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [116:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (117),
    .OutWidth(97),
    .Latency (6),
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
    .queue_i       (\dut.u_queue.valid_i ),
    .same_i        (\dut.u_queue.data_i [26:0] == {due[2:0], due[26:3]}),
    .due_o         (due),
    .stages_valid_i(\dut.valid_q ),
    .stages_id_i   ({\dut.x2_q , \dut.f2_q , \dut.r2_q , \dut.x_q , \dut.f_q , \dut.r_q }),
    .queued_i      (3'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i       (\dut.u_queue.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // What X decided in the three clocks before; of a stage that is empty it may be anything.
  logic slot_q;
  logic [1:0] queue_q;
  logic [11:0] one_q, two_q, three_q;
  always_ff @(posedge clk_i) begin
    slot_q  <= \dut.x_slot ;
    queue_q <= \dut.x_q [28:27];
    one_q   <= \dut.x_decision ;
    two_q   <= one_q;
    three_q <= two_q;
  end

  logic stores, shows, is_held, binds, present;
  logic [4:0] credits;
  assign {stores, shows, is_held, binds, present, credits} = three_q[9:0];

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if ((Check[0] || Check[7]) && \dut.valid_q [3]) assert (\dut.r2_decision_q == one_q);
      if ((Check[0] || Check[7]) && \dut.valid_q [4]) assert (\dut.f2_decision_q == two_q);
      if (Check[6] && \dut.valid_q [3]) assert (\dut.u_slots.gen_plain.u_words.r_qpn_i == {queue_q, slot_q});
      if (Check[7]) begin
        assert (\dut.u_slots.gen_plain.u_words.x_we_i == (\dut.valid_q [5] & stores) || !\dut.valid_q [5]);
        assert (\dut.valid_q [5] || (!\dut.u_slots.gen_plain.u_words.x_we_i && !\dut.u_held.gen_plain.u_words.x_we_i ));
        if (\dut.valid_q [5]) begin
          assert (\dut.u_slots.gen_plain.u_words.x_ctx_i == \dut.x2_q [116:53]);
          assert (\dut.u_held.gen_plain.u_words.x_we_i == binds);
          assert (\dut.u_held.gen_plain.u_words.x_ctx_i == \dut.x2_slot );
          assert (\dut.u_queue.data_i [27] == present && \dut.u_queue.data_i [96:92] == credits);
          assert (\dut.u_queue.data_i [91:28] == (!shows ? 64'd0 : is_held ? \dut.x2_held : \dut.x2_slot ));
        end
      end
    end
  end

endmodule
