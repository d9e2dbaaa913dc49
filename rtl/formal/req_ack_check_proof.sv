// SPDX-License-Identifier: Apache-2.0
// req_ack_check gives one record for every one that it takes, by the stream rules, whatever the records say. And of a
// QP that the solver chooses once: every record of it finds the word that the last one of this QP left, whatever
// other QPs do; in each state that records can lead to, what the block's signs rely on holds; and no record does what
// the document forbids. The first of these is proved with the context as it is (Check[12]); the others are proved on
// top of it, with the word assumed to be that one.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of req_ack_check.go.
module req_ack_check_proof #(
  parameter logic [15:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [145:0] s_rec_i,
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic [1:0]   watch_i
);

  logic s_ready, m_valid;
  logic [153:0] m_rec;

  req_ack_check #(
    .NumQps(4),
    .Reads (1)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_qpn_i       (s_rec_i[23:0]),
    .s_psn_i       (s_rec_i[47:24]),
    .s_count_i     (s_rec_i[71:48]),
    .s_number_i    (s_rec_i[95:72]),
    .s_payload_i   (s_rec_i[108:96]),
    .s_opcode_i    (s_rec_i[116:109]),
    .s_syndrome_i  (s_rec_i[124:117]),
    .s_op_i        (s_rec_i[127:125]),
    .s_pad_i       (s_rec_i[129:128]),
    .s_kind_i      (s_rec_i[131:130]),
    .s_pmtu_i      (s_rec_i[134:132]),
    .s_max_reads_i (s_rec_i[139:135]),
    .s_profile_i   (s_rec_i[145:140]),
    .s_valid_i,
    .s_ready_o     (s_ready),
    .m_qpn_o       (m_rec[23:0]),
    .m_una_before_o(m_rec[47:24]),
    .m_una_o       (m_rec[71:48]),
    .m_high_o      (m_rec[95:72]),
    .m_lsn_o       (m_rec[119:96]),
    .m_syndrome_o  (m_rec[127:120]),
    .m_op_o        (m_rec[130:128]),
    .m_why_o       (m_rec[135:131]),
    .m_action_o    (m_rec[138:136]),
    .m_region_o    (m_rec[140:139]),
    .m_reads_o     (m_rec[145:141]),
    .m_progress_o  (m_rec[146]),
    .m_idle_o      (m_rec[147]),
    .m_data_o      (m_rec[148]),
    .m_ended_o     (m_rec[149]),
    .m_credits_o   (m_rec[150]),
    .m_unlimited_o (m_rec[151]),
    .m_waiting_o   (m_rec[152]),
    .m_retrying_o  (m_rec[153]),
    .m_valid_o     (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  req_pkg::rec_t f, x;
  req_pkg::state_t found, next;
  req_pkg::read_t head;
  req_pkg::action_e action;
  req_pkg::line_t line;
  req_pkg::facts_t facts;

  localparam int unsigned StateWidth = $bits(found);
  localparam int unsigned WordWidth = StateWidth + $bits(head);  // NumQps 4, Reads 1

  (* hierconn *) wire [145:0] \dut.r_q ;
  (* hierconn *) wire \dut.r_valid_q ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire \dut.y_valid_q ;
  (* hierconn *) wire [145:0] \dut.f_q ;
  (* hierconn *) wire [23:0] \dut.f_next_q ;
  (* hierconn *) wire \dut.f_known_q ;
  (* hierconn *) wire \dut.f_count_ok_q ;
  (* hierconn *) wire [145:0] \dut.x_q ;
  (* hierconn *) wire [92:0] \dut.x_facts_q ;
  (* hierconn *) wire [WordWidth-1:0] \dut.x_ctx ;
  (* hierconn *) wire [WordWidth-1:0] \dut.x_ctx_d ;
  (* hierconn *) wire [StateWidth-1:0] \dut.u_decide.next ;
  (* hierconn *) wire \dut.u_decide.response ;
  (* hierconn *) wire \dut.u_decide.unacked ;
  (* hierconn *) wire \dut.u_decide.acked ;
  (* hierconn *) wire \dut.u_decide.outstanding ;
  (* hierconn *) wire \dut.u_decide.fits ;
  (* hierconn *) wire \dut.u_decide.taken ;
  (* hierconn *) wire [2:0] \dut.u_decide.action_d ;
  (* hierconn *) wire [153:0] \dut.out_d ;
  (* hierconn *) wire [2:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [2:0] \dut.gen_plain.u_context.scrub_q ;
  (* hierconn *) wire [3:0] \dut.gen_plain.u_context.qpn_q ;
  (* hierconn *) wire [WordWidth-1:0] \dut.gen_plain.u_context.f_read ;
  (* hierconn *) wire [WordWidth-1:0] \dut.gen_plain.u_context.late_q ;
  (* hierconn *) wire \dut.gen_plain.u_context.late_we_q ;
  (* hierconn *) wire [1:0] \dut.gen_plain.u_context.same_q ;
  (* hierconn *) wire [WordWidth-1:0] \dut.gen_plain.u_context.u_ram.mem[0] ;
  (* hierconn *) wire [WordWidth-1:0] \dut.gen_plain.u_context.u_ram.mem[1] ;
  (* hierconn *) wire [WordWidth-1:0] \dut.gen_plain.u_context.u_ram.mem[2] ;
  (* hierconn *) wire [WordWidth-1:0] \dut.gen_plain.u_context.u_ram.mem[3] ;

  localparam logic [23:0] Half = 24'h80_0000;  // 2^23

  // What the property needs of all that follows: a proof without ballast is a quick one.
  localparam logic Apart = Check[12];
  localparam logic OfStages = |{Check[13], Check[11:5]};

  assign f      = \dut.f_q ;
  assign x      = \dut.x_q ;
  assign {head, found} = \dut.x_ctx ;
  assign next   = \dut.u_decide.next ;
  assign action = \dut.u_decide.action_d ;
  assign facts  = \dut.x_facts_q ;
  assign line   = facts.line;

  // ---------------------------------------------------------------------------------------------------------------
  // The QP that is looked at: what its last record left, and whether a retry was called for since una moved.

  logic initial_q = 1'b1;
  logic [1:0] watch_q, late_qpn_q;
  logic [WordWidth-1:0] word_q, mem_word;
  logic here, moves, calls, spent_q;

  // A record of it is in X.
  assign here  = \dut.x_valid_q && x.qpn == {22'd0, watch_q};
  assign moves = next.una != found.una;
  assign calls = action == req_pkg::ActionSequence || action == req_pkg::ActionImplied;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    late_qpn_q <= \dut.gen_plain.u_context.qpn_q [3:2] ;
    if (!rst_ni) begin
      word_q  <= '0;
      spent_q <= 1'b0;
    end else if (here) begin
      word_q  <= \dut.x_ctx_d ;
      spent_q <= calls || (spent_q && !moves && action != req_pkg::ActionRnr && \dut.x_ctx_d [0] && found.open);
    end
  end

  always_comb begin
    case (watch_q)
      2'd0: mem_word = \dut.gen_plain.u_context.u_ram.mem[0] ;
      2'd1: mem_word = \dut.gen_plain.u_context.u_ram.mem[1] ;
      2'd2: mem_word = \dut.gen_plain.u_context.u_ram.mem[2] ;
      default: mem_word = \dut.gen_plain.u_context.u_ram.mem[3] ;
    endcase
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What induction needs.

  logic ctx_ready, inside, is_ack, is_data;
  logic word_legal, left_legal;
  req_pkg::state_t word;

  assign ctx_ready = \dut.gen_plain.u_context.scrub_q [2];
  assign inside    = \dut.y_valid_q || \dut.x_valid_q || \dut.f_valid_q || \dut.r_valid_q ;
  assign is_ack    = x.opcode == 8'h11;
  assign is_data   = x.opcode >= 8'h0D && x.opcode <= 8'h12 && !is_ack;
  assign word      = word_q[StateWidth-1:0];

  req_word_rules u_word (.word_i(word_q), .legal_o(word_legal));
  req_word_rules u_left (.word_i( \dut.x_ctx_d ), .legal_o(left_legal));

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && here && !Apart) assume ( \dut.x_ctx == word_q);
    if (!initial_q && rst_ni && Check[0] && Apart) begin
      // Of the context: as in qp_context_proof.sv.
      if (inside) assert (ctx_ready);
      assert ( \dut.gen_plain.u_context.scrub_q <= 3'd4);
      if (!ctx_ready) assert (word_q == '0);
      if (!ctx_ready && \dut.gen_plain.u_context.scrub_q != '0) assert (! \dut.gen_plain.u_context.late_we_q );
      if (ctx_ready || {1'b0, watch_q} < \dut.gen_plain.u_context.scrub_q ) assert (mem_word == word_q);
      if ( \dut.f_valid_q ) begin
        assert ( \dut.gen_plain.u_context.qpn_q [1:0] == f.qpn[1:0]);
        assert ( \dut.gen_plain.u_context.same_q [0] ==
                ( \dut.gen_plain.u_context.qpn_q [1:0] == \dut.gen_plain.u_context.qpn_q [3:2] ));
        assert ( \dut.gen_plain.u_context.same_q [1] == ( \dut.gen_plain.u_context.qpn_q [1:0] == late_qpn_q));
        if ( \dut.gen_plain.u_context.qpn_q [1:0] == watch_q)
          assert (( \dut.gen_plain.u_context.same_q [1] && \dut.gen_plain.u_context.late_we_q ?
                   \dut.gen_plain.u_context.late_q :
                    \dut.gen_plain.u_context.f_read ) == word_q);
      end
      if ( \dut.x_valid_q ) assert ( \dut.gen_plain.u_context.qpn_q [3:2] == x.qpn[1:0]);
      if ( \dut.f_valid_q ) assert ( \dut.f_known_q == (f.qpn[23:2] == '0));
      if ( \dut.x_valid_q ) assert ( facts.known == (x.qpn[23:2] == '0));
      if (here) assert ( \dut.x_ctx == word_q);
    end
    if (!initial_q && rst_ni && Check[0] && OfStages) begin
      // Of the stages before X.
      if ( \dut.f_valid_q ) begin
        assert ( \dut.f_known_q == (f.qpn[23:2] == '0));
        assert ( \dut.f_next_q == 24'(f.psn + (f.op == req_pkg::OpSent ? f.count : 24'd1)));
        assert ( \dut.f_count_ok_q ==
                (f.count != '0 && f.count <= Half && (f.kind != req_pkg::KindAtomic || f.count == 24'd1)));
      end
      if ( \dut.x_valid_q ) begin
        assert ( facts.known == (x.qpn[23:2] == '0));
        assert ( facts.next == 24'(x.psn + (x.op == req_pkg::OpSent ? x.count : 24'd1)));
        assert ( facts.furthest == (x.op == req_pkg::OpSent ? 24'( facts.next - 24'd1) : x.psn));
        assert ( facts.count_ok ==
                (x.count != '0 && x.count <= Half && (x.kind != req_pkg::KindAtomic || x.count == 24'd1)));
        assert ( facts.response == (is_ack || is_data));
        assert (line.ack == (is_ack && x.syndrome < 8'h20));
        assert (line.rnr == (is_ack && x.syndrome >= 8'h20 && x.syndrome < 8'h40));
        assert (line.sequence_nak == (is_ack && x.syndrome == 8'h60));
        assert (line.fatal == (is_ack && x.syndrome >= 8'h61 && x.syndrome <= 8'h64));
        assert (line.reserved_nak == (is_ack && x.syndrome >= 8'h65 && x.syndrome < 8'h80));
        assert (line.data == (is_data && (x.opcode == 8'h0E || x.syndrome < 8'h20)));
        assert (line.bad_syndrome == (is_data ? x.opcode != 8'h0E && x.syndrome >= 8'h20 :
                                      is_ack && x.syndrome >= 8'h40 && (x.syndrome < 8'h60 || x.syndrome >= 8'h80)));
      end
      // Of the state.
      assert (word_legal);
      if (spent_q) assert (word.retrying);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Properties of a record in X, of the chosen QP.

  logic response, answer, freed;
  logic [23:0] outstanding, distance, moved, left;
  logic [24:0] would_be;
  psn_pkg::class_e place;

  assign outstanding = found.high - found.una;
  assign place       = psn_pkg::respond(x.psn, found.una, found.high);
  assign distance    = x.psn - found.una;
  assign moved       = next.una - found.una;
  assign left        = next.high - next.una;
  assign would_be    = {1'b0, outstanding} + {1'b0, x.count};
  assign response    = found.open && x.op == req_pkg::OpResponse && x.opcode >= 8'h0D && x.opcode <= 8'h12;
  assign answer      = response && distance < outstanding;  // to something unacked
  assign freed       = found.profile.any_answer_ends_rnr && answer;

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && here) begin
      if (Check[5]) assert (left_legal);

      // PSN-3 as runs of PSNs, without a sign.
      if (Check[6]) begin
        assert ( \dut.u_decide.response == response);
        if (response) begin
          assert ( \dut.u_decide.unacked == (distance < outstanding));
          assert ( \dut.u_decide.acked == (24'(found.una - 24'd1 - x.psn) < Half - outstanding));
          assert ( \dut.u_decide.unacked == (place == psn_pkg::ClassUnacked) &&
                    \dut.u_decide.acked == (place == psn_pkg::ClassAcked));
        end
      end

      if (Check[7] && found.open) begin
        assert (moved <= outstanding);
        if (!answer) assert (!moves);
      end

      // The word opens and closes.
      if (Check[8]) begin
        if (!found.open && \dut.x_ctx_d [0]) assert (x.op == req_pkg::OpConfigure);
        if (!found.open && x.op != req_pkg::OpConfigure) assert ( \dut.x_ctx_d == '0);
        if (found.open) begin
          assert (! \dut.x_ctx_d [0] == (x.op == req_pkg::OpClose || action == req_pkg::ActionFatal ||
                                         action == req_pkg::ActionBad));
          if (x.op != req_pkg::OpClose && ! \dut.x_ctx_d [0]) assert (answer);
        end
      end

      // The wait (TMR-5).
      if (Check[9] && found.open) begin
        if (next.waiting && !found.waiting) assert (action == req_pkg::ActionRnr);
        if (action == req_pkg::ActionRnr) assert (next.waiting && !next.retrying && answer);
        if (found.waiting && !next.waiting) assert (moves || freed || x.op == req_pkg::OpGoOn);
        if (found.waiting && (moves || freed || x.op == req_pkg::OpGoOn))
          assert (next.waiting == (action == req_pkg::ActionRnr));
        if (found.waiting && !moves && !freed)
          assert (!calls && action != req_pkg::ActionRnr && action != req_pkg::ActionTimer);
        // What comes with progress acts, whatever was under way before.
        if (answer && moves && line.rnr) assert (action == req_pkg::ActionRnr || action == req_pkg::ActionImplied);
        if (answer && moves && line.sequence_nak) assert (calls);
      end

      // One gap burns one retry (TMR-3).
      if (Check[10] && calls) assert (!spent_q || moves);

      // What is bad (REQ-12): no data, nothing from its own PSN on acknowledged, no ACK and no NAK.
      if (Check[11] && action == req_pkg::ActionBad) begin
        assert (! \dut.u_decide.taken && answer && moved <= distance);
        assert (next.reads == found.reads && next.lsn == found.lsn);
        assert (x.opcode != 8'h11 || x.syndrome[7:5] == 3'b010 || x.syndrome[7]);
        if (found.profile.reserved_nak_ignored && x.opcode != 8'h0E)
          assert (x.opcode != 8'h11 && x.syndrome[7:5] == '0);
      end

      if (Check[12]) assert ( \dut.x_ctx == word_q);

      // Exactly 2^23 PSNs may be unacked, and are: in integers.
      if (Check[13] && found.open) begin
        assert ( \dut.u_decide.outstanding == (outstanding != '0));
        if (x.op == req_pkg::OpSent && x.psn == found.high && facts.count_ok )
          assert ( \dut.u_decide.fits == (would_be <= {1'b0, Half}));
        if (x.op == req_pkg::OpSent && x.psn == found.high && x.kind == req_pkg::KindFree && x.count != '0 &&
            would_be <= {1'b0, Half}) assert (left == would_be[23:0]);
        if (outstanding == Half && response) begin
          assert ( \dut.u_decide.unacked == !distance[23] && ! \dut.u_decide.acked );
          if (x.psn == found.high - 24'd1) assert ( \dut.u_decide.unacked );
        end
        if (outstanding == Half && x.op == req_pkg::OpRetry && !found.waiting) assert (action == req_pkg::ActionTimer);
      end
    end
  end

  // A record that goes into the queue is the one that is due.
  logic [145:0] due;
  req_pkg::out_t out;
  assign out = \dut.out_d ;

  pipe_rules #(
    .Width   (146),
    .OutWidth(154),
    .Latency (4),
    .Depth   (8),
    .Check   ({Check[14], Check[4:0]})
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i (initial_q),
    .push_i    (s_valid_i & s_ready),
    .waiting_i (2'd0),
    .enter_i   (s_valid_i & s_ready),
    .enter_id_i(s_rec_i),
    .queue_i   (\dut.u_queue.valid_i ),
    .same_i    (out.qpn == due[23:0] && out.op == due[127:125]),
    .due_o     (due),
    .stages_valid_i({\dut.y_valid_q , \dut.x_valid_q , \dut.f_valid_q , \dut.r_valid_q }),
    .stages_id_i   ({due,
                       \dut.x_q ,
                       \dut.f_q ,
                       \dut.r_q }),
    .queued_i  (3'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i   (\dut.u_queue.count_q ),
    .data_i    (m_rec),
    .valid_i   (m_valid),
    .ready_i   (m_ready_i)
  );

endmodule

// What the word of a QP is in every state: of a closed one zero; of an open one at most 2^23 PSNs unacked, the head
// of the list among them, and a wait or a retry, not both, only with something unacked.
module req_word_rules (
  input  logic [159:0] word_i,
  output logic         legal_o
);

  req_pkg::state_t state;
  req_pkg::read_t head;
  logic [23:0] unacked, due, last;

  assign {head, state} = word_i;
  assign unacked       = state.high - state.una;
  assign due           = head.due - state.una;
  assign last          = head.last - state.una;

  always_comb begin
    legal_o = word_i == '0;
    if (state.open) begin
      legal_o = unacked <= 24'h80_0000 && state.reads <= 5'd1 && state.max_reads <= 5'd1;
      if (state.reads != '0 && (due > last || last >= unacked)) legal_o = 1'b0;
      if (state.waiting && state.retrying) legal_o = 1'b0;
      if ((state.waiting || state.retrying) && unacked == '0) legal_o = 1'b0;
    end
  end

endmodule
