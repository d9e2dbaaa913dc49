// SPDX-License-Identifier: Apache-2.0
// resp_psn_check keeps the stream rules and, QP by QP, PSN-2, PSN-4, RSP-2 to RSP-5, RSP-9, RSP-11 and RSP-15,
// whatever the records say.
//
// One QP is watched, chosen by the solver once. What it must be is kept here from what went in and what came out;
// induction ties it to the QP's word in the block. Check selects assertions: bit 0 what induction needs for the
// others, then one bit a property of resp_psn_check.go.
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

  localparam logic Rules = Check[0] && Check[15:5] != '0;

  logic initial_q = 1'b1;
  logic [1:0] watch_q;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The record that y_rec_q answers, and fields of both.

  logic [189:0] rec_q;
  logic [151:0] y_rec_q;
  logic y_valid_q;

  // What went into the output queue in the clock before.
  always_ff @(posedge clk_i) {rec_q, y_rec_q} <= {\dut.x_q , \dut.x_result };
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) y_valid_q <= 1'b0;
    else y_valid_q <= \dut.x_valid_q ;
  end

  logic [23:0] psn, epsn_before, epsn_after, answer_psn, msn;
  logic [7:0] opcode, syndrome;
  logic [2:0] op, verdict, answer;
  logic [4:0] behind;
  logic to_error;

  assign psn         = rec_q[47:24];
  assign opcode      = rec_q[55:48];
  assign op          = rec_q[138:136];
  assign epsn_before = y_rec_q[47:24];
  assign epsn_after  = y_rec_q[71:48];
  assign answer_psn  = y_rec_q[95:72];
  assign msn         = y_rec_q[119:96];
  assign syndrome    = y_rec_q[127:120];
  assign verdict     = y_rec_q[138:136];
  assign answer      = y_rec_q[141:139];
  assign to_error    = y_rec_q[146];
  assign behind      = y_rec_q[151:147];

  localparam logic [2:0] Executed = 3'd0;
  localparam logic [2:0] Duplicate = 3'd1;
  localparam logic [2:0] Dropped = 3'd3;
  localparam logic [2:0] Nak = 3'd2;

  // OPC-1. One bit an operation, from 00h up.
  localparam logic [31:0] Firsts = 32'h3098_1C71;  // First or Only
  localparam logic [31:0] Lasts = 32'h30D8_1F3C;   // Last or Only
  localparam logic [31:0] Kept = 32'h3018_1000;    // READ, atomics, ATOMIC WRITE, FLUSH
  localparam logic [31:0] OfRc = 32'h30D8_1FFF;
  localparam logic [31:0] OfUc = 32'h0000_0FFF;
  localparam logic [31:0] OfUd = 32'h0000_0030;
  localparam logic [31:0] Sends = 32'h00C0_003F;

  logic first, last, kept, send;
  assign first = Firsts[opcode[4:0]];
  assign last  = Lasts[opcode[4:0]];
  assign kept  = Kept[opcode[4:0]];
  assign send  = Sends[opcode[4:0]];

  // ---------------------------------------------------------------------------------------------------------------
  // The watched QP as it must be: what is at the output found it like this.

  typedef struct packed {
    logic [1:0]  state;    // 0 reset, 1 init, 2 ready, 3 error
    logic [1:0]  service;  // 0 RC, 1 UC, 2 UD
    logic [2:0]  pmtu;     // 1 to 5: 256 to 4096 bytes
    logic [2:0]  profile;  // dup_ack_by_ack_req, nak_while_rnr, dup_keeps_nak
    logic [23:0] epsn;
    logic [23:0] msn;
    logic [4:0]  in_flight;
    logic        told;     // a sequence NAK, and neither an expected request nor an answered duplicate since
    logic        waiting;  // the same of an RNR NAK
    logic [1:0]  open;     // 1 a SEND, 2 a WRITE
  } qp_t;

  qp_t was_q, is, now;  // before and behind the record at the output; behind all that have come out
  logic here, packet, working, rc, uc, ud, sequence_nak, rnr_nak;
  logic [23:0] ahead;  // of ePSN

  assign here         = y_valid_q && y_rec_q[23:0] == {22'd0, watch_q};
  assign packet       = here && op == 3'd0;
  assign working      = packet && was_q.state == 2'd2;
  assign rc           = working && was_q.service == 2'd0 && opcode[7:5] == 3'd0 && OfRc[opcode[4:0]];
  assign uc           = working && was_q.service == 2'd1 && opcode[7:5] == 3'd1 && OfUc[opcode[4:0]];
  assign ud           = working && was_q.service == 2'd2 && opcode[7:5] == 3'd3 && OfUd[opcode[4:0]];
  assign ahead        = psn - was_q.epsn;
  assign sequence_nak = answer == Nak && syndrome == 8'h60;
  assign rnr_nak      = answer == Nak && syndrome[7:5] == 3'b001;

  logic settable, executed;
  assign settable = was_q.state[1] == 1'b0 && rec_q[140:139] != 2'd3 &&
                    rec_q[143:141] != 3'd0 && rec_q[143:141] <= 3'd5;
  assign executed = (rc || uc) && verdict == Executed;

  always_comb begin
    is = was_q;
    if (packet) begin
      is.epsn = epsn_after;
      is.msn  = msn;
      if (answer == Nak && syndrome[7:5] == 3'b011 && syndrome != 8'h60) is.state = 2'd3;
      if (rc && (psn == was_q.epsn || verdict == Duplicate && !was_q.profile[0])) {is.told, is.waiting} = '0;
      if (sequence_nak) is.told = 1'b1;
      if (rnr_nak) is.waiting = 1'b1;
      if (rc && executed && kept && was_q.in_flight != 5'd31) is.in_flight = was_q.in_flight + 5'd1;
      if (executed) is.open = last ? 2'd0 : send ? 2'd1 : 2'd2;
      else if (uc || is.state == 2'd3) is.open = 2'd0;
      if (was_q.state == 2'd3) is.open = was_q.open;
    end
    case (op)
      3'd1: if (settable) is = {2'd1, rec_q[140:139], rec_q[143:141], rec_q[170:168], psn, rec_q[95:72],
                          5'd0, 1'b0, 1'b0, 2'd0};
      3'd2: if (was_q.state == 2'd1) is.state = 2'd2;
      3'd3: if (was_q.state != 2'd0) is.state = 2'd3;
      3'd4: is = '0;
      3'd5: if (was_q.state != 2'd0 && was_q.in_flight != '0) is.in_flight = was_q.in_flight - 5'd1;
      default: ;
    endcase
    now = here ? is : was_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) was_q <= '0;
    else was_q <= now;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Its word in the block, changed by its own records only.

  logic [118:0] word_q, mem_word;
  resp_pkg::context_t word;
  logic x_own;

  assign x_own = \dut.x_valid_q && \dut.x_q [23:0] == {22'd0, watch_q};
  assign word  = word_q;

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

  // The same under each path MTU, from first on. What is longer than 2^31 bytes is refused. READs: for property 8 only.
  function automatic logic good_takes(input logic [119:0] five, input logic [23:0] first, input logic [189:0] rec);
    logic [23:0] next;
    next = first + 24'd1;
    if (rec[52:48] != 5'h0C) good_takes = five == {next, next, next, next, next};
    else good_takes = rec[103:72] > 32'h8000_0000 || !Check[8] ||
                      (five[23:0] == first + takes(rec, 8) && five[47:24] == first + takes(rec, 9) &&
                       five[71:48] == first + takes(rec, 10) && five[95:72] == first + takes(rec, 11) &&
                       five[119:96] == first + takes(rec, 12));
  endfunction

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Rules) begin
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
      // The stages.
      if (\dut.r_valid_q ) assert (\dut.r_dec_q == r_dec && good_takes(\dut.r_takes_q , 24'd0, \dut.r_q ));
      if (\dut.f_valid_q ) begin
        assert (\dut.f_dec_q == f_dec && f_facts.in_range == (\dut.f_q [23:2] == '0));
        assert (f_facts.bad_set == bad_set(\dut.f_q ));
        assert (good_takes(f_facts.next_epsn, \dut.f_q [47:24], \dut.f_q ));
        if (\dut.f_q [52:48] == 5'h0C) assert (f_facts.dma_long == (\dut.f_q [103:72] > 32'h8000_0000));
      end
      if (\dut.x_valid_q ) begin
        assert (\dut.x_dec_q == x_dec && x_facts.in_range == (\dut.x_q [23:2] == '0));
        assert (x_facts.bad_set == bad_set(\dut.x_q ));
        assert (good_takes(x_facts.next_epsn, \dut.x_q [47:24], \dut.x_q ));
        if (\dut.x_q [52:48] == 5'h0C) assert (x_facts.dma_long == (\dut.x_q [103:72] > 32'h8000_0000));
      end
      // The word, and what is expected of it.
      if (word.state == 2'd0) assert (word_q == '0);
      else assert (word.service != 2'd3 && word.pmtu != '0 && word.pmtu <= 3'd5);
      assert (now == {word.state, word.service, word.pmtu, word.profile[2:0], word.epsn, word.msn, word.in_flight,
                      word.nak_sent, word.rnr_sent, word.open});
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The properties.

  logic changes, in_order, taken;
  logic [23:0] takes_here;
  assign changes  = epsn_after != was_q.epsn || msn != was_q.msn;
  assign in_order = psn == was_q.epsn && was_q.open == (send ? 2'd1 : 2'd2);  // UC: a Middle or Last that goes on
  assign taken    = first || in_order;

  always_comb begin
    case (was_q.pmtu)
      3'd1: takes_here = takes(rec_q, 8);
      3'd2: takes_here = takes(rec_q, 9);
      3'd3: takes_here = takes(rec_q, 10);
      3'd4: takes_here = takes(rec_q, 11);
      default: takes_here = takes(rec_q, 12);
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if ((Rules || Check[5]) && x_own) assert (\dut.x_ctx == word_q);
      if (Check[5] && here) assert (epsn_before == was_q.epsn);
      if (here && was_q.service == 2'd0) begin
        if (Check[6] && packet && verdict == Executed) assert (rc && psn == was_q.epsn);
        if (Check[7] && changes) assert (packet ? verdict == Executed : op == 3'd1 || op == 3'd4);
        if (Check[8] && packet && verdict == Executed)
          assert (msn == was_q.msn + 24'(last) && epsn_after == psn + takes_here);
        if (Check[9] && packet && sequence_nak) begin
          assert (rc && !was_q.told && ahead != '0 && !ahead[23]);
          assert (answer_psn == was_q.epsn && (!was_q.waiting || was_q.profile[1]));
        end
      end
      if (Check[10] && rc && !ahead[23] && ahead != '0 && !was_q.told && (!was_q.waiting || was_q.profile[1]))
        assert (sequence_nak);
      if (Check[11] && rc && ahead[23]) begin
        assert (answer != Nak);
        if (kept || rec_q[167] || !was_q.profile[2]) assert (verdict == Duplicate && answer != 3'd0);
        else assert (verdict == Dropped);
        if (answer == 3'd1) assert (answer_psn == was_q.epsn - 24'd1);
      end
      if (Check[12] && packet && was_q.service == 2'd1) begin
        assert (epsn_after == (uc && taken ? psn + 24'd1 : was_q.epsn) && answer == 3'd0 && !to_error);
        assert (msn == was_q.msn + 24'(last && verdict == Executed));
        if (verdict == Executed) assert (uc && taken);
      end
      if (Check[13] && packet && was_q.service == 2'd2) assert (!changes && answer == 3'd0 && !to_error);
      if (Check[14] && packet && !working)
        assert (verdict == Dropped && answer == 3'd0 && !changes && !to_error);
      if (Check[15] && here)
        assert (behind == (answer == 3'd0 || (verdict == Duplicate && kept) ? 5'd0 : was_q.in_flight));
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // In the stages a record is what went in, and so is what the answer says of it.

  logic [189:0] due;

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && (Rules || Check[16]) && y_valid_q)
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
