// roce_parse gives one header record a packet, by the stream rules on both outputs, whatever the packets hold.
//
// The payload that comes out is packet_store's affair, which has its own proof; here its memory has a few beats only.
module roce_parse_proof #(
  parameter logic [6:0] Check = '1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [63:0] s_data_i,
  input logic [7:0]  s_keep_i,
  input logic        s_last_i,
  input logic        s_ib_i,
  input logic        s_valid_i,
  input logic        m_hdr_ready_i,
  input logic        m_axis_ready_i
);

  logic s_ready, m_hdr_valid, m_axis_valid, m_last;
  logic [1015:0] m_hdr;
  logic [63:0] m_data;
  logic [7:0] m_keep;

  roce_parse #(
    .DataWidth (64),
    .StoreBytes(32)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i       (s_data_i),
    .s_axis_tkeep_i       (s_keep_i),
    .s_axis_tlast_i       (s_last_i),
    .s_axis_tuser_i       (s_ib_i),
    .s_axis_tvalid_i      (s_valid_i),
    .s_axis_tready_o      (s_ready),
    .m_hdr_reason_o       (m_hdr[3:0]),
    .m_hdr_encap_o        (m_hdr[6:4]),
    .m_hdr_cut_o          (m_hdr[7]),
    .m_hdr_short_o        (m_hdr[8]),
    .m_hdr_tags_o         (m_hdr[10:9]),
    .m_hdr_se_o           (m_hdr[11]),
    .m_hdr_mig_req_o      (m_hdr[12]),
    .m_hdr_fecn_o         (m_hdr[13]),
    .m_hdr_becn_o         (m_hdr[14]),
    .m_hdr_ack_req_o      (m_hdr[15]),
    .m_hdr_opcode_o       (m_hdr[23:16]),
    .m_hdr_pad_o          (m_hdr[25:24]),
    .m_hdr_tver_o         (m_hdr[29:26]),
    .m_hdr_flush_sel_o    (m_hdr[31:30]),
    .m_hdr_flush_plt_o    (m_hdr[35:32]),
    .m_hdr_sl_o           (m_hdr[39:36]),
    .m_hdr_pkey_o         (m_hdr[55:40]),
    .m_hdr_dest_qp_o      (m_hdr[79:56]),
    .m_hdr_psn_o          (m_hdr[103:80]),
    .m_hdr_payload_bytes_o(m_hdr[119:104]),
    .m_hdr_udp_src_port_o (m_hdr[135:120]),
    .m_hdr_tclass_o       (m_hdr[143:136]),
    .m_hdr_slid_o         (m_hdr[159:144]),
    .m_hdr_dlid_o         (m_hdr[175:160]),
    .m_hdr_vlan0_o        (m_hdr[207:176]),
    .m_hdr_vlan1_o        (m_hdr[239:208]),
    .m_hdr_src_o          (m_hdr[367:240]),
    .m_hdr_dst_o          (m_hdr[495:368]),
    .m_hdr_ee_context_o   (m_hdr[519:496]),
    .m_hdr_qkey_o         (m_hdr[551:520]),
    .m_hdr_src_qp_o       (m_hdr[575:552]),
    .m_hdr_xrcsrq_o       (m_hdr[599:576]),
    .m_hdr_va_o           (m_hdr[663:600]),
    .m_hdr_rkey_o         (m_hdr[695:664]),
    .m_hdr_dma_len_o      (m_hdr[727:696]),
    .m_hdr_swap_add_o     (m_hdr[791:728]),
    .m_hdr_compare_o      (m_hdr[855:792]),
    .m_hdr_syndrome_o     (m_hdr[863:856]),
    .m_hdr_msn_o          (m_hdr[887:864]),
    .m_hdr_original_o     (m_hdr[951:888]),
    .m_hdr_inv_rkey_o     (m_hdr[983:952]),
    .m_hdr_immediate_o    (m_hdr[1015:984]),
    .m_hdr_valid_o        (m_hdr_valid),
    .m_hdr_ready_i,
    .m_axis_tdata_o       (m_data),
    .m_axis_tkeep_o       (m_keep),
    .m_axis_tlast_o       (m_last),
    .m_axis_tvalid_o      (m_axis_valid),
    .m_axis_tready_i      (m_axis_ready_i)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_skid.head_valid_q ;
  (* hierconn *) wire \dut.u_skid.spare_valid_q ;
  (* hierconn *) wire [73:0] \dut.u_skid.head_q ;
  (* hierconn *) wire [73:0] \dut.u_skid.spare_q ;
  (* hierconn *) wire \dut.u_locate.valid1_q ;
  (* hierconn *) wire \dut.u_locate.last1_q ;
  (* hierconn *) wire \dut.u_locate.valid2_q ;
  (* hierconn *) wire \dut.u_locate.last2_q ;
  (* hierconn *) wire \dut.u_locate.valid3_q ;
  (* hierconn *) wire \dut.u_locate.last3_q ;
  (* hierconn *) wire \dut.u_locate.valid4_q ;
  (* hierconn *) wire \dut.u_locate.last4_q ;
  (* hierconn *) wire \dut.u_locate.valid5_q ;
  (* hierconn *) wire \dut.u_locate.last5_q ;
  (* hierconn *) wire \dut.u_locate.valid6_q ;
  (* hierconn *) wire \dut.u_locate.last6_q ;
  (* hierconn *) wire \dut.valid7_q ;
  (* hierconn *) wire \dut.last7_q ;
  (* hierconn *) wire \dut.valid8_q ;
  (* hierconn *) wire \dut.last8_q ;
  (* hierconn *) wire \dut.valid9_q ;
  (* hierconn *) wire \dut.last9_q ;
  (* hierconn *) wire \dut.valid10_q ;
  (* hierconn *) wire \dut.last10_q ;
  (* hierconn *) wire \dut.valid11_q ;
  (* hierconn *) wire \dut.last11_q ;
  (* hierconn *) wire \dut.valid12_q ;
  (* hierconn *) wire \dut.last12_q ;

  // Packets whose last beat is in a stage.
  logic [4:0] inside;
  always_comb begin
    inside = 5'(m_hdr_valid);
    if (\dut.u_skid.head_valid_q ) inside = inside + 5'(\dut.u_skid.head_q [73]);
    if (\dut.u_skid.spare_valid_q ) inside = inside + 5'(\dut.u_skid.spare_q [73]);
    inside = inside + 5'(\dut.u_locate.valid1_q & \dut.u_locate.last1_q );
    inside = inside + 5'(\dut.u_locate.valid2_q & \dut.u_locate.last2_q );
    inside = inside + 5'(\dut.u_locate.valid3_q & \dut.u_locate.last3_q );
    inside = inside + 5'(\dut.u_locate.valid4_q & \dut.u_locate.last4_q );
    inside = inside + 5'(\dut.u_locate.valid5_q & \dut.u_locate.last5_q );
    inside = inside + 5'(\dut.u_locate.valid6_q & \dut.u_locate.last6_q );
    inside = inside + 5'(\dut.valid7_q & \dut.last7_q );
    inside = inside + 5'(\dut.valid8_q & \dut.last8_q );
    inside = inside + 5'(\dut.valid9_q & \dut.last9_q );
    inside = inside + 5'(\dut.valid10_q & \dut.last10_q );
    inside = inside + 5'(\dut.valid11_q & \dut.last11_q );
    inside = inside + 5'(\dut.valid12_q & \dut.last12_q );
  end

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
    .Width(1016),
    .Most (15),
    .Check(Check[4:0])
  ) u_hdr_rules (
    .clk_i,
    .rst_ni,
    .initial_i(initial_q),
    .push_i   (s_valid_i & s_ready & s_last_i),
    .inside_i (inside),
    .data_i   (m_hdr),
    .valid_i  (m_hdr_valid),
    .ready_i  (m_hdr_ready_i)
  );

  stream_rules #(
    .Width(73),
    .Check({2'b00, Check[6:5], 1'b0})
  ) u_axis_rules (
    .clk_i,
    .rst_ni,
    .initial_i(initial_q),
    .push_i   (1'b0),
    .inside_i ('0),
    .data_i   ({m_last, m_keep, m_data}),
    .valid_i  (m_axis_valid),
    .ready_i  (m_axis_ready_i)
  );

endmodule
