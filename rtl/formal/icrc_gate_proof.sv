// SPDX-License-Identifier: Apache-2.0
// icrc_gate lets the frames through whose verdict is good, whole, once and in order, each with its link; and gives a
// record of every frame, in order. Its store has 8 beats here, and a frame that may pass 2.
module icrc_gate_proof #(
  parameter logic [9:0] Check = '1,
  parameter int unsigned CountWidth = 4  // of what counts the beats that pass
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [63:0] s_data_i,
  input logic [7:0]  s_keep_i,
  input logic        s_last_i,
  input logic [11:0] s_user_i,
  input logic        s_valid_i,
  input logic        m_ready_i,
  input logic        m_rec_ready_i,
  input logic [CountWidth-1:0] watched_i  // which beat of those that pass is watched: the first value counts
);

  logic s_ready, m_valid, m_last, m_link, m_rec_valid;
  logic [63:0] m_data;
  logic [7:0] m_keep;
  logic [11:0] m_rec;

  icrc_gate #(
    .DataWidth (64),
    .StoreBytes(64),
    .MaxBytes  (16)
  ) dut (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i (s_data_i),
    .s_axis_tkeep_i (s_keep_i),
    .s_axis_tlast_i (s_last_i),
    .s_axis_tuser_i (s_user_i),
    .s_axis_tvalid_i(s_valid_i),
    .s_axis_tready_o(s_ready),
    .m_axis_tdata_o (m_data),
    .m_axis_tkeep_o (m_keep),
    .m_axis_tlast_o (m_last),
    .m_axis_tuser_o (m_link),
    .m_axis_tvalid_o(m_valid),
    .m_axis_tready_i(m_ready_i),
    .m_rec_why_o    (m_rec[2:0]),
    .m_rec_icrc_o   (m_rec[4:3]),
    .m_rec_encap_o  (m_rec[7:5]),
    .m_rec_reason_o (m_rec[11:8]),
    .m_rec_valid_o  (m_rec_valid),
    .m_rec_ready_i
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.in_valid_q ;
  (* hierconn *) wire [84:0] \dut.in_q ;
  (* hierconn *) wire [1:0] \dut.beats_q ;
  (* hierconn *) wire \dut.u_store.push_i ;
  (* hierconn *) wire \dut.u_store.keep_i ;
  (* hierconn *) wire \dut.u_store.drop_i ;
  (* hierconn *) wire [72:0] \dut.u_store.data_i ;
  (* hierconn *) wire [3:0] \dut.u_records.write_ptr_q ;
  (* hierconn *) wire [3:0] \dut.u_records.read_ptr_q ;
  (* hierconn *) wire [4:0] \dut.u_records.count_q ;
  (* hierconn *) wire \dut.u_records.valid_i ;
  (* hierconn *) wire [11:0] \dut.u_records.data_i ;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  logic push, end_push;
  assign push     = s_valid_i & s_ready;
  assign end_push = push & s_last_i;

  // ---------------------------------------------------------------------------------------------------------------
  // The records: by the rules of a pipeline that never stands still.

  logic [8:0] due;

  pipe_rules #(
    .Width   (9),
    .OutWidth(12),
    .Latency (1),
    .Depth   (16),
    .Check   ({Check[5:1], Check[0]})
  ) u_rules (
    .clk_i,
    .rst_ni,
    .initial_i     (initial_q),
    .push_i        (end_push),
    .waiting_i     (2'd0),
    .enter_i       (end_push),
    .enter_id_i    ({s_user_i[11:8], s_user_i[6:4], s_user_i[1:0]}),
    .queue_i       (\dut.u_records.valid_i ),
    .same_i        (\dut.u_records.data_i [11:3] == due),
    .due_o         (due),
    .stages_valid_i(\dut.in_valid_q & \dut.in_q [72]),
    .stages_id_i   ({\dut.in_q [84:81], \dut.in_q [79:77], \dut.in_q [74:73]}),
    .queued_i      (4'(\dut.u_records.write_ptr_q - \dut.u_records.read_ptr_q )),
    .count_i       (\dut.u_records.count_q ),
    .data_i        (m_rec),
    .valid_i       (m_rec_valid),
    .ready_i       (m_rec_ready_i)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // What goes into the store: by the words of the document.

  logic beat_q, last_q, good_q, good;
  logic [1:0] length_q, length;  // beats of the frame: 3 is more than may pass
  logic [71:0] bytes_q;

  // ICRC good, well formed, and an encapsulation that has one.
  assign good = s_user_i[1:0] == 2'd1 && s_user_i[11:8] == 4'd0 && s_user_i[6:4] >= 3'd1 && s_user_i[6:4] <= 3'd5;
  assign length = length_q == 2'd3 ? 2'd3 : length_q + 2'd1;

  // length_q counts the beats of the frame that were accepted, the one in the block's register among them.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q   <= 1'b0;
      length_q <= '0;
    end else begin
      beat_q <= push;
      if (push) length_q <= (beat_q & last_q) | ended_q ? 2'd1 : length;
    end
  end

  // The beat before, of whatever clock, was a frame's last.
  logic ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ended_q <= 1'b1;
    else if (push) ended_q <= s_last_i;
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      last_q  <= s_last_i;
      good_q  <= good;
      bytes_q <= {s_keep_i, s_data_i};
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What leaves: the watched beat of those that pass, counted from 0.

  logic [CountWidth-1:0] watched_q, kept_q, waiting_q, left_q, index;
  logic set_q, seen_q, sure_q, link_q, end_q, keeps;
  logic [71:0] seen_bytes_q;

  assign keeps = beat_q & last_q & good_q & (length_q != 2'd3);
  assign index = kept_q + waiting_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {kept_q, waiting_q, left_q} <= '0;
      {seen_q, sure_q} <= '0;
    end else begin
      if (beat_q) waiting_q <= last_q ? '0 : waiting_q + 1'b1;
      if (keeps) kept_q <= index + 1'b1;
      if (m_valid & m_ready_i) left_q <= left_q + 1'b1;
      if (beat_q && !sure_q && index == watched_q) seen_q <= 1'b1;
      if (beat_q && last_q && !keeps && !sure_q) seen_q <= 1'b0;
      if (keeps && (seen_q || index == watched_q)) sure_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!set_q) watched_q <= watched_i;
    if (beat_q && !sure_q && index == watched_q) begin
      seen_bytes_q <= bytes_q;
      end_q        <= last_q;
    end
    if (keeps && !sure_q) link_q <= verdict_ib_q;
  end

  logic verdict_ib_q;
  always_ff @(posedge clk_i) begin
    if (push) verdict_ib_q <= s_user_i[6:4] == 3'd4 || s_user_i[6:4] == 3'd5;
  end

  initial set_q = 1'b0;
  always_ff @(posedge clk_i) set_q <= 1'b1;

  logic was_stalled_q = 1'b0;
  logic [73:0] out_q;
  always_ff @(posedge clk_i) begin
    was_stalled_q <= rst_ni & m_valid & ~m_ready_i;
    out_q         <= {m_link, m_last, m_keep, m_data};
  end

  always_ff @(posedge clk_i) begin
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.in_valid_q == beat_q);
        if (beat_q) assert (\dut.in_q [72:0] == {last_q, bytes_q} && ended_q == last_q);
        if (beat_q) assert (\dut.beats_q == length_q - 2'd1 && length_q != 2'd0);
        if (!beat_q) assert (\dut.beats_q == (ended_q ? 2'd0 : length_q == 2'd3 ? 2'd2 : length_q));
      end
      if (Check[6]) begin
        assert (\dut.u_store.push_i == (beat_q && length_q != 2'd3));
        if (\dut.u_store.push_i ) assert (\dut.u_store.data_i == {last_q, bytes_q});
      end
      if (Check[7]) begin
        assert (\dut.u_store.keep_i == keeps);
        assert (\dut.u_store.drop_i == (beat_q && last_q && !keeps));
      end
      if (Check[8] && m_valid) begin
        assert (left_q != kept_q);
        if (left_q == watched_q) assert (sure_q && {m_link, m_last, m_keep, m_data} == {link_q, end_q, seen_bytes_q});
      end
      if (Check[9] && was_stalled_q) assert (m_valid && {m_link, m_last, m_keep, m_data} == out_q);
    end
  end

endmodule
