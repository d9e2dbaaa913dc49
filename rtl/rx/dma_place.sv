// SPDX-License-Identifier: Apache-2.0
// Records and the frames that belong to them, in order: each frame becomes a write, or is thrown away
// (docs/blocks/rx_dma.md). What moves in a clock is decided with registers alone: the head of the records, the beat
// behind two buffers, and whether there is room.
module dma_place #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Queue = 16  // writes, and beats, those under way among them: fewer in proofs only
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            open_i,  // from a register: records may come in

  input  logic [dma_pkg::CmdWidth-1:0]    s_cmd_i,  // dma_pkg::cmd_t
  input  logic                            s_cmd_valid_i,
  output logic                            s_cmd_ready_o,

  input  logic [DataWidth-1:0]            s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]          s_axis_tkeep_i,
  input  logic                            s_axis_tlast_i,
  input  logic                            s_axis_tvalid_i,
  output logic                            s_axis_tready_o,

  output logic [dma_pkg::WriteWidth-1:0]  m_mem_o,  // dma_pkg::write_t
  output logic                            m_mem_valid_o,
  input  logic                            m_mem_ready_i,

  output logic [DataWidth-1:0]            m_axis_tdata_o,
  output logic [DataWidth/8-1:0]          m_axis_tkeep_o,
  output logic                            m_axis_tlast_o,
  output logic                            m_axis_tvalid_o,
  input  logic                            m_axis_tready_i,

  output logic [dma_pkg::RecordWidth-1:0] m_entry_o,  // dma_pkg::entry_t
  output logic                            m_entry_valid_o,  // only while ready is high
  input  logic                            m_entry_ready_i  // from a register
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned OffsetWidth = $clog2(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("dma_place: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What waits: records; beats, counted between two buffers.

  typedef struct packed {
    logic                 last;
    logic [OffsetWidth:0] count;
    logic [DataWidth-1:0] data;
  } beat_t;

  dma_pkg::cmd_t cmd;
  beat_t beat;
  logic cmd_room, cmd_valid, cmd_take, beat_valid, in_last, in_valid, in_ready;
  logic [BeatBytes-1:0] in_keep;
  logic [OffsetWidth:0] in_count;
  logic [DataWidth-1:0] in_data;
  logic [2:0] unused_cmds;

  assign s_cmd_ready_o = cmd_room & open_i;

  sync_fifo #(
    .Width($bits(cmd)),
    .Depth(4)
  ) u_cmds (
    .clk_i,
    .rst_ni,
    .s_data_i (s_cmd_i),
    .s_valid_i(s_cmd_valid_i & open_i),
    .s_ready_o(cmd_room),
    .m_data_o (cmd),
    .m_valid_o(cmd_valid),
    .m_ready_i(cmd_take),
    .count_o  (unused_cmds)
  );

  axis_skid #(
    .Width(DataWidth + BeatBytes + 1)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i}),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o ({in_last, in_keep, in_data}),
    .m_valid_o(in_valid),
    .m_ready_i(in_ready)
  );

  keep_count #(
    .BeatBytes(BeatBytes)
  ) u_count (
    .keep_i (in_keep),
    .count_o(in_count)
  );

  axis_skid #(
    .Width($bits(beat))
  ) u_beat (
    .clk_i,
    .rst_ni,
    .s_data_i ({in_last, in_count, in_data}),
    .s_valid_i(in_valid),
    .s_ready_o(in_ready),
    .m_data_o (beat),
    .m_valid_o(beat_valid),
    .m_ready_i(moves)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // What moves in this clock: a beat, a record without one, or what of a frame's last beat went around.

  logic has_frame, writes, is_entry, may_begin, begins, moves, flushes, mem_room, data_room, spills;
  logic busy_q;   // the record at the head has begun
  logic first_q;  // the beat that moves next is a frame's first
  logic flush_q;
  logic [OffsetWidth-1:0] offset, flush_offset_q, slot_offset;
  logic [OffsetWidth:0] flush_stop_q, slot_stop;
  logic [OffsetWidth+1:0] stop;  // of the frame's last beat, from the write's first byte lane on

  assign has_frame = cmd.bytes != '0;
  assign writes    = cmd.place & has_frame;
  assign is_entry  = writes | cmd.complete | cmd.clear;
  assign may_begin = (m_entry_ready_i | ~is_entry) & (mem_room | ~writes);
  assign begins    = cmd_valid & ~busy_q & ~flush_q & may_begin;
  assign moves     = (begins | busy_q) & has_frame & beat_valid & ~flush_q & (data_room | ~writes);
  assign flushes   = flush_q & data_room;
  assign cmd_take  = (begins & ~has_frame) | (moves & beat.last);

  assign offset = cmd.address[OffsetWidth-1:0];
  assign stop   = {2'b0, offset} + {1'b0, beat.count};
  assign spills = stop > (OffsetWidth + 2)'(BeatBytes);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      first_q <= 1'b1;
      flush_q <= 1'b0;
    end else begin
      if (begins || busy_q) busy_q <= ~cmd_take;
      if (moves) first_q <= beat.last;
      if (moves & beat.last & writes & spills) flush_q <= 1'b1;
      else if (flushes) flush_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (moves) begin
      flush_offset_q <= offset;
      flush_stop_q   <= {1'b0, stop[OffsetWidth-1:0]};
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The entry, the write, its data.

  dma_pkg::entry_t entry;
  dma_pkg::write_t write;
  logic [7:0] tag_q;  // of the next write
  logic out_valid, out_last;
  logic [BeatBytes-1:0] out_keep;
  logic [DataWidth-1:0] out_data;
  logic [$clog2(Queue+1)-1:0] unused_writes;

  always_comb begin
    entry.clear             = cmd.clear;
    entry.complete          = cmd.complete;
    entry.writes            = writes;
    entry.cqe.solicited     = cmd.solicited;
    entry.cqe.status        = cmd.status;
    entry.cqe.qpn           = cmd.qpn;
    entry.cqe.psn           = cmd.psn;
    entry.cqe.wqe           = cmd.wqe;
    entry.cqe.length        = cmd.length;
    entry.cqe.has_immediate = cmd.has_immediate;
    entry.cqe.immediate     = cmd.immediate;
    write.tag               = tag_q;
    write.bytes             = cmd.bytes;
    write.address           = cmd.address;
  end

  assign m_entry_o       = entry;
  assign m_entry_valid_o = begins & is_entry;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) tag_q <= '0;
    else if (begins && writes) tag_q <= tag_q + 1'b1;
  end

  sync_fifo #(
    .Width($bits(write)),
    .Depth(Queue)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .s_data_i (write),
    .s_valid_i(begins & writes),
    .s_ready_o(mem_room),
    .m_data_o (m_mem_o),
    .m_valid_o(m_mem_valid_o),
    .m_ready_i(m_mem_ready_i),
    .count_o  (unused_writes)
  );

  assign slot_offset = flush_q ? flush_offset_q : offset;
  assign slot_stop   = flush_q ? flush_stop_q : stop[OffsetWidth:0];

  dma_shift #(
    .DataWidth(DataWidth)
  ) u_shift (
    .clk_i,
    .rst_ni,
    .valid_i ((moves & writes) | flushes),
    .first_i (first_q & ~flush_q),
    .flush_i (flush_q),
    .last_i  (flush_q | (beat.last & ~spills)),
    .offset_i(slot_offset),
    .stop_i  (slot_stop),
    .data_i  (beat.data),
    .valid_o (out_valid),
    .last_o  (out_last),
    .keep_o  (out_keep),
    .data_o  (out_data)
  );

  credit_queue #(
    .Width(DataWidth + BeatBytes + 1),
    .Depth(Queue)
  ) u_data (
    .clk_i,
    .rst_ni,
    .claim_i  ((moves & writes) | flushes),
    .room_o   (data_room),
    .data_i   ({out_last, out_keep, out_data}),
    .valid_i  (out_valid),
    .m_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i)
  );

endmodule
