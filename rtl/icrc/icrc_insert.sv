// SPDX-License-Identifier: Apache-2.0
// Packets in, the same packets out with their ICRC written in: docs/blocks/icrc_insert.md.
//
// X = E - 4 is where the ICRC goes. The beat that holds byte X is zeroed from X on for the CRC, and the register is
// then wound back by those zero bytes. The value is written from byte X of that beat on, and into the next beat if it
// does not fit. Whether it may be written at all must be known then: the packet may end within the four bytes, so a
// beat waits behind the input register until the next one of its packet is there to be seen.
module icrc_insert #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
  input  logic [0:0]                       s_axis_tuser_i,
  input  logic                             s_axis_tvalid_i,
  output logic                             s_axis_tready_o,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned BeatShift = $clog2(BeatBytes);
  localparam int unsigned RelWidth = locate_pkg::RelWidth;
  localparam logic signed [RelWidth-1:0] BeatRel = RelWidth'(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("icrc_insert: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted beat stands in a register. Behind it nothing ever stands still.

  typedef struct packed {
    logic                 last;
    logic                 ib;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  logic in_valid_q;
  beat_t in_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_valid_q <= 1'b0;
    else in_valid_q <= s_axis_tvalid_i & s_axis_tready_o;
  end

  always_ff @(posedge clk_i) begin
    in_q <= {s_axis_tlast_i, s_axis_tuser_i, s_axis_tkeep_i, s_axis_tdata_i};
  end

  // The look-ahead: a beat waits until it is its packet's last or its successor stands in in_q.
  logic held_q, ahead_valid;
  beat_t ahead_q;

  assign ahead_valid = held_q & (ahead_q.last | in_valid_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else held_q <= in_valid_q | (held_q & ~ahead_valid);
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_q) ahead_q <= in_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 1 to 6: find the packet; 7 to 9: the CRC of what lies before X.

  logic valid6, first6, last6, known6;
  logic [BeatBytes-1:0] keep6;
  logic [DataWidth-1:0] data6, masked6;
  logic signed [RelWidth-1:0] rel6;
  hca_pkg::found_t found6;
  logic [2:0] next_keep6;
  logic [31:0] state9;

  icrc_locate #(
    .DataWidth(DataWidth),
    .Trim     (4)
  ) u_locate (
    .clk_i,
    .rst_ni,
    .valid_i    (ahead_valid),
    .last_i     (ahead_q.last),
    .ib_i       (ahead_q.ib),
    .keep_i     (ahead_q.keep),
    .data_i     (ahead_q.data),
    .valid_o    (valid6),
    .first_o    (first6),
    .last_o     (last6),
    .keep_o     (keep6),
    .data_o     (data6),
    .masked_o   (masked6),
    .end_known_o(known6),
    .end_rel_o  (rel6),
    .found_o    (found6)
  );

  // The look-ahead: the low keep bits of the beat behind.
  delay_line #(
    .Width(3),
    .Depth(6)
  ) u_next_keep (
    .clk_i,
    .data_i(in_q.keep[2:0]),
    .data_o(next_keep6)
  );

  crc_stream #(
    .DataWidth(DataWidth),
    .CrcWidth (32),
    .Poly     (ib_pkg::IcrcPoly)
  ) u_crc (
    .clk_i,
    .valid_i(valid6),
    .first_i(first6),
    .data_i (masked6),
    .state_o(state9)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Beside the CRC: is byte X in this beat, and may the ICRC be written.

  logic whole6, here6, touch6;
  logic [2:0] over6;  // one-hot: 1, 2 or 3 bytes of the ICRC lie in the next beat

  for (genvar i = 0; i < 3; i++) begin : gen_over
    assign over6[i] = rel6 == BeatRel + RelWidth'(i) - RelWidth'(3);
  end

  always_comb begin
    here6  = known6 & (rel6 >= 0) & (rel6 < BeatRel);
    touch6 = known6 & (rel6 >= -3) & (rel6 < BeatRel);
    whole6 = last6 ? ~found6.trunc : (over6 & ~next_keep6) == '0;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 10 to 13: wind the register back over the zero bytes from X on, BeatBytes - rel of them.

  localparam int unsigned Back = 4;  // enough for 1024 bits; the latency is the same at every width

  logic take9;
  logic [BeatShift-1:0] count9;
  logic [31:0] state_b;

  // What travels beside the CRC.
  typedef struct packed {
    logic                 first;
    logic                 last;
    logic                 here;
    logic                 touch;
    logic                 may_write;
    logic [BeatShift-2:0] slot;
    logic [1:0]           at_byte;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } side_t;

  side_t side6, b;
  hca_pkg::found_t found_b;
  logic [BeatShift-2:0] slot6;

  // The ICRC starts in 4-byte word slot - 1 of the beat, at byte rel6[1:0] of the word; slot is 0 where only its end
  // is in the beat.
  assign slot6 = rel6[BeatShift:2] + 1'b1;

  delay_line #(
    .Width(BeatShift + 1),
    .Depth(3)
  ) u_count (
    .clk_i,
    .data_i({valid6 & here6, ~rel6[BeatShift-1:0]}),
    .data_o({take9, count9})
  );

  crc_rewind #(
    .CrcWidth  (32),
    .Poly      (ib_pkg::IcrcPoly),
    .CountWidth(BeatShift),
    .NumStages (Back)
  ) u_rewind (
    .clk_i,
    .take_i (take9),
    .state_i(state9),
    .count_i(count9),
    .state_o(state_b)
  );

  assign side6 = {first6, last6, here6, touch6, found6.covered & ~found6.is_short & whole6, slot6, rel6[1:0],
                  keep6, data6};

  delay_line #(
    .Width($bits({found6, side6})),
    .Depth(3 + Back)
  ) u_side (
    .clk_i,
    .data_i({found6, side6}),
    .data_o({found_b, b})
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 14: write it, in the output queue.

  logic [2+Back:0] valid_q;  // stages 7 to 13
  logic written, written_q;
  logic [31:0] icrc, turned, upper;
  logic [DataWidth-1:0] patched;

  // The beat of byte X decides for the packet; before it nothing is written.
  assign written = b.here ? b.may_write : written_q & ~b.first;
  // state_b stays as it is for the beat behind.
  assign icrc = ~state_b;

  // The ICRC turned to where it lies in its words: in the first one it takes the bytes of upper, in the second the
  // others.
  always_comb begin
    turned = icrc;
    upper  = 32'hFFFF_FFFF;
    if (b.at_byte == 2'd1) {turned, upper} = {icrc[23:0], icrc[31:24], 32'hFFFF_FF00};
    if (b.at_byte == 2'd2) {turned, upper} = {icrc[15:0], icrc[31:16], 32'hFFFF_0000};
    if (b.at_byte == 2'd3) {turned, upper} = {icrc[7:0], icrc[31:8], 32'hFF00_0000};

    patched = b.data;
    if (b.touch && written) begin
      for (int w = 0; w < BeatBytes / 4; w++) begin
        if (w + 1 == 32'(b.slot)) patched[32*w+:32] = (b.data[32*w+:32] & ~upper) | (turned & upper);
        if (w == 32'(b.slot)) patched[32*w+:32] = (b.data[32*w+:32] & upper) | (turned & ~upper);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[1+Back:0], valid6};
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[2+Back]) written_q <= written;
  end

  verdict_output #(
    .DataWidth(DataWidth),
    .Depth    (32)
  ) u_output (
    .clk_i,
    .rst_ni,
    .claim_i        (s_axis_tvalid_i & s_axis_tready_o),
    .room_o         (s_axis_tready_o),
    .valid_i        (valid_q[2+Back]),
    .last_i         (b.last),
    .keep_i         (b.keep),
    .data_i         (patched),
    .crc_i          (written ? hca_pkg::CrcGood : hca_pkg::CrcNone),
    .encap_i        (found_b.encap),
    .reason_i       (found_b.reason),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tuser_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i
  );

`ifdef VERILATOR
  axis_rules #(
    .DataWidth(DataWidth)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s_axis_tdata_i),
    .tkeep_i (s_axis_tkeep_i),
    .tlast_i (s_axis_tlast_i),
    .tuser_i (s_axis_tuser_i),
    .tvalid_i(s_axis_tvalid_i),
    .tready_i(s_axis_tready_o)
  );
`endif

endmodule
