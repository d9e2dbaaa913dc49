// SPDX-License-Identifier: Apache-2.0
// The second half of sq_retire goes through the slot of every WQE that X says to end, once, the oldest first, completes
// it as X says, and answers the record, in order. What X says may be anything that stays until it is taken, as
// credit_queue has it; what the memories give may be anything: that they give the right words is qp_context's. Two WQEs
// a QP, four bits a PSN. Check: bits 0 to 5 as pipe_rules has them for answers, 6 to 10 those for completions, then one
// bit a property of sq_retire.go.
module sq_retire_ends_proof #(
  parameter logic [13:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [541:0] s_rec_i,  // as docs/blocks/sq_retire.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic         m_cqe_ready_i
);

  logic s_ready, m_valid, m_cqe_valid;
  logic [531:0] m_rec;
  logic [95:0] m_cqe;

  sq_retire #(
    .NumQps  (4),
    .Depth   (2),
    .PsnWidth(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_qpn_i       (s_rec_i[23:0]),
    .s_op_i        (s_rec_i[26:24]),
    .s_slot_i      (s_rec_i[32:27]),
    .s_first_i     (s_rec_i[56:33]),
    .s_last_i      (s_rec_i[80:57]),
    .s_una_i       (s_rec_i[104:81]),
    .s_progress_i  (s_rec_i[105]),
    .s_fail_i      (s_rec_i[106]),
    .s_status_i    (s_rec_i[110:107]),
    .s_wqe_i       (s_rec_i[142:111]),
    .s_verb_i      (s_rec_i[146:143]),
    .s_flags_i     (s_rec_i[152:147]),
    .s_length_i    (s_rec_i[184:153]),
    .s_va_i        (s_rec_i[248:185]),
    .s_rkey_i      (s_rec_i[280:249]),
    .s_imm_i       (s_rec_i[312:281]),
    .s_swap_add_i  (s_rec_i[376:313]),
    .s_compare_i   (s_rec_i[440:377]),
    .s_qkey_i      (s_rec_i[472:441]),
    .s_list_i      (s_rec_i[536:473]),
    .s_entries_i   (s_rec_i[541:537]),
    .s_valid_i,
    .s_ready_o     (s_ready),
    .m_qpn_o       (m_rec[23:0]),
    .m_op_o        (m_rec[26:24]),
    .m_why_o       (m_rec[29:27]),
    .m_slot_o      (m_rec[35:30]),
    .m_ended_o     (m_rec[42:36]),
    .m_count_o     (m_rec[49:43]),
    .m_failed_o    (m_rec[50]),
    .m_present_o   (m_rec[51]),
    .m_begun_o     (m_rec[52]),
    .m_first_o     (m_rec[76:53]),
    .m_last_o      (m_rec[100:77]),
    .m_wqe_o       (m_rec[132:101]),
    .m_verb_o      (m_rec[136:133]),
    .m_flags_o     (m_rec[142:137]),
    .m_length_o    (m_rec[174:143]),
    .m_va_o        (m_rec[238:175]),
    .m_rkey_o      (m_rec[270:239]),
    .m_imm_o       (m_rec[302:271]),
    .m_swap_add_o  (m_rec[366:303]),
    .m_compare_o   (m_rec[430:367]),
    .m_qkey_o      (m_rec[462:431]),
    .m_list_o      (m_rec[526:463]),
    .m_entries_o   (m_rec[531:527]),
    .m_valid_o     (m_valid),
    .m_ready_i,
    .m_cqe_qpn_o   (m_cqe[23:0]),
    .m_cqe_wqe_o   (m_cqe[55:24]),
    .m_cqe_status_o(m_cqe[59:56]),
    .m_cqe_verb_o  (m_cqe[63:60]),
    .m_cqe_length_o(m_cqe[95:64]),
    .m_cqe_valid_o (m_cqe_valid),
    .m_cqe_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [541:0] \dut.e_rec ;
  (* hierconn *) wire [157:0] \dut.e_decision ;
  (* hierconn *) wire [541:0] \dut.f2_q ;
  (* hierconn *) wire [541:0] \dut.x2_q ;
  (* hierconn *) wire [157:0] \dut.f2_decision_q ;
  (* hierconn *) wire [157:0] \dut.x2_decision_q ;
  (* hierconn *) wire [3:0] \dut.f2_status_q ;
  (* hierconn *) wire [3:0] \dut.x2_status_q ;
  (* hierconn *) wire [1:0] \dut.valid2_q ;
  (* hierconn *) wire [1:0] \dut.first2_q ;
  (* hierconn *) wire [1:0] \dut.completes2_q ;
  (* hierconn *) wire [6:0] \dut.step_q ;
  (* hierconn *) wire \dut.e_valid ;
  (* hierconn *) wire \dut.e_go ;
  (* hierconn *) wire \dut.e_first ;
  (* hierconn *) wire \dut.e_last ;
  (* hierconn *) wire \dut.e_pop ;
  (* hierconn *) wire \dut.e_completes ;
  (* hierconn *) wire [3:0] \dut.e_status ;
  (* hierconn *) wire [430:0] \dut.x2_wqe ;
  (* hierconn *) wire [3:0] \dut.x2_first ;
  (* hierconn *) wire [2:0] \dut.u_slots.r_qpn_i ;
  (* hierconn *) wire [430:0] \dut.u_slots.x_ctx_i ;
  (* hierconn *) wire \dut.u_slots.x_we_i ;
  (* hierconn *) wire [2:0] \dut.u_firsts.r_qpn_i ;
  (* hierconn *) wire [3:0] \dut.u_firsts.x_ctx_i ;
  (* hierconn *) wire \dut.u_firsts.x_we_i ;
  (* hierconn *) wire [2:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [531:0] \dut.u_queue.data_i ;
  (* hierconn *) wire [2:0] \dut.u_cqes.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_cqes.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_cqes.count_q ;
  (* hierconn *) wire \dut.u_cqes.valid_i ;
  (* hierconn *) wire [95:0] \dut.u_cqes.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // The second half: answers, and completions.
  logic answers, completes;
  logic [26:0] due;
  logic [27:0] due_cqe;
  assign answers   = \dut.e_go & \dut.e_first ;
  assign completes = \dut.e_go & \dut.e_completes ;

  pipe_rules #(
    .Width   (27),
    .OutWidth(532),
    .Latency (2),
    .Depth   (8),
    .Check   (Check[5:0])
  ) u_answers (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (answers),
    .waiting_i     (2'd0),
    .enter_i       (answers),
    .enter_id_i    (\dut.e_rec [26:0]),
    .queue_i       (\dut.u_queue.valid_i ),
    .same_i        (\dut.u_queue.data_i [26:0] == due),
    .due_o         (due),
    .stages_valid_i(\dut.valid2_q & \dut.first2_q ),
    .stages_id_i   ({\dut.x2_q [26:0], \dut.f2_q [26:0]}),
    .queued_i      (3'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i       (\dut.u_queue.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  pipe_rules #(
    .Width   (28),
    .OutWidth(96),
    .Latency (2),
    .Depth   (8),
    .Check   ({Check[10:6], Check[0]})
  ) u_completions (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (completes),
    .waiting_i     (2'd0),
    .enter_i       (completes),
    .enter_id_i    ({\dut.e_status , \dut.e_rec [23:0]}),
    .queue_i       (\dut.u_cqes.valid_i ),
    .same_i        ({\dut.u_cqes.data_i [59:56], \dut.u_cqes.data_i [23:0]} == due_cqe),
    .due_o         (due_cqe),
    .stages_valid_i(\dut.valid2_q & \dut.completes2_q ),
    .stages_id_i   ({\dut.x2_status_q , \dut.x2_q [23:0], \dut.f2_status_q , \dut.f2_q [23:0]}),
    .queued_i      (3'(\dut.u_cqes.write_ptr_q - \dut.u_cqes.read_ptr_q )),
    .count_i       (\dut.u_cqes.count_q ),
    .data_i        (m_cqe),
    .valid_i       (m_cqe_valid),
    .ready_i       (m_cqe_ready_i)
  );

  // What X decided of the record that stands in E; fields of decision_t.
  logic [6:0] good, ended;
  logic [5:0] from, slot;
  logic stores, begins, flushes, present, begun;
  logic [63:0] asked;
  logic [3:0] status;
  assign asked   = \dut.e_decision [157:94];
  assign status  = \dut.e_decision [45:42];
  assign good    = \dut.e_decision [41:35];
  assign ended   = \dut.e_decision [34:28];
  assign from    = \dut.e_decision [20:15];
  assign slot    = \dut.e_decision [14:9];
  assign stores  = \dut.e_decision [8];
  assign begins  = \dut.e_decision [7];
  assign flushes = \dut.e_decision [6];

  // Slots of the record in E that were gone through.
  logic [6:0] done_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= '0;
    else if (\dut.e_pop ) done_q <= '0;
    else done_q <= done_q + 7'(\dut.e_go );
  end

  // What E was one clock and two before.
  logic [541:0] rec1_q, rec2_q;
  logic [157:0] one_q, two_q;
  logic stands_q, stays_q;
  logic [541:0] before_q;
  always_ff @(posedge clk_i) begin
    rec1_q   <= \dut.e_rec ;
    rec2_q   <= rec1_q;
    one_q    <= \dut.e_decision ;
    two_q    <= one_q;
    stays_q  <= rst_ni & \dut.e_valid & ~\dut.e_pop ;
    before_q <= \dut.e_rec ;
  end
  assign stands_q = stays_q;
  assign present  = two_q[4];
  assign begun    = two_q[3];

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (stands_q) assume (\dut.e_valid && \dut.e_rec == before_q && \dut.e_decision == one_q);
      if (Check[0] || Check[11]) begin
        assert (done_q == \dut.step_q );
        assert (done_q == '0 || (\dut.e_valid && done_q < ended));
      end
      if (Check[11]) begin
        if (\dut.e_go ) assert (\dut.e_valid && \dut.e_first == (done_q == '0));
        if (\dut.e_pop ) assert (\dut.e_go && 7'(done_q + 7'd1) == (ended == '0 ? 7'd1 : ended));
        if (\dut.e_go && !\dut.e_pop ) assert (7'(done_q + 7'd1) < ended);
        if (\dut.e_go && ended != '0) assert (\dut.u_slots.r_qpn_i == {\dut.e_rec [1:0], 1'(from + 6'(done_q))});
        if (\dut.e_go && ended == '0) assert (\dut.u_slots.r_qpn_i == {\dut.e_rec [1:0], slot[0]});
        assert (\dut.u_firsts.r_qpn_i == \dut.u_slots.r_qpn_i );
      end
      if (Check[12] && \dut.e_go ) begin
        assert (\dut.e_completes == (flushes || (done_q < ended && (done_q >= good || asked[done_q[5:0]]))));
        if (!flushes && done_q < good) assert (\dut.e_status == 4'd0);
        if (!flushes && done_q == good) assert (\dut.e_status == status);
        if (flushes || done_q > good) assert (\dut.e_status == 4'd6);
      end
      if (Check[0] || Check[13]) begin
        if (\dut.valid2_q [0]) assert (\dut.f2_q == rec1_q && \dut.f2_decision_q == one_q);
        if (\dut.valid2_q [1]) assert (\dut.x2_q == rec2_q && \dut.x2_decision_q == two_q);
      end
      if (Check[13]) begin
        assert (\dut.u_slots.x_we_i == (\dut.valid2_q [1] && \dut.x2_decision_q [8]));
        assert (\dut.u_firsts.x_we_i == (\dut.valid2_q [1] && \dut.x2_decision_q [7]));
        if (\dut.valid2_q [1]) begin
          assert (\dut.u_slots.x_ctx_i == rec2_q[541:111] && \dut.u_firsts.x_ctx_i == two_q[73:70]);
          assert (\dut.u_queue.data_i [531:101] == (present ? \dut.x2_wqe : 431'd0));
          assert (\dut.u_queue.data_i [76:53] == (begun ? 24'(\dut.x2_first ) : 24'd0));
          assert (\dut.u_queue.data_i [29:27] == two_q[2:0]);
          assert (\dut.u_queue.data_i [52:50] == {begun, present, two_q[5]});
          assert (\dut.u_queue.data_i [100:77] == two_q[69:46] && \dut.u_queue.data_i [49:30] ==
                  {two_q[27:21], two_q[34:28], two_q[14:9]});
          if (\dut.completes2_q [1]) begin
            assert ({\dut.u_cqes.data_i [95:64], \dut.u_cqes.data_i [63:60], \dut.u_cqes.data_i [55:24]} == (two_q[6] ?
                    {rec2_q[184:153], rec2_q[146:143], rec2_q[142:111]} :
                    {\dut.x2_wqe [73:42], \dut.x2_wqe [35:32], \dut.x2_wqe [31:0]}));
          end
        end
      end
    end
  end

endmodule
