// SPDX-License-Identifier: Apache-2.0
// Takes the headers of a frame to fixed places, whatever lies before them (docs/blocks/roce_parse.md). Runs beside
// icrc_locate, clock for clock: what stands at the outputs belongs to the beat that icrc_locate gives at the same
// time.
//
// Nothing here knows whether a header is there: icrc_locate says so. Bytes that have not arrived are an earlier
// packet's.
//
// Numbers are vectors whose highest byte is the first one of the frame, as the formats have it.
module roce_headers #(
  parameter int unsigned DataWidth = 512,
  localparam int unsigned BeatBytes = DataWidth / 8,
  localparam int unsigned IdxWidth = locate_pkg::PosWidth - $clog2(BeatBytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 valid_i,
  input  logic                 last_i,
  input  logic                 ib_i,
  input  logic [DataWidth-1:0] data_i,

  output logic [IdxWidth-1:0]  idx_o,      // of the beat in its packet; it stops beyond every packet's end
  output rx_pkg::net_t         net_o,
  output logic [15:0]          udp_src_port_o,
  output rx_pkg::bth_t         bth_o,
  output logic [319:0]         ext_o,      // what follows the BTH: at most 40 bytes are headers
  output logic [7:0]           bth_end_o   // where in the frame
);

  // The last header byte is at 22 + 60 + 8 + 12 + 40 - 1 = 141. From the network header on there are 120 bytes to the
  // end of the longest headers, and from 8 bytes before the BTH on 60.
  localparam int unsigned HdrBytes = 142;
  localparam int unsigned NetBytes = 120;
  localparam int unsigned TransportBytes = 60;

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("roce_headers: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the header bytes up to and with this beat; the first one on the left.

  logic sof_q, ib1_q;
  logic [IdxWidth-1:0] idx1_d, idx1_q;
  logic [HdrBytes*8-1:0] hdr1_q;

  always_comb begin
    idx1_d = idx1_q + 1'b1;
    if (idx1_q[IdxWidth-1-:2] == 2'b11) idx1_d = idx1_q;
    if (sof_q) idx1_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sof_q <= 1'b1;
    else if (valid_i) sof_q <= last_i;
  end

  always_ff @(posedge clk_i) begin
    ib1_q <= ib_i;
    if (valid_i) idx1_q <= idx1_d;
  end

  for (genvar i = 0; i < HdrBytes; i++) begin : gen_byte
    always_ff @(posedge clk_i) begin
      if (valid_i && idx1_d == IdxWidth'(i / BeatBytes)) begin
        hdr1_q[(HdrBytes-1-i)*8+:8] <= data_i[(i%BeatBytes)*8+:8];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 2: tags and type.

  function automatic logic is_tag(input logic [15:0] ethertype);
    is_tag = ethertype == ib_pkg::EthTypeCtag || ethertype == ib_pkg::EthTypeStag;
  endfunction

  logic [15:0] type_0tags, type_1tag, type_2tags, eth_type;
  logic [1:0] tags2_d, tags2_q;
  logic ib2_q, ipv4_2_q, ipv6_2_q;
  logic [IdxWidth-1:0] idx2_q;
  logic [HdrBytes*8-1:0] hdr2_q;

  assign type_0tags = hdr1_q[(HdrBytes-14)*8+:16];
  assign type_1tag  = hdr1_q[(HdrBytes-18)*8+:16];
  assign type_2tags = hdr1_q[(HdrBytes-22)*8+:16];

  always_comb begin
    tags2_d  = 2'd0;
    eth_type = type_0tags;
    if (is_tag(type_0tags)) begin
      tags2_d  = is_tag(type_1tag) ? 2'd2 : 2'd1;
      eth_type = is_tag(type_1tag) ? type_2tags : type_1tag;
    end
  end

  always_ff @(posedge clk_i) begin
    idx2_q   <= idx1_q;
    hdr2_q   <= hdr1_q;
    tags2_q  <= tags2_d;
    ib2_q    <= ib1_q;
    ipv4_2_q <= ~ib1_q & (eth_type == ib_pkg::EthTypeIpv4);
    ipv6_2_q <= ~ib1_q & (eth_type == ib_pkg::EthTypeIpv6);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 3: from the network header on, LRH included.

  logic ib3_q, ipv4_3_q, ipv6_3_q, global3_q;
  logic [1:0] tags3_q;
  logic [IdxWidth-1:0] idx3_q;
  logic [63:0] vlans3_q;
  logic [NetBytes*8-1:0] net3_d, net3_q;

  always_comb begin
    net3_d = hdr2_q[(HdrBytes-14-NetBytes)*8+:NetBytes*8];
    if (tags2_q == 2'd1) net3_d = hdr2_q[(HdrBytes-18-NetBytes)*8+:NetBytes*8];
    if (tags2_q == 2'd2) net3_d = hdr2_q[(HdrBytes-22-NetBytes)*8+:NetBytes*8];
    if (ib2_q) net3_d = hdr2_q[(HdrBytes-NetBytes)*8+:NetBytes*8];
  end

  always_ff @(posedge clk_i) begin
    idx3_q    <= idx2_q;
    tags3_q   <= tags2_q;
    vlans3_q  <= hdr2_q[(HdrBytes-20)*8+:64];
    ib3_q     <= ib2_q;
    ipv4_3_q  <= ipv4_2_q;
    ipv6_3_q  <= ipv6_2_q;
    global3_q <= ib2_q & (hdr2_q[(HdrBytes-2)*8+:2] == ib_pkg::LnhGlobal);
    net3_q    <= net3_d;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 4: the fields of the network header; how many words lie between its start and the 8 bytes before the BTH.

  logic ib4_q;
  logic [1:0] tags4_q;
  logic [3:0] words4_d, words4_q;
  logic [IdxWidth-1:0] idx4_q;
  logic [NetBytes*8-1:0] net4_q;
  rx_pkg::net_t fields4_q;
  logic [319:0] grh;  // or the IP header
  logic [127:0] src4_d, dst4_d;
  logic [7:0] tclass4_d;
  logic [31:0] lrh_lids;

  assign grh      = global3_q ? net3_q[(NetBytes-48)*8+:320] : net3_q[(NetBytes-40)*8+:320];
  assign lrh_lids = {net3_q[(NetBytes-4)*8+:16], net3_q[(NetBytes-8)*8+:16]};  // DLID, SLID

  always_comb begin
    src4_d    = grh[16*8+:128];
    dst4_d    = grh[127:0];
    tclass4_d = grh[315:308];
    words4_d  = ipv6_3_q || global3_q ? 4'd10 : 4'd8;  // 8: RoCEv1, so that its BTH too is 8 bytes on
    if (ib3_q && !global3_q) words4_d = 4'd0;
    if (ipv4_3_q) begin
      src4_d    = {96'b0, grh[(40-16)*8+:32]};
      dst4_d    = {96'b0, grh[(40-20)*8+:32]};
      tclass4_d = grh[311:304];
      words4_d  = grh[315:312];
    end
  end

  always_ff @(posedge clk_i) begin
    idx4_q    <= idx3_q;
    ib4_q     <= ib3_q;
    tags4_q   <= tags3_q;
    words4_q  <= words4_d;
    net4_q    <= net3_q;
    fields4_q <= {tags3_q, vlans3_q, net3_q[(NetBytes-2)*8+4+:4], lrh_lids, tclass4_d, src4_d, dst4_d};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 5 and 6: turned by that many words: 0 to 3, then 0, 4, 8 or 12.

  localparam int unsigned NearBytes = TransportBytes + 48;

  logic [1:0] words5_q;
  logic [7:0] bth_end5_q, bth_end6_q;
  logic [IdxWidth-1:0] idx5_q, idx6_q;
  logic [NearBytes*8-1:0] near5_d, near5_q;
  logic [TransportBytes*8-1:0] transport6_d, transport6_q;
  rx_pkg::net_t fields5_q, fields6_q;

  always_comb begin
    near5_d = '0;
    for (int n = 0; n < 4; n++) begin
      if (words4_q[1:0] == n[1:0]) near5_d = net4_q[(NetBytes-4*n-NearBytes)*8+:NearBytes*8];
    end
    transport6_d = '0;
    for (int n = 0; n < 4; n++) begin
      if (words5_q == n[1:0]) transport6_d = near5_q[(NearBytes-16*n-TransportBytes)*8+:TransportBytes*8];
    end
  end

  always_ff @(posedge clk_i) begin
    idx5_q     <= idx4_q;
    words5_q   <= words4_q[3:2];
    near5_q    <= near5_d;
    fields5_q  <= fields4_q;
    bth_end5_q <= (ib4_q ? 8'd20 : 8'd34) + {1'b0, {1'b0, words4_q} + {3'b000, ib4_q ? 2'd0 : tags4_q}, 2'b00};

    idx6_q       <= idx5_q;
    transport6_q <= transport6_d;
    fields6_q    <= fields5_q;
    bth_end6_q   <= bth_end5_q;
  end

  assign idx_o     = idx6_q;
  assign bth_end_o = bth_end6_q;
  assign net_o     = fields6_q;
  assign udp_src_port_o = transport6_q[(TransportBytes-2)*8+:16];
  assign bth_o          = transport6_q[(TransportBytes-20)*8+:96];
  assign ext_o          = transport6_q[319:0];

endmodule
