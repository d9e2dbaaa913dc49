// SPDX-License-Identifier: Apache-2.0
// Packets in; of each a header record and its payload out: docs/blocks/roce_parse.md.
//
// icrc_locate finds the packet, roce_headers its headers, roce_fields makes the record of them, roce_payload turns
// every beat so that the payload starts in byte 0 and joins it with the beat behind it. What comes of that is stored,
// and kept or not once the packet's last beat has been judged. Up to the store and the queue of records nothing ever
// stands still.
module roce_parse #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned StoreBytes = 8192  // fewer in proofs only
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic [0:0]             s_axis_tuser_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [3:0]                   m_hdr_reason_o,
  output logic [2:0]                   m_hdr_encap_o,
  output logic                         m_hdr_cut_o,
  output logic                         m_hdr_short_o,
  output logic [1:0]                   m_hdr_tags_o,
  output logic                         m_hdr_se_o,
  output logic                         m_hdr_mig_req_o,
  output logic                         m_hdr_fecn_o,
  output logic                         m_hdr_becn_o,
  output logic                         m_hdr_ack_req_o,
  output logic [7:0]                   m_hdr_opcode_o,
  output logic [1:0]                   m_hdr_pad_o,
  output logic [3:0]                   m_hdr_tver_o,
  output logic [1:0]                   m_hdr_flush_sel_o,
  output logic [3:0]                   m_hdr_flush_plt_o,
  output logic [3:0]                   m_hdr_sl_o,
  output logic [15:0]                  m_hdr_pkey_o,
  output logic [23:0]                  m_hdr_dest_qp_o,
  output logic [23:0]                  m_hdr_psn_o,
  output logic [15:0]                  m_hdr_payload_bytes_o,
  output logic [15:0]                  m_hdr_udp_src_port_o,
  output logic [7:0]                   m_hdr_tclass_o,
  output logic [15:0]                  m_hdr_slid_o,
  output logic [15:0]                  m_hdr_dlid_o,
  output logic [31:0]                  m_hdr_vlan0_o,
  output logic [31:0]                  m_hdr_vlan1_o,
  output logic [127:0]                 m_hdr_src_o,
  output logic [127:0]                 m_hdr_dst_o,
  output logic [23:0]                  m_hdr_ee_context_o,
  output logic [31:0]                  m_hdr_qkey_o,
  output logic [23:0]                  m_hdr_src_qp_o,
  output logic [23:0]                  m_hdr_xrcsrq_o,
  output logic [63:0]                  m_hdr_va_o,
  output logic [31:0]                  m_hdr_rkey_o,
  output logic [31:0]                  m_hdr_dma_len_o,
  output logic [63:0]                  m_hdr_swap_add_o,
  output logic [63:0]                  m_hdr_compare_o,
  output logic [7:0]                   m_hdr_syndrome_o,
  output logic [23:0]                  m_hdr_msn_o,
  output logic [63:0]                  m_hdr_original_o,
  output logic [31:0]                  m_hdr_inv_rkey_o,
  output logic [31:0]                  m_hdr_immediate_o,
  output logic                   m_hdr_valid_o,
  input  logic                   m_hdr_ready_i,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned BeatShift = $clog2(BeatBytes);
  localparam int unsigned IdxWidth = locate_pkg::PosWidth - BeatShift;
  localparam int unsigned RelWidth = locate_pkg::RelWidth;

  // Records under way at most, for one a clock: the latency of m_hdr is 14. Beats that can still come once the store
  // says that it is full: 13, the one that is accepted in that clock and those in the input register and stages 1 to
  // 11.
  localparam int unsigned Records = 16;
  localparam int unsigned BeatsUnderWay = 16;

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("roce_parse: DataWidth must be 64, 128, 256, 512 or 1024");
  end
  if (StoreBytes / BeatBytes <= BeatsUnderWay ||
      StoreBytes / BeatBytes != 2 ** $clog2(StoreBytes / BeatBytes)) begin : gen_bad_store
    $error("roce_parse: StoreBytes must be a power of two and hold more beats than can be under way");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted beat stands in a register.

  typedef struct packed {
    logic                 last;
    logic                 ib;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  logic accept, hdr_room, store_full, in_valid_q;
  beat_t in_q;

  assign s_axis_tready_o = hdr_room & ~store_full;
  assign accept          = s_axis_tvalid_i & s_axis_tready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_valid_q <= 1'b0;
    else in_valid_q <= accept;
  end

  always_ff @(posedge clk_i) begin
    in_q <= {s_axis_tlast_i, s_axis_tuser_i, s_axis_tkeep_i, s_axis_tdata_i};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 1 to 6: find the packet and its headers.

  logic valid6, last6;
  logic [DataWidth-1:0] data6;
  logic signed [RelWidth-1:0] icrc_rel6, icrc_at6;  // E - 4 from this beat, and from the packet's first byte
  hca_pkg::found_t found6;
  rx_pkg::net_t net6;
  rx_pkg::bth_t bth6;
  logic [IdxWidth-1:0] idx6;
  logic [7:0] bth_end6;
  logic [319:0] ext6;
  logic [15:0] udp_src_port6;
  logic unused_first, unused_known;
  logic [BeatBytes-1:0] unused_keep;
  logic [DataWidth-1:0] unused_masked;

  icrc_locate #(
    .DataWidth(DataWidth),
    .Trim     (4)
  ) u_locate (
    .clk_i,
    .rst_ni,
    .valid_i    (in_valid_q),
    .last_i     (in_q.last),
    .ib_i       (in_q.ib),
    .keep_i     (in_q.keep),
    .data_i     (in_q.data),
    .valid_o    (valid6),
    .first_o    (unused_first),
    .last_o     (last6),
    .keep_o     (unused_keep),
    .data_o     (data6),
    .masked_o   (unused_masked),
    .end_known_o(unused_known),
    .end_rel_o  (icrc_rel6),
    .found_o    (found6)
  );

  roce_headers #(
    .DataWidth(DataWidth)
  ) u_headers (
    .clk_i,
    .rst_ni,
    .valid_i       (in_valid_q),
    .last_i        (in_q.last),
    .ib_i          (in_q.ib),
    .data_i        (in_q.data),
    .idx_o         (idx6),
    .net_o         (net6),
    .udp_src_port_o(udp_src_port6),
    .bth_o         (bth6),
    .ext_o         (ext6),
    .bth_end_o     (bth_end6)
  );

  assign icrc_at6 = icrc_rel6 + {1'b0, idx6, BeatShift'(0)};

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 7 to 11: the record, and beside it the payload.

  logic [4:0] valid_q, last_q;  // stages 7 to 11
  logic [7:0] payload_at8;
  logic [1:0] pad9;
  logic has8, overlong10, good11, store12, ends12;
  rx_pkg::header_t hdr11;
  logic [BeatBytes-1:0] keep12;
  logic [DataWidth-1:0] joined12;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[3:0], valid6};
  end

  always_ff @(posedge clk_i) last_q <= {last_q[3:0], last6};

  roce_fields u_fields (
    .clk_i,
    .found6_i       (found6),
    .net6_i         (net6),
    .udp_src_port6_i(udp_src_port6),
    .bth6_i         (bth6),
    .ext6_i         (ext6),
    .bth_end6_i     (bth_end6),
    .icrc_at6_i     (icrc_at6),
    .payload_at8_o  (payload_at8),
    .has8_o         (has8),
    .pad9_o         (pad9),
    .overlong10_o   (overlong10),
    .hdr11_o        (hdr11),
    .good11_o       (good11)
  );

  roce_payload #(
    .DataWidth(DataWidth)
  ) u_payload (
    .clk_i,
    .idx6_i       (idx6),
    .icrc_rel6_i  (icrc_rel6),
    .data6_i      (data6),
    .payload_at8_i(payload_at8),
    .has8_i       (has8),
    .pad9_i       (pad9),
    .overlong10_i (overlong10),
    .valid11_i    (valid_q[4]),
    .store12_o    (store12),
    .ends12_o     (ends12),
    .keep12_o     (keep12),
    .data12_o     (joined12)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 12: a beat waits here for the next one of its packet. Its payload beat is stored when it leaves.

  rx_pkg::header_t hdr12_q;
  logic valid12_q, last12_q, good12_q, leave12, packet_end;

  assign leave12    = valid12_q & (last12_q | valid_q[4]);
  assign packet_end = leave12 & last12_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid12_q <= 1'b0;
    else valid12_q <= valid_q[4] | (valid12_q & ~leave12);
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[4]) begin
      last12_q <= last_q[4];
      good12_q <= good11;
      hdr12_q  <= hdr11;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 13: the record in the output queue, the payload in the store.

  rx_pkg::header_t out_hdr;

  credit_queue #(
    .Width($bits(out_hdr)),
    .Depth(Records)
  ) u_records (
    .clk_i,
    .rst_ni,
    .claim_i  (accept & s_axis_tlast_i),
    .room_o   (hdr_room),
    .data_i   (hdr12_q),
    .valid_i  (packet_end),
    .m_data_o (out_hdr),
    .m_valid_o(m_hdr_valid_o),
    .m_ready_i(m_hdr_ready_i)
  );

  packet_store #(
    .Width(DataWidth + BeatBytes + 1),
    .Depth(StoreBytes / BeatBytes),
    .Spare(BeatsUnderWay)
  ) u_store (
    .clk_i,
    .rst_ni,
    .push_i   (leave12 & store12),
    .keep_i   (packet_end & good12_q),
    .drop_i   (packet_end & ~good12_q),
    .data_i   ({ends12, keep12, joined12}),
    .full_o   (store_full),
    .m_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i)
  );

  assign m_hdr_reason_o        = out_hdr.reason;
  assign m_hdr_encap_o         = out_hdr.encap;
  assign m_hdr_cut_o           = out_hdr.cut;
  assign m_hdr_short_o         = out_hdr.is_short;
  assign m_hdr_tags_o          = out_hdr.tags;
  assign m_hdr_se_o            = out_hdr.se;
  assign m_hdr_mig_req_o       = out_hdr.mig_req;
  assign m_hdr_fecn_o          = out_hdr.fecn;
  assign m_hdr_becn_o          = out_hdr.becn;
  assign m_hdr_ack_req_o       = out_hdr.ack_req;
  assign m_hdr_opcode_o        = out_hdr.opcode;
  assign m_hdr_pad_o           = out_hdr.pad;
  assign m_hdr_tver_o          = out_hdr.tver;
  assign m_hdr_flush_sel_o     = out_hdr.flush_sel;
  assign m_hdr_flush_plt_o     = out_hdr.flush_plt;
  assign m_hdr_sl_o            = out_hdr.sl;
  assign m_hdr_pkey_o          = out_hdr.pkey;
  assign m_hdr_dest_qp_o       = out_hdr.dest_qp;
  assign m_hdr_psn_o           = out_hdr.psn;
  assign m_hdr_payload_bytes_o = out_hdr.payload_bytes;
  assign m_hdr_udp_src_port_o  = out_hdr.udp_src_port;
  assign m_hdr_tclass_o        = out_hdr.tclass;
  assign m_hdr_slid_o          = out_hdr.slid;
  assign m_hdr_dlid_o          = out_hdr.dlid;
  assign m_hdr_vlan0_o         = out_hdr.vlan0;
  assign m_hdr_vlan1_o         = out_hdr.vlan1;
  assign m_hdr_src_o           = out_hdr.src;
  assign m_hdr_dst_o           = out_hdr.dst;
  assign m_hdr_ee_context_o    = out_hdr.ee_context;
  assign m_hdr_qkey_o          = out_hdr.qkey;
  assign m_hdr_src_qp_o        = out_hdr.src_qp;
  assign m_hdr_xrcsrq_o        = out_hdr.xrcsrq;
  assign m_hdr_va_o            = out_hdr.va;
  assign m_hdr_rkey_o          = out_hdr.rkey;
  assign m_hdr_dma_len_o       = out_hdr.dma_len;
  assign m_hdr_swap_add_o      = out_hdr.swap_add;
  assign m_hdr_compare_o       = out_hdr.compare;
  assign m_hdr_syndrome_o      = out_hdr.syndrome;
  assign m_hdr_msn_o           = out_hdr.msn;
  assign m_hdr_original_o      = out_hdr.original;
  assign m_hdr_inv_rkey_o      = out_hdr.inv_rkey;
  assign m_hdr_immediate_o     = out_hdr.immediate;

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
    .DataWidth(DataWidth)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (m_axis_tdata_o),
    .tkeep_i (m_axis_tkeep_o),
    .tlast_i (m_axis_tlast_o),
    .tuser_i (1'b0),
    .tvalid_i(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i)
  );

  record_rules #(
    .Width($bits(rx_pkg::header_t))
  ) u_hdr_rules (
    .clk_i,
    .rst_ni,
    .data_i (out_hdr),
    .valid_i(m_hdr_valid_o),
    .ready_i(m_hdr_ready_i)
  );
`endif

endmodule
