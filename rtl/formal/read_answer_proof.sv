// SPDX-License-Identifier: Apache-2.0
// read_answer begins a response when all its pieces are seen, moves exactly its beats, ends a READ between responses
// only, and says of it what left. Queues and shift are taken out: whether there is room may be anything. Check: bit 0
// what induction needs, then one bit a property of read_engine.go.
module read_answer_proof #(
  parameter logic [7:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [180:0] head_i,
  input logic         head_valid_i,
  input logic         head_stopped_i,
  input logic         head_asked_i,
  input logic [6:0]   head_end_i,
  input logic         oldest_there_i,
  input logic         sees_i,
  input logic         blocked_i
);

  logic retires, fails, frees, read, m_hdr_valid, m_rec_valid, m_axis_tlast, m_axis_tvalid;
  logic [23:0] fails_qpn;
  logic [6:0] free, seen_q, read_beat;
  logic [101:0] m_hdr;
  logic [73:0] m_rec;
  logic [1023:0] m_axis_tdata;
  logic [127:0] m_axis_tkeep;

  read_answer #(
    .DataWidth(1024)
  ) dut (
    .clk_i,
    .rst_ni,
    .head_i,
    .head_valid_i,
    .head_stopped_i,
    .head_asked_i,
    .head_end_i,
    .retires_o      (retires),
    .fails_o        (fails),
    .fails_qpn_o    (fails_qpn),
    .frees_o        (frees),
    .free_o         (free),
    .oldest_there_i,
    .seen_i         (seen_q),
    .blocked_i,
    .read_o         (read),
    .read_beat_o    (read_beat),
    .data_i         (1024'd0),
    .m_hdr_o        (m_hdr),
    .m_hdr_valid_o  (m_hdr_valid),
    .m_hdr_ready_i  (1'b1),
    .m_axis_tdata_o (m_axis_tdata),
    .m_axis_tkeep_o (m_axis_tkeep),
    .m_axis_tlast_o (m_axis_tlast),
    .m_axis_tvalid_o(m_axis_tvalid),
    .m_axis_tready_i(1'b1),
    .m_rec_o        (m_rec),
    .m_rec_valid_o  (m_rec_valid),
    .m_rec_ready_i  (1'b1)
  );

  // Registers and wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire [1:0] \dut.state_q ;
  (* hierconn *) wire [180:0] \dut.cmd_q ;
  (* hierconn *) wire [31:0] \dut.left_q ;
  (* hierconn *) wire [23:0] \dut.count_q ;
  (* hierconn *) wire [6:0] \dut.block_q ;
  (* hierconn *) wire [12:0] \dut.len_q ;
  (* hierconn *) wire \dut.is_last_q ;
  (* hierconn *) wire [4:0] \dut.need_q ;
  (* hierconn *) wire [6:0] \dut.beats_q ;
  (* hierconn *) wire [6:0] \dut.slots_q ;
  (* hierconn *) wire \dut.first_q ;
  (* hierconn *) wire \dut.finished_q ;
  (* hierconn *) wire \dut.loads ;
  (* hierconn *) wire \dut.begins ;
  (* hierconn *) wire \dut.ends_early ;
  (* hierconn *) wire \dut.moves ;
  (* hierconn *) wire \dut.moving_q ;
  (* hierconn *) wire \dut.prime_q ;
  (* hierconn *) wire [101:0] \dut.hdr ;
  (* hierconn *) wire [73:0] \dut.rec ;

  localparam logic [1:0] Prepare = 2'd1, Respond = 2'd2, Rest = 2'd3;

  // The READ that is answered: its first piece, what began of it, and the beats that its response still owes.
  logic [6:0] base_q;
  logic [31:0] bytes, done_q;
  logic [23:0] responses_q;
  logic [5:0] owed_q;
  logic just_q, valid_q, was_stopped_q, moves_out;
  logic [180:0] head_q;
  logic [7:0] low;
  logic [31:0] mtu, len, left, end_piece;
  logic [4:0] units;

  assign bytes     = \dut.cmd_q [145:114];
  assign low       = \dut.cmd_q [57:50];
  assign moves_out = \dut.moves & ~\dut.prime_q ;

  always_comb begin
    case (\dut.cmd_q [148:146])
      3'd0, 3'd1: units = 5'd1;
      3'd2:       units = 5'd2;
      3'd3:       units = 5'd4;
      3'd4:       units = 5'd8;
      default:    units = 5'd16;
    endcase
    mtu       = {19'd0, units, 8'd0};
    left      = bytes - done_q;
    len       = left < mtu ? left : mtu;
    end_piece = (len + {24'd0, low} + 32'd255) >> 8;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q  <= '0;
      just_q  <= 1'b0;
      owed_q  <= '0;
      valid_q <= 1'b0;
    end else begin
      seen_q  <= seen_q + 7'(sees_i);
      just_q  <= \dut.begins ;
      valid_q <= head_valid_i & ~retires;
      if (\dut.begins ) owed_q <= 6'((len + 32'd127) >> 7);
      else if (moves_out) owed_q <= owed_q - 1'b1;
    end
  end

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    head_q        <= head_i;
    was_stopped_q <= head_stopped_i;
    if (\dut.loads ) begin
      base_q      <= free;
      done_q      <= '0;
      responses_q <= '0;
    end else if (\dut.begins ) begin
      done_q      <= done_q + len;
      responses_q <= responses_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    // Of read_ask: the oldest READ stays until it is retired, and stopped.
    if (valid_q) assume (head_valid_i && head_i == head_q && (head_stopped_i || !was_stopped_q));
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        if (\dut.state_q != 2'd0) assert (valid_q && \dut.cmd_q == head_i);
        assert (!\dut.moving_q || \dut.state_q == Respond);
        assert (\dut.moving_q == (\dut.slots_q != '0) || !\dut.moving_q );
        if (\dut.moving_q ) assert (\dut.slots_q == {1'b0, owed_q} + 7'(\dut.prime_q ) && owed_q != '0);
        else assert (owed_q == '0);
        if (\dut.state_q == Prepare) begin
          assert (\dut.first_q && !\dut.finished_q && done_q == '0 && responses_q == '0 && !just_q && owed_q == '0);
        end
        if (\dut.state_q == Prepare || \dut.state_q == Respond) begin
          assert (\dut.left_q == left && \dut.count_q == responses_q && done_q <= bytes);
          assert (\dut.finished_q || done_q[7:0] == '0);
        end
        if (\dut.state_q == Rest) assert (\dut.count_q == responses_q);
        if (\dut.state_q == Respond) begin
          assert (\dut.first_q == (responses_q == '0) || responses_q == '0);
          assert (!\dut.first_q || (done_q == '0 && !\dut.finished_q && !\dut.moving_q ));
          assert (!\dut.finished_q || done_q == bytes);
          if (!\dut.finished_q ) assert (7'(\dut.block_q - base_q) == done_q[14:8]);
          if (!\dut.finished_q && !just_q) begin
            assert ({19'd0, \dut.len_q } == len && \dut.is_last_q == (left <= mtu));
            assert (\dut.need_q == (len == '0 ? 5'd0 : end_piece[4:0]));
            assert (\dut.beats_q == 7'((len + 32'd127) >> 7));
          end
          if (just_q && !\dut.finished_q ) assert (\dut.moving_q && owed_q >= 6'd2);
        end else assert (!just_q);
      end
      if (Check[1] && \dut.begins && len != '0) begin
        assert (7'(seen_q - base_q - done_q[14:8]) >= end_piece[6:0]);
      end
      if (Check[2] && \dut.begins ) assert (!head_stopped_i && owed_q == 6'(moves_out));
      if (Check[3] && \dut.ends_early ) assert (owed_q == '0 && !\dut.finished_q );
      if (Check[4] && \dut.begins ) begin
        assert (\dut.hdr [23:0] == \dut.cmd_q [25:2] && \dut.hdr [55:32] == \dut.cmd_q [49:26] + responses_q);
        assert ({19'd0, \dut.hdr [100:88]} == len && \dut.hdr [101] == (len == left));
      end
      if (Check[5] && retires) begin
        assert (\dut.rec [47:0] == head_i[49:2] && \dut.rec [71:48] == responses_q && owed_q == '0);
        assert (\dut.state_q != Respond || done_q == bytes);
      end
      if (Check[6] && retires && \dut.state_q == Rest) assert (head_asked_i && free == head_end_i);
      if (Check[7] && frees && \dut.state_q == Rest) assert (oldest_there_i && !(head_asked_i && free == head_end_i));
    end
  end

endmodule
