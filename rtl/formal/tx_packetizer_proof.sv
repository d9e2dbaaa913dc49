// SPDX-License-Identifier: Apache-2.0
// tx_packetizer gives an answer for every record that it takes, in order, and what X decides of a record is what
// leaves. What the memory gives may be anything; that it gives the right words is qp_context's, and what is decided
// pkt_decide's. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of tx_packetizer.go.
module tx_packetizer_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [190:0] s_rec_i,  // as docs/blocks/tx_packetizer.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i
);

  logic s_ready, m_valid;
  logic [329:0] m_rec;

  tx_packetizer #(
    .NumQps(4)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_qpn_i       (s_rec_i[23:0]),
    .s_op_i        (s_rec_i[26:24]),
    .s_una_i       (s_rec_i[50:27]),
    .s_order_i     (s_rec_i[53:51]),
    .s_progress_i  (s_rec_i[54]),
    .s_lsn_i       (s_rec_i[78:55]),
    .s_unlimited_i (s_rec_i[79]),
    .s_ended_i     (s_rec_i[80]),
    .s_pmtu_i      (s_rec_i[83:81]),
    .s_max_reads_i (s_rec_i[88:84]),
    .s_window_i    (s_rec_i[112:89]),
    .s_service_i   (s_rec_i[114:113]),
    .s_restart_i   (s_rec_i[115]),
    .s_whole_read_i(s_rec_i[116]),
    .s_slot_i      (s_rec_i[122:117]),
    .s_oldest_i    (s_rec_i[123]),
    .s_begun_i     (s_rec_i[125:124]),
    .s_verb_i      (s_rec_i[129:126]),
    .s_immediate_i (s_rec_i[130]),
    .s_invalidate_i(s_rec_i[131]),
    .s_solicited_i (s_rec_i[132]),
    .s_fence_i     (s_rec_i[133]),
    .s_length_i    (s_rec_i[165:134]),
    .s_first_i     (s_rec_i[189:166]),
    .s_told_i      (s_rec_i[190]),
    .s_valid_i,
    .s_ready_o     (s_ready),
    .m_qpn_o       (m_rec[23:0]),
    .m_op_o        (m_rec[26:24]),
    .m_why_o       (m_rec[30:27]),
    .m_what_o      (m_rec[32:31]),
    .m_slot_o      (m_rec[38:33]),
    .m_oldest_o    (m_rec[39]),
    .m_begins_o    (m_rec[40]),
    .m_again_o     (m_rec[41]),
    .m_opcode_o    (m_rec[49:42]),
    .m_psn_o       (m_rec[73:50]),
    .m_count_o     (m_rec[97:74]),
    .m_offset_o    (m_rec[129:98]),
    .m_bytes_o     (m_rec[161:130]),
    .m_payload_o   (m_rec[174:162]),
    .m_kind_o      (m_rec[176:175]),
    .m_number_o    (m_rec[200:177]),
    .m_ack_req_o   (m_rec[201]),
    .m_solicited_o (m_rec[202]),
    .m_first_o     (m_rec[226:203]),
    .m_last_o      (m_rec[250:227]),
    .m_una_o       (m_rec[274:251]),
    .m_next_o      (m_rec[298:275]),
    .m_high_o      (m_rec[322:299]),
    .m_reads_o     (m_rec[327:323]),
    .m_waiting_o   (m_rec[328]),
    .m_drained_o   (m_rec[329]),
    .m_valid_o     (m_valid),
    .m_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [3:0] \dut.valid_q ;
  (* hierconn *) wire [190:0] \dut.r_q ;
  (* hierconn *) wire [190:0] \dut.f_q ;
  (* hierconn *) wire [190:0] \dut.x_q ;
  (* hierconn *) wire [329:0] \dut.y_q ;
  (* hierconn *) wire \dut.f_known_q ;
  (* hierconn *) wire \dut.x_known_q ;
  (* hierconn *) wire [329:0] \dut.x_result ;
  (* hierconn *) wire [179:0] \dut.x_state_d ;
  (* hierconn *) wire \dut.u_context.x_we_i ;
  (* hierconn *) wire [179:0] \dut.u_context.x_ctx_i ;
  (* hierconn *) wire [1:0] \dut.u_context.r_qpn_i ;
  (* hierconn *) wire [2:0] \dut.u_queue.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_queue.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_queue.count_q ;
  (* hierconn *) wire \dut.u_queue.valid_i ;
  (* hierconn *) wire [329:0] \dut.u_queue.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push;
  logic [26:0] due;
  assign push = s_valid_i & s_ready;

  pipe_rules #(
    .Width   (27),
    .OutWidth(330),
    .Latency (4),
    .Depth   (8),
    .Check   (Check[5:0])
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (push),
    .waiting_i     (2'd0),
    .enter_i       (push),
    .enter_id_i    (s_rec_i[26:0]),
    .queue_i       (\dut.u_queue.valid_i ),
    .same_i        (\dut.u_queue.data_i [26:0] == due),
    .due_o         (due),
    .stages_valid_i(\dut.valid_q ),
    .stages_id_i   ({\dut.y_q [26:0], \dut.x_q [26:0], \dut.f_q [26:0], \dut.r_q [26:0]}),
    .queued_i      (3'(\dut.u_queue.write_ptr_q - \dut.u_queue.read_ptr_q )),
    .count_i       (\dut.u_queue.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // What came one to three clocks before, and what X decided; of a stage that is empty it may be anything.
  logic [190:0] one_q, two_q, three_q;
  logic [329:0] result_q;
  always_ff @(posedge clk_i) begin
    one_q    <= s_rec_i;
    two_q    <= one_q;
    three_q  <= two_q;
    result_q <= \dut.x_result ;
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[6]) begin
        if (\dut.valid_q [0]) assert (\dut.r_q == one_q && \dut.u_context.r_qpn_i == one_q[1:0]);
        if (\dut.valid_q [1]) assert (\dut.f_q == two_q && \dut.f_known_q == (two_q[23:2] == '0));
        if (\dut.valid_q [2]) assert (\dut.x_q == three_q && \dut.x_known_q == (three_q[23:2] == '0));
        assert (\dut.u_context.x_we_i == (\dut.valid_q [2] && \dut.x_known_q ));
        assert (\dut.u_context.x_ctx_i == \dut.x_state_d );
      end
      if (Check[7] && \dut.valid_q [3]) assert (\dut.u_queue.data_i == result_q);
    end
  end

endmodule
