// SPDX-License-Identifier: Apache-2.0
// rq_head gives a result for every record that it takes, in order, and what X decides of a record is done to that
// record three clocks later. What the memories give may be anything; that they give the right words is qp_context's,
// with Ecc qp_context_ecc's and ecc_orders', what is decided rq_decide's, and what leaves of it with Ecc rq_ecc's.
// Check: bits 0 to 5 as pipe_rules has them, then one bit a property of rq_head.go.
module rq_head_proof #(
  parameter int unsigned Ecc = 0,
  parameter logic [10:0] Check = '1
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
    .Depth (2),
    .Ecc   (Ecc)
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
  (* hierconn *) wire \dut.r2_slot_q ;
  (* hierconn *) wire \dut.f2_slot_q ;
  (* hierconn *) wire \dut.x2_slot_q ;
  (* hierconn *) wire [11:0] \dut.x_decision ;
  (* hierconn *) wire [11:0] \dut.r2_decision_q ;
  (* hierconn *) wire [11:0] \dut.f2_decision_q ;
  (* hierconn *) wire [11:0] \dut.x2_decision_q ;
  (* hierconn *) wire [63:0] \dut.x2_slot ;
  (* hierconn *) wire [63:0] \dut.x2_held ;
  (* hierconn *) wire [96:0] \dut.x2_decided ;
  (* hierconn *) wire \dut.x2_slot_lost ;
  (* hierconn *) wire \dut.x2_held_lost ;
  (* hierconn *) wire \dut.x_looks_queue ;
  (* hierconn *) wire \dut.x_renews_queue ;
  (* hierconn *) wire \dut.x_queue_lost ;
  (* hierconn *) wire \dut.x_looks_qp ;
  (* hierconn *) wire \dut.x_renews_qp ;
  (* hierconn *) wire \dut.x_qp_lost ;
  (* hierconn *) wire [3:0] \dut.injects ;
  (* hierconn *) wire [3:0] \dut.inject_ok ;
  (* hierconn *) wire [47:0] \dut.queue_counts ;
  (* hierconn *) wire [47:0] \dut.qp_counts ;
  (* hierconn *) wire [47:0] \dut.slot_counts ;
  (* hierconn *) wire [47:0] \dut.held_counts ;
  (* hierconn *) wire \dut.u_queues.x_writes_i ;
  (* hierconn *) wire \dut.u_qps.x_writes_i ;
  (* hierconn *) wire [2:0] \dut.u_slots.s_index_i ;
  (* hierconn *) wire [2:0] \dut.u_slots.x_index_i ;
  (* hierconn *) wire [63:0] \dut.u_slots.x_ctx_i ;
  (* hierconn *) wire \dut.u_slots.x_writes_i ;
  (* hierconn *) wire [1:0] \dut.u_held.x_index_i ;
  (* hierconn *) wire [63:0] \dut.u_held.x_ctx_i ;
  (* hierconn *) wire \dut.u_held.x_writes_i ;
  (* hierconn *) wire \dut.u_held.x_poison_i ;
  (* hierconn *) wire [1:0] \dut.gen_ecc.r2_ok_q ;
  (* hierconn *) wire [1:0] \dut.gen_ecc.f2_ok_q ;
  (* hierconn *) wire [47:0] \dut.gen_ecc.r2_counts_q ;
  (* hierconn *) wire [47:0] \dut.gen_ecc.f2_counts_q ;
  (* hierconn *) wire [116:0] \dut.gen_ecc.u_ecc.rec_i ;
  (* hierconn *) wire [11:0] \dut.gen_ecc.u_ecc.decision_i ;
  (* hierconn *) wire \dut.gen_ecc.u_ecc.slot_lost_i ;
  (* hierconn *) wire \dut.gen_ecc.u_ecc.held_lost_i ;
  (* hierconn *) wire [3:0] \dut.gen_ecc.u_ecc.inject_ok_i ;
  (* hierconn *) wire [47:0] \dut.gen_ecc.u_ecc.counts_i ;
  (* hierconn *) wire [96:0] \dut.gen_ecc.u_ecc.result_i ;
  (* hierconn *) wire [96:0] \dut.gen_ecc.u_ecc.result_o ;
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
  logic slot1_q, slot2_q, slot3_q;
  logic [11:0] one_q, two_q, three_q;
  always_ff @(posedge clk_i) begin
    {slot3_q, slot2_q, slot1_q} <= {slot2_q, slot1_q, \dut.x_slot };
    {three_q, two_q, one_q}     <= {two_q, one_q, \dut.x_decision };
  end

  logic stores, shows, is_held, binds, present;
  logic [4:0] credits;
  assign {stores, shows, is_held, binds, present, credits} = three_q[9:0];

  logic x, x2;  // they hold a record
  assign x  = \dut.valid_q [2];
  assign x2 = \dut.valid_q [5];

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if ((Check[0] || Check[7]) && \dut.valid_q [3]) assert (\dut.r2_decision_q == one_q);
      if ((Check[0] || Check[7]) && \dut.valid_q [4]) assert (\dut.f2_decision_q == two_q);
      if (Check[0] && x2) assert (\dut.x2_decision_q == three_q);
      if (Check[0] && \dut.valid_q [3]) assert (\dut.r2_slot_q == slot1_q);
      if (Check[0] && \dut.valid_q [4]) assert (\dut.f2_slot_q == slot2_q);
      if (Check[0] && x2) assert (\dut.x2_slot_q == slot3_q);
      if (Check[6] && x) assert (\dut.u_slots.s_index_i == {\dut.x_q [28:27], \dut.x_slot });
      if (Check[6] && x2) begin
        assert (\dut.u_slots.x_index_i == {\dut.x2_q [28:27], slot3_q});
        assert (\dut.u_held.x_index_i == \dut.x2_q [4:3]);
      end
      if (Check[7]) begin
        assert (x2 || (!\dut.u_slots.x_writes_i && !\dut.u_held.x_writes_i ));
        if (x2) begin
          assert (\dut.u_slots.x_writes_i == stores);
          assert (\dut.u_slots.x_ctx_i == \dut.x2_q [116:53]);
          assert (\dut.u_held.x_writes_i == binds);
          assert (\dut.u_held.x_ctx_i == \dut.x2_slot );
          assert (\dut.x2_decided [27] == present && \dut.x2_decided [96:92] == credits);
          assert (\dut.x2_decided [91:28] == (!shows ? 64'd0 : is_held ? \dut.x2_held : \dut.x2_slot ));
          if (Ecc == 0) assert (\dut.u_queue.data_i == \dut.x2_decided );
        end
      end
    end
  end

  // With Ecc: what the memories of the first half said of an order, and what the named one of them has counted.
  if (Ecc == 1) begin : gen_ecc
    logic [1:0] ok1_q, ok2_q, ok3_q;
    logic [47:0] counts1_q, counts2_q, counts3_q, counts_d;
    assign counts_d = \dut.x_q [85] ? \dut.qp_counts : \dut.queue_counts ;
    always_ff @(posedge clk_i) begin
      {ok3_q, ok2_q, ok1_q}             <= {ok2_q, ok1_q, \dut.inject_ok [1:0]};
      {counts3_q, counts2_q, counts1_q} <= {counts2_q, counts1_q, counts_d};
    end

    always_ff @(posedge clk_i) begin
      if (!initial_q && rst_ni) begin
        if (Check[0] && \dut.valid_q [3])
          assert (\dut.gen_ecc.r2_ok_q == ok1_q && \dut.gen_ecc.r2_counts_q == counts1_q);
        if (Check[0] && \dut.valid_q [4])
          assert (\dut.gen_ecc.f2_ok_q == ok2_q && \dut.gen_ecc.f2_counts_q == counts2_q);
        if (Check[8] && x2) begin
          assert (\dut.gen_ecc.u_ecc.rec_i == \dut.x2_q && \dut.gen_ecc.u_ecc.decision_i == three_q);
          assert (\dut.gen_ecc.u_ecc.slot_lost_i == \dut.x2_slot_lost );
          assert (\dut.gen_ecc.u_ecc.held_lost_i == \dut.x2_held_lost );
          assert (\dut.gen_ecc.u_ecc.inject_ok_i == {\dut.inject_ok [3:2], ok3_q});
          if (!\dut.x2_q [86]) assert (\dut.gen_ecc.u_ecc.counts_i == counts3_q);
          else if (\dut.x2_q [85]) assert (\dut.gen_ecc.u_ecc.counts_i == \dut.held_counts );
          else assert (\dut.gen_ecc.u_ecc.counts_i == \dut.slot_counts );
          assert (\dut.gen_ecc.u_ecc.result_i == \dut.x2_decided );
          assert (\dut.u_queue.data_i == \dut.gen_ecc.u_ecc.result_o );
        end
        if (Check[9]) begin
          assert (\dut.u_queues.x_writes_i ==
                  (x && \dut.x_looks_queue && (!\dut.x_queue_lost || \dut.x_renews_queue )));
          assert (\dut.u_qps.x_writes_i == (x && \dut.x_looks_qp && (!\dut.x_qp_lost || \dut.x_renews_qp )));
          assert (\dut.u_held.x_poison_i == (x2 && binds && \dut.x2_slot_lost ));
        end
        if (Check[10]) begin
          assert (\dut.injects [0] == (x && \dut.x_decision [10] && \dut.x_q [86:85] == 2'd0));
          assert (\dut.injects [1] == (x && \dut.x_decision [10] && \dut.x_q [86:85] == 2'd1));
          assert (\dut.injects [2] == (x2 && three_q[10] && \dut.x2_q [86:85] == 2'd2));
          assert (\dut.injects [3] == (x2 && three_q[10] && \dut.x2_q [86:85] == 2'd3));
        end
      end
    end
  end

endmodule
