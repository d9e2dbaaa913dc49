// SPDX-License-Identifier: Apache-2.0
// What memory gives, to the place of its piece (docs/blocks/read_engine.md): in any order, each once, and nothing that
// was not asked for. Pieces are seen in their order.
module read_take #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Places = 64,  // a power of two, 64 at most; fewer in proofs only
  parameter RamStyle = "block",        // of the places: ram_1r1w
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned PlaceWidth = $clog2(Places),
  localparam int unsigned PlaceBeats = 256 / BeatBytes,
  localparam int unsigned IndexWidth = $clog2(PlaceBeats)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [DataWidth-1:0]             s_mem_tdata_i,
  input  logic [BeatBytes-1:0]             s_mem_tkeep_i,
  input  logic [6:0]                       s_mem_tuser_i,  // error, tag
  input  logic                             s_mem_tlast_i,
  input  logic                             s_mem_tvalid_i,
  output logic                             s_mem_tready_o,

  input  logic                             asks_i,  // for piece ask_i
  input  logic [8:0]                       ask_end_i,  // of its last byte in its frame
  input  logic [PlaceWidth:0]              ask_i,
  input  logic                             frees_i,  // piece free_i
  input  logic [PlaceWidth:0]              free_i,  // the oldest that is not free
  output logic                             oldest_there_o,
  output logic [PlaceWidth:0]              seen_o,  // number of the first piece that is not seen
  output logic                             blocked_o,  // that one is an error

  input  logic                             read_i,
  input  logic [PlaceWidth+IndexWidth-1:0] read_beat_i,
  output logic [DataWidth-1:0]             data_o  // a clock later
);

  localparam int unsigned OffsetWidth = $clog2(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("read_take: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // A beat is looked at in the second clock behind its acceptance: its bytes are counted between.

  logic ready_q, valid1_q, valid2_q, last1_q, last2_q;
  logic [DataWidth-1:0] data1_q, data2_q;
  logic [BeatBytes-1:0] keep1_q;
  logic [OffsetWidth:0] count1, count2_q;
  logic [6:0] user1_q, user2_q;

  assign s_mem_tready_o = ready_q;

  keep_count #(
    .BeatBytes(BeatBytes)
  ) u_count (
    .keep_i (keep1_q),
    .count_o(count1)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q  <= 1'b0;
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else begin
      ready_q  <= 1'b1;
      valid1_q <= s_mem_tvalid_i & ready_q;
      valid2_q <= valid1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    data1_q  <= s_mem_tdata_i;
    keep1_q  <= s_mem_tkeep_i;
    user1_q  <= s_mem_tuser_i;
    last1_q  <= s_mem_tlast_i;
    data2_q  <= data1_q;
    count2_q <= count1;
    user2_q  <= user1_q;
    last2_q  <= last1_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Take: into the place of its tag, if a piece is under way there.

  logic [Places-1:0] open_q, there_q, bad_q;
  logic [8:0] ends[Places];
  logic [PlaceWidth-1:0] place, ask_place, free_place, seen_place;
  logic [IndexWidth:0] index_q;  // of the beat in its frame, or that the place is full
  logic [9:0] bytes;  // of the frame
  logic first_q, took_q, takes, writes, ends_frame, sees, unused_tag;
  logic [PlaceWidth:0] seen_q;

  assign place      = user2_q[PlaceWidth-1:0];
  assign unused_tag = ^user2_q[5:0];
  assign ask_place  = ask_i[PlaceWidth-1:0];
  assign free_place = free_i[PlaceWidth-1:0];
  assign seen_place = seen_q[PlaceWidth-1:0];
  assign takes      = valid2_q & (first_q ? open_q[place] : took_q);
  assign writes     = takes & ~index_q[IndexWidth];
  assign ends_frame = takes & last2_q;
  assign bytes      = (10'(index_q) << OffsetWidth) + 10'(count2_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      index_q <= '0;
      open_q  <= '0;
      there_q <= '0;
      seen_q  <= '0;
    end else begin
      if (valid2_q) begin
        first_q <= last2_q;
        if (last2_q) index_q <= '0;
        else if (!index_q[IndexWidth]) index_q <= index_q + 1'b1;
      end
      if (asks_i) open_q[ask_place] <= 1'b1;
      if (ends_frame) open_q[place] <= 1'b0;
      if (ends_frame) there_q[place] <= 1'b1;
      if (frees_i) there_q[free_place] <= 1'b0;
      if (sees) seen_q <= seen_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid2_q) took_q <= takes;
    if (asks_i) ends[ask_place] <= ask_end_i;
    if (ends_frame) bad_q[place] <= user2_q[6] | bytes < {1'b0, ends[place]};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // See: in order, good ones; an error when it is thrown away.

  logic is_next_there;

  assign is_next_there  = seen_q != ask_i & there_q[seen_place];
  assign sees           = is_next_there & (~bad_q[seen_place] | (frees_i & seen_q == free_i));
  assign blocked_o      = is_next_there & bad_q[seen_place];
  assign seen_o         = seen_q;
  assign oldest_there_o = there_q[free_place];

  ram_1r1w #(
    .Words(Places * PlaceBeats),
    .Width(DataWidth),
    .Style(RamStyle)
  ) u_places (
    .clk_i,
    .wlanes_i(writes),
    .waddr_i ({place, index_q[IndexWidth-1:0]}),
    .wdata_i (data2_q),
    .re_i    (read_i),
    .raddr_i (read_beat_i),
    .rdata_o (data_o)
  );

endmodule
