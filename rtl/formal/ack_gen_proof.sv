// SPDX-License-Identifier: Apache-2.0
// ack_gen gives a record for each that it takes, in order, and of each frame every beat once, in order; its queue of
// beats has a place for each. What the frame holds, and what is known of the QP, may be anything. Check: bits 0 to 5 as
// pipe_rules has them, then one bit a property of ack_gen.go.
module ack_gen_proof #(
  parameter logic [9:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [563:0] s_rec_i,  // as docs/blocks/ack_gen.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic         m_axis_ready_i
);

  logic s_ready, m_valid, a_valid, a_last;
  logic [28:0] m_rec;
  logic [63:0] a_data;
  logic [7:0] a_keep;
  logic a_user;

  ack_gen #(
    .NumQps   (4),
    .DataWidth(64)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i(s_rec_i[2:0]),
    .s_qpn_i(s_rec_i[26:3]),
    .s_psn_i(s_rec_i[50:27]),
    .s_msn_i(s_rec_i[74:51]),
    .s_syndrome_i(s_rec_i[82:75]),
    .s_encap_i(s_rec_i[85:83]),
    .s_tags_i(s_rec_i[87:86]),
    .s_vlan0_i(s_rec_i[119:88]),
    .s_vlan1_i(s_rec_i[151:120]),
    .s_sl_i(s_rec_i[155:152]),
    .s_slid_i(s_rec_i[171:156]),
    .s_dlid_i(s_rec_i[187:172]),
    .s_tclass_i(s_rec_i[195:188]),
    .s_udp_src_port_i(s_rec_i[211:196]),
    .s_src_i(s_rec_i[339:212]),
    .s_dst_i(s_rec_i[467:340]),
    .s_pkey_i(s_rec_i[483:468]),
    .s_peer_qpn_i(s_rec_i[507:484]),
    .s_mac_i(s_rec_i[555:508]),
    .s_hop_limit_i(s_rec_i[563:556]),
    .s_valid_i,
    .s_ready_o      (s_ready),
    .m_qpn_o        (m_rec[23:0]),
    .m_op_o         (m_rec[26:24]),
    .m_why_o        (m_rec[28:27]),
    .m_valid_o      (m_valid),
    .m_ready_i,
    .m_axis_tdata_o (a_data),
    .m_axis_tkeep_o (a_keep),
    .m_axis_tlast_o (a_last),
    .m_axis_tuser_o (a_user),
    .m_axis_tvalid_o(a_valid),
    .m_axis_tready_i(m_axis_ready_i)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [563:0] \dut.r_rec ;
  (* hierconn *) wire [563:0] \dut.f_rec_q ;
  (* hierconn *) wire [563:0] \dut.x_rec_q ;
  (* hierconn *) wire [32:0] \dut.f_slot_q ;
  (* hierconn *) wire [32:0] \dut.x_slot_q ;
  (* hierconn *) wire \dut.r_go ;
  (* hierconn *) wire \dut.r_there ;
  (* hierconn *) wire \dut.r_take ;
  (* hierconn *) wire [3:0] \dut.r_beat_q ;
  (* hierconn *) wire [6:0] \dut.r_bytes ;
  (* hierconn *) wire \dut.r_is_frame ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire \dut.u_beats.s_valid_i ;
  (* hierconn *) wire \dut.u_beats.s_ready_o ;
  (* hierconn *) wire [73:0] \dut.u_beats.s_data_i ;
  (* hierconn *) wire [104:0] \dut.x_ctx ;
  (* hierconn *) wire [4:0] \dut.u_beats.count_q ;
  (* hierconn *) wire [3:0] \dut.u_beats.write_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_beats.read_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_records.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_records.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_records.count_q ;
  (* hierconn *) wire \dut.u_records.valid_i ;
  (* hierconn *) wire [28:0] \dut.u_records.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic [26:0] due;

  // From the head of the queue at the input, which is sync_fifo's, to the records' queue.
  pipe_rules #(
    .Width   (27),
    .OutWidth(29),
    .Latency (2),
    .Depth   (8),
    .Check   (Check[5:0])
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (\dut.r_take ),
    .waiting_i     (2'd0),
    .enter_i       (\dut.r_take ),
    .enter_id_i    (\dut.r_rec [26:0]),
    .queue_i       (\dut.u_records.valid_i ),
    .same_i        ({\dut.u_records.data_i [23:0], \dut.u_records.data_i [26:24]} == due),
    .due_o         (due),
    .stages_valid_i({\dut.x_valid_q & \dut.x_slot_q [31], \dut.f_valid_q & \dut.f_slot_q [31]}),
    .stages_id_i   ({\dut.x_rec_q [26:0], \dut.f_rec_q [26:0]}),
    .queued_i      (3'(\dut.u_records.write_ptr_q - \dut.u_records.read_ptr_q )),
    .count_i       (\dut.u_records.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // The beat that has to come next, and how far the frame goes: a word of 8 bytes a beat.
  logic [3:0] next_q;
  logic [4:0] under_way;
  logic [3:0] beats_stored;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else if (\dut.r_go ) next_q <= \dut.r_take ? 4'd0 : next_q + 4'd1;
  end

  assign beats_stored = \dut.u_beats.write_ptr_q - \dut.u_beats.read_ptr_q ;
  assign under_way = 5'(\dut.f_valid_q ) + 5'(\dut.x_valid_q );

  // Record and beat that stood in R a clock before and two; what of the frame the latter has to give.
  logic [576:0] r_now, one_q, two_q;
  logic [3:0] beat;
  logic [6:0] bytes;
  logic last, is_frame, good;
  logic [7:0] keep;
  logic [2:0] encap;

  assign r_now = {\dut.r_is_frame , \dut.r_take , \dut.r_beat_q , \dut.r_bytes , \dut.r_rec };
  assign {is_frame, last, beat, bytes} = two_q[576:564];
  assign encap = two_q[85:83];
  assign good  = is_frame && \dut.x_ctx [104] && \dut.x_ctx [103:80] == two_q[26:3];

  always_comb begin
    for (int unsigned i = 0; i < 8; i++) keep[i] = {beat, 3'd0} + 7'(i) < bytes;
  end

  always_ff @(posedge clk_i) begin
    one_q <= r_now;
    two_q <= one_q;
  end

  // The head of the queue at the input stays until it is taken: sync_fifo's.
  logic held_q = 1'b0;
  logic [563:0] head_q;
  always_ff @(posedge clk_i) begin
    held_q <= rst_ni & \dut.r_there & ~\dut.r_take ;
    head_q <= \dut.r_rec ;
    if (held_q && rst_ni) assume (\dut.r_there && \dut.r_rec == head_q);
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.r_beat_q == next_q);
        // Between the beats of a frame it stands at the head, and has more.
        if (next_q != 4'd0) assert (\dut.r_there && \dut.r_is_frame && {next_q, 3'd0} < \dut.r_bytes );
        // The queue counts the beats that it holds.
        assert (\dut.u_beats.count_q == 5'(beats_stored) + 5'(a_valid));
        assert (a_valid || beats_stored == '0);
      end
      if (Check[6] || Check[0]) begin
        assert (\dut.u_beats.count_q + under_way <= 5'd15);
      end
      if (Check[6] && \dut.u_beats.s_valid_i ) assert (\dut.u_beats.s_ready_o );
      if (Check[7] && \dut.r_go ) begin
        assert (\dut.r_beat_q == next_q);
        // The last beat is the one that the frame's last byte is in; a record without a frame takes one.
        if (\dut.r_take && \dut.r_is_frame ) assert ({next_q, 3'd0} < \dut.r_bytes && \dut.r_bytes <= {next_q,
          3'd0} + 7'd8);
        if (\dut.r_take && !\dut.r_is_frame ) assert (next_q == 4'd0);
        if (!\dut.r_take ) assert ({next_q, 3'd0} + 7'd8 < \dut.r_bytes && \dut.r_is_frame );
      end
      if (Check[0] || Check[8]) begin
        if (\dut.f_valid_q ) assert ({\dut.f_slot_q [32:20], \dut.f_rec_q } == one_q);
        if (\dut.x_valid_q ) assert ({\dut.x_slot_q [32:20], \dut.x_rec_q } == two_q);
      end
      if (Check[9]) begin
        assert (\dut.u_beats.s_valid_i == (\dut.x_valid_q && good));
        if (\dut.u_beats.s_valid_i ) begin
          assert (\dut.u_beats.s_data_i [73:64] == {encap == 3'd4 || encap == 3'd5, last, keep});
        end
      end
    end
  end

endmodule
