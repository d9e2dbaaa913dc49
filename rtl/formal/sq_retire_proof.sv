// SPDX-License-Identifier: Apache-2.0
// The first half of sq_retire brings every record that it takes to the queue of decisions, in order, with what X
// decided of it by the word of its QP. What the memory gives may be anything, and the second half may take decisions
// when it likes: sq_retire_ends_proof.sv. Two WQEs a QP, four bits a PSN. Check: bits 0, 3, 4 and 5 as pipe_rules has
// them, then one bit a property of sq_retire.go.
module sq_retire_proof #(
  parameter logic [6:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [541:0] s_rec_i,  // as docs/blocks/sq_retire.md lays it out
  input logic         s_valid_i
);

  logic s_ready;

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
    .m_ready_i     (1'b1),
    .m_cqe_ready_i (1'b1)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [2:0] \dut.valid_q ;
  (* hierconn *) wire [541:0] \dut.r_q ;
  (* hierconn *) wire [541:0] \dut.f_q ;
  (* hierconn *) wire [541:0] \dut.x_q ;
  (* hierconn *) wire \dut.x_known_q ;
  (* hierconn *) wire [157:0] \dut.x_decision ;
  (* hierconn *) wire [29:0] \dut.x_word_d ;
  (* hierconn *) wire [1:0] \dut.u_words.r_qpn_i ;
  (* hierconn *) wire [29:0] \dut.u_words.x_ctx_i ;
  (* hierconn *) wire \dut.u_words.x_we_i ;
  (* hierconn *) wire \dut.e_valid ;
  (* hierconn *) wire \dut.e_pop ;
  (* hierconn *) wire [2:0] \dut.u_decided.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_decided.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_decided.count_q ;
  (* hierconn *) wire \dut.u_decided.valid_i ;
  (* hierconn *) wire [699:0] \dut.u_decided.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [541:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (542),
    .OutWidth(1),
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
    .queue_i       (\dut.u_decided.valid_i ),
    .same_i        (\dut.u_decided.data_i == {due, \dut.x_decision }),
    .due_o         (due),
    .stages_valid_i(\dut.valid_q ),
    .stages_id_i   ({\dut.x_q , \dut.f_q , \dut.r_q }),
    .queued_i      (3'(\dut.u_decided.write_ptr_q - \dut.u_decided.read_ptr_q )),
    .count_i       (\dut.u_decided.count_q ),
    .data_i        (1'b0),
    .valid_i       (\dut.e_valid ),
    .ready_i       (\dut.e_pop )
  );

  // What came three clocks before; of a stage that is empty it may be anything.
  logic [541:0] one_q, two_q, three_q;
  always_ff @(posedge clk_i) begin
    one_q   <= s_rec_i;
    two_q   <= one_q;
    three_q <= two_q;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[6]) begin
      if (\dut.valid_q [0]) assert (\dut.u_words.r_qpn_i == one_q[1:0]);
      if (\dut.valid_q [2]) assert (\dut.x_known_q == (three_q[23:2] == '0));
      assert (\dut.u_words.x_we_i == (\dut.valid_q [2] && \dut.x_known_q ));
      assert (\dut.u_words.x_ctx_i == \dut.x_word_d );
    end
  end

endmodule
