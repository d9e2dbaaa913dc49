// SPDX-License-Identifier: Apache-2.0
// resp_psn_check keeps the stream rules, whatever the records say, knows in X what the record itself says, and has
// there the word that the latest record of its QP left. What is decided by both is resp_decide_proof.sv's.
//
// One QP is watched, chosen by the solver once. Check selects assertions: bit 0 what induction needs for the others,
// then one bit a property of resp_psn_check.go.
module resp_psn_check_proof #(
  parameter logic [16:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [189:0] s_rec_i,  // as docs/blocks/resp_psn_check.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic [1:0]   watch_i   // the QP
);

  logic s_ready, m_valid;
  logic [151:0] m_rec;

  resp_psn_check #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_qpn_i          (s_rec_i[23:0]),
    .s_psn_i          (s_rec_i[47:24]),
    .s_opcode_i       (s_rec_i[55:48]),
    .s_payload_i      (s_rec_i[71:56]),
    .s_dma_length_i   (s_rec_i[103:72]),
    .s_wqe_bytes_i    (s_rec_i[135:104]),
    .s_op_i           (s_rec_i[138:136]),
    .s_service_i      (s_rec_i[140:139]),
    .s_pmtu_i         (s_rec_i[143:141]),
    .s_max_reads_i    (s_rec_i[148:144]),
    .s_enabled_i      (s_rec_i[151:149]),
    .s_rnr_timer_i    (s_rec_i[156:152]),
    .s_va_low_i       (s_rec_i[159:157]),
    .s_credits_i      (s_rec_i[164:160]),
    .s_pad_i          (s_rec_i[166:165]),
    .s_ack_req_i      (s_rec_i[167]),
    .s_profile_i      (s_rec_i[175:168]),
    .s_solicited_i    (s_rec_i[176]),
    .s_own_error_i    (s_rec_i[177]),
    .s_qkey_ok_i      (s_rec_i[178]),
    .s_wqe_present_i  (s_rec_i[179]),
    .s_access_ok_i    (s_rec_i[180]),
    .s_flush_plt_i    (s_rec_i[184:181]),
    .s_flush_sel_i    (s_rec_i[186:185]),
    .s_flush_enabled_i(s_rec_i[188:187]),
    .s_lost_i         (s_rec_i[189]),
    .s_valid_i,
    .s_ready_o        (s_ready),
    .m_qpn_o          (m_rec[23:0]),
    .m_epsn_before_o  (m_rec[47:24]),
    .m_epsn_after_o   (m_rec[71:48]),
    .m_psn_o          (m_rec[95:72]),
    .m_msn_o          (m_rec[119:96]),
    .m_syndrome_o     (m_rec[127:120]),
    .m_op_o           (m_rec[130:128]),
    .m_why_o          (m_rec[135:131]),
    .m_verdict_o      (m_rec[138:136]),
    .m_answer_o       (m_rec[141:139]),
    .m_first_o        (m_rec[142]),
    .m_last_o         (m_rec[143]),
    .m_complete_o     (m_rec[144]),
    .m_solicited_o    (m_rec[145]),
    .m_to_error_o     (m_rec[146]),
    .m_behind_o       (m_rec[151:147]),
    .m_valid_o        (m_valid),
    .m_ready_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [189:0] \dut.in_q ;
  (* hierconn *) wire \dut.in_valid_q ;
  (* hierconn *) wire \dut.ctx_ready ;
  (* hierconn *) wire \dut.r_valid_q ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire [189:0] \dut.r_q ;
  (* hierconn *) wire [189:0] \dut.f_q ;
  (* hierconn *) wire [189:0] \dut.x_q ;
  (* hierconn *) wire [13:0] \dut.r_dec_q ;
  (* hierconn *) wire [13:0] \dut.f_dec_q ;
  (* hierconn *) wire [13:0] \dut.x_dec_q ;
  (* hierconn *) wire [119:0] \dut.r_takes_q ;
  (* hierconn *) wire [168:0] \dut.f_facts_q ;
  (* hierconn *) wire [168:0] \dut.x_facts_q ;
  (* hierconn *) wire [118:0] \dut.x_ctx ;
  (* hierconn *) wire [118:0] \dut.x_ctx_d ;
  (* hierconn *) wire [151:0] \dut.x_result ;
  (* hierconn *) wire [2:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [2:0] \dut.gen_plain.u_context.scrub_q ;
  (* hierconn *) wire [3:0] \dut.gen_plain.u_context.qpn_q ;
  (* hierconn *) wire [1:0] \dut.gen_plain.u_context.same_q ;
  (* hierconn *) wire \dut.gen_plain.u_context.late_we_q ;
  (* hierconn *) wire [118:0] \dut.gen_plain.u_context.late_q ;
  (* hierconn *) wire [118:0] \dut.gen_plain.u_context.f_read ;
  (* hierconn *) wire [118:0] \dut.gen_plain.u_context.u_ram.mem[0] ;
  (* hierconn *) wire [118:0] \dut.gen_plain.u_context.u_ram.mem[1] ;
  (* hierconn *) wire [118:0] \dut.gen_plain.u_context.u_ram.mem[2] ;
  (* hierconn *) wire [118:0] \dut.gen_plain.u_context.u_ram.mem[3] ;

  localparam logic Words = Check[0] && Check[5];

  logic initial_q = 1'b1;
  logic [1:0] watch_q;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The record that y_rec_q answers: what went into the output queue in the clock before.

  logic [189:0] rec_q;
  logic [151:0] y_rec_q;
  logic y_valid_q;

  always_ff @(posedge clk_i) {rec_q, y_rec_q} <= {\dut.x_q , \dut.x_result };
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) y_valid_q <= 1'b0;
    else y_valid_q <= \dut.x_valid_q ;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Its word in the block, changed by its own records only.

  logic [118:0] word_q, mem_word;
  logic x_own;

  assign x_own = \dut.x_valid_q && \dut.x_q [23:0] == {22'd0, watch_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (x_own) word_q <= \dut.x_ctx_d ;
  end

  always_comb begin
    case (watch_q)
      2'd0: mem_word = \dut.gen_plain.u_context.u_ram.mem[0] ;
      2'd1: mem_word = \dut.gen_plain.u_context.u_ram.mem[1] ;
      2'd2: mem_word = \dut.gen_plain.u_context.u_ram.mem[2] ;
      default: mem_word = \dut.gen_plain.u_context.u_ram.mem[3] ;
    endcase
  end

  // What the stages say of the records in them.
  logic [13:0] r_dec, f_dec, x_dec;
  resp_opcode u_r_opcode (.opcode_i(\dut.r_q [55:48]), .dec_o(r_dec));
  resp_opcode u_f_opcode (.opcode_i(\dut.f_q [55:48]), .dec_o(f_dec));
  resp_opcode u_x_opcode (.opcode_i(\dut.x_q [55:48]), .dec_o(x_dec));

  resp_pkg::facts_t f_facts, x_facts;
  assign f_facts = \dut.f_facts_q ;
  assign x_facts = \dut.x_facts_q ;

  function automatic logic bad_set(input logic [189:0] rec);
    bad_set = rec[140:139] == 2'd3 || rec[143:141] == 3'd0 || rec[143:141] > 3'd5;
  endfunction

  // PSN-4: how many PSNs a request takes when a packet holds 2^bits bytes.
  function automatic logic [23:0] takes(input logic [189:0] rec, input int unsigned bits);
    logic [31:0] whole;
    whole = rec[103:72] >> bits;
    takes = 24'd1;
    if (rec[52:48] == 5'h0C && rec[103:72] != '0) takes = 24'(whole) + 24'((whole << bits) != rec[103:72]);
  endfunction

  // The same under each path MTU, from first on. What is longer than 2^31 bytes is refused.
  function automatic logic good_takes(input logic [119:0] five, input logic [23:0] first, input logic [189:0] rec);
    logic [23:0] next;
    next = first + 24'd1;
    if (rec[52:48] != 5'h0C) good_takes = five == {next, next, next, next, next};
    else good_takes = rec[103:72] > 32'h8000_0000 ||
                      (five[23:0] == first + takes(rec, 8) && five[47:24] == first + takes(rec, 9) &&
                       five[71:48] == first + takes(rec, 10) && five[95:72] == first + takes(rec, 11) &&
                       five[119:96] == first + takes(rec, 12));
  endfunction

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Words) begin
      // The memory: as in qp_context_proof.sv.
      assert (\dut.gen_plain.u_context.scrub_q <= 3'd4);
      if (!\dut.ctx_ready ) assert (word_q == '0 && !y_valid_q &&
                                !\dut.x_valid_q && !\dut.f_valid_q && !\dut.r_valid_q );
      if (!\dut.ctx_ready ) assert (!\dut.in_valid_q );
      if (\dut.ctx_ready || {1'b0, watch_q} < \dut.gen_plain.u_context.scrub_q ) assert (mem_word == word_q);
      if (\dut.x_valid_q ) assert (\dut.gen_plain.u_context.qpn_q [3:2] == \dut.x_q [1:0]);
      if (\dut.f_valid_q ) begin
        assert (\dut.gen_plain.u_context.qpn_q [1:0] == \dut.f_q [1:0]);
        if (\dut.x_valid_q ) assert (\dut.gen_plain.u_context.same_q [0] == (\dut.f_q [1:0] == \dut.x_q [1:0]));
        if (y_valid_q) assert (\dut.gen_plain.u_context.same_q [1] == (\dut.f_q [1:0] == rec_q[1:0]));
        else assert (!\dut.gen_plain.u_context.late_we_q );
        if (\dut.f_q [23:0] == {22'd0, watch_q})
          assert ((\dut.gen_plain.u_context.same_q [1] && \dut.gen_plain.u_context.late_we_q
                   ? \dut.gen_plain.u_context.late_q : \dut.gen_plain.u_context.f_read ) == word_q);
      end
      if (\dut.f_valid_q ) assert (f_facts.in_range == (\dut.f_q [23:2] == '0));
      if (\dut.x_valid_q ) assert (x_facts.in_range == (\dut.x_q [23:2] == '0));
    end
    if (!initial_q && rst_ni && Check[5] && x_own) assert (\dut.x_ctx == word_q);
  end

  // What the stages say of the records in them.
  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0] && Check[6]) begin
      if (\dut.r_valid_q ) assert (\dut.r_dec_q == r_dec && good_takes(\dut.r_takes_q , 24'd0, \dut.r_q ));
      if (\dut.f_valid_q ) begin
        assert (\dut.f_dec_q == f_dec && f_facts.in_range == (\dut.f_q [23:2] == '0));
        assert (f_facts.bad_set == bad_set(\dut.f_q ));
        assert (good_takes(f_facts.next_epsn, \dut.f_q [47:24], \dut.f_q ));
        if (\dut.f_q [52:48] == 5'h0C) assert (f_facts.dma_long == (\dut.f_q [103:72] > 32'h8000_0000));
      end
    end
    if (!initial_q && rst_ni && Check[6] && \dut.x_valid_q ) begin
      assert (\dut.x_dec_q == x_dec && x_facts.in_range == (\dut.x_q [23:2] == '0));
      assert (x_facts.bad_set == bad_set(\dut.x_q ));
      assert (good_takes(x_facts.next_epsn, \dut.x_q [47:24], \dut.x_q ));
      if (\dut.x_q [52:48] == 5'h0C) assert (x_facts.dma_long == (\dut.x_q [103:72] > 32'h8000_0000));
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // In the stages a record is what went in, and so is what the answer says of it.

  logic [189:0] due;

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && (Check[0] || Check[16]) && y_valid_q)
      assert (y_rec_q[23:0] == rec_q[23:0] && y_rec_q[130:128] == rec_q[138:136]);
  end

  pipe_rules #(
    .Width   (190),
    .OutWidth(152),
    .Latency (4),
    .Depth   (8),
    .Check   ({Check[16], Check[4:0]})
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i (initial_q),
    .push_i    (s_valid_i & s_ready),
    .waiting_i (2'd0),
    .enter_i   (s_valid_i & s_ready),
    .enter_id_i(s_rec_i),
    .queue_i   (\dut.u_queue.valid_i ),
    .same_i    (\dut.x_q == due),
    .due_o     (due),
    .stages_valid_i({\dut.x_valid_q , \dut.f_valid_q , \dut.r_valid_q , \dut.in_valid_q }),
    .stages_id_i   ({\dut.x_q ,
                       \dut.f_q ,
                       \dut.r_q ,
                       \dut.in_q }),
    .queued_i  (3'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i   (\dut.u_queue.count_q ),
    .data_i    (m_rec),
    .valid_i   (m_valid),
    .ready_i   (m_ready_i)
  );

endmodule
