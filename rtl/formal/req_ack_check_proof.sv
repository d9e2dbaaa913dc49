// req_ack_check gives one record for every one that it takes, by the stream rules, whatever the records say; and what its signs
// rely on holds in every state that records can lead to: at most 2^23 PSNs unacked, the head among them.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of req_ack_check.go.
module req_ack_check_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [144:0] s_rec_i,
  input logic         s_valid_i,
  input logic         m_ready_i
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
    .s_profile_i   (s_rec_i[144:140]),
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

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire \dut.y_valid_q ;
  (* hierconn *) wire \dut.u_skid.head_valid_q ;
  (* hierconn *) wire \dut.u_skid.spare_valid_q ;
  (* hierconn *) wire [157:0] \dut.x_ctx ;
  (* hierconn *) wire [157:0] \dut.x_ctx_d ;
  (* hierconn *) wire [157:0] \dut.next ;
  (* hierconn *) wire [144:0] \dut.f_q ;
  (* hierconn *) wire [23:0] \dut.f_next_q ;
  (* hierconn *) wire \dut.f_count_ok_q ;
  (* hierconn *) wire [144:0] \dut.x_q ;
  (* hierconn *) wire [23:0] \dut.x_next_q ;
  (* hierconn *) wire [23:0] \dut.x_furthest_q ;
  (* hierconn *) wire \dut.x_count_ok_q ;
  (* hierconn *) wire \dut.x_known_q ;
  (* hierconn *) wire \dut.unacked ;
  (* hierconn *) wire \dut.acked ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  // ---------------------------------------------------------------------------------------------------------------
  // A word of the context: what every state must be.

  localparam logic [23:0] Half = 24'h80_0000;  // 2^23

  function automatic logic legal(input logic [157:0] word);
    logic [23:0] una, unacked, due, last;
    una     = word[24:1];
    unacked = word[48:25] - una;
    due     = word[119:96] - una;
    last    = word[143:120] - una;
    if (word[0]) legal = unacked <= Half && word[90:86] <= 5'd1 && word[95:91] <= 5'd1 &&
                         (word[95:91] == '0 || (due <= last && last < unacked));
    else legal = word == '0;
  endfunction

  // What the stages before X make of a record that says what was sent.
  function automatic logic [23:0] end_of(input logic [144:0] rec);
    end_of = rec[47:24] + (rec[127:125] == 3'd1 ? rec[71:48] : 24'd1);
  endfunction

  function automatic logic count_ok(input logic [144:0] rec);
    count_ok = rec[71:48] != '0 && rec[71:48] <= Half && (rec[131:130] != 2'd3 || rec[71:48] == 24'd1);
  endfunction

  logic response;
  logic [23:0] x_psn, x_una, x_unacked, x_moves;

  assign response  = \dut.x_valid_q && \dut.x_known_q && \dut.x_ctx [0] && \dut.x_q [127:125] == 3'd0;
  assign x_psn     = \dut.x_q [47:24];
  assign x_una     = \dut.x_ctx [24:1];
  assign x_unacked = \dut.x_ctx [48:25] - x_una;
  assign x_moves   = \dut.next [24:1] - x_una;

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      // The word is what the record before it of this QP wrote, or zero: that is proved of qp_context. Both are legal.
      if ( \dut.x_valid_q ) assume (legal( \dut.x_ctx ));
      if (Check[0]) begin
        if (\dut.f_valid_q ) assert ( \dut.f_next_q == end_of( \dut.f_q ) && \dut.f_count_ok_q == count_ok( \dut.f_q ));
        if (\dut.x_valid_q ) begin
          assert ( \dut.x_next_q == end_of( \dut.x_q ) && \dut.x_count_ok_q == count_ok( \dut.x_q ));
          assert ( \dut.x_furthest_q == ( \dut.x_q [127:125] == 3'd1 ? \dut.x_next_q - 24'd1 : \dut.x_q [47:24]));
        end
      end
      if (Check[5] && \dut.x_valid_q && \dut.x_known_q ) assert (legal( \dut.x_ctx_d ));
      // PSN-3 as runs of PSNs, without a sign.
      if (Check[6] && response) begin
        assert ( \dut.unacked == (24'(x_psn - x_una) < x_unacked));
        assert ( \dut.acked == (24'(x_una - 24'd1 - x_psn) < Half - x_unacked));
      end
      if (Check[7] && response) assert (x_moves <= x_unacked);
    end
  end

  // The skid's own invariants.
  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni && Check[0]) begin
      assert (\dut.u_skid.head_valid_q || ! \dut.u_skid.spare_valid_q );
      if (s_ready) assert (! \dut.u_skid.spare_valid_q );
    end
  end

  stream_rules #(
    .Width(154),
    .Most (6),
    .Check(Check[4:0])
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i(initial_q),
    .push_i   (s_valid_i & s_ready),
    .inside_i (5'(m_valid) + 5'(\dut.y_valid_q ) + 5'(\dut.x_valid_q ) + 5'(\dut.f_valid_q ) +
               5'(\dut.u_skid.head_valid_q ) + 5'(\dut.u_skid.spare_valid_q )),
    .data_i   (m_rec),
    .valid_i  (m_valid),
    .ready_i  (m_ready_i)
  );

endmodule
