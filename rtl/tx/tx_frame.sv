// SPDX-License-Identifier: Apache-2.0
// Frames of what tx_packetizer says, with payload from host memory: docs/blocks/tx_frame.md.
//
// A record gets its QP's way and its lengths in record_pipe, while its payload is asked for. Then it stands in R
// as many clocks as its frame has beats: in each of them a copy goes down with the number of its beat, F waits for
// the QP's flag, X makes the headers and takes the beat out of them. A beat of payload leaves its queue with the
// beat of the frame that its first byte goes to, and is turned on its way.
module tx_frame #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [2:0]             s_op_i,
  input  logic [23:0]            s_qpn_i,
  input  logic [7:0]             s_opcode_i,
  input  logic [23:0]            s_psn_i,
  input  logic                   s_ack_req_i,
  input  logic                   s_solicited_i,
  input  logic [63:0]            s_va_i,
  input  logic [31:0]            s_rkey_i,
  input  logic [31:0]            s_dma_length_i,
  input  logic [31:0]            s_imm_i,
  input  logic [63:0]            s_swap_add_i,
  input  logic [63:0]            s_compare_i,
  input  logic [31:0]            s_qkey_i,
  input  logic [12:0]            s_bytes_i,
  input  logic [63:0]            s_address_i,
  input  logic [31:0]            s_offset_i,
  input  logic [4:0]             s_entries_i,
  input  logic [2:0]             s_encap_i,
  input  logic [1:0]             s_tags_i,
  input  logic [31:0]            s_vlan0_i,
  input  logic [31:0]            s_vlan1_i,
  input  logic [3:0]             s_sl_i,
  input  logic [15:0]            s_slid_i,
  input  logic [15:0]            s_dlid_i,
  input  logic [7:0]             s_tclass_i,
  input  logic [15:0]            s_udp_src_port_i,
  input  logic [127:0]           s_src_i,
  input  logic [127:0]           s_dst_i,
  input  logic [15:0]            s_pkey_i,
  input  logic [23:0]            s_peer_qpn_i,
  input  logic [47:0]            s_mac_i,
  input  logic [7:0]             s_hop_limit_i,
  input  logic                   s_valid_i,
  output logic                   s_ready_o,

  output logic [5:0]             m_mem_tag_o,
  output logic [8:0]             m_mem_bytes_o,
  output logic [63:0]            m_mem_address_o,
  output logic                   m_mem_valid_o,
  input  logic                   m_mem_ready_i,

  input  logic [DataWidth-1:0]   s_mem_tdata_i,
  input  logic [DataWidth/8-1:0] s_mem_tkeep_i,
  input  logic [6:0]             s_mem_tuser_i,
  input  logic                   s_mem_tlast_i,
  input  logic                   s_mem_tvalid_i,
  output logic                   s_mem_tready_o,

  output logic [23:0]            m_qpn_o,
  output logic [2:0]             m_op_o,
  output logic [23:0]            m_psn_o,
  output logic [2:0]             m_why_o,
  output logic                   m_valid_o,
  input  logic                   m_ready_i,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic [0:0]             m_axis_tuser_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned OffsetWidth = $clog2(BeatBytes);
  localparam int unsigned HeadBeats = (frame_pkg::MaxHead + BeatBytes - 1) / BeatBytes;
  localparam int unsigned BeatWidth = frame_pkg::SizeWidth - OffsetWidth;
  localparam int unsigned Beats = 16;     // of the output queue
  localparam int unsigned UnderWay = 4;   // beats that can still come once it says that it has room for as many

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("tx_frame: NumQps must be a power of two from 4 to 65536");
  end
  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("tx_frame: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What the record itself says.

  frame_pkg::record_t s_fields;
  frame_pkg::inside_t s_rec;
  logic [63:0] s_place;
  logic pipe_ready, gather_ready, s_take;

  assign s_fields = {s_hop_limit_i, s_mac_i, s_peer_qpn_i, s_pkey_i, s_dst_i, s_src_i, s_udp_src_port_i, s_tclass_i,
    s_dlid_i, s_slid_i, s_sl_i, s_vlan1_i, s_vlan0_i, s_tags_i, s_encap_i, s_entries_i, s_offset_i, s_address_i,
    s_bytes_i, s_qkey_i, s_compare_i, s_swap_add_i, s_imm_i, s_dma_length_i, s_rkey_i, s_va_i, s_solicited_i,
    s_ack_req_i, s_psn_i, s_opcode_i, s_qpn_i, s_op_i};

  frame_entry u_entry (
    .rec_i    (s_fields),
    .inside_o (s_rec),
    .address_o(s_place)
  );

  assign s_ready_o = pipe_ready & gather_ready;
  assign s_take    = s_valid_i & s_ready_o;
  // ---------------------------------------------------------------------------------------------------------------
  // The way of its QP.

  frame_pkg::inside_t l_rec, w_rec;
  frame_pkg::ready_t w_ready, r_rec;
  frame_pkg::sizes_t w_sizes, r_sizes;
  frame_pkg::context_t w_ctx, w_ctx_d;
  logic ways_ready, flags_ready, w_valid, r_there, r_take;

  record_pipe #(
    .Width   (frame_pkg::InsideWidth),
    .OutWidth(frame_pkg::SizesWidth + frame_pkg::ReadyWidth),
    .Depth   (frame_pkg::Records)
  ) u_pipe (
    .clk_i,
    .rst_ni,
    .open_i    (ways_ready & flags_ready),
    .s_data_i  (s_rec),
    .s_valid_i (s_valid_i & gather_ready),
    .s_ready_o (pipe_ready),
    .r_data_o  (l_rec),
    .x_data_o  (w_rec),
    .x_valid_o (w_valid),
    .x_result_i({w_sizes, w_ready}),
    .m_data_o  ({r_sizes, r_rec}),
    .m_valid_o (r_there),
    .m_ready_i (r_take)
  );

  qp_context #(
    .NumQps  (NumQps),
    .Width   ($bits(w_ctx)),
    .RamStyle(RamStyle)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .ready_o(ways_ready),
    .r_qpn_i(l_rec.head.qpn[QpnWidth-1:0]),
    .x_ctx_o(w_ctx),
    .x_ctx_i(w_ctx_d),
    .x_we_i (w_valid & (w_rec.head.op == frame_pkg::OpSet))
  );

  assign w_ctx_d = {1'b1, w_rec.head.qpn, w_rec.body};

  always_comb begin
    w_ready.head   = w_rec.head;
    w_ready.packet = w_rec.body[$bits(w_ready.packet)-1:0];
    w_ready.way    = w_ctx.way;
    if (w_rec.head.op != frame_pkg::OpPacket) begin
      w_ready.way = w_rec.body;
    end else if (w_rec.head.why == frame_pkg::WhyGood) begin
      case (w_ctx.way.encap)
        hca_pkg::EncapRocev1, hca_pkg::EncapRocev2Ipv4, hca_pkg::EncapRocev2Ipv6, hca_pkg::EncapIbLocal,
        hca_pkg::EncapIbGlobal: ;
        default: w_ready.head.why = frame_pkg::WhyEncap;
      endcase
      if (!w_ctx.there || w_ctx.number != w_rec.head.qpn) w_ready.head.why = frame_pkg::WhyNoWay;
    end
  end

  frame_size u_size (
    .rec_i  (w_ready),
    .sizes_o(w_sizes)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Its payload.

  logic [frame_pkg::NumberWidth-1:0] s_number_q, r_number_q, good_number, bad_number;
  logic good_valid, bad_valid, good, bad, payload_there, r_takes_payload, r_go;
  logic [DataWidth-1:0] r_payload;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_number_q <= '0;
      r_number_q <= '0;
    end else begin
      if (s_take && s_rec.head.gathers) s_number_q <= s_number_q + 1'b1;
      if (r_take && r_rec.head.gathers) r_number_q <= r_number_q + 1'b1;
    end
  end

  tx_gather #(
    .DataWidth(DataWidth),
    .Payloads (frame_pkg::Records),
    .RamStyle (RamStyle)
  ) u_gather (
    .clk_i,
    .rst_ni,
    .s_address_i (s_place),
    .s_bytes_i,
    .s_number_i  (s_number_q),
    .s_valid_i   (s_valid_i & pipe_ready & s_rec.head.gathers),
    .s_ready_o   (gather_ready),
    .m_mem_o     ({m_mem_address_o, m_mem_bytes_o, m_mem_tag_o}),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .s_mem_tdata_i,
    .s_mem_tkeep_i,
    .s_mem_tuser_i,
    .s_mem_tlast_i,
    .s_mem_tvalid_i,
    .s_mem_tready_o,
    .good_number_o(good_number),
    .good_valid_o (good_valid),
    .good_ready_i (r_take & good),
    .bad_number_o (bad_number),
    .bad_valid_o  (bad_valid),
    .bad_ready_i  (r_take & bad),
    .data_o       (r_payload),
    .data_valid_o (payload_there),
    .data_ready_i (r_go & r_takes_payload)
  );

  assign good = r_rec.head.gathers & good_valid & (good_number == r_number_q);
  assign bad  = r_rec.head.gathers & bad_valid & (bad_number == r_number_q);

  // ---------------------------------------------------------------------------------------------------------------
  // R: one beat of the frame a clock; the sum of what the IPv4 header has of the way.

  typedef struct packed {
    logic                                is_frame;
    logic                                bad;
    logic                                takes_payload;
    logic                                last;
    logic [BeatWidth-1:0]                beat;
    logic [OffsetWidth:0]                start;  // the first byte of payload of this beat, and the one behind the last
    logic [OffsetWidth:0]                stop;
    logic [OffsetWidth:0]                bytes;  // of this beat
    logic [1:0]                          pad;
    logic [frame_pkg::SizeWidth-1:0]     transport;
    logic [19:0]                         sum;
  } slot_t;

  logic [BeatWidth-1:0] r_beat_q, r_last_beat, r_head_beat, r_payload_beats;
  logic [OffsetWidth-1:0] r_offset;
  logic [frame_pkg::SizeWidth-1:0] r_begin, r_payload_end;
  logic [BeatWidth:0] r_past;  // beats behind the one that the headers end in; negative before it
  logic r_in_payload, beats_room, rec_room, r_open;
  slot_t r_slot;

  // The byte of the frame behind the last one of the payload, or behind the headers.
  assign r_payload_end   = r_sizes.head + frame_pkg::SizeWidth'(r_rec.packet.bytes);
  assign r_begin         = {r_beat_q, OffsetWidth'(0)};
  assign r_head_beat     = BeatWidth'(r_sizes.head >> OffsetWidth);
  assign r_offset        = r_sizes.head[OffsetWidth-1:0];
  assign r_payload_beats = BeatWidth'(({1'b0, r_rec.packet.bytes} + frame_pkg::SizeWidth'(BeatBytes - 1)) >>
                                      OffsetWidth);
  assign r_past          = {1'b0, r_beat_q} - {1'b0, r_head_beat};
  assign r_in_payload    = r_sizes.takes_payload & ~bad & ~r_past[BeatWidth];
  assign r_takes_payload = r_in_payload & (r_past[BeatWidth-1:0] < r_payload_beats);

  always_comb begin
    r_last_beat = '0;
    if (r_sizes.total != '0 && !bad) r_last_beat = BeatWidth'((r_sizes.total - 1'b1) >> OffsetWidth);

    r_slot.is_frame      = r_sizes.is_frame & ~bad;
    r_slot.bad           = bad;
    r_slot.takes_payload = r_takes_payload;
    r_slot.last          = r_beat_q == r_last_beat;
    r_slot.beat          = r_beat_q;
    r_slot.pad           = r_sizes.pad;
    r_slot.transport     = r_sizes.transport;

    r_slot.start = r_beat_q == r_head_beat ? {1'b0, r_offset} : '0;
    r_slot.stop  = '0;
    if (r_in_payload && r_payload_end > r_begin) begin
      r_slot.stop = (OffsetWidth + 1)'(BeatBytes);
      if (r_payload_end - r_begin < frame_pkg::SizeWidth'(BeatBytes)) begin
        r_slot.stop = {1'b0, r_payload_end[OffsetWidth-1:0]};
      end
    end
    r_slot.bytes = (OffsetWidth + 1)'(BeatBytes);
    if (r_sizes.total - r_begin < frame_pkg::SizeWidth'(BeatBytes)) begin
      r_slot.bytes = {1'b0, r_sizes.total[OffsetWidth-1:0]};
    end

    r_slot.sum = 20'h4500 + {12'h0, r_rec.way.tclass} + {6'h0, r_sizes.transport} + 20'd28 + 20'h4000 +
        {4'h0, r_rec.way.src[31:16]} + {4'h0, r_rec.way.src[15:0]} + {4'h0, r_rec.way.dst[31:16]} +
        {4'h0, r_rec.way.dst[15:0]};
  end

  // Nothing of a frame leaves before its payload comes, and nothing stops it then.
  assign r_open = ~r_rec.head.gathers | bad | (good & (payload_there | (~r_takes_payload & r_beat_q != '0)));
  assign r_go   = r_there & beats_room & rec_room & r_open;
  assign r_take = r_go & r_slot.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_beat_q <= '0;
    else if (r_go) r_beat_q <= r_slot.last ? '0 : r_beat_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // F and X: a QP that failed sends nothing until its way is set again.

  frame_pkg::ready_t f_rec_q, x_rec_q;
  slot_t f_slot_q, x_slot_q;
  logic f_valid_q, x_valid_q, x_set, x_fails, x_failed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {x_valid_q, f_valid_q} <= '0;
    else {x_valid_q, f_valid_q} <= {f_valid_q, r_go};
  end
  always_ff @(posedge clk_i) begin
    f_rec_q  <= r_rec;
    f_slot_q <= r_slot;
    x_rec_q  <= f_rec_q;
    x_slot_q <= f_slot_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   (1),
    .RamStyle(RamStyle)
  ) u_flags (
    .clk_i,
    .rst_ni,
    .ready_o(flags_ready),
    .r_qpn_i(r_rec.head.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_failed),
    .x_ctx_i(x_fails),
    .x_we_i (x_valid_q & (x_set | x_fails))
  );

  frame_pkg::why_e x_why;
  logic [47:0] own_mac_q;

  assign x_set   = x_rec_q.head.op == frame_pkg::OpSet;
  assign x_fails = x_slot_q.bad & (x_rec_q.head.why == frame_pkg::WhyGood);

  always_comb begin
    x_why = x_rec_q.head.why;
    if (x_rec_q.head.op == frame_pkg::OpPacket && x_rec_q.head.why == frame_pkg::WhyGood) begin
      if (x_slot_q.bad) x_why = frame_pkg::WhyMemory;
      if (x_failed) x_why = frame_pkg::WhyFailed;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) own_mac_q <= '0;
    else if (x_valid_q && x_rec_q.head.op == frame_pkg::OpOwn) own_mac_q <= x_rec_q.way.mac;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The beat.

  logic [frame_pkg::MaxHead*8-1:0] frame;
  logic [HeadBeats*DataWidth-1:0] padded;
  logic [DataWidth-1:0] x_payload;

  frame_head u_head (
    .rec_i      (x_rec_q),
    .pad_i      (x_slot_q.pad),
    .own_mac_i  (own_mac_q),
    .transport_i(x_slot_q.transport),
    .sum_i      (x_slot_q.sum),
    .frame_o    (frame)
  );

  ack_shift #(
    .DataWidth(DataWidth)
  ) u_shift (
    .clk_i,
    .r_half_i(r_offset[OffsetWidth-1:1]),
    .r_data_i(r_payload),
    .x_keep_i(x_valid_q & x_slot_q.takes_payload),
    .x_data_o(x_payload)
  );

  assign padded = (HeadBeats * DataWidth)'(frame);

  typedef struct packed {
    logic                 ib;
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t x_beat, out;

  always_comb begin
    x_beat.ib   = x_rec_q.way.encap == hca_pkg::EncapIbLocal || x_rec_q.way.encap == hca_pkg::EncapIbGlobal;
    x_beat.last = x_slot_q.last;
    x_beat.data = '0;
    for (int i = 0; i < HeadBeats; i++) begin
      if (x_slot_q.beat == BeatWidth'(i)) x_beat.data = padded[i*DataWidth+:DataWidth];
    end
    for (int b = 0; b < BeatBytes; b++) begin
      x_beat.keep[b] = (OffsetWidth + 1)'(b) < x_slot_q.bytes;
      if ((OffsetWidth + 1)'(b) >= x_slot_q.start && (OffsetWidth + 1)'(b) < x_slot_q.stop) begin
        x_beat.data[8*b+:8] = x_payload[8*b+:8];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Output queues.

  logic unused_beats_ready;
  logic [$clog2(Beats+1)-1:0] beats;

  sync_fifo #(
    .Width($bits(out)),
    .Depth(Beats)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .s_data_i (x_beat),
    .s_valid_i(x_valid_q & x_slot_q.is_frame & (x_why == frame_pkg::WhyGood)),
    .s_ready_o(unused_beats_ready),
    .m_data_o (out),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i),
    .count_o  (beats)
  );

  assign beats_room = beats <= ($clog2(Beats + 1))'(Beats - UnderWay);
  assign {m_axis_tuser_o, m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o} = out;

  credit_queue #(
    .Width(54),
    .Depth(8)
  ) u_records (
    .clk_i,
    .rst_ni,
    .claim_i  (r_take),
    .room_o   (rec_room),
    .data_i   ({x_why, x_rec_q.head.psn, x_rec_q.head.op, x_rec_q.head.qpn}),
    .valid_i  (x_valid_q & x_slot_q.last),
    .m_data_o ({m_why_o, m_psn_o, m_op_o, m_qpn_o}),
    .m_valid_o,
    .m_ready_i
  );

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_fields))
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_fields),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width(read_pkg::PieceWidth)
  ) u_mem_rules (
    .clk_i,
    .rst_ni,
    .data_i ({m_mem_address_o, m_mem_bytes_o, m_mem_tag_o}),
    .valid_i(m_mem_valid_o),
    .ready_i(m_mem_ready_i)
  );

  axis_rules #(
    .DataWidth(DataWidth),
    .UserWidth(7)
  ) u_s_mem_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s_mem_tdata_i),
    .tkeep_i (s_mem_tkeep_i),
    .tlast_i (s_mem_tlast_i),
    .tuser_i (s_mem_tuser_i),
    .tvalid_i(s_mem_tvalid_i),
    .tready_i(s_mem_tready_o)
  );

  axis_rules #(
    .DataWidth(DataWidth)
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
