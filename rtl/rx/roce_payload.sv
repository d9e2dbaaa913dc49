// SPDX-License-Identifier: Apache-2.0
// The payload of a packet, beat by beat (docs/blocks/roce_parse.md): every beat is turned so that the payload starts
// in byte 0, and joined with the beat behind it. The number behind a name is the stage that it belongs to: what comes
// in belongs to stages 6 to 12.
//
// P is even. It lies in byte turn of a beat: beat j from that one on makes payload beat j out of its bytes from turn
// on and the first turn bytes of the next. left counts what there is of the payload from byte turn of a beat on.
module roce_payload #(
  parameter int unsigned DataWidth = 512,
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned BeatShift = $clog2(BeatBytes),
  localparam int unsigned IdxWidth = locate_pkg::PosWidth - BeatShift
) (
  input  logic                            clk_i,

  input  logic [IdxWidth-1:0]             idx6_i,         // of the beat in its packet
  input  logic [locate_pkg::RelWidth-1:0] icrc_rel6_i,    // E - 4, counted from this beat
  input  logic [DataWidth-1:0]            data6_i,
  input  logic [7:0]                      payload_at8_i,  // P
  input  logic                            has8_i,         // the opcode has a payload
  input  logic [1:0]                      pad9_i,
  input  logic                            overlong10_i,   // more than is ever passed on
  input  logic                            valid11_i,      // a beat is in stage 11

  // The beat in stage 12, joined with the one in stage 11.
  output logic                            store12_o,      // it holds a beat of payload
  output logic                            ends12_o,       // that is the last one
  output logic [BeatBytes-1:0]            keep12_o,
  output logic [DataWidth-1:0]            data12_o
);

  localparam int unsigned RelWidth = locate_pkg::RelWidth;
  localparam logic signed [RelWidth-1:0] BeatRel = RelWidth'(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("roce_payload: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 7 and 8: until P is there.

  typedef struct packed {
    logic [IdxWidth-1:0]  idx;
    logic [RelWidth-1:0]  icrc_rel;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t beat8;

  delay_line #(
    .Width($bits(beat8)),
    .Depth(2)
  ) u_until8 (
    .clk_i,
    .data_i({idx6_i, icrc_rel6_i, data6_i}),
    .data_o(beat8)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 9: the first turn, to P's word.

  typedef struct packed {
    logic                 has;
    logic                 started;  // P lies in this beat or one before
    logic [6:0]           turn;
    logic [RelWidth-1:0]  left;     // in stage 9 with the pad
    logic [DataWidth-1:0] data;
  } turned_t;

  turned_t turn9_q, turn10_q;
  logic [6:0] turn8;
  logic [DataWidth-1:0] data9_d;

  assign turn8 = 7'(payload_at8_i[BeatShift-1:0]);

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(2)
  ) u_turn9 (
    .steps_i(turn8[2:1]),
    .data_i (beat8.data),
    .data_o (data9_d)
  );

  always_ff @(posedge clk_i) begin
    turn9_q.has     <= has8_i;
    turn9_q.started <= beat8.idx >= IdxWidth'(payload_at8_i[7:BeatShift]);
    turn9_q.turn    <= turn8;
    turn9_q.left    <= beat8.icrc_rel - RelWidth'(turn8);
    turn9_q.data    <= data9_d;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 10: without the pad; the second turn.

  logic [DataWidth-1:0] data10_d;

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(8)
  ) u_turn10 (
    .steps_i(turn9_q.turn[4:3]),
    .data_i (turn9_q.data),
    .data_o (data10_d)
  );

  always_ff @(posedge clk_i) begin
    turn10_q      <= turn9_q;
    turn10_q.left <= turn9_q.left - RelWidth'(pad9_i);
    turn10_q.data <= data10_d;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 11: how much of the payload this beat and the next hold; the last turn.

  typedef struct packed {
    logic                 store;
    logic                 ends;
    logic [BeatBytes-1:0] keep;  // the bytes of the payload beat
    logic [BeatBytes-1:0] own;   // those that come from this beat and not from the next
    logic [DataWidth-1:0] data;
  } payload_t;

  payload_t pay11_d, pay11_q, pay12_q;
  logic signed [RelWidth-1:0] left10;
  logic more10;
  logic [DataWidth-1:0] data11_d;

  assign left10 = turn10_q.left;
  assign more10 = left10 > BeatRel;

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(32)
  ) u_turn11 (
    .steps_i(turn10_q.turn[6:5]),
    .data_i (turn10_q.data),
    .data_o (data11_d)
  );

  always_comb begin
    pay11_d       = '0;
    pay11_d.store = turn10_q.started & turn10_q.has & (left10 > 0) & ~overlong10_i;
    pay11_d.ends  = ~more10;
    pay11_d.data  = data11_d;
    for (int i = 0; i < BeatBytes; i++) begin
      pay11_d.keep[i] = more10 || left10[BeatShift:0] > (BeatShift + 1)'(i);
      pay11_d.own[i]  = 8'(i) + {1'b0, turn10_q.turn} < 8'(BeatBytes);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 12: a beat waits here for the next one of its packet.

  always_ff @(posedge clk_i) begin
    pay11_q <= pay11_d;
    if (valid11_i) pay12_q <= pay11_q;
  end

  always_comb begin
    for (int i = 0; i < BeatBytes; i++) begin
      data12_o[8*i+:8] = pay12_q.own[i] ? pay12_q.data[8*i+:8] : pay11_q.data[8*i+:8];
    end
  end

  assign store12_o = pay12_q.store;
  assign ends12_o  = pay12_q.ends;
  assign keep12_o  = pay12_q.keep;

endmodule
