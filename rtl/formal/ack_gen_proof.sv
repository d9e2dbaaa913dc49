// SPDX-License-Identifier: Apache-2.0
// ack_gen gives a record for each that it takes, in order, and of each frame every beat once, in order; its queue
// of beats has a place for each. A payload leaves its queue beat by beat, as many as it has, and stands in the frame
// behind the headers, every byte once and in its place. What the headers hold, and what is known of the
// QP, may be anything. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of ack_gen.go.
module ack_gen_proof #(
  parameter logic [12:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [648:0] s_rec_i,  // as docs/blocks/ack_gen.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic         m_axis_ready_i,
  input logic [63:0]  s_data_i,
  input logic         s_data_valid_i
);

  logic s_ready, m_valid, a_valid, a_last;
  logic [28:0] m_rec;
  logic [63:0] a_data;
  logic [7:0] a_keep;
  logic a_user, s_data_ready;

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
    .s_opcode_i(s_rec_i[571:564]),
    .s_bytes_i(s_rec_i[584:572]),
    .s_original_i(s_rec_i[648:585]),
    .s_valid_i,
    .s_ready_o      (s_ready),
    .s_axis_tdata_i (s_data_i),
    .s_axis_tkeep_i (8'hFF),
    .s_axis_tlast_i (1'b0),
    .s_axis_tvalid_i(s_data_valid_i),
    .s_axis_tready_o(s_data_ready),
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
  (* hierconn *) wire [648:0] \dut.r_rec ;
  (* hierconn *) wire [648:0] \dut.f_rec_q ;
  (* hierconn *) wire [648:0] \dut.x_rec_q ;
  (* hierconn *) wire [60:0] \dut.f_slot_q ;
  (* hierconn *) wire [60:0] \dut.x_slot_q ;
  (* hierconn *) wire [60:0] \dut.r_slot ;
  (* hierconn *) wire \dut.r_go ;
  (* hierconn *) wire \dut.r_there ;
  (* hierconn *) wire \dut.r_take ;
  (* hierconn *) wire [10:0] \dut.r_beat_q ;
  (* hierconn *) wire [44:0] \dut.r_size ;
  (* hierconn *) wire \dut.r_takes_payload ;
  (* hierconn *) wire \dut.payload_there ;
  (* hierconn *) wire [63:0] \dut.r_payload ;
  (* hierconn *) wire [63:0] \dut.u_shift.before_q ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire \dut.u_beats.s_valid_i ;
  (* hierconn *) wire \dut.u_beats.s_ready_o ;
  (* hierconn *) wire [73:0] \dut.u_beats.s_data_i ;
  (* hierconn *) wire [104:0] \dut.x_ctx ;
  (* hierconn *) wire [751:0] \dut.frame ;
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
    .stages_valid_i({\dut.x_valid_q & \dut.x_slot_q [57], \dut.f_valid_q & \dut.f_slot_q [57]}),
    .stages_id_i   ({\dut.x_rec_q [26:0], \dut.f_rec_q [26:0]}),
    .queued_i      (3'(\dut.u_records.write_ptr_q - \dut.u_records.read_ptr_q )),
    .count_i       (\dut.u_records.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_valid),
    .ready_i       (m_ready_i)
  );

  // The beat that has to come next: a word of 8 bytes a beat. Beats of payload that the record has taken.
  logic [10:0] next_q, taken_q;
  logic [4:0] under_way;
  logic [3:0] beats_stored;
  logic r_takes;

  assign r_takes = \dut.r_go & \dut.r_takes_payload ;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {taken_q, next_q} <= '0;
    else if (\dut.r_go ) begin
      next_q  <= \dut.r_take ? 11'd0 : next_q + 11'd1;
      taken_q <= \dut.r_take ? 11'd0 : taken_q + 11'(r_takes);
    end
  end

  assign beats_stored = \dut.u_beats.write_ptr_q - \dut.u_beats.read_ptr_q ;
  assign under_way = 5'(\dut.f_valid_q ) + 5'(\dut.x_valid_q );

  // Of the record in R: the length of its frame, the beat where its headers end, the byte there; beats of payload.
  logic [13:0] r_total;
  logic [10:0] r_head_beat, r_payload_beats, r_behind;
  logic [2:0] r_offset;

  assign r_total         = \dut.r_size [13:0];
  assign r_head_beat     = \dut.r_size [41:31];
  assign r_offset        = \dut.r_size [30:28];
  assign r_payload_beats = \dut.r_rec [2:0] == 3'd5 ? 11'((14'(\dut.r_rec [584:572]) + 14'd7) >> 3) : 11'd0;
  assign r_behind        = next_q <= r_head_beat ? 11'd0 : next_q - r_head_beat;

  // Record, sizes and beat that stood in R a clock before and two; the beat of payload there, and the last one that was
  // taken before it, with the byte of the frame's beat that its first one goes to.
  logic [705:0] r_now, one_q, two_q;
  logic [63:0] payload_one_q, payload_two_q, last_q, last_one_q, last_two_q;
  logic [2:0] last_offset_q, last_offset_one_q, last_offset_two_q;
  logic any_q, any_one_q, any_two_q;

  assign r_now = {\dut.r_size , \dut.r_take , \dut.r_beat_q , \dut.r_rec };

  always_ff @(posedge clk_i) begin
    one_q             <= r_now;
    two_q             <= one_q;
    payload_one_q     <= \dut.r_payload ;
    payload_two_q     <= payload_one_q;
    if (r_takes) last_q <= \dut.r_payload ;
    if (r_takes) last_offset_q <= r_offset;
    last_one_q        <= last_q;
    last_two_q        <= last_one_q;
    last_offset_one_q <= last_offset_q;
    last_offset_two_q <= last_offset_one_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {any_two_q, any_one_q, any_q} <= '0;
    else {any_two_q, any_one_q, any_q} <= {any_one_q, any_q, any_q | r_takes};
  end

  // What the beat in X has to be.
  logic [13:0] head, total, first, stop;
  logic [10:0] beat;
  logic last, is_frame, good;
  logic [7:0] keep, is_payload;
  logic [63:0] payload, headers, before;
  logic [2:0] encap, offset;

  assign {head, total} = {two_q[702:689], two_q[674:661]};
  assign is_frame = two_q[704];
  assign {last, beat} = two_q[660:649];
  assign encap  = two_q[85:83];
  assign good   = is_frame && \dut.x_ctx [104] && \dut.x_ctx [103:80] == two_q[26:3];
  assign offset = head[2:0];
  assign first  = head;
  assign stop   = head + 14'(two_q[584:572]);

  always_comb begin
    headers = '0;
    payload = '0;
    before  = '0;
    for (int unsigned i = 0; i < 12; i++) begin
      if (beat == 11'(i)) headers = 64'({16'd0, \dut.frame } >> (64 * i));
    end
    for (int unsigned i = 0; i < 8; i++) begin
      keep[i]       = {beat, 3'(i)} < total;
      is_payload[i] = two_q[2:0] == 3'd5 && {beat, 3'(i)} >= first && {beat, 3'(i)} < stop;
      for (int unsigned n = 0; n < 8; n++) begin
        if (3'(i) == 3'(n) + offset) payload[8*i+:8] = 3'(i) >= offset ? payload_two_q[8*n+:8] : last_two_q[8*n+:8];
        if (3'(i) == 3'(n) + last_offset_two_q) before[8*i+:8] = last_two_q[8*n+:8];
      end
    end
  end

  // The head of the queue at the input stays until it is taken: sync_fifo's.
  logic held_q = 1'b0;
  logic [648:0] head_q;
  always_ff @(posedge clk_i) begin
    held_q <= rst_ni & \dut.r_there & ~\dut.r_take ;
    head_q <= \dut.r_rec ;
    if (held_q && rst_ni) assume (\dut.r_there && \dut.r_rec == head_q);
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0] || Check[10] || Check[11]) begin
        assert (\dut.r_beat_q == next_q);
        // Between the beats of a frame it stands at the head, and has more.
        if (next_q != 11'd0) assert (\dut.r_there && {next_q, 3'd0} < r_total);
      end
      if (Check[0]) begin
        // The queue counts the beats that it holds.
        assert (\dut.u_beats.count_q == 5'(beats_stored) + 5'(a_valid));
        assert (a_valid || beats_stored == '0);
      end
      // What was taken went with the beats from the headers' end on.
      if (Check[10] || Check[11]) begin
        assert (taken_q == (r_behind < r_payload_beats ? r_behind : r_payload_beats) || next_q == 11'd0);
        assert (next_q != 11'd0 || taken_q == 11'd0);
      end
      // The last of it waits for what goes around.
      if (Check[11]) begin
        if (next_q > r_head_beat && r_payload_beats != 11'd0) assert (any_q && last_offset_q == r_offset);
        if (any_two_q) assert (\dut.u_shift.before_q == before);
      end
      if (Check[6] || Check[0]) begin
        assert (\dut.u_beats.count_q + under_way <= 5'd15);
      end
      if (Check[6] && \dut.u_beats.s_valid_i ) assert (\dut.u_beats.s_ready_o );
      if (Check[7] && \dut.r_go ) begin
        assert (\dut.r_beat_q == next_q);
        // The last beat is the one that the last byte is in; a record without any takes one.
        if (\dut.r_take && r_total != '0) assert ({next_q, 3'd0} < r_total && r_total <= {next_q, 3'd0} + 14'd8);
        if (\dut.r_take && r_total == '0) assert (next_q == 11'd0);
        if (!\dut.r_take ) assert ({next_q, 3'd0} + 14'd8 < r_total);
      end
      if (Check[0] || Check[8]) begin
        if (\dut.f_valid_q ) begin
          assert ({\dut.f_slot_q [59], \dut.f_slot_q [57:46], \dut.f_rec_q } == {one_q[704], one_q[660:0]});
        end
        if (\dut.x_valid_q ) begin
          assert ({\dut.x_slot_q [59], \dut.x_slot_q [57:46], \dut.x_rec_q } == {two_q[704], two_q[660:0]});
        end
      end
      if (Check[9]) begin
        assert (\dut.u_beats.s_valid_i == (\dut.x_valid_q && good));
        if (\dut.u_beats.s_valid_i ) begin
          assert (\dut.u_beats.s_data_i [73:64] == {encap == 3'd4 || encap == 3'd5, last, keep});
        end
      end
      if (Check[10]) begin
        if (r_takes) assert (\dut.payload_there );
        if (\dut.r_take ) assert (taken_q + 11'(r_takes) == r_payload_beats);
      end
      for (int unsigned i = 0; i < 8; i++) begin
        if (Check[11] && \dut.u_beats.s_valid_i && is_payload[i]) begin
          assert (\dut.u_beats.s_data_i [8*i+:8] == payload[8*i+:8]);
        end
        if (Check[12] && \dut.u_beats.s_valid_i && !is_payload[i]) begin
          assert (\dut.u_beats.s_data_i [8*i+:8] == headers[8*i+:8]);
        end
      end
    end
  end

endmodule
