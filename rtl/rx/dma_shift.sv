// SPDX-License-Identifier: Apache-2.0
// Payload to its place in aligned beats (docs/blocks/rx_dma.md): every beat is turned so that its byte 0 comes to the
// byte of its address, and joined with what of the beat before it went around. What comes in leaves four clocks later.
module dma_shift #(
  parameter int unsigned DataWidth = 512,
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned OffsetWidth = $clog2(BeatBytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   valid_i,
  input  logic                   first_i,  // of its frame
  input  logic                   flush_i,  // no beat: what of the last one went around
  input  logic                   last_i,  // of its write
  input  logic [OffsetWidth-1:0] offset_i,  // of the write in its first beat
  input  logic [OffsetWidth:0]   stop_i,  // of the last: bytes up to the end of the write
  input  logic [DataWidth-1:0]   data_i,

  output logic                   valid_o,
  output logic                   last_o,
  output logic [BeatBytes-1:0]   keep_o,
  output logic [DataWidth-1:0]   data_o
);

  typedef struct packed {
    logic                   first;
    logic                   flush;
    logic                   last;
    logic [OffsetWidth-1:0] offset;
    logic [OffsetWidth:0]   stop;
    logic [7:0]             turn;  // of what is still to be turned: 1, 4, 16, 64 bytes
  } slot_t;

  slot_t slot0, slot1_q, slot2_q, slot3_q;
  logic [3:0] valid_q;  // of the stages 1 to 4
  logic [DataWidth-1:0] data1_d, data1_q, data2_d, data2_q, data3_d, data3_q, data4_d, data4_q, before_q;
  logic [BeatBytes-1:0] own4_q, old4_q, keep4_q;  // lanes of this beat, of the one before, that count
  logic last4_q, flush4_q;
  logic [OffsetWidth-1:0] turn0;

  assign turn0 = '0 - offset_i;

  always_comb begin
    slot0.first  = first_i;
    slot0.flush  = flush_i;
    slot0.last   = last_i;
    slot0.offset = offset_i;
    slot0.stop   = stop_i;
    slot0.turn   = 8'(turn0);
  end

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(1)
  ) u_turn1 (
    .steps_i(slot0.turn[1:0]),
    .data_i,
    .data_o (data1_d)
  );

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(4)
  ) u_turn4 (
    .steps_i(slot1_q.turn[3:2]),
    .data_i (data1_q),
    .data_o (data2_d)
  );

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(16)
  ) u_turn16 (
    .steps_i(slot2_q.turn[5:4]),
    .data_i (data2_q),
    .data_o (data3_d)
  );

  rotate_bytes #(
    .DataWidth(DataWidth),
    .StepBytes(64)
  ) u_turn64 (
    .steps_i(slot3_q.turn[7:6]),
    .data_i (data3_q),
    .data_o (data4_d)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[2:0], valid_i};
  end

  always_ff @(posedge clk_i) begin
    slot1_q <= slot0;
    slot2_q <= slot1_q;
    slot3_q <= slot2_q;
    data1_q <= data1_d;
    data2_q <= data2_d;
    data3_q <= data3_d;
    data4_q <= data4_d;
    for (int i = 0; i < BeatBytes; i++) begin
      own4_q[i]  <= OffsetWidth'(i) >= slot3_q.offset;
      old4_q[i]  <= OffsetWidth'(i) < slot3_q.offset && !slot3_q.first;
      keep4_q[i] <= !slot3_q.last || (OffsetWidth + 1)'(i) < slot3_q.stop;
    end
    last4_q  <= slot3_q.last;
    flush4_q <= slot3_q.flush;
    if (valid_q[3] && !flush4_q) before_q <= data4_q;
  end

  always_comb begin
    data_o = '0;
    for (int i = 0; i < BeatBytes; i++) begin
      if (own4_q[i]) data_o[8*i+:8] = data4_q[8*i+:8];
      else if (old4_q[i]) data_o[8*i+:8] = before_q[8*i+:8];
    end
  end

  assign valid_o = valid_q[3];
  assign last_o  = last4_q;
  assign keep_o  = keep4_q;

endmodule
