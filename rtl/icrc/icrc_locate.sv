// Finds the packet in the frame (docs/blocks/icrc_check.md, "Finding the packet") and prepares every beat for the ICRC.
//
// A beat comes in with en_i and leaves six enabled clocks later, together with
//   masked_o   the beat as the CRC wants it (crc_stream): ones where ICRC-1 to ICRC-5 say so, zeros before the first
//              covered byte and from byte E - Trim on, the register's initial value XORed into the first four
//   end_rel_o  E - Trim - (frame position of the beat's byte 0), meaningful while end_known_o
//   the verdict on the headers, final on the last beat. short_o, trunc_o and covered_o are not encoded in reason_o.
//
// No packet state but the header bytes, the beat's index and "the next beat is a first": everything else is worked out
// anew for every beat from the header bytes. Those that have not arrived yet are an earlier packet's, and that is safe at
// any width: what a byte's mask depends on lies before that byte or in the same beat, nothing is cut off before the
// length field is there (end_known_o), and a verdict counts only where the frame reaches the unit it was read from.
//
// Positions: N is the network header (GRH for IB global), U the UDP header at 14 + 4 j, tags the number of VLAN tags.
module icrc_locate #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Trim = 0,  // 0: the ICRC's bytes are covered, 4: they are not
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned RelWidth = 18
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       en_i,

  input  logic                       valid_i,
  input  logic                       last_i,
  input  logic                       ib_i,
  input  logic [BeatBytes-1:0]       keep_i,
  input  logic [DataWidth-1:0]       data_i,

  output logic                       valid_o,
  output logic                       first_o,
  output logic                       last_o,
  output logic [BeatBytes-1:0]       keep_o,
  output logic [DataWidth-1:0]       data_o,
  output logic [DataWidth-1:0]       masked_o,
  output logic                       end_known_o,
  output logic signed [RelWidth-1:0] end_rel_o,
  output logic                       covered_o,  // the packet has an ICRC
  output logic                       short_o,
  output logic                       trunc_o,
  output logic [2:0]                 encap_o,
  output logic [3:0]                 reason_o
);

  localparam int unsigned BeatShift = $clog2(BeatBytes);
  // Frame positions have 17 bits: E is at most 22 + 40 + 65535. The index stops at 3 x 32 KiB, beyond every E + 46.
  localparam int unsigned PosWidth = 17;
  localparam int unsigned IdxWidth = PosWidth - BeatShift;
  localparam int unsigned CntWidth = BeatShift + 1;
  localparam logic signed [RelWidth-1:0] MaxTrailer = RelWidth'(hca_pkg::MaxTrailerBytes);

  // Bytes 0 to 87 decide everything: the last UDP length ends at 22 + 60 + 5.
  localparam int unsigned HdrBytes = 88;
  // Bytes 0 to 94 can be masked: the last BTH byte 4 is at 22 + 60 + 8 + 4. Rounded up to whole beats.
  localparam int unsigned MaskBytes = (BeatBytes > 96) ? BeatBytes : 96 + (96 % BeatBytes);
  localparam int unsigned MaskBeats = MaskBytes / BeatBytes;
  // From this beat on every length field has arrived, at the latest at N + 5 = 27; no E lies before its end.
  localparam int unsigned KnownIdx = 27 / BeatBytes;

  // The first covered byte is at 0, 8, 14, 18 or 22, so clearing and the initial value end before byte 32.
  localparam int unsigned StartBytes = (BeatBytes < 32) ? BeatBytes : 32;
  localparam int unsigned StartBeats = 32 / StartBytes;

  // What is forced to ones in the first 12 bytes of the network header. Byte 0 is on the right.
  localparam logic [95:0] OnesIpv4 = 96'hFFFF_00FF_0000_0000_0000_FF00;  // TOS 1, TTL 8, header checksum 10-11
  localparam logic [95:0] OnesGrh = 96'h0000_0000_FF00_0000_FFFF_FF0F;   // TClass, FlowLabel 0-3, HopLmt 7; IPv6 alike

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the beat, its index, and the header bytes up to and with this beat.

  logic valid1_q, last1_q, first1_q, ib1_q, sof_q;
  logic [BeatBytes-1:0] keep1_q;
  logic [DataWidth-1:0] data1_q;
  logic [IdxWidth-1:0] idx1_d, idx1_q;
  logic [HdrBytes*8-1:0] hdr1_q;

  always_comb begin
    idx1_d = idx1_q + 1'b1;
    if (idx1_q[IdxWidth-1-:2] == 2'b11) idx1_d = idx1_q;
    if (sof_q) idx1_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      sof_q    <= 1'b1;
    end else if (en_i) begin
      valid1_q <= valid_i;
      if (valid_i) sof_q <= last_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      last1_q  <= last_i;
      first1_q <= sof_q;
      ib1_q    <= ib_i;
      keep1_q  <= keep_i;
      data1_q  <= data_i;
      if (valid_i) idx1_q <= idx1_d;
    end
  end

  for (genvar b = 0; b * BeatBytes < HdrBytes; b++) begin : gen_hdr
    localparam int unsigned Lo = b * BeatBytes * 8;
    localparam int unsigned Bits = (HdrBytes - b * BeatBytes < BeatBytes) ? HdrBytes * 8 - Lo : DataWidth;
    always_ff @(posedge clk_i) begin
      if (en_i && valid_i && idx1_d == IdxWidth'(b)) hdr1_q[Lo+:Bits] <= data_i[Bits-1:0];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 2: tags and type, or LNH; bytes in the beat.

  function automatic logic [15:0] be16(input logic [15:0] bytes);
    be16 = {bytes[7:0], bytes[15:8]};
  endfunction

  function automatic logic is_tag(input logic [15:0] ethertype);
    is_tag = ethertype == ib_pkg::EthTypeCtag || ethertype == ib_pkg::EthTypeStag;
  endfunction

  logic [15:0] type_0tags, type_1tag, type_2tags, eth_type;
  logic [2:0] tags2_d, tags2_q;  // one-hot: 0, 1, 2 tags
  logic valid2_q, last2_q, first2_q, ib2_q, ipv4_2_q, ipv6_2_q, rocev1_2_q;
  logic [1:0] lnh2_q;
  logic [CntWidth-1:0] cnt2_d, cnt2_q;
  logic [BeatBytes-1:0] keep2_q;
  logic [DataWidth-1:0] data2_q;
  logic [IdxWidth-1:0] idx2_q;
  logic [HdrBytes*8-1:0] hdr2_q;

  assign type_0tags = be16(hdr1_q[12*8+:16]);
  assign type_1tag  = be16(hdr1_q[16*8+:16]);
  assign type_2tags = be16(hdr1_q[20*8+:16]);

  always_comb begin
    tags2_d = 3'b001;
    if (is_tag(type_0tags)) tags2_d = is_tag(type_1tag) ? 3'b100 : 3'b010;
    eth_type = ({16{tags2_d[0]}} & type_0tags) | ({16{tags2_d[1]}} & type_1tag) | ({16{tags2_d[2]}} & type_2tags);
  end

  keep_count #(
    .BeatBytes(BeatBytes)
  ) u_keep_count (
    .keep_i (keep1_q),
    .count_o(cnt2_d)
  );

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      last2_q   <= last1_q;
      first2_q  <= first1_q;
      ib2_q     <= ib1_q;
      keep2_q   <= keep1_q;
      data2_q   <= data1_q;
      idx2_q    <= idx1_q;
      hdr2_q    <= hdr1_q;
      cnt2_q    <= cnt2_d;
      tags2_q   <= tags2_d;
      ipv4_2_q   <= ~ib1_q & (eth_type == ib_pkg::EthTypeIpv4);
      ipv6_2_q   <= ~ib1_q & (eth_type == ib_pkg::EthTypeIpv6);
      rocev1_2_q <= ~ib1_q & (eth_type == ib_pkg::EthTypeRocev1);
      lnh2_q    <= hdr1_q[1*8+:2];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 3: the fields of the network header; where it starts.

  localparam int unsigned NetBytes = 10;

  logic [NetBytes*8-1:0] net;
  logic [6:0] net_pos;  // N
  logic [PosWidth:0] pos3;
  logic [CntWidth+6:0] small_end;
  logic valid3_q, last3_q, first3_q, ib3_q, ipv4_3_q, ipv6_3_q, rocev1_3_q, known3_q;
  logic [2:0] tags3_q;
  logic [1:0] lnh3_q;
  logic [CntWidth-1:0] cnt3_q;
  logic [BeatBytes-1:0] keep3_q;
  logic [DataWidth-1:0] data3_q;
  logic [IdxWidth-1:0] idx3_q;
  logic [6:0] end3_d, end3_q;  // bytes of the frame up to this beat's end, at most 127
  logic [3:0] version3_q, ihl3_q;
  logic [15:0] len3_d, len3_q, pay_len3_q;
  logic [16:0] unit_len3_q;
  logic fragment3_q, proto_ok3_q;
  logic signed [RelWidth-1:0] offset3_q;  // what to add to the length field for E, counted from this beat
  logic signed [RelWidth-1:0] cover_offset3_q;
  localparam int unsigned WordsLo = 36;  // bytes 36 to 87: where UDP port and length can be, 13 words
  localparam int unsigned WordsBits = (HdrBytes - WordsLo) * 8;
  logic [WordsBits-1:0] words3_q;

  always_comb begin
    net = ({(NetBytes*8){tags2_q[0]}} & hdr2_q[14*8+:NetBytes*8]) |
          ({(NetBytes*8){tags2_q[1]}} & hdr2_q[18*8+:NetBytes*8]) |
          ({(NetBytes*8){tags2_q[2]}} & hdr2_q[22*8+:NetBytes*8]);
    net_pos = ({7{tags2_q[0]}} & 7'd14) | ({7{tags2_q[1]}} & 7'd18) | ({7{tags2_q[2]}} & 7'd22);
    if (ib2_q) net = hdr2_q[8*8+:NetBytes*8];
    len3_d = be16(ipv4_2_q ? net[2*8+:16] : net[4*8+:16]);

    // E = offset + length: IPv4's length counts from N, IPv6's and the GRH's from N + 40, the LRH's from 0.
    pos3 = {1'b0, idx2_q, BeatShift'(0)};

    small_end = {{7{1'b0}}, cnt2_q} + {{CntWidth{1'b0}}, pos3[6:0]};
    end3_d = (pos3[PosWidth:7] != '0 || small_end[CntWidth+6:7] != '0) ? 7'd127 : small_end[6:0];
  end

  logic [PosWidth:0] offset3;
  assign offset3 = ib2_q ? '0 : {{(PosWidth - 6){1'b0}}, net_pos + (ipv4_2_q ? 7'd0 : 7'd40)};

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      last3_q         <= last2_q;
      first3_q        <= first2_q;
      ib3_q           <= ib2_q;
      keep3_q         <= keep2_q;
      data3_q         <= data2_q;
      idx3_q          <= idx2_q;
      cnt3_q          <= cnt2_q;
      tags3_q         <= tags2_q;
      ipv4_3_q         <= ipv4_2_q;
      ipv6_3_q         <= ipv6_2_q;
      rocev1_3_q       <= rocev1_2_q;
      lnh3_q          <= lnh2_q;
      end3_q          <= end3_d;
      version3_q      <= net[7:4];
      ihl3_q          <= net[3:0];
      len3_q          <= len3_d;
      unit_len3_q     <= ib2_q ? {4'b0, hdr2_q[4*8+:3], hdr2_q[5*8+:8], 2'b00} : {1'b0, len3_d};
      pay_len3_q      <= be16(net[4*8+:16]);
      fragment3_q     <= ipv4_2_q & ({net[6*8+:6], net[7*8+:8]} != '0);  // MF and the fragment offset
      proto_ok3_q     <= ipv4_2_q ? net[9*8+:8] == ib_pkg::ProtoUdp :
                         net[6*8+:8] == (ipv6_2_q ? ib_pkg::ProtoUdp : ib_pkg::ProtoIbTransport);
      offset3_q       <= offset3 - pos3;
      cover_offset3_q <= offset3 - pos3 - RelWidth'(Trim);
      known3_q        <= ib2_q | (idx2_q >= IdxWidth'(KnownIdx));
      words3_q        <= hdr2_q[WordsLo*8+:WordsBits];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 4: where the packet ends; where UDP and BTH are; the steps before UDP.

  logic [1:0] tags3;
  logic [6:0] unit1_end, unit2_end;
  logic before_unit1_end, before_unit2_end, stop4_d;
  logic [2:0] stop_encap4_d;
  logic [3:0] stop_reason4_d;
  logic valid4_q, last4_q, first4_q, ib4_q, ipv4_4_q, ipv6_4_q, rocev1_4_q, known4_q;
  logic [2:0] tags4_q;
  logic [1:0] lnh4_q;
  logic [CntWidth-1:0] cnt4_q;
  logic [BeatBytes-1:0] keep4_q;
  logic [DataWidth-1:0] data4_q;
  logic [IdxWidth-1:0] idx4_q;
  logic [6:0] end4_q, unit3_end4_q, least4_q;
  logic [4:0] udp_j4_d, udp_j4_q;
  logic signed [RelWidth-1:0] rel4_q, cover_rel4_q;
  logic [16:0] unit_len4_q;
  logic [15:0] want_len4_q, pay_len4_q;
  logic fragment4_q, stop4_q;
  logic [2:0] stop_encap4_q;
  logic [3:0] stop_reason4_q;
  logic [WordsBits-1:0] words4_q;

  assign tags3 = tags3_q[2:1];  // 0, 1 or 2, from one-hot
  // U = 14 + 4 j; for RoCEv1 U is where a UDP header would have to be for its BTH to follow.
  assign udp_j4_d = {3'b0, tags3} + (ipv4_3_q ? {1'b0, ihl3_q} : ipv6_3_q ? 5'd10 : 5'd8);

  always_comb begin
    // Constants by number of tags: an adder before the comparison would be the longest path of the block.
    unit1_end = ib3_q ? 7'd8 : tags3_q[0] ? 7'd14 : tags3_q[1] ? 7'd18 : 7'd22;
    unit2_end = tags3_q[0] ? 7'd54 : tags3_q[1] ? 7'd58 : 7'd62;
    if (ipv4_3_q) unit2_end = tags3_q[0] ? 7'd34 : tags3_q[1] ? 7'd38 : 7'd42;
    if (ib3_q) unit2_end = 7'd48;
    before_unit1_end = end3_q < unit1_end;
    before_unit2_end = end3_q < unit2_end;

    stop4_d        = 1'b1;
    stop_encap4_d  = hca_pkg::EncapNone;
    stop_reason4_d = hca_pkg::ReasonNone;
    if (before_unit1_end) stop_reason4_d = hca_pkg::ReasonRunt;
    else if (ib3_q && !lnh3_q[1]) stop_encap4_d = hca_pkg::EncapIbRaw;
    else if (ib3_q && lnh3_q == ib_pkg::LnhLocal) stop4_d = 1'b0;
    else if (!ib3_q && !ipv4_3_q && !ipv6_3_q && !rocev1_3_q) stop4_d = 1'b1;
    else if (before_unit2_end) stop_reason4_d = hca_pkg::ReasonRunt;
    else if (version3_q != (ipv4_3_q ? 4'd4 : 4'd6)) stop4_d = 1'b1;
    else if (ipv4_3_q && ihl3_q < 4'd5) stop_reason4_d = hca_pkg::ReasonHeader;
    else if (proto_ok3_q) stop4_d = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      last4_q        <= last3_q;
      first4_q       <= first3_q;
      ib4_q          <= ib3_q;
      keep4_q        <= keep3_q;
      data4_q        <= data3_q;
      idx4_q         <= idx3_q;
      cnt4_q         <= cnt3_q;
      tags4_q        <= tags3_q;
      ipv4_4_q        <= ipv4_3_q;
      ipv6_4_q        <= ipv6_3_q;
      rocev1_4_q      <= rocev1_3_q;
      lnh4_q         <= lnh3_q;
      end4_q         <= end3_q;
      known4_q       <= known3_q;
      udp_j4_q       <= udp_j4_d;
      unit3_end4_q   <= 7'd22 + {udp_j4_d, 2'b00};
      rel4_q         <= offset3_q + {1'b0, unit_len3_q};
      cover_rel4_q   <= cover_offset3_q + {1'b0, unit_len3_q};
      unit_len4_q    <= unit_len3_q;
      pay_len4_q     <= pay_len3_q;
      least4_q       <= ipv4_3_q ? 7'd24 + {1'b0, ihl3_q, 2'b00} :
                        ipv6_3_q ? 7'd24 :
                        rocev1_3_q ? 7'd16 :
                        lnh3_q == ib_pkg::LnhLocal ? 7'd24 : 7'd64;
      // What the inner length must be: UDP's is the IP payload's; the GRH's PayLen counts from byte 48 on.
      want_len4_q    <= ipv4_3_q ? len3_q - {10'b0, ihl3_q, 2'b00} :
                        ipv6_3_q ? len3_q : unit_len3_q[15:0] - 16'd48;
      fragment4_q    <= fragment3_q;
      stop4_q        <= stop4_d;
      stop_encap4_q  <= stop_encap4_d;
      stop_reason4_q <= stop_reason4_d;
      words4_q       <= words3_q;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 5: the UDP fields; what to force, byte by byte; does the packet end inside the frame.

  logic [95:0] ones_net;
  logic [23:0] udp_word_at, bth_word_at;
  logic [MaskBytes*8-1:0] ones_all;
  logic [32*8-1:0] before_all, inject_all;
  logic [DataWidth-1:0] ones5_d, ones5_q, inside5_d, inside5_q;
  logic [StartBytes*8-1:0] before5_d, before5_q, inject5_d, inject5_q;
  logic grh4, global4, local4;
  logic [3:0] word_sel;
  logic [16*32-1:0] words4;
  logic [31:0] udp_word, part_word;
  logic signed [RelWidth-1:0] cnt4_rel;
  logic valid5_q, last5_q, first5_q, udp5_q, check_len5_q, known5_q, fragment5_q, stop5_q, runt5_q;
  logic short5_q, trunc5_q, trailer5_q;
  logic [BeatBytes-1:0] keep5_q;
  logic [DataWidth-1:0] data5_q;
  logic [15:0] port5_q, got_len5_q, want_len5_q;
  logic [2:0] encap5_q, stop_encap5_q;
  logic [3:0] stop_reason5_q;
  logic signed [RelWidth-1:0] cover_rel5_q;

  assign local4   = ib4_q & (lnh4_q == ib_pkg::LnhLocal);
  assign global4  = ib4_q & (lnh4_q == ib_pkg::LnhGlobal);
  assign grh4     = ipv6_4_q | rocev1_4_q;
  assign cnt4_rel = {{(RelWidth - CntWidth) {1'b0}}, cnt4_q};

  // UDP port and length are the big-endian word at U + 2 = 16 + 4 j, j = 5 the first of words4_q.
  assign word_sel = udp_j4_q[3:0] - 4'd5;
  assign words4   = {{(16 * 32 - WordsBits) {1'b0}}, words4_q};
  assign udp_word = words4[word_sel*32+:32];

  // By position in the frame: what is forced to ones. The UDP checksum is at U + 6 = 20 + 4 j and BTH byte 4 at
  // U + 12 = 26 + 4 j, so they sit at fixed places in the frame's 4-byte words 5 + j and 6 + j.
  always_comb begin
    ones_net = '0;
    if (ipv4_4_q) ones_net = OnesIpv4;
    if (grh4 || global4) ones_net = OnesGrh;

    udp_word_at = '0;
    bth_word_at = '0;
    if (ipv4_4_q || ipv6_4_q) udp_word_at = 24'd1 << 5 << udp_j4_q;
    if (ipv4_4_q || grh4) bth_word_at = 24'd1 << 6 << udp_j4_q;

    ones_all = '0;
    for (int w = 0; w < 24; w++) begin
      ones_all[32*w+:32] = ({32{udp_word_at[w]}} & 32'h0000_FFFF) | ({32{bth_word_at[w]}} & 32'h00FF_0000);
    end
    if (ib4_q) begin
      ones_all = '0;
      ones_all[8*8+:96] = ones_net;
    end else begin
      if (tags4_q[0]) ones_all[14*8+:96] = ones_all[14*8+:96] | ones_net;
      if (tags4_q[1]) ones_all[18*8+:96] = ones_all[18*8+:96] | ones_net;
      if (tags4_q[2]) ones_all[22*8+:96] = ones_all[22*8+:96] | ones_net;
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
    if (ib4_q && !local4) begin
      before_all[8*8-1:0]  = '1;
      inject_all[8*8+:32]  = ib_pkg::IcrcAfterOnes;
    end
    if (!ib4_q && tags4_q[0]) begin
      before_all[14*8-1:0] = '1;
      inject_all[14*8+:32] = ib_pkg::IcrcAfterOnes;
    end
    if (!ib4_q && tags4_q[1]) begin
      before_all[18*8-1:0] = '1;
      inject_all[18*8+:32] = ib_pkg::IcrcAfterOnes;
    end
    if (!ib4_q && tags4_q[2]) begin
      before_all[22*8-1:0] = '1;
      inject_all[22*8+:32] = ib_pkg::IcrcAfterOnes;
    end
  end

  // Of the word in which the packet ends: the bytes before the end.
  always_comb begin
    part_word = 32'h0000_0000;
    if (cover_rel4_q[1:0] == 2'd1) part_word = 32'h0000_00FF;
    if (cover_rel4_q[1:0] == 2'd2) part_word = 32'h0000_FFFF;
    if (cover_rel4_q[1:0] == 2'd3) part_word = 32'h00FF_FFFF;
  end

  // Those of this beat. Until the length field has arrived no byte is behind the end.
  always_comb begin
    ones5_d   = '0;
    before5_d = '0;
    inject5_d = '0;
    for (int b = 0; b < MaskBeats; b++) begin
      if (idx4_q == IdxWidth'(b)) ones5_d = ones_all[b*DataWidth+:DataWidth];
    end
    for (int b = 0; b < StartBeats; b++) begin
      if (idx4_q == IdxWidth'(b)) begin
        before5_d = before_all[b*StartBytes*8+:StartBytes*8];
        inject5_d = inject_all[b*StartBytes*8+:StartBytes*8];
      end
    end

    inside5_d = '1;
    if (known4_q && cover_rel4_q[RelWidth-1:BeatShift] == '0) begin
      for (int w = 0; w < BeatBytes / 4; w++) begin
        inside5_d[32*w+:32] = '0;
        if (w[BeatShift-3:0] < cover_rel4_q[BeatShift-1:2]) inside5_d[32*w+:32] = '1;
        if (w[BeatShift-3:0] == cover_rel4_q[BeatShift-1:2]) inside5_d[32*w+:32] = part_word;
      end
    end
    if (known4_q && cover_rel4_q[RelWidth-1]) inside5_d = '0;  // the packet ended before this beat
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      last5_q        <= last4_q;
      first5_q       <= first4_q;
      keep5_q        <= keep4_q;
      data5_q        <= data4_q;
      known5_q       <= known4_q;
      cover_rel5_q   <= cover_rel4_q;
      ones5_q        <= ones5_d;
      before5_q      <= before5_d;
      inject5_q      <= inject5_d;
      inside5_q      <= inside5_d;
      udp5_q         <= ipv4_4_q | ipv6_4_q;
      check_len5_q   <= ipv4_4_q | ipv6_4_q | global4;
      port5_q        <= be16(udp_word[15:0]);
      got_len5_q     <= global4 ? pay_len4_q : be16(udp_word[31:16]);
      want_len5_q    <= want_len4_q;
      runt5_q        <= (ipv4_4_q | ipv6_4_q) & (end4_q < unit3_end4_q);
      short5_q       <= unit_len4_q < {10'b0, least4_q};
      trunc5_q       <= rel4_q > cnt4_rel;
      trailer5_q     <= rel4_q < cnt4_rel - MaxTrailer;
      fragment5_q    <= fragment4_q;
      encap5_q       <= ipv4_4_q ? hca_pkg::EncapRocev2Ipv4 :
                        ipv6_4_q ? hca_pkg::EncapRocev2Ipv6 :
                        rocev1_4_q ? hca_pkg::EncapRocev1 :
                        local4 ? hca_pkg::EncapIbLocal : hca_pkg::EncapIbGlobal;
      stop5_q        <= stop4_q;
      stop_encap5_q  <= stop_encap4_q;
      stop_reason5_q <= stop_reason4_q;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 6: the beat for the CRC; the verdict on the headers.

  logic [DataWidth-1:0] masked6_d, masked6_q;
  logic covered6_d, covered6_q;
  logic [2:0] encap6_d, encap6_q;
  logic [3:0] reason6_d, reason6_q;
  logic valid6_q, last6_q, first6_q, known6_q, short6_q, trunc6_q;
  logic [BeatBytes-1:0] keep6_q;
  logic [DataWidth-1:0] data6_q;
  logic signed [RelWidth-1:0] cover_rel6_q;

  always_comb begin
    masked6_d = (data5_q | ones5_q) & inside5_q;
    masked6_d[StartBytes*8-1:0] = (masked6_d[StartBytes*8-1:0] & ~before5_q) ^ inject5_q;
  end

  always_comb begin
    covered6_d = 1'b0;
    encap6_d   = hca_pkg::EncapNone;
    reason6_d  = hca_pkg::ReasonNone;
    if (stop5_q) begin
      encap6_d  = stop_encap5_q;
      reason6_d = stop_reason5_q;
    end else if (runt5_q) begin
      reason6_d = hca_pkg::ReasonRunt;
    end else if (!udp5_q || port5_q == ib_pkg::UdpPortRocev2) begin
      covered6_d = 1'b1;
      encap6_d   = encap5_q;
      if (fragment5_q) reason6_d = hca_pkg::ReasonFragment;
      else if (short5_q) reason6_d = hca_pkg::ReasonShort;
      else if (check_len5_q && got_len5_q != want_len5_q) reason6_d = hca_pkg::ReasonLength;
      else if (trunc5_q) reason6_d = hca_pkg::ReasonTruncated;
      else if (trailer5_q) reason6_d = hca_pkg::ReasonTrailer;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      last6_q      <= last5_q;
      first6_q     <= first5_q;
      keep6_q      <= keep5_q;
      data6_q      <= data5_q;
      masked6_q    <= masked6_d;
      known6_q     <= known5_q;
      cover_rel6_q <= cover_rel5_q;
      covered6_q   <= covered6_d;
      encap6_q     <= encap6_d;
      reason6_q    <= reason6_d;
      short6_q     <= short5_q;
      trunc6_q     <= trunc5_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {valid2_q, valid3_q, valid4_q, valid5_q, valid6_q} <= '0;
    end else if (en_i) begin
      {valid2_q, valid3_q, valid4_q, valid5_q, valid6_q} <= {valid1_q, valid2_q, valid3_q, valid4_q, valid5_q};
    end
  end

  assign valid_o     = valid6_q;
  assign first_o     = first6_q;
  assign last_o      = last6_q;
  assign keep_o      = keep6_q;
  assign data_o      = data6_q;
  assign masked_o    = masked6_q;
  assign end_known_o = known6_q;
  assign end_rel_o   = cover_rel6_q;
  assign covered_o   = covered6_q;
  assign short_o     = short6_q;
  assign trunc_o     = trunc6_q;
  assign encap_o     = encap6_q;
  assign reason_o    = reason6_q;

endmodule
