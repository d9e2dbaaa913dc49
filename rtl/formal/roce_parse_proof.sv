// SPDX-License-Identifier: Apache-2.0
// roce_parse gives one header record a packet, in order, by the stream rules, whatever the packets hold. m_axis comes
// straight out of packet_store, which has its own proof. Nothing in the queue of records looks at data, so a few bits
// of a record are followed.
module roce_parse_proof #(
  parameter logic [5:0] Check = '1
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
    .StoreBytes(256)
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

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.in_valid_q ;
  (* hierconn *) wire [73:0] \dut.in_q ;
  (* hierconn *) wire [4:0] \dut.valid_q ;
  (* hierconn *) wire [4:0] \dut.last_q ;
  (* hierconn *) wire \dut.packet_end ;
  (* hierconn *) wire [5:0] \dut.u_locate.valid_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat1_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat2_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat3_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat4_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat5_q ;
  (* hierconn *) wire [73:0] \dut.u_locate.beat6_q ;
  (* hierconn *) wire [3:0] \dut.u_records.write_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_records.read_ptr_q ;
  (* hierconn *) wire [4:0] \dut.u_records.count_q ;
  (* hierconn *) wire \dut.u_records.valid_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  assign push = s_valid_i & s_ready & s_last_i;  // the last beat of a packet: it gives the record

  pipe_rules #(
    .OutWidth(8),
    .Latency (13),
    .Depth   (16),
    .Check   (Check)
  ) u_hdr_rules (
    .clk_i,
    .rst_ni,
    .initial_i (initial_q),
    .push_i    (push),
    .waiting_i (2'd0),
    .enter_i   (push),
    .enter_id_i(1'b0),
    .queue_i   (\dut.u_records.valid_i ),
    .same_i    (1'b1),
    .stages_valid_i({\dut.packet_end , \dut.valid_q & \dut.last_q ,
                      \dut.u_locate.valid_q [5] & \dut.u_locate.beat6_q [72],
                      \dut.u_locate.valid_q [4] & \dut.u_locate.beat5_q [72],
                      \dut.u_locate.valid_q [3] & \dut.u_locate.beat4_q [72],
                      \dut.u_locate.valid_q [2] & \dut.u_locate.beat3_q [72],
                      \dut.u_locate.valid_q [1] & \dut.u_locate.beat2_q [72],
                      \dut.u_locate.valid_q [0] & \dut.u_locate.beat1_q [72],
                      \dut.in_valid_q & \dut.in_q [73]}),
    .stages_id_i   ({13'd0}),
    .queued_i  (4'(\dut.u_records.write_ptr_q - \dut.u_records.read_ptr_q )),
    .count_i   (\dut.u_records.count_q ),
    .data_i    (m_hdr[7:0]),
    .valid_i   (m_hdr_valid),
    .ready_i   (m_hdr_ready_i)
  );

endmodule
