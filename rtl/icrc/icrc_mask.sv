// SPDX-License-Identifier: Apache-2.0
// A beat as the ICRC wants it: ones where ICRC-1 to ICRC-5 say so, zeros before the first covered byte and from the
// end on, the register's initial value XORed into the first four covered bytes. Stages 5 and 6 of icrc_locate; the
// number behind a name is the stage that it belongs to.
module icrc_mask #(
  parameter int unsigned DataWidth = 512,
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned IdxWidth = locate_pkg::PosWidth - $clog2(BeatBytes),
  localparam int unsigned RelWidth = locate_pkg::RelWidth
) (
  input  logic                       clk_i,
  input  locate_pkg::kind_t          kind4_i,
  input  logic [4:0]                 udp_j4_i,      // UDP lies at 14 + 4 j
  input  logic [IdxWidth-1:0]        idx4_i,        // of the beat in its packet
  input  logic                       end_known4_i,
  input  logic signed [RelWidth-1:0] end_rel4_i,    // the first byte that is not covered, counted from this beat
  input  logic [DataWidth-1:0]       data5_i,
  output logic [DataWidth-1:0]       masked6_o
);

  localparam int unsigned BeatShift = $clog2(BeatBytes);

  // Bytes 0 to 94 can be masked: the last BTH byte 4 is at 22 + 60 + 8 + 4. Rounded up to whole beats.
  localparam int unsigned MaskBytes = (BeatBytes > 96) ? BeatBytes : 96 + (96 % BeatBytes);
  localparam int unsigned MaskBeats = MaskBytes / BeatBytes;

  // The first covered byte is at 0, 8, 14, 18 or 22, so clearing and the initial value end before byte 32.
  localparam int unsigned StartBytes = (BeatBytes < 32) ? BeatBytes : 32;
  localparam int unsigned StartBeats = 32 / StartBytes;

  // What is forced to ones in the first 12 bytes of the network header. Byte 0 is on the right.
  localparam logic [95:0] OnesIpv4 = 96'hFFFF_00FF_0000_0000_0000_FF00;  // TOS 1, TTL 8, header checksum 10-11
  localparam logic [95:0] OnesGrh = 96'h0000_0000_FF00_0000_FFFF_FF0F;   // TClass, FlowLabel 0-3, HopLmt 7; IPv6 alike

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("icrc_mask: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 5: what to force, byte by byte.

  logic [95:0] ones_net;
  logic [23:0] udp_word_at, bth_word_at;
  logic [MaskBytes*8-1:0] ones_all;
  logic [32*8-1:0] before_all, inject_all;
  logic [DataWidth-1:0] ones5_d, ones5_q, inside5_d, inside5_q;
  logic [StartBytes*8-1:0] before5_d, before5_q, inject5_d, inject5_q;
  logic grh4, global4, local4;
  logic [31:0] part_word;

  assign local4  = kind4_i.ib & (kind4_i.lnh == ib_pkg::LnhLocal);
  assign global4 = kind4_i.ib & (kind4_i.lnh == ib_pkg::LnhGlobal);
  assign grh4    = kind4_i.ipv6 | kind4_i.rocev1;

  // By position in the frame: what is forced to ones. The UDP checksum is at U + 6 = 20 + 4 j and BTH byte 4 at
  // U + 12 = 26 + 4 j, so they sit at fixed places in the frame's 4-byte words 5 + j and 6 + j.
  always_comb begin
    ones_net = '0;
    if (kind4_i.ipv4) ones_net = OnesIpv4;
    if (grh4 || global4) ones_net = OnesGrh;

    udp_word_at = '0;
    bth_word_at = '0;
    if (kind4_i.ipv4 || kind4_i.ipv6) udp_word_at = 24'd1 << 5 << udp_j4_i;
    if (kind4_i.ipv4 || grh4) bth_word_at = 24'd1 << 6 << udp_j4_i;

    ones_all = '0;
    for (int w = 0; w < 24; w++) begin
      ones_all[32*w+:32] = ({32{udp_word_at[w]}} & 32'h0000_FFFF) | ({32{bth_word_at[w]}} & 32'h00FF_0000);
    end
    if (kind4_i.ib) begin
      ones_all = '0;
      ones_all[8*8+:96] = ones_net;
    end else begin
      if (kind4_i.tags[0]) ones_all[14*8+:96] = ones_all[14*8+:96] | ones_net;
      if (kind4_i.tags[1]) ones_all[18*8+:96] = ones_all[18*8+:96] | ones_net;
      if (kind4_i.tags[2]) ones_all[22*8+:96] = ones_all[22*8+:96] | ones_net;
    end
    if (global4) ones_all[52*8+:8] = 8'hFF;
    if (local4) begin
      ones_all[12*8+:8] = 8'hFF;
      ones_all[7:4]     = 4'hF;  // LRH.VL
    end
  end

  // What lies before the first covered byte, and the initial value from there.
  always_comb begin
    before_all = '0;
    inject_all = '0;
    if (local4) inject_all[31:0] = ib_pkg::IcrcInit;
    if (kind4_i.ib && !local4) begin
      before_all[8*8-1:0]  = '1;
      inject_all[8*8+:32]  = ib_pkg::IcrcAfterOnes;
    end
    if (!kind4_i.ib && kind4_i.tags[0]) begin
      before_all[14*8-1:0] = '1;
      inject_all[14*8+:32] = ib_pkg::IcrcAfterOnes;
    end
    if (!kind4_i.ib && kind4_i.tags[1]) begin
      before_all[18*8-1:0] = '1;
      inject_all[18*8+:32] = ib_pkg::IcrcAfterOnes;
    end
    if (!kind4_i.ib && kind4_i.tags[2]) begin
      before_all[22*8-1:0] = '1;
      inject_all[22*8+:32] = ib_pkg::IcrcAfterOnes;
    end
  end

  // Of the word in which the packet ends: the bytes before the end.
  always_comb begin
    part_word = 32'h0000_0000;
    if (end_rel4_i[1:0] == 2'd1) part_word = 32'h0000_00FF;
    if (end_rel4_i[1:0] == 2'd2) part_word = 32'h0000_FFFF;
    if (end_rel4_i[1:0] == 2'd3) part_word = 32'h00FF_FFFF;
  end

  // Those of this beat. Until the length field has arrived no byte is behind the end.
  always_comb begin
    ones5_d   = '0;
    before5_d = '0;
    inject5_d = '0;
    for (int b = 0; b < MaskBeats; b++) begin
      if (idx4_i == IdxWidth'(b)) ones5_d = ones_all[b*DataWidth+:DataWidth];
    end
    for (int b = 0; b < StartBeats; b++) begin
      if (idx4_i == IdxWidth'(b)) begin
        before5_d = before_all[b*StartBytes*8+:StartBytes*8];
        inject5_d = inject_all[b*StartBytes*8+:StartBytes*8];
      end
    end

    inside5_d = '1;
    if (end_known4_i && end_rel4_i[RelWidth-1:BeatShift] == '0) begin
      for (int w = 0; w < BeatBytes / 4; w++) begin
        inside5_d[32*w+:32] = '0;
        if (w[BeatShift-3:0] < end_rel4_i[BeatShift-1:2]) inside5_d[32*w+:32] = '1;
        if (w[BeatShift-3:0] == end_rel4_i[BeatShift-1:2]) inside5_d[32*w+:32] = part_word;
      end
    end
    if (end_known4_i && end_rel4_i[RelWidth-1]) inside5_d = '0;  // the packet ended before this beat
  end

  always_ff @(posedge clk_i) begin
    ones5_q   <= ones5_d;
    before5_q <= before5_d;
    inject5_q <= inject5_d;
    inside5_q <= inside5_d;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 6: the beat for the CRC.

  logic [DataWidth-1:0] masked6_d, masked6_q;

  always_comb begin
    masked6_d = (data5_i | ones5_q) & inside5_q;
    masked6_d[StartBytes*8-1:0] = (masked6_d[StartBytes*8-1:0] & ~before5_q) ^ inject5_q;
  end

  always_ff @(posedge clk_i) masked6_q <= masked6_d;

  assign masked6_o = masked6_q;

endmodule
