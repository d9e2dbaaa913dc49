// SPDX-License-Identifier: Apache-2.0
// req_ack_check gives one record for every one that it takes, by the stream rules, whatever the records say. Of each it
// knows in X what the record itself says, and gives out what was decided of it. And of a QP that the solver chooses
// once: every record of it finds the word that the last one of this QP left, whatever other QPs do. What is decided is
// req_decide_proof.sv's.
//
// With Ecc the memory of words is taken out, and what it is asked and what is told of its answers is looked at instead.
//
// Check selects assertions: bits 0 to 4 and 14 as pipe_rules has them, then one bit a property of req_ack_check.go.
module req_ack_check_proof #(
  parameter int unsigned Ecc = 0,
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
    .Reads (1),
    .Ecc   (Ecc)
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
  req_pkg::state_t found;
  req_pkg::read_t head;
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
  (* hierconn *) wire [153:0] \dut.x_result ;
  (* hierconn *) wire \dut.x_shown ;
  (* hierconn *) wire [153:0] \dut.x_decided ;
  (* hierconn *) wire \dut.x_decided_shown ;
  (* hierconn *) wire \dut.gen_ecc.lost ;
  (* hierconn *) wire \dut.gen_ecc.inject_ok ;
  (* hierconn *) wire [7:0] \dut.gen_ecc.failures ;
  (* hierconn *) wire [7:0] \dut.gen_ecc.corrections ;
  (* hierconn *) wire [15:0] \dut.gen_ecc.failed_at ;
  (* hierconn *) wire [15:0] \dut.gen_ecc.corrected_at ;
  (* hierconn *) wire [1:0] \dut.gen_ecc.u_context.s_index_i ;
  (* hierconn *) wire [1:0] \dut.gen_ecc.u_context.x_index_i ;
  (* hierconn *) wire \dut.gen_ecc.u_context.x_looks_i ;
  (* hierconn *) wire \dut.gen_ecc.u_context.x_writes_i ;
  (* hierconn *) wire \dut.gen_ecc.u_context.x_inject_i ;
  (* hierconn *) wire [15:0] \dut.gen_ecc.u_context.x_bit_a_i ;
  (* hierconn *) wire [15:0] \dut.gen_ecc.u_context.x_bit_b_i ;
  (* hierconn *) wire [WordWidth-1:0] \dut.gen_ecc.u_context.x_ctx_i ;
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
  localparam logic OfStages = Check[5];

  assign f      = \dut.f_q ;
  assign x      = \dut.x_q ;
  assign facts  = \dut.x_facts_q ;
  assign line   = facts.line;

  // ---------------------------------------------------------------------------------------------------------------
  // The QP that is looked at: what its last record left.

  logic initial_q = 1'b1;
  logic [1:0] watch_q;
  logic [WordWidth-1:0] word_q;
  logic here;

  // A record of it is in X.
  assign here  = \dut.x_valid_q && x.qpn == {22'd0, watch_q};

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    if (!rst_ni) word_q <= '0;
    else if (here) word_q <= \dut.x_ctx_d ;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What induction needs.

  logic is_ack, is_data;
  logic [15:0] credits;

  // CRD-1: two codes double what is given, 4 and 6 after 2 and 3.
  always_comb begin
    credits = x.syndrome[0] ? 16'd3 << ((x.syndrome[4:0] - 5'd3) >> 1) : 16'd1 << (x.syndrome[4:0] >> 1);
    if (x.syndrome[4:1] == '0) credits = {15'd0, x.syndrome[0]};
  end

  assign is_ack    = x.opcode == 8'h11;
  assign is_data   = x.opcode >= 8'h0D && x.opcode <= 8'h12 && !is_ack;

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && OfStages) begin
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
        assert (facts.first == (x.opcode == 8'h0D || x.opcode == 8'h10));
        assert (facts.last == (x.opcode == 8'h0F || x.opcode == 8'h10));
        assert (facts.middle == (x.opcode == 8'h0E) && facts.atomic == (x.opcode == 8'h12));
        assert (facts.number == 24'(x.number + (x.op == req_pkg::OpSent ? 24'd0 : {8'd0, credits})));
        assert (facts.no_credits == (x.syndrome[4:0] == 5'd31));
        assert (facts.pad_ok == (x.payload[1:0] == 2'(-x.pad)));
        assert (facts.full == {x.payload == 13'd4096, x.payload == 13'd2048, x.payload == 13'd1024,
                               x.payload == 13'd512, x.payload == 13'd256});
      end
    end
  end

  // Of the context: as in qp_context_proof.sv. With Ecc it is qp_context_ecc's.
  if (Ecc == 0) begin : gen_words
    logic [1:0] late_qpn_q;
    logic [WordWidth-1:0] mem_word;
    logic ctx_ready, inside;

    assign ctx_ready = \dut.gen_plain.u_context.scrub_q [2];
    assign inside    = \dut.y_valid_q || \dut.x_valid_q || \dut.f_valid_q || \dut.r_valid_q ;

    always_ff @(posedge clk_i) late_qpn_q <= \dut.gen_plain.u_context.qpn_q [3:2] ;

    always_comb begin
      case (watch_q)
        2'd0: mem_word = \dut.gen_plain.u_context.u_ram.mem[0] ;
        2'd1: mem_word = \dut.gen_plain.u_context.u_ram.mem[1] ;
        2'd2: mem_word = \dut.gen_plain.u_context.u_ram.mem[2] ;
        default: mem_word = \dut.gen_plain.u_context.u_ram.mem[3] ;
      endcase
    end

    always_ff @(posedge clk_i) begin
      if (!initial_q && rst_ni && Check[0] && Apart) begin
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
      if (!initial_q && rst_ni && here && Check[12]) assert ( \dut.x_ctx == word_q);
    end
  end

  // With Ecc: what a record asks of the memory of words, and what is told of its answers (ECC-4 to ECC-6). A reading of
  // docs/blocks/req_ack_check.md by itself: op 7 with kind 1 orders, with kind 2 counts.
  if (Ecc == 1) begin : gen_ecc
    logic known, inject, counts, looks, lost;
    logic [153:0] said;  // as docs/blocks/req_ack_check.md lays it out

    assign known  = facts.known;
    assign inject = x.op == 3'd7 && x.kind == 2'd1;
    assign counts = x.op == 3'd7 && x.kind == 2'd2;
    assign looks  = \dut.x_valid_q && known && !inject && !counts;
    assign lost   = known && \dut.gen_ecc.lost && \dut.x_decided [135:131] == 5'd1;

    always_comb begin
      said = \dut.x_decided ;
      if (lost) said[135:131] = 5'd24;
      if (inject) said[135:131] = !known ? 5'd1 : \dut.gen_ecc.inject_ok ? 5'd0 : 5'd22;
      if (counts) begin
        said         = '0;
        said[23:0]   = x.qpn;
        said[130:128] = x.op;
        said[47:24]  = {16'd0, \dut.gen_ecc.corrections };
        said[71:48]  = {16'd0, \dut.gen_ecc.failures };
        said[95:72]  = {8'd0, \dut.gen_ecc.corrected_at };
        said[119:96] = {8'd0, \dut.gen_ecc.failed_at };
      end
    end

    always_ff @(posedge clk_i) begin
      if (!initial_q && rst_ni) begin
        if (Check[7]) begin
          assert (\dut.gen_ecc.u_context.x_looks_i == looks && \dut.gen_ecc.u_context.x_writes_i == looks);
          assert (\dut.gen_ecc.u_context.x_inject_i == (\dut.x_valid_q && known && inject));
          assert (\dut.gen_ecc.u_context.s_index_i == s_rec_i[1:0] && \dut.gen_ecc.u_context.x_index_i == x.qpn[1:0]);
          assert (\dut.gen_ecc.u_context.x_bit_a_i == x.count[15:0] &&
                  \dut.gen_ecc.u_context.x_bit_b_i == x.number[15:0]);
          assert (\dut.gen_ecc.u_context.x_ctx_i == \dut.x_ctx_d );
        end
        if (Check[8] && \dut.x_valid_q ) begin
          assert (\dut.x_result == said);
          assert (\dut.x_shown == (counts || (\dut.x_decided_shown && !inject)));
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Y has what was decided: of a QP that is not there its number, operation and why alone.

  logic shown_q;
  req_pkg::out_t result_q, told;

  always_ff @(posedge clk_i) begin
    shown_q  <= \dut.x_shown ;
    result_q <= \dut.x_result ;
  end

  always_comb begin
    told = '0;
    if (shown_q) begin
      told          = result_q;
      told.idle     = result_q.una == result_q.high;
      told.syndrome = '0;
      if (result_q.action == req_pkg::ActionRnr || result_q.action == req_pkg::ActionFatal)
        told.syndrome = result_q.syndrome;
    end
    told.qpn = result_q.qpn;
    told.op  = result_q.op;
    told.why = result_q.why;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[6] && \dut.y_valid_q ) assert ( \dut.out_d == told);
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
