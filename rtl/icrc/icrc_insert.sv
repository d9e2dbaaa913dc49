// Packets in, the same packets out with their ICRC written in: docs/blocks/icrc_insert.md.
//
// X = E - 4 is where the ICRC goes. The beat that holds byte X is zeroed from X on for the CRC, and the register is then
// wound back by those zero bytes. The value is written from byte X of that beat on, and into the next beat if it does
// not fit. Whether it may be written at all must be known then: the packet may end within the
// four bytes, so a beat waits at the input until the next one is there to be seen.
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
  localparam int unsigned RelWidth = 18;
  localparam logic signed [RelWidth-1:0] BeatRel = RelWidth'(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("icrc_insert: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: a skid buffer registers ready. Behind the look-ahead everything moves together or not at all.

  localparam int unsigned BeatBits = DataWidth + BeatBytes + 1;

  logic en, skid_valid, skid_ready, skid_last, in_valid, in_last, in_ib;
  logic [BeatBits-1:0] skid_beat;
  logic [BeatBytes-1:0] in_keep;
  logic [DataWidth-1:0] in_data;

  axis_skid #(
    .Width(BeatBits + 1)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_axis_tlast_i, s_axis_tuser_i, s_axis_tkeep_i, s_axis_tdata_i}),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o ({skid_last, skid_beat}),
    .m_valid_o(skid_valid),
    .m_ready_i(skid_ready)
  );

  axis_lookahead #(
    .Width(BeatBits)
  ) u_lookahead (
    .clk_i,
    .rst_ni,
    .s_data_i (skid_beat),
    .s_last_i (skid_last),
    .s_valid_i(skid_valid),
    .s_ready_o(skid_ready),
    .m_data_o ({in_ib, in_keep, in_data}),
    .m_last_o (in_last),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 1 to 6: find the packet; 7 to 9: the CRC of what lies before X.

  logic valid6, first6, last6, known6, covered6, short6, trunc6;
  logic [BeatBytes-1:0] keep6;
  logic [DataWidth-1:0] data6, masked6;
  logic signed [RelWidth-1:0] rel6;
  logic [2:0] encap6, next_keep6;
  logic [3:0] reason6;
  logic [31:0] state9;

  icrc_locate #(
    .DataWidth(DataWidth),
    .Trim     (4)
  ) u_locate (
    .clk_i,
    .rst_ni,
    .en_i       (en),
    .valid_i    (in_valid),
    .last_i     (in_last),
    .ib_i       (in_ib),
    .keep_i     (in_keep),
    .data_i     (in_data),
    .valid_o    (valid6),
    .first_o    (first6),
    .last_o     (last6),
    .keep_o     (keep6),
    .data_o     (data6),
    .masked_o   (masked6),
    .end_known_o(known6),
    .end_rel_o  (rel6),
    .covered_o  (covered6),
    .short_o    (short6),
    .trunc_o    (trunc6),
    .encap_o    (encap6),
    .reason_o   (reason6)
  );

  // The look-ahead: the low keep bits of the beat behind.
  delay_line #(
    .Width(3),
    .Depth(6)
  ) u_next_keep (
    .clk_i,
    .en_i  (en),
    .data_i(skid_beat[DataWidth+:3]),
    .data_o(next_keep6)
  );

  crc_stream #(
    .DataWidth(DataWidth),
    .CrcWidth (32),
    .Poly     (ib_pkg::IcrcPoly)
  ) u_crc (
    .clk_i,
    .en_i   (en),
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
    whole6 = last6 ? ~trunc6 : (over6 & ~next_keep6) == '0;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 10 to 13: wind the register back over the zero bytes from X on, BeatBytes - rel of them.

  localparam int unsigned Back = 4;  // enough for 1024 bits; the latency is the same at every width
  localparam int unsigned SideBits = DataWidth + BeatBytes + BeatShift + 13;

  logic take9;
  logic [BeatShift-1:0] count9;
  logic [31:0] state_b;
  logic first_b, last_b, here_b, touch_b, write_b;
  logic [BeatShift-2:0] slot6, slot_b;
  logic [1:0] byte_b;
  logic [BeatBytes-1:0] keep_b;
  logic [DataWidth-1:0] data_b;
  logic [2:0] encap_b;
  logic [3:0] reason_b;

  // The ICRC starts in 4-byte word slot - 1 of the beat, at byte rel6[1:0] of the word; slot is 0 where only its end is in
  // the beat.
  assign slot6 = rel6[BeatShift:2] + 1'b1;

  delay_line #(
    .Width(BeatShift + 1),
    .Depth(3)
  ) u_count (
    .clk_i,
    .en_i  (en),
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
    .en_i   (en),
    .take_i (take9),
    .state_i(state9),
    .count_i(count9),
    .state_o(state_b)
  );

  delay_line #(
    .Width(SideBits),
    .Depth(3 + Back)
  ) u_side (
    .clk_i,
    .en_i  (en),
    .data_i({first6, last6, here6, touch6, covered6 & ~short6 & whole6, slot6, rel6[1:0], encap6, reason6, keep6, data6}),
    .data_o({first_b, last_b, here_b, touch_b, write_b, slot_b, byte_b, encap_b, reason_b, keep_b, data_b})
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 14: write it, in the output register.

  logic [2+Back:0] valid_q;  // stages 7 to 13
  logic written, written_q;
  logic [31:0] icrc, turned, upper;
  logic [DataWidth-1:0] patched;
  logic out_valid_q, out_last_q;
  logic [hca_pkg::VerdictWidth-1:0] out_user_q;
  logic [BeatBytes-1:0] out_keep_q;
  logic [DataWidth-1:0] out_data_q;

  assign en = m_axis_tready_i | ~out_valid_q;

  // The beat of byte X decides for the packet; before it nothing is written.
  assign written = here_b ? write_b : written_q & ~first_b;
  // state_b stays as it is for the beat behind.
  assign icrc = ~state_b;

  // The ICRC turned to where it lies in its words: in the first one it takes the bytes of upper, in the second the others.
  always_comb begin
    turned = icrc;
    upper  = 32'hFFFF_FFFF;
    if (byte_b == 2'd1) {turned, upper} = {icrc[23:0], icrc[31:24], 32'hFFFF_FF00};
    if (byte_b == 2'd2) {turned, upper} = {icrc[15:0], icrc[31:16], 32'hFFFF_0000};
    if (byte_b == 2'd3) {turned, upper} = {icrc[7:0], icrc[31:8], 32'hFF00_0000};

    patched = data_b;
    if (touch_b && written) begin
      for (int w = 0; w < BeatBytes / 4; w++) begin
        if (w + 1 == 32'(slot_b)) patched[32*w+:32] = (data_b[32*w+:32] & ~upper) | (turned & upper);
        if (w == 32'(slot_b)) patched[32*w+:32] = (data_b[32*w+:32] & upper) | (turned & ~upper);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_valid_q, valid_q} <= '0;
    else if (en) {out_valid_q, valid_q} <= {valid_q, valid6};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      if (valid_q[2+Back]) written_q <= written;
      out_last_q <= last_b;
      out_user_q <= last_b ? {reason_b, 1'b0, encap_b, 3'b000, written} : '0;
      out_keep_q <= keep_b;
      out_data_q <= patched;
    end
  end

  assign m_axis_tdata_o  = out_data_q;
  assign m_axis_tkeep_o  = out_keep_q;
  assign m_axis_tlast_o  = out_last_q;
  assign m_axis_tuser_o  = out_user_q;
  assign m_axis_tvalid_o = out_valid_q;

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

  axis_rules #(
    .DataWidth (DataWidth),
    .UserWidth (hca_pkg::VerdictWidth),
    .UserOnLast(1'b1)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (m_axis_tdata_o),
    .tkeep_i (m_axis_tkeep_o),
    .tlast_i (m_axis_tlast_o),
    .tuser_i (m_axis_tuser_o),
    .tvalid_i(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i)
  );
`endif

endmodule
