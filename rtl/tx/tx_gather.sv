// SPDX-License-Identifier: Apache-2.0
// Payload from host memory for tx_frame (docs/blocks/tx_frame.md): each is read like a READ of one response, by
// read_engine's parts. What memory gives for a piece that is not asked for yet waits at the input.
module tx_gather #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Payloads = 32,  // under way: a power of two
  parameter RamStyle = "block",          // of the places of pieces: ram_1r1w
  localparam int unsigned BeatBytes = DataWidth / 8
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic [63:0]                         s_address_i,
  input  logic [12:0]                         s_bytes_i,  // 1 to 4096
  input  logic [frame_pkg::NumberWidth-1:0]   s_number_i,
  input  logic                                s_valid_i,
  output logic                                s_ready_o,

  output logic [read_pkg::PieceWidth-1:0]     m_mem_o,  // read_pkg::piece_t
  output logic                                m_mem_valid_o,
  input  logic                                m_mem_ready_i,

  input  logic [DataWidth-1:0]                s_mem_tdata_i,
  input  logic [BeatBytes-1:0]                s_mem_tkeep_i,
  input  logic [6:0]                          s_mem_tuser_i,  // error, tag
  input  logic                                s_mem_tlast_i,
  input  logic                                s_mem_tvalid_i,
  output logic                                s_mem_tready_o,

  // All of a payload is there, and good.
  output logic [frame_pkg::NumberWidth-1:0]   good_number_o,
  output logic                                good_valid_o,
  input  logic                                good_ready_i,

  // A payload could not be read.
  output logic [frame_pkg::NumberWidth-1:0]   bad_number_o,
  output logic                                bad_valid_o,
  input  logic                                bad_ready_i,

  output logic [DataWidth-1:0]                data_o,  // from its first byte on
  output logic                                data_valid_o,
  input  logic                                data_ready_i
);

  localparam int unsigned Places = 64;
  localparam int unsigned PlaceWidth = $clog2(Places);
  localparam int unsigned IndexWidth = $clog2(256 / BeatBytes);
  localparam logic [2:0] Longest = 3'd5;  // 4096 bytes: a payload is one response

  read_pkg::cmd_t cmd, head;
  read_pkg::piece_t piece;
  read_pkg::hdr_t hdr;
  read_pkg::rec_t rec;
  logic asks, head_valid, head_stopped, head_asked, retires, fails, frees, oldest_there, blocked, read;
  logic [8:0] ask_end;
  logic [PlaceWidth:0] ask, free, head_end, seen;
  logic [PlaceWidth+IndexWidth-1:0] read_beat;
  logic [23:0] fails_qpn;
  logic [DataWidth-1:0] data;
  logic unused;

  always_comb begin
    cmd.clear    = 1'b0;
    cmd.resumed  = 1'b0;
    cmd.qpn      = '0;
    cmd.psn      = 24'(s_number_i);
    cmd.address  = s_address_i;
    cmd.bytes    = {19'h0, s_bytes_i};
    cmd.pmtu     = Longest;
    cmd.msn      = '0;
    cmd.syndrome = '0;
  end

  assign m_mem_o = piece;

  // One that cannot be read stops nothing: the pieces behind it are asked for whatever memory says of those before.
  read_ask #(
    .Reads (Payloads),
    .Places(Places)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .s_cmd_i       (cmd),
    .s_cmd_valid_i (s_valid_i),
    .s_cmd_ready_o (s_ready_o),
    .m_mem_o       (piece),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .asks_o        (asks),
    .ask_end_o     (ask_end),
    .ask_o         (ask),
    .free_i        (free),
    .head_o        (head),
    .head_valid_o  (head_valid),
    .head_stopped_o(head_stopped),
    .head_asked_o  (head_asked),
    .head_end_o    (head_end),
    .retires_i     (retires),
    .fails_i       (1'b0),
    .fails_qpn_i   (24'h0)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // A frame waits for its piece.

  typedef struct packed {
    logic                 last;
    logic [6:0]           user;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t beat;
  logic beat_there, take_ready, passes, inside_q;
  logic [Places-1:0] asked_q;  // memory was, and no frame for it has come
  logic [2:0] unused_beats;

  sync_fifo #(
    .Width($bits(beat)),
    .Depth(4)
  ) u_mem (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_mem_tlast_i, s_mem_tuser_i, s_mem_tkeep_i, s_mem_tdata_i}),
    .s_valid_i(s_mem_tvalid_i),
    .s_ready_o(s_mem_tready_o),
    .m_data_o (beat),
    .m_valid_o(beat_there),
    .m_ready_i(passes & take_ready),
    .count_o  (unused_beats)
  );

  assign passes = beat_there & (inside_q | asked_q[beat.user[PlaceWidth-1:0]]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q  <= '0;
      inside_q <= 1'b0;
    end else begin
      if (m_mem_valid_o && m_mem_ready_i) asked_q[piece.tag[PlaceWidth-1:0]] <= 1'b1;
      if (passes && take_ready) begin
        inside_q <= ~beat.last;
        if (beat.last) asked_q[beat.user[PlaceWidth-1:0]] <= 1'b0;
      end
    end
  end

  read_take #(
    .DataWidth(DataWidth),
    .Places   (Places),
    .RamStyle (RamStyle)
  ) u_take (
    .clk_i,
    .rst_ni,
    .s_mem_tdata_i (beat.data),
    .s_mem_tkeep_i (beat.keep),
    .s_mem_tuser_i (beat.user),
    .s_mem_tlast_i (beat.last),
    .s_mem_tvalid_i(passes),
    .s_mem_tready_o(take_ready),
    .asks_i        (asks),
    .ask_end_i     (ask_end),
    .ask_i         (ask),
    .frees_i       (frees),
    .free_i        (free),
    .oldest_there_o(oldest_there),
    .seen_o        (seen),
    .blocked_o     (blocked),
    .read_i        (read),
    .read_beat_i   (read_beat),
    .data_o        (data)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Payloads, in order.

  logic rec_valid;
  logic [BeatBytes-1:0] unused_keep;
  logic unused_last;

  read_answer #(
    .DataWidth(DataWidth),
    .Places   (Places)
  ) u_answer (
    .clk_i,
    .rst_ni,
    .head_i         (head),
    .head_valid_i   (head_valid),
    .head_stopped_i (head_stopped),
    .head_asked_i   (head_asked),
    .head_end_i     (head_end),
    .retires_o      (retires),
    .fails_o        (fails),
    .fails_qpn_o    (fails_qpn),
    .frees_o        (frees),
    .free_o         (free),
    .oldest_there_i (oldest_there),
    .seen_i         (seen),
    .blocked_i      (blocked),
    .read_o         (read),
    .read_beat_o    (read_beat),
    .data_i         (data),
    .m_hdr_o        (hdr),
    .m_hdr_valid_o  (good_valid_o),
    .m_hdr_ready_i  (good_ready_i),
    .m_axis_tdata_o (data_o),
    .m_axis_tkeep_o (unused_keep),
    .m_axis_tlast_o (unused_last),
    .m_axis_tvalid_o(data_valid_o),
    .m_axis_tready_i(data_ready_i),
    .m_rec_o        (rec),
    .m_rec_valid_o  (rec_valid),
    .m_rec_ready_i  (bad_ready_i | ~bad_valid_o)
  );

  assign good_number_o = hdr.psn[frame_pkg::NumberWidth-1:0];
  assign bad_number_o  = rec.psn[frame_pkg::NumberWidth-1:0];
  assign bad_valid_o   = rec_valid & (rec.status == read_pkg::StatusError);
  assign unused        = ^{hdr, rec, fails, fails_qpn};

endmodule
