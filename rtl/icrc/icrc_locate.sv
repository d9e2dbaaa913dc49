// SPDX-License-Identifier: Apache-2.0
// Finds the packet in the frame (docs/blocks/icrc_check.md, "Finding the packet") and prepares every beat for the ICRC.
//
// Nothing stands still here: a beat comes in with valid_i and leaves six clocks later, together with
//   masked_o   the beat as the CRC wants it (crc_stream): ones where ICRC-1 to ICRC-5 say so, zeros before the first
//              covered byte and from byte E - Trim on, the register's initial value XORed into the first four
//   end_rel_o  E - Trim - (frame position of the beat's byte 0), meaningful while end_known_o
//   found_o    the verdict on the headers, final on the last beat. covered, is_short and trunc are not encoded in its
//              reason.
//
// No packet state but the header bytes, the beat's index and "the next beat is a first": everything else is worked out
// anew for every beat from the header bytes. Those that have not arrived yet are an earlier packet's, and that is
// safe at any width: what a byte's mask depends on lies before that byte or in the same beat, nothing is cut off
// before the length field is there (end_known_o), and a verdict counts only where the frame reaches the unit it was
// read from.
//
// Positions: N is the network header (GRH for IB global), U the UDP header at 14 + 4 j, tags the number of VLAN tags.
module icrc_locate #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Trim = 0,  // 0: the ICRC's bytes are covered, 4: they are not
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned RelWidth = locate_pkg::RelWidth
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

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
  output hca_pkg::found_t            found_o
);

  localparam int unsigned BeatShift = $clog2(BeatBytes);
  // The index of a beat stops at 3 x 32 KiB, beyond every E + 46.
  localparam int unsigned PosWidth = locate_pkg::PosWidth;
  localparam int unsigned IdxWidth = PosWidth - BeatShift;
  localparam int unsigned CntWidth = BeatShift + 1;
  localparam logic signed [RelWidth-1:0] MaxTrailer = RelWidth'(hca_pkg::MaxTrailerBytes);

  // Bytes 0 to 87 decide everything: the last UDP length ends at 22 + 60 + 5.
  localparam int unsigned HdrBytes = 88;
  // From this beat on every length field has arrived, at the latest at N + 5 = 27; no E lies before its end.
  localparam int unsigned KnownIdx = 27 / BeatBytes;

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("icrc_locate: DataWidth must be 64, 128, 256, 512 or 1024");
  end
  if (Trim != 0 && Trim != 4) begin : gen_bad_trim
    $error("icrc_locate: Trim must be 0 or 4");
  end

  // A beat as it came: it goes from stage to stage as a whole.
  typedef struct packed {
    logic                 first;
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  // E - Trim, counted from the beat; known once the length field has arrived.
  typedef struct packed {
    logic                known;
    logic [RelWidth-1:0] rel;
  } cover_t;

  logic [5:0] valid_q;  // stages 1 to 6
  beat_t beat1_q, beat2_q, beat3_q, beat4_q, beat5_q, beat6_q;
  locate_pkg::kind_t kind2_q, kind3_q, kind4_q;
  hca_pkg::stop_t stop4_d, stop4_q, stop5_q;
  cover_t cover4_q, cover5_q, cover6_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the beat, its index, and the header bytes up to and with this beat.

  logic ib1_q, sof_q;
  logic [IdxWidth-1:0] idx1_d, idx1_q;
  logic [HdrBytes*8-1:0] hdr1_q;

  always_comb begin
    idx1_d = idx1_q + 1'b1;
    if (idx1_q[IdxWidth-1-:2] == 2'b11) idx1_d = idx1_q;
    if (sof_q) idx1_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      sof_q   <= 1'b1;
    end else begin
      valid_q <= {valid_q[4:0], valid_i};
      if (valid_i) sof_q <= last_i;
    end
  end

  always_ff @(posedge clk_i) begin
    beat1_q.first <= sof_q;
    beat1_q.last  <= last_i;
    beat1_q.keep  <= keep_i;
    beat1_q.data  <= data_i;
    ib1_q         <= ib_i;
    if (valid_i) idx1_q <= idx1_d;
  end

  for (genvar b = 0; b * BeatBytes < HdrBytes; b++) begin : gen_hdr
    localparam int unsigned Lo = b * BeatBytes * 8;
    localparam int unsigned Bits = (HdrBytes - b * BeatBytes < BeatBytes) ? HdrBytes * 8 - Lo : DataWidth;
    always_ff @(posedge clk_i) begin
      if (valid_i && idx1_d == IdxWidth'(b)) hdr1_q[Lo+:Bits] <= data_i[Bits-1:0];
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
  logic [2:0] tags2_d;  // one-hot: 0, 1, 2 tags
  logic [CntWidth-1:0] cnt2_d, cnt2_q;
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
    .keep_i (beat1_q.keep),
    .count_o(cnt2_d)
  );

  always_ff @(posedge clk_i) begin
    beat2_q    <= beat1_q;
    kind2_q.ib     <= ib1_q;
    idx2_q    <= idx1_q;
    hdr2_q    <= hdr1_q;
    cnt2_q    <= cnt2_d;
    kind2_q.tags   <= tags2_d;
    kind2_q.ipv4   <= ~ib1_q & (eth_type == ib_pkg::EthTypeIpv4);
    kind2_q.ipv6   <= ~ib1_q & (eth_type == ib_pkg::EthTypeIpv6);
    kind2_q.rocev1 <= ~ib1_q & (eth_type == ib_pkg::EthTypeRocev1);
    kind2_q.lnh    <= hdr1_q[1*8+:2];
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 3: the fields of the network header; where it starts.

  localparam int unsigned NetBytes = 10;

  logic [NetBytes*8-1:0] net;
  logic [6:0] net_pos;  // N
  logic [PosWidth:0] pos3;
  logic [CntWidth+6:0] small_end;
  logic known3_q;
  logic [CntWidth-1:0] cnt3_q;
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
    net = ({(NetBytes*8){kind2_q.tags[0]}} & hdr2_q[14*8+:NetBytes*8]) |
          ({(NetBytes*8){kind2_q.tags[1]}} & hdr2_q[18*8+:NetBytes*8]) |
          ({(NetBytes*8){kind2_q.tags[2]}} & hdr2_q[22*8+:NetBytes*8]);
    net_pos = ({7{kind2_q.tags[0]}} & 7'd14) | ({7{kind2_q.tags[1]}} & 7'd18) | ({7{kind2_q.tags[2]}} & 7'd22);
    if (kind2_q.ib) net = hdr2_q[8*8+:NetBytes*8];
    len3_d = be16(kind2_q.ipv4 ? net[2*8+:16] : net[4*8+:16]);

    // E = offset + length: IPv4's length counts from N, IPv6's and the GRH's from N + 40, the LRH's from 0.
    pos3 = {1'b0, idx2_q, BeatShift'(0)};

    small_end = {{7{1'b0}}, cnt2_q} + {{CntWidth{1'b0}}, pos3[6:0]};
    end3_d = (pos3[PosWidth:7] != '0 || small_end[CntWidth+6:7] != '0) ? 7'd127 : small_end[6:0];
  end

  logic [PosWidth:0] offset3;
  assign offset3 = kind2_q.ib ? '0 : {{(PosWidth - 6){1'b0}}, net_pos + (kind2_q.ipv4 ? 7'd0 : 7'd40)};

  always_ff @(posedge clk_i) begin
    beat3_q         <= beat2_q;
    kind3_q         <= kind2_q;
    idx3_q          <= idx2_q;
    cnt3_q          <= cnt2_q;
    end3_q          <= end3_d;
    version3_q      <= net[7:4];
    ihl3_q          <= net[3:0];
    len3_q          <= len3_d;
    unit_len3_q     <= kind2_q.ib ? {4'b0, hdr2_q[4*8+:3], hdr2_q[5*8+:8], 2'b00} : {1'b0, len3_d};
    pay_len3_q      <= be16(net[4*8+:16]);
    fragment3_q     <= kind2_q.ipv4 & ({net[6*8+:6], net[7*8+:8]} != '0);  // MF and the fragment offset
    proto_ok3_q     <= kind2_q.ipv4 ? net[9*8+:8] == ib_pkg::ProtoUdp :
                       net[6*8+:8] == (kind2_q.ipv6 ? ib_pkg::ProtoUdp : ib_pkg::ProtoIbTransport);
    offset3_q       <= offset3 - pos3;
    cover_offset3_q <= offset3 - pos3 - RelWidth'(Trim);
    known3_q        <= kind2_q.ib | (idx2_q >= IdxWidth'(KnownIdx));
    words3_q        <= hdr2_q[WordsLo*8+:WordsBits];
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 4: where the packet ends; where UDP and BTH are; the steps before UDP.

  logic [1:0] tags3;
  logic [6:0] unit1_end, unit2_end;
  logic before_unit1_end, before_unit2_end;
  logic [CntWidth-1:0] cnt4_q;
  logic [IdxWidth-1:0] idx4_q;
  logic [6:0] end4_q, unit3_end4_q, least4_q;
  logic [4:0] udp_j4_d, udp_j4_q;
  logic signed [RelWidth-1:0] rel4_q;
  logic [16:0] unit_len4_q;
  logic [15:0] want_len4_q, pay_len4_q;
  logic fragment4_q;
  logic [WordsBits-1:0] words4_q;

  assign tags3 = kind3_q.tags[2:1];  // 0, 1 or 2, from one-hot
  // U = 14 + 4 j; for RoCEv1 U is where a UDP header would have to be for its BTH to follow.
  assign udp_j4_d = {3'b0, tags3} + (kind3_q.ipv4 ? {1'b0, ihl3_q} : kind3_q.ipv6 ? 5'd10 : 5'd8);

  always_comb begin
    // Constants by number of tags: an adder before the comparison would be the longest path of the block.
    unit1_end = kind3_q.ib ? 7'd8 : kind3_q.tags[0] ? 7'd14 : kind3_q.tags[1] ? 7'd18 : 7'd22;
    unit2_end = kind3_q.tags[0] ? 7'd54 : kind3_q.tags[1] ? 7'd58 : 7'd62;
    if (kind3_q.ipv4) unit2_end = kind3_q.tags[0] ? 7'd34 : kind3_q.tags[1] ? 7'd38 : 7'd42;
    if (kind3_q.ib) unit2_end = 7'd48;
    before_unit1_end = end3_q < unit1_end;
    before_unit2_end = end3_q < unit2_end;

    stop4_d.done   = 1'b1;
    stop4_d.encap  = hca_pkg::EncapNone;
    stop4_d.reason = hca_pkg::ReasonNone;
    if (before_unit1_end) stop4_d.reason = hca_pkg::ReasonRunt;
    else if (kind3_q.ib && !kind3_q.lnh[1]) stop4_d.encap = hca_pkg::EncapIbRaw;
    else if (kind3_q.ib && kind3_q.lnh == ib_pkg::LnhLocal) stop4_d.done = 1'b0;
    else if (!kind3_q.ib && !kind3_q.ipv4 && !kind3_q.ipv6 && !kind3_q.rocev1) stop4_d.done = 1'b1;
    else if (before_unit2_end) stop4_d.reason = hca_pkg::ReasonRunt;
    else if (version3_q != (kind3_q.ipv4 ? 4'd4 : 4'd6)) stop4_d.done = 1'b1;
    else if (kind3_q.ipv4 && ihl3_q < 4'd5) stop4_d.reason = hca_pkg::ReasonHeader;
    else if (proto_ok3_q) stop4_d.done = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    beat4_q        <= beat3_q;
    kind4_q        <= kind3_q;
    idx4_q         <= idx3_q;
    cnt4_q         <= cnt3_q;
    end4_q         <= end3_q;
    cover4_q.known <= known3_q;
    udp_j4_q       <= udp_j4_d;
    unit3_end4_q   <= 7'd22 + {udp_j4_d, 2'b00};
    rel4_q         <= offset3_q + {1'b0, unit_len3_q};
    cover4_q.rel   <= cover_offset3_q + {1'b0, unit_len3_q};
    unit_len4_q    <= unit_len3_q;
    pay_len4_q     <= pay_len3_q;
    least4_q       <= kind3_q.ipv4 ? 7'd24 + {1'b0, ihl3_q, 2'b00} :
                      kind3_q.ipv6 ? 7'd24 :
                      kind3_q.rocev1 ? 7'd16 :
                      kind3_q.lnh == ib_pkg::LnhLocal ? 7'd24 : 7'd64;
    // What the inner length must be: UDP's is the IP payload's; the GRH's PayLen counts from byte 48 on.
    want_len4_q    <= kind3_q.ipv4 ? len3_q - {10'b0, ihl3_q, 2'b00} :
                      kind3_q.ipv6 ? len3_q : unit_len3_q[15:0] - 16'd48;
    fragment4_q    <= fragment3_q;
    stop4_q        <= stop4_d;
    words4_q       <= words3_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 5: the UDP fields; does the packet end inside the frame.

  logic global4;
  logic [3:0] word_sel;
  logic [16*32-1:0] words4;
  logic [31:0] udp_word;
  logic signed [RelWidth-1:0] cnt4_rel;
  logic udp5_q, check_len5_q, fragment5_q, runt5_q, short5_q, trunc5_q, trailer5_q;
  logic [15:0] port5_q, got_len5_q, want_len5_q;
  hca_pkg::encap_e encap5_q;

  assign global4  = kind4_q.ib & (kind4_q.lnh == ib_pkg::LnhGlobal);
  assign cnt4_rel = {{(RelWidth - CntWidth) {1'b0}}, cnt4_q};

  // UDP port and length are the big-endian word at U + 2 = 16 + 4 j, j = 5 the first of words4_q.
  assign word_sel = udp_j4_q[3:0] - 4'd5;
  assign words4   = {{(16 * 32 - WordsBits) {1'b0}}, words4_q};
  assign udp_word = words4[word_sel*32+:32];

  always_ff @(posedge clk_i) begin
    beat5_q        <= beat4_q;
    cover5_q       <= cover4_q;
    udp5_q         <= kind4_q.ipv4 | kind4_q.ipv6;
    check_len5_q   <= kind4_q.ipv4 | kind4_q.ipv6 | global4;
    port5_q        <= be16(udp_word[15:0]);
    got_len5_q     <= global4 ? pay_len4_q : be16(udp_word[31:16]);
    want_len5_q    <= want_len4_q;
    runt5_q        <= (kind4_q.ipv4 | kind4_q.ipv6) & (end4_q < unit3_end4_q);
    short5_q       <= unit_len4_q < {10'b0, least4_q};
    trunc5_q       <= rel4_q > cnt4_rel;
    trailer5_q     <= rel4_q < cnt4_rel - MaxTrailer;
    fragment5_q    <= fragment4_q;
    encap5_q       <= kind4_q.ipv4 ? hca_pkg::EncapRocev2Ipv4 :
                      kind4_q.ipv6 ? hca_pkg::EncapRocev2Ipv6 :
                      kind4_q.rocev1 ? hca_pkg::EncapRocev1 :
                      global4 ? hca_pkg::EncapIbGlobal : hca_pkg::EncapIbLocal;
    stop5_q        <= stop4_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 6: the beat for the CRC; the verdict on the headers.

  hca_pkg::found_t found6_d, found6_q;

  icrc_mask #(
    .DataWidth(DataWidth)
  ) u_mask (
    .clk_i,
    .kind4_i     (kind4_q),
    .udp_j4_i    (udp_j4_q),
    .idx4_i      (idx4_q),
    .end_known4_i(cover4_q.known),
    .end_rel4_i  (cover4_q.rel),
    .data5_i     (beat5_q.data),
    .masked6_o   (masked_o)
  );

  always_comb begin
    found6_d          = '0;
    found6_d.is_short = short5_q;
    found6_d.trunc    = trunc5_q;
    if (stop5_q.done) begin
      found6_d.encap  = stop5_q.encap;
      found6_d.reason = stop5_q.reason;
    end else if (runt5_q) begin
      found6_d.reason = hca_pkg::ReasonRunt;
    end else if (!udp5_q || port5_q == ib_pkg::UdpPortRocev2) begin
      found6_d.covered = 1'b1;
      found6_d.encap   = encap5_q;
      if (fragment5_q) found6_d.reason = hca_pkg::ReasonFragment;
      else if (short5_q) found6_d.reason = hca_pkg::ReasonShort;
      else if (check_len5_q && got_len5_q != want_len5_q) found6_d.reason = hca_pkg::ReasonLength;
      else if (trunc5_q) found6_d.reason = hca_pkg::ReasonTruncated;
      else if (trailer5_q) found6_d.reason = hca_pkg::ReasonTrailer;
    end
  end

  always_ff @(posedge clk_i) begin
    beat6_q  <= beat5_q;
    cover6_q <= cover5_q;
    found6_q <= found6_d;
  end

  assign valid_o     = valid_q[5];
  assign first_o     = beat6_q.first;
  assign last_o      = beat6_q.last;
  assign keep_o      = beat6_q.keep;
  assign data_o      = beat6_q.data;
  assign end_known_o = cover6_q.known;
  assign end_rel_o   = cover6_q.rel;
  assign found_o     = found6_q;

endmodule
