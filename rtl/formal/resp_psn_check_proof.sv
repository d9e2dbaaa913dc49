// resp_psn_check gives one record for every one that it takes, by the stream rules, whatever the records say.
module resp_psn_check_proof #(
  parameter logic [4:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [178:0] s_rec_i,
  input logic         s_valid_i,
  input logic         m_ready_i
);

  logic s_ready, m_valid;
  logic [146:0] m_rec;

  resp_psn_check #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_qpn_i        (s_rec_i[23:0]),
    .s_psn_i        (s_rec_i[47:24]),
    .s_opcode_i     (s_rec_i[55:48]),
    .s_payload_i    (s_rec_i[71:56]),
    .s_dma_length_i (s_rec_i[103:72]),
    .s_wqe_bytes_i  (s_rec_i[135:104]),
    .s_op_i         (s_rec_i[138:136]),
    .s_service_i    (s_rec_i[140:139]),
    .s_pmtu_i       (s_rec_i[143:141]),
    .s_max_reads_i  (s_rec_i[148:144]),
    .s_enabled_i    (s_rec_i[151:149]),
    .s_rnr_timer_i  (s_rec_i[156:152]),
    .s_va_low_i     (s_rec_i[159:157]),
    .s_credits_i    (s_rec_i[164:160]),
    .s_pad_i        (s_rec_i[166:165]),
    .s_ack_req_i    (s_rec_i[167]),
    .s_profile_i    (s_rec_i[173:168]),
    .s_solicited_i  (s_rec_i[174]),
    .s_own_error_i  (s_rec_i[175]),
    .s_qkey_ok_i    (s_rec_i[176]),
    .s_wqe_present_i(s_rec_i[177]),
    .s_access_ok_i  (s_rec_i[178]),
    .s_valid_i,
    .s_ready_o      (s_ready),
    .m_qpn_o        (m_rec[23:0]),
    .m_epsn_before_o(m_rec[47:24]),
    .m_epsn_after_o (m_rec[71:48]),
    .m_psn_o        (m_rec[95:72]),
    .m_msn_o        (m_rec[119:96]),
    .m_syndrome_o   (m_rec[127:120]),
    .m_op_o         (m_rec[130:128]),
    .m_why_o        (m_rec[135:131]),
    .m_verdict_o    (m_rec[138:136]),
    .m_answer_o     (m_rec[141:139]),
    .m_first_o      (m_rec[142]),
    .m_last_o       (m_rec[143]),
    .m_complete_o   (m_rec[144]),
    .m_solicited_o  (m_rec[145]),
    .m_to_error_o   (m_rec[146]),
    .m_valid_o      (m_valid),
    .m_ready_i
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.r_valid_q ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
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
    .Width(147),
    .Most (6),
    .Check(Check)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i(initial_q),
    .push_i   (s_valid_i & s_ready),
    .inside_i (5'(m_valid) + 5'(\dut.x_valid_q ) + 5'(\dut.f_valid_q ) + 5'(\dut.r_valid_q ) +
               5'(\dut.u_skid.head_valid_q ) + 5'(\dut.u_skid.spare_valid_q )),
    .data_i   (m_rec),
    .valid_i  (m_valid),
    .ready_i  (m_ready_i)
  );

endmodule
