// SPDX-License-Identifier: Apache-2.0
// dma_place brings each byte of a frame to its address, if its record says so, and no byte of another frame; gives the
// record's write and its entry, in order. One record is followed, its frame, and one byte of that. Check: one bit a
// property of dma_place.go.
module dma_place_proof #(
  parameter logic [6:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [232:0] s_cmd_i,  // dma_pkg::cmd_t
  input logic         s_cmd_valid_i,
  input logic [63:0]  s_data_i,
  input logic [7:0]   s_keep_i,
  input logic         s_last_i,
  input logic         s_valid_i,
  input logic         m_mem_ready_i,
  input logic         m_ready_i,
  input logic         m_entry_ready_i,
  input logic [2:0]   watched_i,  // number of the record that is followed, and of its byte: the first values count
  input logic [4:0]   byte_i
);

  logic s_cmd_ready, s_ready, m_mem_valid, m_valid, m_last, m_entry_valid;
  logic [87:0] m_mem;
  logic [63:0] m_data;
  logic [7:0] m_keep;
  logic [152:0] m_entry;

  dma_place #(
    .DataWidth(64),
    .Queue    (4)
  ) dut (
    .clk_i,
    .rst_ni,
    .open_i         (1'b1),
    .s_cmd_i,
    .s_cmd_valid_i,
    .s_cmd_ready_o  (s_cmd_ready),
    .s_axis_tdata_i (s_data_i),
    .s_axis_tkeep_i (s_keep_i),
    .s_axis_tlast_i (s_last_i),
    .s_axis_tvalid_i(s_valid_i),
    .s_axis_tready_o(s_ready),
    .m_mem_o        (m_mem),
    .m_mem_valid_o  (m_mem_valid),
    .m_mem_ready_i,
    .m_axis_tdata_o (m_data),
    .m_axis_tkeep_o (m_keep),
    .m_axis_tlast_o (m_last),
    .m_axis_tvalid_o(m_valid),
    .m_axis_tready_i(m_ready_i),
    .m_entry_o      (m_entry),
    .m_entry_valid_o(m_entry_valid),
    .m_entry_ready_i
  );

  logic initial_q = 1'b1;
  logic set_q = 1'b0;
  logic [2:0] watched_q;
  logic [4:0] byte_q;
  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    set_q     <= 1'b1;
    if (!set_q) {watched_q, byte_q} <= {watched_i, byte_i};
  end

  // Records, by the fields of the document.
  logic push, has_frame, writes, is_entry;
  assign push      = s_cmd_valid_i & s_cmd_ready;
  assign has_frame = s_cmd_i[71:56] != '0;
  assign writes    = has_frame & s_cmd_i[1];
  assign is_entry  = writes | s_cmd_i[2] | s_cmd_i[0];

  // What came so far, counted from 0; and where the followed record stands in each.
  logic [3:0] cmds_q, frames_q, writes_q, entries_q, frame_q, write_q, entry_q;
  logic seen_q;
  logic [232:0] cmd_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {cmds_q, frames_q, writes_q, entries_q} <= '0;
      seen_q <= 1'b0;
    end else if (push) begin
      cmds_q    <= cmds_q + 1'b1;
      frames_q  <= frames_q + 4'(has_frame);
      writes_q  <= writes_q + 4'(writes);
      entries_q <= entries_q + 4'(is_entry);
      if (cmds_q == {1'b0, watched_q}) seen_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (push && cmds_q == {1'b0, watched_q}) begin
      cmd_q   <= s_cmd_i;
      frame_q <= frames_q;
      write_q <= writes_q;
      entry_q <= entries_q;
    end
  end

  // The followed byte of every frame: what it was, and where the frame ended. A frame's number is compared when the
  // record is there, so those of the first eight are kept.
  logic [3:0] in_q, beat_q;
  logic [7:0] has_q;                // by frame: it has such a byte
  logic [7:0] whole_q;              // it came to its end
  logic [63:0] bytes_q;
  logic [47:0] lengths_q;
  logic accept;
  logic [3:0] kept;
  assign accept = s_valid_i & s_ready;
  always_comb begin
    kept = '0;
    for (int i = 0; i < 8; i++) kept = kept + 4'(s_keep_i[i]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {in_q, beat_q} <= '0;
      {has_q, whole_q} <= '0;
    end else if (accept) begin
      beat_q <= s_last_i ? '0 : beat_q + 1'b1;
      if (s_last_i) in_q <= in_q + 1'b1;
      if (!in_q[3] && s_last_i) whole_q[in_q[2:0]] <= 1'b1;
      if (!in_q[3] && {2'b0, byte_q[4:3]} == beat_q && s_keep_i[byte_q[2:0]]) has_q[in_q[2:0]] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept && !in_q[3]) begin
      if ({2'b0, byte_q[4:3]} == beat_q) bytes_q[8*in_q[2:0]+:8] <= s_data_i[8*byte_q[2:0]+:8];
      if (s_last_i) lengths_q[6*in_q[2:0]+:6] <= {beat_q[2:0], 3'd0} + {2'b0, kept};
    end
  end

  // What leaves, counted from 0.
  logic [3:0] out_q, out_beat_q, mems_q, entered_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_q, out_beat_q, mems_q, entered_q} <= '0;
    else begin
      if (m_valid & m_ready_i) begin
        out_beat_q <= m_last ? '0 : out_beat_q + 1'b1;
        out_q      <= out_q + 4'(m_last);
      end
      mems_q    <= mems_q + 4'(m_mem_valid & m_mem_ready_i);
      entered_q <= entered_q + 4'(m_entry_valid);
    end
  end

  logic is_writer, now, in_reach;
  logic [2:0] offset;
  logic [5:0] place;           // of the byte, from the first lane of the first beat on
  logic [6:0] stop;            // of the write, likewise
  assign is_writer = seen_q && cmd_q[1] && cmd_q[71:56] != '0;
  assign now       = m_valid && is_writer && out_q == write_q;
  assign in_reach  = !frame_q[3];
  assign offset    = cmd_q[74:72];
  assign place     = {3'b0, offset} + {1'b0, byte_q};
  assign stop      = {4'b0, offset} + {1'b0, lengths_q[6*frame_q[2:0]+:6]};

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      // The stream rules of s_axis; frames of 4 beats at most.
      if (s_valid_i) assume (s_keep_i[0] && (s_keep_i & (s_keep_i + 1'b1)) == '0 && (s_last_i || s_keep_i == '1));
      if (s_valid_i && beat_q == 4'd3) assume (s_last_i);

      if (Check[1] && now && in_reach && has_q[frame_q[2:0]] && out_beat_q[2:0] == place[5:3])
        assert (m_keep[place[2:0]] && m_data[8*place[2:0]+:8] == bytes_q[8*frame_q[2:0]+:8]);
      if (Check[2] && now && in_reach && whole_q[frame_q[2:0]]) begin
        assert (m_last == ({out_beat_q, 3'd0} + 7'd8 >= stop));
        for (int i = 0; i < 8; i++) assert (m_keep[i] == ({out_beat_q, 3'(i)} < stop));
      end
      if (Check[2] && now && m_last) assert (in_reach ? whole_q[frame_q[2:0]] : 1'b1);
      if (Check[3] && now && out_beat_q == '0) begin
        for (int i = 0; i < 7; i++) if (3'(i) < offset) assert (m_data[8*i+:8] == '0);
      end
      if (Check[4] && m_valid) assert (out_q < writes_q);
      if (Check[5] && m_mem_valid) begin
        assert (mems_q < writes_q);
        if (is_writer && mems_q == write_q) assert (m_mem == {cmd_q[135:72], cmd_q[71:56], 4'd0, write_q});
      end
      if (Check[6] && m_entry_valid) begin
        assert (entered_q < entries_q && m_entry_ready_i);
        if (seen_q && entered_q == entry_q && (is_writer || cmd_q[2] || cmd_q[0]))
          assert (m_entry == {cmd_q[232:136], cmd_q[55:8], cmd_q[7:3], is_writer, cmd_q[2], cmd_q[0]});
      end
    end
  end

endmodule
