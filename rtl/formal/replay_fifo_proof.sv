// SPDX-License-Identifier: Apache-2.0
// replay_fifo gives a result for every record that it takes, in order, and what X decides of a record is done to that
// record three clocks later, its range held against the original's two clocks behind. What the memories give may be
// anything; that they give the right words is qp_context's, with Ecc qp_context_ecc's and ecc_orders', and what leaves
// of a decision with Ecc replay_ecc's. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of
// replay_fifo.go.
module replay_fifo_proof #(
  parameter int unsigned Ecc = 0,
  parameter logic [11:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [276:0] s_rec_i,  // as docs/blocks/replay_fifo.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i
);

  logic s_ready, m_valid;
  logic [97:0] m_rec;

  replay_fifo #(
    .NumQps(4),
    .Slots (2),
    .Ecc   (Ecc)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i      (s_rec_i[2:0]),
    .s_qpn_i     (s_rec_i[26:3]),
    .s_psn_i     (s_rec_i[50:27]),
    .s_kind_i    (s_rec_i[52:51]),
    .s_last_i    (s_rec_i[76:53]),
    .s_va_i      (s_rec_i[140:77]),
    .s_rkey_i    (s_rec_i[172:141]),
    .s_bytes_i   (s_rec_i[204:173]),
    .s_original_i(s_rec_i[268:205]),
    .s_pmtu_i    (s_rec_i[271:269]),
    .s_depth_i   (s_rec_i[276:272]),
    .s_valid_i,
    .s_ready_o   (s_ready),
    .m_qpn_o     (m_rec[23:0]),
    .m_op_o      (m_rec[26:24]),
    .m_found_o   (m_rec[27]),
    .m_slot_o    (m_rec[32:28]),
    .m_known_o   (m_rec[33]),
    .m_original_o(m_rec[97:34]),
    .m_valid_o   (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [7:0] \dut.valid_q ;
  (* hierconn *) wire [276:0] \dut.r_q ;
  (* hierconn *) wire [276:0] \dut.f_q ;
  (* hierconn *) wire [276:0] \dut.x_q ;
  (* hierconn *) wire [276:0] \dut.r2_q ;
  (* hierconn *) wire [276:0] \dut.f2_q ;
  (* hierconn *) wire [276:0] \dut.x2_q ;
  (* hierconn *) wire [38:0] \dut.x_decision ;
  (* hierconn *) wire [38:0] \dut.r2_decision_q ;
  (* hierconn *) wire [38:0] \dut.f2_decision_q ;
  (* hierconn *) wire [38:0] \dut.x2_decision_q ;
  (* hierconn *) wire [97:0] \dut.y_q ;
  (* hierconn *) wire [97:0] \dut.z_q ;
  (* hierconn *) wire \dut.y_in_range_q ;
  (* hierconn *) wire \dut.z_in_range_q ;
  (* hierconn *) wire \dut.z_within ;
  (* hierconn *) wire [192:0] \dut.x2_slot ;
  (* hierconn *) wire [97:0] \dut.x2_decided ;
  (* hierconn *) wire [97:0] \dut.x2_result ;
  (* hierconn *) wire \dut.x_looks ;
  (* hierconn *) wire \dut.x_renews ;
  (* hierconn *) wire \dut.x_lost ;
  (* hierconn *) wire \dut.x2_lost ;
  (* hierconn *) wire [1:0] \dut.inject_ok ;
  (* hierconn *) wire [47:0] \dut.word_counts ;
  (* hierconn *) wire [47:0] \dut.slot_counts ;
  (* hierconn *) wire \dut.u_words.x_writes_i ;
  (* hierconn *) wire \dut.u_words.x_inject_i ;
  (* hierconn *) wire [2:0] \dut.u_slots.s_index_i ;
  (* hierconn *) wire [2:0] \dut.u_slots.x_index_i ;
  (* hierconn *) wire [192:0] \dut.u_slots.x_ctx_i ;
  (* hierconn *) wire \dut.u_slots.x_looks_i ;
  (* hierconn *) wire \dut.u_slots.x_writes_i ;
  (* hierconn *) wire \dut.u_slots.x_inject_i ;
  (* hierconn *) wire \dut.gen_ecc.r2_ok_q ;
  (* hierconn *) wire \dut.gen_ecc.f2_ok_q ;
  (* hierconn *) wire [47:0] \dut.gen_ecc.r2_counts_q ;
  (* hierconn *) wire [47:0] \dut.gen_ecc.f2_counts_q ;
  (* hierconn *) wire [2:0] \dut.gen_ecc.u_ecc.op_i ;
  (* hierconn *) wire \dut.gen_ecc.u_ecc.lost_i ;
  (* hierconn *) wire \dut.gen_ecc.u_ecc.injects_i ;
  (* hierconn *) wire [47:0] \dut.gen_ecc.u_ecc.counts_i ;
  (* hierconn *) wire [97:0] \dut.gen_ecc.u_ecc.result_i ;
  (* hierconn *) wire [97:0] \dut.gen_ecc.u_ecc.result_o ;
  (* hierconn *) wire [3:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [4:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [97:0] \dut.u_queue.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // Number and operation of a record, which are all that comes through Y and Z.
  logic push;
  logic [26:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (27),
    .OutWidth(98),
    .Latency (8),
    .Depth   (16),
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
    .same_i        (\dut.u_queue.data_i [26:0] == {due[2:0], due[26:3]}),
    .due_o         (due),
    .stages_valid_i(\dut.valid_q ),
    .stages_id_i   ({\dut.z_q [23:0], \dut.z_q [26:24], \dut.y_q [23:0], \dut.y_q [26:24], \dut.x2_q [26:0],
                     \dut.f2_q [26:0], \dut.r2_q [26:0], \dut.x_q [26:0], \dut.f_q [26:0], \dut.r_q [26:0]}),
    .queued_i      (4'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i       (\dut.u_queue.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // What X decided in the clocks before, and of which record; of a stage that is empty it may be anything. And what X2
  // said.
  logic [38:0] one_q, two_q, three_q, four_q, five_q;
  logic [276:0] rec1_q, rec2_q, rec3_q;
  logic [97:0] said4_q, said5_q;
  always_ff @(posedge clk_i) begin
    {five_q, four_q, three_q, two_q, one_q} <= {four_q, three_q, two_q, one_q, \dut.x_decision };
    {rec3_q, rec2_q, rec1_q} <= {rec2_q, rec1_q, \dut.x_q };
    {said5_q, said4_q} <= {said4_q, \dut.x2_result };
  end

  logic lost, injects, found, keeps, returns, in_range, shows, range5, hit;
  logic [4:0] slot;
  assign {lost, injects, found, keeps, returns, in_range, shows, slot} = three_q[38:27];
  assign range5 = five_q[33];
  assign hit    = in_range || shows || returns;

  logic x, x2;  // they hold a record
  assign x  = \dut.valid_q [2];
  assign x2 = \dut.valid_q [5];

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0] || Check[6]) begin
        if (\dut.valid_q [3]) assert (\dut.r2_decision_q == one_q && \dut.r2_q == rec1_q);
        if (\dut.valid_q [4]) assert (\dut.f2_decision_q == two_q && \dut.f2_q == rec2_q);
        if (x2) assert (\dut.x2_decision_q == three_q && \dut.x2_q == rec3_q);
      end
      if (Check[0] || Check[7]) begin
        if (\dut.valid_q [6]) assert (\dut.y_q == said4_q && \dut.y_in_range_q == four_q[33]);
        if (\dut.valid_q [7]) assert (\dut.z_q == said5_q && \dut.z_in_range_q == range5);
      end
      if (Check[6] && x) assert (\dut.u_slots.s_index_i == {\dut.x_q [4:3], \dut.x_decision [27]});
      if (Check[6]) assert (\dut.u_slots.x_writes_i == (x2 && (keeps || (returns && !\dut.x2_lost ))));
      if (Check[6] && x2) begin
        assert (\dut.u_slots.x_index_i == {rec3_q[4:3], slot[0]});
        if (keeps) assert (\dut.u_slots.x_ctx_i [127:0] == rec3_q[204:77]);
        else assert (\dut.u_slots.x_ctx_i [127:0] == \dut.x2_slot [127:0]);
        if (returns) assert (\dut.u_slots.x_ctx_i [192:128] == {rec3_q[268:205], 1'b1});
        else if (keeps) assert (\dut.u_slots.x_ctx_i [192:128] == '0);
        else assert (\dut.u_slots.x_ctx_i == \dut.x2_slot );
      end
      if (Check[7] && \dut.valid_q [7]) begin
        assert (\dut.u_queue.data_i [26:0] == said5_q[26:0] && \dut.u_queue.data_i [97:33] == said5_q[97:33]);
        assert (\dut.u_queue.data_i [32:27] == (range5 && !\dut.z_within ? 6'd0 : said5_q[32:27]));
      end
      if (Check[8] && x2) begin
        assert (\dut.x2_decided [26:0] == {rec3_q[2:0], rec3_q[26:3]} && \dut.x2_decided [27] == found);
        assert (\dut.x2_decided [32:28] == slot);
        assert (\dut.x2_decided [97:33] == (shows ? {\dut.x2_slot [192:129], \dut.x2_slot [128]} : '0));
        if (Ecc == 0) assert (\dut.x2_result == {\dut.x2_decided [97:33], injects ? 5'd0 : slot,
                                                 \dut.x2_decided [27:0]});
      end
    end
  end

  // With Ecc: what the memory of words said of an order, and what it has counted.
  if (Ecc == 1) begin : gen_ecc
    logic ok1_q, ok2_q, ok3_q, of_slots;
    logic [47:0] counts1_q, counts2_q, counts3_q;
    assign of_slots = rec3_q[51];
    always_ff @(posedge clk_i) begin
      {ok3_q, ok2_q, ok1_q}             <= {ok2_q, ok1_q, \dut.inject_ok [0]};
      {counts3_q, counts2_q, counts1_q} <= {counts2_q, counts1_q, \dut.word_counts };
    end

    always_ff @(posedge clk_i) begin
      if (!initial_q && rst_ni) begin
        if (Check[0] && \dut.valid_q [3])
          assert (\dut.gen_ecc.r2_ok_q == ok1_q && \dut.gen_ecc.r2_counts_q == counts1_q);
        if (Check[0] && \dut.valid_q [4])
          assert (\dut.gen_ecc.f2_ok_q == ok2_q && \dut.gen_ecc.f2_counts_q == counts2_q);
        if (Check[9] && x2) begin
          assert (\dut.gen_ecc.u_ecc.op_i == rec3_q[2:0]);
          assert (\dut.gen_ecc.u_ecc.lost_i == (lost || (hit && \dut.x2_lost )));
          assert (\dut.gen_ecc.u_ecc.injects_i == (injects && (of_slots ? \dut.inject_ok [1] : ok3_q)));
          assert (\dut.gen_ecc.u_ecc.counts_i == (of_slots ? \dut.slot_counts : counts3_q));
          assert (\dut.gen_ecc.u_ecc.result_i == \dut.x2_decided );
          assert (\dut.x2_result == \dut.gen_ecc.u_ecc.result_o );
        end
        if (Check[10]) begin
          assert (\dut.u_words.x_writes_i == (x && \dut.x_looks && (!\dut.x_lost || \dut.x_renews )));
          assert (\dut.u_slots.x_looks_i == (x2 && hit));
        end
        if (Check[11]) begin
          assert (\dut.u_words.x_inject_i == (x && \dut.x_decision [37] && !\dut.x_q [51]));
          assert (\dut.u_slots.x_inject_i == (x2 && injects && of_slots));
        end
      end
    end
  end

endmodule
