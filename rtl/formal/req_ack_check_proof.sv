// req_ack_check gives one record for every one that it takes, by the stream rules, whatever the records say.
module req_ack_check_proof #(
  parameter logic [4:0] Check = '1
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

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

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
    .Check(Check)
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
