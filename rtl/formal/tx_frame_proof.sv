// SPDX-License-Identifier: Apache-2.0
// tx_frame gives a record for each that it takes, in order, and of each frame every beat once, in order; its queue of
// beats has a place for each. A payload leaves its queue beat by beat, as many as it has, and stands in the frame
// behind the headers, every byte once and in its place. What the headers hold, what is known of the QP, and what memory
// gives, may be anything. Check: bits 0 to 5 as pipe_rules has them, then one bit a property of tx_frame.go.
module tx_frame_proof #(
  parameter logic [13:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [975:0] s_rec_i,  // as docs/blocks/tx_frame.md lays it out
  input logic         s_valid_i,
  input logic         m_ready_i,
  input logic         m_axis_ready_i
);

  logic s_ready, m_valid, a_valid, a_last;
  logic [53:0] m_rec;
  logic [63:0] a_data;
  logic [7:0] a_keep;
  logic a_user;
  logic [78:0] unused_mem;
  logic unused_mem_valid, unused_mem_ready;

  tx_frame #(
    .NumQps   (4),
    .DataWidth(64)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_op_i(s_rec_i[2:0]),
    .s_qpn_i(s_rec_i[26:3]),
    .s_opcode_i(s_rec_i[34:27]),
    .s_psn_i(s_rec_i[58:35]),
    .s_ack_req_i(s_rec_i[59]),
    .s_solicited_i(s_rec_i[60]),
    .s_va_i(s_rec_i[124:61]),
    .s_rkey_i(s_rec_i[156:125]),
    .s_dma_length_i(s_rec_i[188:157]),
    .s_imm_i(s_rec_i[220:189]),
    .s_swap_add_i(s_rec_i[284:221]),
    .s_compare_i(s_rec_i[348:285]),
    .s_qkey_i(s_rec_i[380:349]),
    .s_bytes_i(s_rec_i[393:381]),
    .s_address_i(s_rec_i[457:394]),
    .s_offset_i(s_rec_i[489:458]),
    .s_entries_i(s_rec_i[494:490]),
    .s_encap_i(s_rec_i[497:495]),
    .s_tags_i(s_rec_i[499:498]),
    .s_vlan0_i(s_rec_i[531:500]),
    .s_vlan1_i(s_rec_i[563:532]),
    .s_sl_i(s_rec_i[567:564]),
    .s_slid_i(s_rec_i[583:568]),
    .s_dlid_i(s_rec_i[599:584]),
    .s_tclass_i(s_rec_i[607:600]),
    .s_udp_src_port_i(s_rec_i[623:608]),
    .s_src_i(s_rec_i[751:624]),
    .s_dst_i(s_rec_i[879:752]),
    .s_pkey_i(s_rec_i[895:880]),
    .s_peer_qpn_i(s_rec_i[919:896]),
    .s_mac_i(s_rec_i[967:920]),
    .s_hop_limit_i(s_rec_i[975:968]),
    .s_valid_i,
    .s_ready_o      (s_ready),
    .m_mem_tag_o    (unused_mem[5:0]),
    .m_mem_bytes_o  (unused_mem[14:6]),
    .m_mem_address_o(unused_mem[78:15]),
    .m_mem_valid_o  (unused_mem_valid),
    .m_mem_ready_i  (1'b1),
    .s_mem_tdata_i  (64'h0),
    .s_mem_tkeep_i  (8'h0),
    .s_mem_tuser_i  (7'h0),
    .s_mem_tlast_i  (1'b0),
    .s_mem_tvalid_i (1'b0),
    .s_mem_tready_o (unused_mem_ready),
    .m_qpn_o        (m_rec[23:0]),
    .m_op_o         (m_rec[26:24]),
    .m_psn_o        (m_rec[50:27]),
    .m_why_o        (m_rec[53:51]),
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
  (* hierconn *) wire [878:0] \dut.r_rec ;
  (* hierconn *) wire [878:0] \dut.f_rec_q ;
  (* hierconn *) wire [878:0] \dut.x_rec_q ;
  (* hierconn *) wire [62:0] \dut.f_slot_q ;
  (* hierconn *) wire [62:0] \dut.x_slot_q ;
  (* hierconn *) wire \dut.good ;
  (* hierconn *) wire \dut.bad ;
  (* hierconn *) wire \dut.r_go ;
  (* hierconn *) wire \dut.r_there ;
  (* hierconn *) wire \dut.r_take ;
  (* hierconn *) wire [10:0] \dut.r_beat_q ;
  (* hierconn *) wire [45:0] \dut.r_sizes ;
  (* hierconn *) wire \dut.r_takes_payload ;
  (* hierconn *) wire \dut.payload_there ;
  (* hierconn *) wire [63:0] \dut.r_payload ;
  (* hierconn *) wire [63:0] \dut.u_shift.before_q ;
  (* hierconn *) wire \dut.f_valid_q ;
  (* hierconn *) wire \dut.x_valid_q ;
  (* hierconn *) wire \dut.x_failed ;
  (* hierconn *) wire [2:0] \dut.x_why ;
  (* hierconn *) wire \dut.u_beats.s_valid_i ;
  (* hierconn *) wire \dut.u_beats.s_ready_o ;
  (* hierconn *) wire [73:0] \dut.u_beats.s_data_i ;
  (* hierconn *) wire [879:0] \dut.frame ;
  (* hierconn *) wire [4:0] \dut.u_beats.count_q ;
  (* hierconn *) wire [3:0] \dut.u_beats.write_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_beats.read_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_records.write_ptr_q ;
  (* hierconn *) wire [2:0] \dut.u_records.read_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_records.count_q ;
  (* hierconn *) wire \dut.u_records.valid_i ;
  (* hierconn *) wire [53:0] \dut.u_records.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic [50:0] due;

  // From the record in R to the records' queue.
  pipe_rules #(
    .Width   (51),
    .OutWidth(54),
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
    .enter_id_i    (\dut.r_rec [50:0]),
    .queue_i       (\dut.u_records.valid_i ),
    .same_i        ({\dut.u_records.data_i [50:27], \dut.u_records.data_i [23:0],
                      \dut.u_records.data_i [26:24]} == due),
    .due_o         (due),
    .stages_valid_i({\dut.x_valid_q & \dut.x_slot_q [59], \dut.f_valid_q & \dut.f_slot_q [59]}),
    .stages_id_i   ({\dut.x_rec_q [50:0], \dut.f_rec_q [50:0]}),
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

  assign r_total         = \dut.bad ? 14'd0 : \dut.r_sizes [13:0];
  assign r_head_beat     = \dut.r_sizes [41:31];
  assign r_offset        = \dut.r_sizes [30:28];
  assign r_payload_beats = \dut.r_rec [54] && !\dut.bad ? 11'((14'(\dut.r_rec [397:385]) + 14'd7) >> 3) : 11'd0;
  assign r_behind        = next_q <= r_head_beat ? 11'd0 : next_q - r_head_beat;

  // Record, sizes and beat that stood in R a clock before and two; the beat of payload there, and the last one that was
  // taken before it, with the byte of the frame's beat that its first one goes to.
  logic [937:0] r_now, one_q, two_q;
  logic [63:0] payload_one_q, payload_two_q, last_q, last_one_q, last_two_q;
  logic [2:0] last_offset_q, last_offset_one_q, last_offset_two_q;
  logic any_q, any_one_q, any_two_q;

  assign r_now = {\dut.bad , \dut.r_sizes , \dut.r_take , \dut.r_beat_q , \dut.r_rec };

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

  assign {head, total} = {two_q[932:919], two_q[904:891]};
  assign is_frame = two_q[936] & ~two_q[937];
  assign {last, beat} = two_q[890:879];
  assign encap  = two_q[400:398];
  assign good   = is_frame && !\dut.x_failed ;
  assign offset = head[2:0];
  assign first  = head;
  assign stop   = head + 14'(two_q[397:385]);

  always_comb begin
    headers = '0;
    payload = '0;
    before  = '0;
    for (int unsigned i = 0; i < 14; i++) begin
      if (beat == 11'(i)) headers = 64'({16'd0, \dut.frame } >> (64 * i));
    end
    for (int unsigned i = 0; i < 8; i++) begin
      keep[i]       = {beat, 3'(i)} < total;
      is_payload[i] = two_q[54] && {beat, 3'(i)} >= first && {beat, 3'(i)} < stop;
      for (int unsigned n = 0; n < 8; n++) begin
        if (3'(i) == 3'(n) + offset) payload[8*i+:8] = 3'(i) >= offset ? payload_two_q[8*n+:8] : last_two_q[8*n+:8];
        if (3'(i) == 3'(n) + last_offset_two_q) before[8*i+:8] = last_two_q[8*n+:8];
      end
    end
  end

  // What the queue of record_pipe gives stays until it is taken, and so does what is known of its payload: it is good
  // or it is not. A record is as frame_entry makes it, with a way where its reason is 0; its lengths are as frame_size
  // makes them.
  logic held_q = 1'b0;
  logic [878:0] head_q;
  logic [1:0] known_q;
  logic [45:0] sizes_q;
  logic gathers, is_packet, r_right;
  logic [12:0] bytes;
  logic [2:0] why;

  assign gathers   = \dut.r_rec [54];
  assign is_packet = \dut.r_rec [2:0] == 3'd0;
  assign bytes     = \dut.r_rec [397:385];
  assign why       = \dut.r_rec [53:51];

  frame_lengths u_r_lengths (
    .head_i (\dut.r_rec [54:0]),
    .bytes_i(\dut.r_rec [397:385]),
    .sizes_i(\dut.r_sizes ),
    .right_o(r_right)
  );


  always_ff @(posedge clk_i) begin
    held_q  <= rst_ni & \dut.r_there & ~\dut.r_take ;
    head_q  <= \dut.r_rec ;
    known_q <= {\dut.good , \dut.bad };
    sizes_q <= \dut.r_sizes ;
    if (held_q && rst_ni) assume (\dut.r_there && \dut.r_rec == head_q && \dut.r_sizes == sizes_q);
    if (held_q && rst_ni && known_q != 2'd0) assume ({\dut.good , \dut.bad } == known_q);
    if (rst_ni) begin
      assume (!\dut.good || !\dut.bad );
      assume (!gathers || (is_packet && bytes != '0 && bytes <= 13'd4096 && why <= 3'd2));
      assume (!is_packet || why != 3'd0 || gathers == (bytes != '0));
      assume (r_right);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0] || Check[10] || Check[11]) begin
        assert (\dut.r_beat_q == next_q);
        // Between the beats of a frame it stands at the head, and has more.
        if (next_q != 11'd0) assert (\dut.r_there && {next_q, 3'd0} < r_total);
        // Its payload is good, if it has one.
        if (next_q != 11'd0 && gathers) assert (\dut.good && held_q && known_q == 2'd2);
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
          assert ({\dut.f_slot_q [62], \dut.f_slot_q [59:48], \dut.f_rec_q } ==
                  {one_q[936] & ~one_q[937], one_q[890:0]});
        end
        if (\dut.x_valid_q ) begin
          assert ({\dut.x_slot_q [62], \dut.x_slot_q [59:48], \dut.x_rec_q } ==
                  {two_q[936] & ~two_q[937], two_q[890:0]});
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
      // Nothing of a frame goes down before its payload is there, or what memory says of it.
      if (Check[13] && \dut.r_go && gathers) begin
        assert (\dut.bad || (\dut.good && (\dut.payload_there || next_q != 11'd0)));
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

