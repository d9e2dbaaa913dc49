// SPDX-License-Identifier: Apache-2.0
// Responses of the oldest READ, when all their pieces are there (docs/blocks/read_engine.md). What moves in a clock is
// decided with registers alone: what the next response needs is worked out a clock behind the one before it.
module read_answer #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Places = 64,  // a power of two; fewer than 64 in proofs only
  parameter int unsigned Queue = 16,   // beats, those under way among them: fewer in proofs only
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned PlaceWidth = $clog2(Places),
  localparam int unsigned PlaceBeats = 256 / BeatBytes,
  localparam int unsigned IndexWidth = $clog2(PlaceBeats)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // The oldest READ: read_ask.
  input  logic [read_pkg::CmdWidth-1:0]    head_i,  // read_pkg::cmd_t
  input  logic                             head_valid_i,
  input  logic                             head_stopped_i,
  input  logic                             head_asked_i,
  input  logic [PlaceWidth:0]              head_end_i,
  output logic                             retires_o,
  output logic                             fails_o,
  output logic [23:0]                      fails_qpn_o,

  // Its pieces: read_take.
  output logic                             frees_o,
  output logic [PlaceWidth:0]              free_o,
  input  logic                             oldest_there_i,
  input  logic [PlaceWidth:0]              seen_i,
  input  logic                             blocked_i,
  output logic                             read_o,
  output logic [PlaceWidth+IndexWidth-1:0] read_beat_o,
  input  logic [DataWidth-1:0]             data_i,  // a clock later

  output logic [read_pkg::HdrWidth-1:0]    m_hdr_o,  // read_pkg::hdr_t
  output logic                             m_hdr_valid_o,
  input  logic                             m_hdr_ready_i,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [BeatBytes-1:0]             m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i,

  output logic [read_pkg::RecWidth-1:0]    m_rec_o,  // read_pkg::rec_t
  output logic                             m_rec_valid_o,
  input  logic                             m_rec_ready_i
);

  localparam int unsigned OffsetWidth = $clog2(BeatBytes);
  localparam int unsigned SlotWidth = 14 - OffsetWidth;  // of the beats of 4096 bytes and one more

  // ---------------------------------------------------------------------------------------------------------------
  // The READ that is answered, and what its next response is.

  read_pkg::state_e state_q;
  read_pkg::cmd_t head, cmd_q;  // psn: of its first response
  logic [31:0] left_q;
  logic [23:0] count_q;
  logic [PlaceWidth:0] block_q;  // number of the piece that the next response begins in
  logic first_q, finished_q;
  logic [1:0] status_q;
  logic loads, begins, ends_early, retires, errs, gives_up;
  logic [OffsetWidth-1:0] lane;  // of the READ's first byte

  logic [4:0] units;  // of 256 bytes in a response
  logic [12:0] len_d, len_q, pieces_d;
  logic is_last_d, is_last_q, flush_d, flush_q;
  logic [4:0] need_q;
  logic [SlotWidth-1:0] beats_q;
  logic [OffsetWidth:0] tail_d, tail_q;

  assign head = head_i;
  assign lane = cmd_q.address[OffsetWidth-1:0];

  always_comb begin
    case (cmd_q.pmtu)
      3'd0, 3'd1: units = 5'd1;
      3'd2:       units = 5'd2;
      3'd3:       units = 5'd4;
      3'd4:       units = 5'd8;
      default:    units = 5'd16;
    endcase
    is_last_d = left_q <= {19'd0, units, 8'd0};
    len_d     = is_last_d ? left_q[12:0] : {units, 8'd0};
    pieces_d  = {5'd0, cmd_q.address[7:0]} + len_d + 13'd255;
    tail_d    = {1'b0, len_d[OffsetWidth-1:0]};
    if (tail_d == '0) tail_d = (OffsetWidth + 1)'(BeatBytes);
    flush_d   = is_last_d && lane != '0 && {2'b0, lane} + {1'b0, tail_d} <= (OffsetWidth + 2)'(BeatBytes);
  end

  always_ff @(posedge clk_i) begin
    len_q     <= len_d;
    is_last_q <= is_last_d;
    need_q    <= len_d == '0 ? '0 : pieces_d[12:8];
    beats_q   <= SlotWidth'((14'(len_d) + 14'(BeatBytes - 1)) >> OffsetWidth);
    tail_q    <= tail_d;
    flush_q   <= flush_d;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Decisions.

  logic moves, is_final, ends_move, moving_q, is_enough, hdr_room, rec_room, is_through;
  logic [PlaceWidth:0] free_q, seen;

  assign seen       = seen_i - block_q;
  assign is_enough  = 7'(seen) >= 7'(need_q);
  assign ends_move  = moves & is_final;
  assign loads      = state_q == read_pkg::Idle & head_valid_i;
  assign begins     = state_q == read_pkg::Respond & (~moving_q | ends_move) & ~finished_q & ~head_stopped_i &
                      is_enough & hdr_room;
  assign gives_up   = state_q == read_pkg::Respond & ~moving_q & ~finished_q & head_stopped_i;
  assign errs       = state_q == read_pkg::Respond & ~moving_q & ~finished_q & ~head_stopped_i & ~is_enough & blocked_i;
  assign ends_early = gives_up | errs;
  assign is_through = head_asked_i & free_q == head_end_i;
  assign retires    = rec_room & ((state_q == read_pkg::Respond & ~moving_q & finished_q) |
                                  (state_q == read_pkg::Rest & is_through));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= read_pkg::Idle;
    else begin
      case (state_q)
        read_pkg::Idle:    if (head_valid_i) state_q <= read_pkg::Prepare;
        read_pkg::Prepare: state_q <= cmd_q.clear ? read_pkg::Rest : read_pkg::Respond;
        read_pkg::Respond: if (ends_early) state_q <= read_pkg::Rest;
                           else if (retires) state_q <= read_pkg::Idle;
        default:           if (retires) state_q <= read_pkg::Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (loads) begin
      cmd_q      <= head;
      left_q     <= head.bytes;
      count_q    <= '0;
      block_q    <= free_q;
      first_q    <= 1'b1;
      finished_q <= 1'b0;
      status_q   <= head.clear ? read_pkg::StatusCleared : read_pkg::StatusDone;
    end else begin
      if (begins) begin
        left_q     <= left_q - {19'd0, len_q};
        count_q    <= count_q + 1'b1;
        block_q    <= block_q + (PlaceWidth + 1)'(units);
        first_q    <= 1'b0;
        finished_q <= is_last_q;
      end
      if (ends_early) status_q <= errs ? read_pkg::StatusError : read_pkg::StatusGivenUp;
    end
  end

  assign retires_o   = retires;
  assign fails_o     = errs;
  assign fails_qpn_o = cmd_q.qpn;

  // ---------------------------------------------------------------------------------------------------------------
  // What is told of a response, and of a READ.

  read_pkg::hdr_t hdr;
  read_pkg::rec_t rec;
  logic is_middle;
  logic [2:0] unused_hdrs, unused_recs;

  assign is_middle = ~first_q & ~is_last_q;

  always_comb begin
    hdr.qpn      = cmd_q.qpn;
    hdr.psn      = cmd_q.psn + psn_pkg::steps(count_q);
    hdr.msn      = is_middle ? '0 : cmd_q.msn;
    hdr.syndrome = is_middle ? '0 : cmd_q.syndrome;
    hdr.bytes    = len_q;
    hdr.last     = is_last_q;
    hdr.opcode   = read_pkg::OpcodeMiddle;
    if (first_q) hdr.opcode = is_last_q ? read_pkg::OpcodeOnly : read_pkg::OpcodeFirst;
    else if (is_last_q) hdr.opcode = read_pkg::OpcodeLast;
    rec.qpn      = cmd_q.qpn;
    rec.psn      = cmd_q.psn;
    rec.count    = count_q;
    rec.status   = status_q;
  end

  sync_fifo #(
    .Width($bits(hdr)),
    .Depth(4)
  ) u_hdrs (
    .clk_i,
    .rst_ni,
    .s_data_i (hdr),
    .s_valid_i(begins),
    .s_ready_o(hdr_room),
    .m_data_o (m_hdr_o),
    .m_valid_o(m_hdr_valid_o),
    .m_ready_i(m_hdr_ready_i),
    .count_o  (unused_hdrs)
  );

  sync_fifo #(
    .Width($bits(rec)),
    .Depth(4)
  ) u_recs (
    .clk_i,
    .rst_ni,
    .s_data_i (rec),
    .s_valid_i(retires),
    .s_ready_o(rec_room),
    .m_data_o (m_rec_o),
    .m_valid_o(m_rec_valid_o),
    .m_ready_i(m_rec_ready_i),
    .count_o  (unused_recs)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Move: a beat of memory that does not leave yet, beats of the response, or what of the last one went around.

  logic data_room, is_flush, reads, ends_place, frees_place, rests, part_q, half_q;
  logic prime_q, move_flush_q, move_last_q;
  logic [OffsetWidth:0] move_tail_q;
  logic [SlotWidth-1:0] slots_q;
  logic [IndexWidth-1:0] beat_q, beat;  // of the oldest place

  assign moves       = moving_q & data_room;
  assign is_final    = slots_q == SlotWidth'(1);
  assign is_flush    = move_flush_q & is_final;
  assign reads       = moves & ~is_flush;
  assign ends_place  = reads & beat_q == IndexWidth'(PlaceBeats - 1);
  assign frees_place = ends_place | (ends_move & move_last_q & (reads | part_q));
  assign rests       = state_q == read_pkg::Rest & oldest_there_i & ~is_through;
  assign frees_o     = frees_place | rests;
  assign free_o      = free_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      moving_q <= 1'b0;
      free_q   <= '0;
    end else begin
      if (begins) moving_q <= len_q != '0;
      else if (ends_move) moving_q <= 1'b0;
      if (frees_o) free_q <= free_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begins) begin
      slots_q      <= beats_q + SlotWidth'(first_q && lane != '0);
      prime_q      <= first_q && lane != '0;
      move_flush_q <= flush_q;
      move_tail_q  <= tail_q;
      move_last_q  <= is_last_q;
    end else if (moves) begin
      slots_q <= slots_q - 1'b1;
      prime_q <= 1'b0;
    end
    if (loads) begin
      beat_q <= head.address[7:OffsetWidth];
      half_q <= head.address[7];
      part_q <= 1'b0;
    end else if (reads) begin
      beat_q <= beat_q + 1'b1;
      if (frees_place) half_q <= 1'b0;
      part_q <= ~frees_place;
    end
  end

  // The frame of a piece in the second half of its 256 bytes begins there.
  always_comb begin
    beat = beat_q;
    if (half_q) beat[IndexWidth-1] = 1'b0;
  end

  assign read_o      = reads;
  assign read_beat_o = {free_q[PlaceWidth-1:0], beat};

  logic shift_valid_q, shift_flush_q, shift_last_q, shift_drop_q, out_valid, out_last, out_drop;
  logic [OffsetWidth-1:0] shift_offset_q;
  logic [OffsetWidth:0] shift_stop_q;
  logic [BeatBytes-1:0] out_keep;
  logic [DataWidth-1:0] out_data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shift_valid_q <= 1'b0;
    else shift_valid_q <= moves;
  end

  always_ff @(posedge clk_i) begin
    shift_flush_q  <= is_flush;
    shift_last_q   <= is_final;
    shift_drop_q   <= prime_q;
    shift_offset_q <= '0 - lane;
    shift_stop_q   <= move_tail_q;
  end

  dma_shift #(
    .DataWidth(DataWidth)
  ) u_shift (
    .clk_i,
    .rst_ni,
    .valid_i (shift_valid_q),
    .first_i (1'b0),  // what comes before a READ's first byte is dropped
    .flush_i (shift_flush_q),
    .last_i  (shift_last_q),
    .offset_i(shift_offset_q),
    .stop_i  (shift_stop_q),
    .data_i,
    .valid_o (out_valid),
    .last_o  (out_last),
    .keep_o  (out_keep),
    .data_o  (out_data)
  );

  delay_line #(
    .Width(1),
    .Depth(4)
  ) u_drop (
    .clk_i,
    .data_i(shift_drop_q),
    .data_o(out_drop)
  );

  credit_queue #(
    .Width(DataWidth + BeatBytes + 1),
    .Depth(Queue)
  ) u_data (
    .clk_i,
    .rst_ni,
    .claim_i  (moves & ~prime_q),
    .room_o   (data_room),
    .data_i   ({out_last, out_keep, out_data}),
    .valid_i  (out_valid & ~out_drop),
    .m_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i)
  );

endmodule
