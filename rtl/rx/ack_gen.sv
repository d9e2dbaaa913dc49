// SPDX-License-Identifier: Apache-2.0
// Frames of ACKs and NAKs, answers of atomics, READ responses and CNPs: docs/blocks/ack_gen.md.
//
// A record waits at the input as many clocks as its frame has beats. In each of them a copy goes down the pipeline with
// the number of its beat: R looks the QP up, F waits for its word, X makes the headers and takes the beat out of them.
// A beat of payload leaves its queue with the beat of the frame that its first byte goes to, and is turned on its way.
module ack_gen #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [2:0]             s_op_i,
  input  logic [23:0]            s_qpn_i,
  input  logic [23:0]            s_psn_i,
  input  logic [23:0]            s_msn_i,
  input  logic [7:0]             s_syndrome_i,
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
  input  logic [7:0]             s_opcode_i,
  input  logic [12:0]            s_bytes_i,
  input  logic [63:0]            s_original_i,
  input  logic                   s_valid_i,
  output logic                   s_ready_o,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [23:0]            m_qpn_o,
  output logic [2:0]             m_op_o,
  output logic [1:0]             m_why_o,
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
  localparam int unsigned HeadBeats = (ack_pkg::MaxHead + BeatBytes - 1) / BeatBytes;
  localparam int unsigned BeatWidth = ack_pkg::SizeWidth - OffsetWidth;
  localparam int unsigned Beats = 16;     // of the output queue
  localparam int unsigned UnderWay = 4;   // beats that can still come once it says that it has room for as many

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("ack_gen: NumQps must be a power of two from 4 to 65536");
  end
  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("ack_gen: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: records wait here. R is the head.

  ack_pkg::record_t s_rec, r_rec;
  logic edge_ready, ctx_ready, r_there;
  logic [2:0] unused_waiting;

  assign s_rec = {s_original_i, s_bytes_i, s_opcode_i, s_hop_limit_i, s_mac_i, s_peer_qpn_i, s_pkey_i, s_dst_i,
    s_src_i, s_udp_src_port_i, s_tclass_i, s_dlid_i, s_slid_i, s_sl_i, s_vlan1_i, s_vlan0_i, s_tags_i, s_encap_i,
    s_syndrome_i, s_msn_i, s_psn_i, s_qpn_i, s_op_i};
  assign s_ready_o = edge_ready & ctx_ready;

  logic r_take;

  sync_fifo #(
    .Width($bits(s_rec)),
    .Depth(4)
  ) u_edge (
    .clk_i,
    .rst_ni,
    .s_data_i (s_rec),
    .s_valid_i(s_valid_i & ctx_ready),
    .s_ready_o(edge_ready),
    .m_data_o (r_rec),
    .m_valid_o(r_there),
    .m_ready_i(r_take),
    .count_o  (unused_waiting)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Payload waits here.

  logic [DataWidth-1:0] r_payload;
  logic payload_there, r_takes_payload, r_go;
  logic [2:0] unused_payload;

  sync_fifo #(
    .Width(DataWidth),
    .Depth(4)
  ) u_payload (
    .clk_i,
    .rst_ni,
    .s_data_i (s_axis_tdata_i),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o (r_payload),
    .m_valid_o(payload_there),
    .m_ready_i(r_go & r_takes_payload),
    .count_o  (unused_payload)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // R: the length of the frame, one beat of it a clock; the sum of what the IPv4 header has of the record.

  typedef struct packed {
    logic                          known;
    logic                          is_frame;
    logic                          takes_payload;
    logic                          last;
    logic [BeatWidth-1:0]          beat;
    logic [OffsetWidth:0]          start;  // the first byte of payload of this beat, and the one behind the last
    logic [OffsetWidth:0]          stop;
    logic [OffsetWidth:0]          bytes;  // of this beat
    logic [ack_pkg::SizeWidth-1:0] transport;
    logic [19:0]                   sum;
  } slot_t;

  ack_pkg::size_t r_size;
  logic [BeatWidth-1:0] r_beat_q, r_last_beat, r_head_beat, r_payload_beats;
  logic [OffsetWidth-1:0] r_offset;
  logic [ack_pkg::SizeWidth-1:0] r_begin, r_payload_end;
  logic [BeatWidth:0] r_past;  // beats behind the one that the headers end in; negative before it
  logic r_in_payload, r_last, beats_room, rec_room;
  slot_t r_slot;

  ack_size u_size (
    .rec_i (r_rec),
    .size_o(r_size)
  );

  // The byte of the frame behind the last one of the payload, or behind the headers.
  assign r_payload_end   = r_size.head + ack_pkg::SizeWidth'(r_rec.bytes);
  assign r_begin         = {r_beat_q, OffsetWidth'(0)};
  assign r_head_beat     = BeatWidth'(r_size.head >> OffsetWidth);
  assign r_offset        = r_size.head[OffsetWidth-1:0];
  assign r_payload_beats = BeatWidth'(({1'b0, r_rec.bytes} + ack_pkg::SizeWidth'(BeatBytes - 1)) >> OffsetWidth);
  assign r_past          = {1'b0, r_beat_q} - {1'b0, r_head_beat};
  assign r_in_payload    = r_size.is_read & ~r_past[BeatWidth];
  assign r_takes_payload = r_in_payload & (r_past[BeatWidth-1:0] < r_payload_beats);

  always_comb begin
    r_last_beat = '0;
    if (r_size.total != '0) r_last_beat = BeatWidth'((r_size.total - 1'b1) >> OffsetWidth);

    r_slot.known         = r_size.known;
    r_slot.is_frame      = r_size.is_frame;
    r_slot.takes_payload = r_takes_payload;
    r_slot.last          = r_beat_q == r_last_beat;
    r_slot.beat          = r_beat_q;
    r_slot.transport     = r_size.transport;

    r_slot.start = r_beat_q == r_head_beat ? {1'b0, r_offset} : '0;
    r_slot.stop  = '0;
    if (r_in_payload && r_payload_end > r_begin) begin
      r_slot.stop = (OffsetWidth + 1)'(BeatBytes);
      if (r_payload_end - r_begin < ack_pkg::SizeWidth'(BeatBytes)) begin
        r_slot.stop = {1'b0, r_payload_end[OffsetWidth-1:0]};
      end
    end
    r_slot.bytes = (OffsetWidth + 1)'(BeatBytes);
    if (r_size.total - r_begin < ack_pkg::SizeWidth'(BeatBytes)) begin
      r_slot.bytes = {1'b0, r_size.total[OffsetWidth-1:0]};
    end

    r_slot.sum = 20'h4500 + {12'h0, r_rec.way.tclass[7:2], 2'b00} + {6'h0, r_size.transport} + 20'd28 + 20'h4000 +
        {4'h0, r_rec.way.src[31:16]} + {4'h0, r_rec.way.src[15:0]} + {4'h0, r_rec.way.dst[31:16]} +
        {4'h0, r_rec.way.dst[15:0]};
  end

  assign r_go   = r_there & beats_room & rec_room & (payload_there | ~r_takes_payload);
  assign r_last = r_slot.last;
  assign r_take = r_go & r_last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_beat_q <= '0;
    else if (r_go) r_beat_q <= r_last ? '0 : r_beat_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // F and X.

  ack_pkg::record_t f_rec_q, x_rec_q;
  slot_t f_slot_q, x_slot_q;
  logic f_valid_q, x_valid_q;

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

  ack_pkg::context_t x_ctx, x_ctx_d;

  qp_context #(
    .NumQps  (NumQps),
    .Width   ($bits(x_ctx)),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .r_qpn_i(r_rec.way.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_ctx),
    .x_ctx_i(x_ctx_d),
    .x_we_i (x_valid_q & (x_rec_q.way.op == ack_pkg::OpSet))
  );

  assign x_ctx_d = {1'b1, x_rec_q.way.qpn, x_rec_q.way.peer_qpn, x_rec_q.way.mac, x_rec_q.way.hop_limit};

  logic [47:0] own_mac_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) own_mac_q <= '0;
    else if (x_valid_q && x_rec_q.way.op == ack_pkg::OpOwn) own_mac_q <= x_rec_q.way.mac;
  end

  ack_pkg::why_e x_why;

  always_comb begin
    x_why = ack_pkg::WhyGood;
    if (x_rec_q.way.op != ack_pkg::OpSet && x_rec_q.way.op != ack_pkg::OpOwn) begin
      if (!x_slot_q.is_frame) x_why = ack_pkg::WhyEncap;
      if (!x_ctx.there || x_ctx.number != x_rec_q.way.qpn) x_why = ack_pkg::WhyNoQp;
    end
    if (!x_slot_q.known) x_why = ack_pkg::WhyNoSuch;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The beat.

  logic [ack_pkg::MaxHead*8-1:0] frame;
  logic [HeadBeats*DataWidth-1:0] padded;
  logic [DataWidth-1:0] x_payload;

  ack_frame u_frame (
    .rec_i      (x_rec_q),
    .ctx_i      (x_ctx),
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
    .s_valid_i(x_valid_q & x_slot_q.is_frame & (x_why == ack_pkg::WhyGood)),
    .s_ready_o(unused_beats_ready),
    .m_data_o (out),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i),
    .count_o  (beats)
  );

  assign beats_room = beats <= ($clog2(Beats + 1))'(Beats - UnderWay);
  assign {m_axis_tuser_o, m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o} = out;

  credit_queue #(
    .Width(29),
    .Depth(8)
  ) u_records (
    .clk_i,
    .rst_ni,
    .claim_i  (r_take),
    .room_o   (rec_room),
    .data_i   ({x_why, x_rec_q.way.op, x_rec_q.way.qpn}),
    .valid_i  (x_valid_q & x_slot_q.last),
    .m_data_o ({m_why_o, m_op_o, m_qpn_o}),
    .m_valid_o,
    .m_ready_i
  );

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_rec))
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  axis_rules #(
    .DataWidth(DataWidth)
  ) u_payload_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s_axis_tdata_i),
    .tkeep_i (s_axis_tkeep_i),
    .tlast_i (s_axis_tlast_i),
    .tuser_i (1'b0),
    .tvalid_i(s_axis_tvalid_i),
    .tready_i(s_axis_tready_o)
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
