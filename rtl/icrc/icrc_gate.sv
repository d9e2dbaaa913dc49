// SPDX-License-Identifier: Apache-2.0
// Frames with their ICRC's verdict in, the good ones out: docs/blocks/icrc_gate.md.
//
// A frame is pushed into the store beat by beat and kept or taken back with its last beat, when its verdict is there.
// The link of a kept frame waits beside the store: it stands on every beat that leaves.
module icrc_gate #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned StoreBytes = 8192,  // fewer in proofs only, with MaxBytes
  parameter int unsigned MaxBytes = 4352     // of a frame that may pass: a multiple of a beat
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
  input  logic [hca_pkg::VerdictWidth-1:0] s_axis_tuser_i,
  input  logic                             s_axis_tvalid_i,
  output logic                             s_axis_tready_o,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [0:0]                       m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i,

  output logic [2:0]                       m_rec_why_o,
  output logic [1:0]                       m_rec_icrc_o,
  output logic [2:0]                       m_rec_encap_o,
  output logic [3:0]                       m_rec_reason_o,
  output logic                             m_rec_valid_o,
  input  logic                             m_rec_ready_i
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned StoreBeats = StoreBytes / BeatBytes;
  localparam int unsigned MaxBeats = MaxBytes / BeatBytes;
  localparam int unsigned CountWidth = $clog2(MaxBeats + 1);
  localparam int unsigned Records = 16;  // under way at most; for one a clock 3 would do

  // Beats that can still come once the store says that it is full: the one that is accepted in that clock, and the one
  // in the input register. One more entry may stand in the store's output register.
  localparam int unsigned Spare = 4;

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("icrc_gate: DataWidth must be 64, 128, 256, 512 or 1024");
  end
  if (MaxBeats * BeatBytes != MaxBytes || MaxBeats + Spare >= StoreBeats) begin : gen_bad_sizes
    $error("icrc_gate: MaxBytes must be whole beats, and fit into the store with %0d to spare", Spare);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted beat stands in a register.

  typedef struct packed {
    logic [hca_pkg::VerdictWidth-1:0] user;  // hca_pkg::verdict_t
    logic                             last;
    logic [BeatBytes-1:0]             keep;
    logic [DataWidth-1:0]             data;
  } beat_t;

  logic accept, rec_room, store_full, in_valid_q;
  beat_t in_q;

  assign s_axis_tready_o = rec_room & ~store_full;
  assign accept          = s_axis_tvalid_i & s_axis_tready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_valid_q <= 1'b0;
    else in_valid_q <= accept;
  end

  always_ff @(posedge clk_i) begin
    in_q <= {s_axis_tuser_i, s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Beats of the frame so far: as far as they count.

  logic [CountWidth-1:0] beats_q;  // before the one in in_q
  logic too_long, frame_end, known_encap, is_ib;
  hca_pkg::gate_e why;

  assign too_long  = beats_q == CountWidth'(MaxBeats);
  assign frame_end = in_valid_q & in_q.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beats_q <= '0;
    else if (frame_end) beats_q <= '0;
    else if (in_valid_q && !too_long) beats_q <= beats_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What becomes of the frame that ends in in_q.

  hca_pkg::verdict_t verdict;
  logic unused_verdict;

  assign verdict        = in_q.user;
  assign unused_verdict = ^{verdict.zero7, verdict.zero2};
  assign is_ib = verdict.encap == hca_pkg::EncapIbLocal || verdict.encap == hca_pkg::EncapIbGlobal;
  assign known_encap = is_ib || verdict.encap == hca_pkg::EncapRocev1 ||
      verdict.encap == hca_pkg::EncapRocev2Ipv4 || verdict.encap == hca_pkg::EncapRocev2Ipv6;

  always_comb begin
    if (too_long) why = hca_pkg::GateTooLong;
    else if (verdict.reason != hca_pkg::ReasonNone) why = hca_pkg::GateMalformed;
    else if (verdict.crc == hca_pkg::CrcNone) why = hca_pkg::GateNotRoce;
    else if (verdict.crc == hca_pkg::CrcBad) why = hca_pkg::GateBadIcrc;
    else if (verdict.crc != hca_pkg::CrcGood || !known_encap) why = hca_pkg::GateVerdict;
    else why = hca_pkg::GatePassed;
  end

  logic keep, drop, link_valid;
  logic unused_link_ready;
  logic [$clog2(StoreBeats+1)-1:0] unused_links;

  assign keep = frame_end & (why == hca_pkg::GatePassed);
  assign drop = frame_end & (why != hca_pkg::GatePassed);

  packet_store #(
    .Width(DataWidth + BeatBytes + 1),
    .Depth(StoreBeats),
    .Spare(Spare)
  ) u_store (
    .clk_i,
    .rst_ni,
    .push_i   (in_valid_q & ~too_long),
    .keep_i   (keep),
    .drop_i   (drop),
    .data_i   ({in_q.last, in_q.keep, in_q.data}),
    .full_o   (store_full),
    .m_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i)
  );

  // A frame that was kept has a beat in the store or in its output register, so its link has a place. The link is there
  // a clock before the frame's first beat.
  sync_fifo #(
    .Width(1),
    .Depth(StoreBeats)
  ) u_links (
    .clk_i,
    .rst_ni,
    .s_data_i (is_ib),
    .s_valid_i(keep),
    .s_ready_o(unused_link_ready),
    .m_data_o (m_axis_tuser_o),
    .m_valid_o(link_valid),
    .m_ready_i(m_axis_tvalid_o & m_axis_tready_i & m_axis_tlast_o),
    .count_o  (unused_links)
  );

  credit_queue #(
    .Width(12),
    .Depth(Records)
  ) u_records (
    .clk_i,
    .rst_ni,
    .claim_i  (accept & s_axis_tlast_i),
    .room_o   (rec_room),
    .data_i   ({verdict.reason, verdict.encap, verdict.crc, why}),
    .valid_i  (frame_end),
    .m_data_o ({m_rec_reason_o, m_rec_encap_o, m_rec_icrc_o, m_rec_why_o}),
    .m_valid_o(m_rec_valid_o),
    .m_ready_i(m_rec_ready_i)
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

  record_rules #(
    .Width(12)
  ) u_rec_rules (
    .clk_i,
    .rst_ni,
    .data_i ({m_rec_reason_o, m_rec_encap_o, m_rec_icrc_o, m_rec_why_o}),
    .valid_i(m_rec_valid_o),
    .ready_i(m_rec_ready_i)
  );

  link_there: assert property (@(posedge clk_i) disable iff (!rst_ni) m_axis_tvalid_o |-> link_valid)
  else $error("%m: a beat without its link");
`endif

endmodule
