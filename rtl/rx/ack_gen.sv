// SPDX-License-Identifier: Apache-2.0
// Frames of ACKs and NAKs: docs/blocks/ack_gen.md.
//
// A record waits at the input as many clocks as its frame has beats. In each of them a copy goes down the pipeline with
// the number of its beat: R looks the QP up, F waits for its word, X makes the frame and takes the beat out of it.
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
  input  logic                   s_valid_i,
  output logic                   s_ready_o,

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
  localparam int unsigned MaxBeats = (ack_pkg::MaxBytes + BeatBytes - 1) / BeatBytes;
  localparam int unsigned BeatWidth = 4;  // 12 beats of 64 bits
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

  ack_pkg::query_t s_rec, r_rec;
  logic edge_ready, ctx_ready, r_there;
  logic [2:0] unused_waiting;

  assign s_rec = {s_hop_limit_i, s_mac_i, s_peer_qpn_i, s_pkey_i, s_dst_i, s_src_i, s_udp_src_port_i, s_tclass_i,
    s_dlid_i,
                  s_slid_i, s_sl_i, s_vlan1_i, s_vlan0_i, s_tags_i, s_encap_i, s_syndrome_i, s_msn_i, s_psn_i, s_qpn_i,
                  s_op_i};
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
  // R: the length of the frame, one beat of it a clock; the sum of what the IPv4 header has of the record.

  logic [6:0] r_bytes, r_tag_bytes;
  logic [BeatWidth-1:0] r_beat_q, r_last_beat;
  logic r_is_frame, r_go, r_last, beats_room, rec_room;
  logic [19:0] r_sum;

  assign r_tag_bytes = {3'h0, r_rec.tags[1], r_rec.tags[0] & ~r_rec.tags[1], 2'b00};

  always_comb begin
    r_is_frame = r_rec.op == ack_pkg::OpAnswer;
    r_bytes    = '0;
    case (r_rec.encap)
      hca_pkg::EncapRocev1: r_bytes = 7'd74 + r_tag_bytes;
      hca_pkg::EncapRocev2Ipv4: r_bytes = 7'd62 + r_tag_bytes;
      hca_pkg::EncapRocev2Ipv6: r_bytes = 7'd82 + r_tag_bytes;
      hca_pkg::EncapIbLocal: r_bytes = 7'd28;
      hca_pkg::EncapIbGlobal: r_bytes = 7'd68;
      default: r_is_frame = 1'b0;
    endcase
    r_last_beat = '0;
    for (int i = 1; i < MaxBeats; i++) begin
      if (r_is_frame && r_bytes > 7'(i * BeatBytes)) r_last_beat = BeatWidth'(i);
    end
    r_sum = 20'h4500 + {12'h0, r_rec.tclass[7:2], 2'b00} + 20'd48 + 20'h4000 + {4'h0, r_rec.src[31:16]} +
        {4'h0, r_rec.src[15:0]} + {4'h0, r_rec.dst[31:16]} + {4'h0, r_rec.dst[15:0]};
  end

  assign r_go   = r_there & beats_room & rec_room;
  assign r_last = r_beat_q == r_last_beat;
  assign r_take = r_go & r_last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_beat_q <= '0;
    else if (r_go) r_beat_q <= r_last ? '0 : r_beat_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // F and X.

  typedef struct packed {
    logic                 is_frame;
    logic                 last;
    logic [BeatWidth-1:0] beat;
    logic [6:0]           bytes;
    logic [19:0]          sum;
  } slot_t;

  ack_pkg::query_t f_rec_q, x_rec_q;
  slot_t f_slot_q, x_slot_q;
  logic f_valid_q, x_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {x_valid_q, f_valid_q} <= '0;
    else {x_valid_q, f_valid_q} <= {f_valid_q, r_go};
  end

  always_ff @(posedge clk_i) begin
    f_rec_q  <= r_rec;
    f_slot_q <= {r_is_frame, r_last, r_beat_q, r_bytes, r_sum};
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
    .r_qpn_i(r_rec.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_ctx),
    .x_ctx_i(x_ctx_d),
    .x_we_i (x_valid_q & (x_rec_q.op == ack_pkg::OpSet))
  );

  assign x_ctx_d = {1'b1, x_rec_q.qpn, x_rec_q.peer_qpn, x_rec_q.mac, x_rec_q.hop_limit};

  logic [47:0] own_mac_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) own_mac_q <= '0;
    else if (x_valid_q && x_rec_q.op == ack_pkg::OpOwn) own_mac_q <= x_rec_q.mac;
  end

  ack_pkg::why_e x_why;

  always_comb begin
    x_why = ack_pkg::WhyGood;
    if (x_rec_q.op > ack_pkg::OpOwn) x_why = ack_pkg::WhyNoSuch;
    if (x_rec_q.op == ack_pkg::OpAnswer) begin
      if (!x_slot_q.is_frame) x_why = ack_pkg::WhyEncap;
      if (!x_ctx.there || x_ctx.number != x_rec_q.qpn) x_why = ack_pkg::WhyNoQp;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The beat.

  logic [ack_pkg::MaxBytes*8-1:0] frame;
  logic [MaxBeats*DataWidth-1:0] padded;

  ack_frame u_frame (
    .rec_i    (x_rec_q),
    .ctx_i    (x_ctx),
    .own_mac_i(own_mac_q),
    .sum_i    (x_slot_q.sum),
    .frame_o  (frame)
  );

  assign padded = (MaxBeats * DataWidth)'(frame);

  typedef struct packed {
    logic                 ib;
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t x_beat, out;

  always_comb begin
    x_beat.ib   = x_rec_q.encap == hca_pkg::EncapIbLocal || x_rec_q.encap == hca_pkg::EncapIbGlobal;
    x_beat.last = x_slot_q.last;
    x_beat.data = '0;
    x_beat.keep = '0;
    for (int i = 0; i < MaxBeats; i++) begin
      if (x_slot_q.beat == BeatWidth'(i)) begin
        x_beat.data = padded[i*DataWidth+:DataWidth];
        for (int b = 0; b < BeatBytes; b++) x_beat.keep[b] = x_slot_q.bytes > 7'(i * BeatBytes + b);
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
    .data_i   ({x_why, x_rec_q.op, x_rec_q.qpn}),
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
