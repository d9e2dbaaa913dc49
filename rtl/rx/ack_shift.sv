// SPDX-License-Identifier: Apache-2.0
// Payload behind the headers of a frame (docs/blocks/ack_gen.md): every beat is turned so that its byte 0 comes to the
// byte behind the headers, and joined with what of the beat before it went around. Headers have an even length. The
// beat that comes in clock c stands at x_data_o in clock c + 2.
module ack_shift #(
  parameter int unsigned DataWidth = 512,
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned OffsetWidth = $clog2(BeatBytes)
) (
  input  logic                   clk_i,

  input  logic [OffsetWidth-2:0] r_half_i,  // half of the byte that byte 0 comes to
  input  logic [DataWidth-1:0]   r_data_i,

  input  logic                   x_keep_i,  // the beat counts: what goes around belongs to the next one
  output logic [DataWidth-1:0]   x_data_o   // lanes before that byte: of the beat before
);

  logic [5:0] r_turn;  // of 2, 8 and 32 bytes
  logic [3:0] f_turn_q;
  logic [1:0] x_turn_q;
  logic [OffsetWidth-2:0] r_turn_half, f_half_q, x_half_q;
  logic [DataWidth-1:0] r_data, f_data, f_data_q, x_data, x_data_q, before_q;

  assign r_turn_half = '0 - r_half_i;
  assign r_turn      = 6'(r_turn_half);

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(2)
  ) u_turn2 (
    .steps_i(r_turn[1:0]),
    .data_i (r_data_i),
    .data_o (r_data)
  );

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(8)
  ) u_turn8 (
    .steps_i(f_turn_q[1:0]),
    .data_i (f_data_q),
    .data_o (f_data)
  );

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(32)
  ) u_turn32 (
    .steps_i(x_turn_q),
    .data_i (x_data_q),
    .data_o (x_data)
  );

  always_ff @(posedge clk_i) begin
    f_turn_q <= r_turn[5:2];
    f_half_q <= r_half_i;
    f_data_q <= r_data;
    x_turn_q <= f_turn_q[3:2];
    x_half_q <= f_half_q;
    x_data_q <= f_data;
    if (x_keep_i) before_q <= x_data;
  end

  always_comb begin
    for (int i = 0; i < BeatBytes; i++) begin
      x_data_o[8*i+:8] = (OffsetWidth - 1)'(i / 2) >= x_half_q ? x_data[8*i+:8] : before_q[8*i+:8];
    end
  end

endmodule
