// SPDX-License-Identifier: Apache-2.0
// IB native packets in, the same packets out, each with a verdict on its variant CRC: docs/blocks/vcrc_check.md.
//
// The VCRC covers byte 0 to E - 1 unmasked and its two bytes lie at E, so the CRC runs to E + 2 and crc_judge tells a
// good packet by what the register holds after the beat of byte E + 1.
module vcrc_check #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
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
  localparam int unsigned CntWidth = BeatShift + 1;
  // Frame positions have 14 bits: E + 2 is at most 8190. The index stops at 3 x 4 KiB.
  localparam int unsigned PosWidth = 14;
  localparam int unsigned IdxWidth = PosWidth - BeatShift;
  localparam int unsigned RelWidth = PosWidth + 1;
  localparam logic signed [RelWidth-1:0] BeatRel = RelWidth'(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("vcrc_check: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted beat stands in a register. Behind it nothing ever stands still.

  typedef struct packed {
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  logic in_valid_q;
  beat_t in_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_valid_q <= 1'b0;
    else in_valid_q <= s_axis_tvalid_i & s_axis_tready_o;
  end

  always_ff @(posedge clk_i) begin
    in_q <= {s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the beat, its index, and the LRH's fields, which the first beat of every packet loads.

  logic [6:0] valid_q;  // stages 1 to 7
  beat_t beat1_q, beat2_q, beat3_q, beat4_q;
  logic sof_q;
  logic [IdxWidth-1:0] idx1_d, idx1_q;
  logic [1:0] lnh1_q;
  logic [10:0] pkt_len1_q;

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
      valid_q <= {valid_q[5:0], in_valid_q};
      if (in_valid_q) sof_q <= in_q.last;
    end
  end

  always_ff @(posedge clk_i) begin
    beat1_q <= in_q;
    if (in_valid_q) begin
      idx1_q <= idx1_d;
      if (sof_q) begin
        lnh1_q     <= in_q.data[1*8+:2];
        pkt_len1_q <= {in_q.data[4*8+:3], in_q.data[5*8+:8]};
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 2: E + 2, counted from this beat; bytes in the beat.

  logic first2_q, short2_q;
  logic [1:0] lnh2_q;
  logic [CntWidth-1:0] cnt2_d, cnt2_q;
  logic signed [RelWidth-1:0] rel2_q;

  keep_count #(
    .BeatBytes(BeatBytes)
  ) u_keep_count (
    .keep_i (beat1_q.keep),
    .count_o(cnt2_d)
  );

  always_ff @(posedge clk_i) begin
    beat2_q   <= beat1_q;
    first2_q <= idx1_q == '0;
    short2_q <= pkt_len1_q < 11'd2;
    lnh2_q   <= lnh1_q;
    cnt2_q   <= cnt2_d;
    rel2_q   <= {2'b00, pkt_len1_q, 2'b10} - {1'b0, idx1_q, BeatShift'(0)};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 3: which bytes are before E + 2; does it lie inside the frame.

  logic signed [RelWidth-1:0] cnt2_rel;
  logic first3_q, end3_q, runt3_q, short3_q, trunc3_q, trailer3_q;
  logic [1:0] lnh3_q;
  logic [BeatShift-1:0] zeros3_q;
  logic [BeatBytes-1:0] inside3_d, inside3_q;

  assign cnt2_rel = {{(RelWidth - CntWidth) {1'b0}}, cnt2_q};

  always_comb begin
    inside3_d = ~({BeatBytes{1'b1}} << rel2_q[BeatShift-1:0]);
    if (rel2_q[RelWidth-1:BeatShift] != '0) inside3_d = {BeatBytes{~rel2_q[RelWidth-1]}};
  end

  always_ff @(posedge clk_i) begin
    beat3_q   <= beat2_q;
    first3_q   <= first2_q;
    lnh3_q     <= lnh2_q;
    inside3_q  <= inside3_d;
    end3_q     <= (rel2_q > 0) & (rel2_q <= BeatRel);
    zeros3_q   <= BeatShift'(0) - rel2_q[BeatShift-1:0];
    runt3_q    <= first2_q & (cnt2_q < CntWidth'(8));
    short3_q   <= short2_q;
    trunc3_q   <= rel2_q > cnt2_rel;
    trailer3_q <= rel2_q < cnt2_rel;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 4: the beat for the CRC, the initial value XORed into the packet's first two bytes; the verdict on the
  // length.

  logic [DataWidth-1:0] masked4_d, masked4_q;
  logic first4_q, end4_q, runt4_q, bad4_q;
  logic [BeatShift-1:0] zeros4_q;
  hca_pkg::encap_e encap4_d, encap4_q;
  hca_pkg::reason_e reason4_d, reason4_q;

  always_comb begin
    for (int i = 0; i < BeatBytes; i++) masked4_d[8*i+:8] = beat3_q.data[8*i+:8] & {8{inside3_q[i]}};
    masked4_d[15:0] = masked4_d[15:0] ^ {16{first3_q}};

    encap4_d = hca_pkg::EncapIbRaw;
    if (lnh3_q == ib_pkg::LnhLocal) encap4_d = hca_pkg::EncapIbLocal;
    if (lnh3_q == ib_pkg::LnhGlobal) encap4_d = hca_pkg::EncapIbGlobal;
    if (runt3_q) encap4_d = hca_pkg::EncapNone;

    reason4_d = hca_pkg::ReasonNone;
    if (runt3_q) reason4_d = hca_pkg::ReasonRunt;
    else if (short3_q) reason4_d = hca_pkg::ReasonShort;
    else if (trunc3_q) reason4_d = hca_pkg::ReasonTruncated;
    else if (trailer3_q) reason4_d = hca_pkg::ReasonTrailer;
  end

  always_ff @(posedge clk_i) begin
    beat4_q   <= beat3_q;
    first4_q  <= first3_q;
    masked4_q <= masked4_d;
    end4_q    <= end3_q;
    zeros4_q  <= zeros3_q;
    runt4_q   <= runt3_q;
    bad4_q    <= short3_q | trunc3_q;
    encap4_q  <= encap4_d;
    reason4_q <= reason4_d;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 5 to 7: judge the CRC.

  logic good7, runt7, bad7;
  hca_pkg::encap_e encap7;
  hca_pkg::reason_e reason7;
  beat_t beat7;

  crc_judge #(
    .DataWidth(DataWidth),
    .CrcWidth (16),
    .Poly     (ib_pkg::VcrcPoly)
  ) u_judge (
    .clk_i,
    .valid_i(valid_q[3]),
    .first_i(first4_q),
    .end_i  (end4_q),
    .zeros_i(zeros4_q),
    .data_i (masked4_q),
    .good_o (good7)
  );

  delay_line #(
    .Width($bits({runt4_q, bad4_q, encap4_q, reason4_q, beat4_q})),
    .Depth(3)
  ) u_side (
    .clk_i,
    .data_i({runt4_q, bad4_q, encap4_q, reason4_q, beat4_q}),
    .data_o({runt7, bad7, encap7, reason7, beat7})
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 8: the verdict, in the output queue.

  hca_pkg::crc_e vcrc;

  always_comb begin
    vcrc = good7 ? hca_pkg::CrcGood : hca_pkg::CrcBad;
    if (bad7) vcrc = hca_pkg::CrcBad;
    if (runt7) vcrc = hca_pkg::CrcNone;
  end

  verdict_output #(
    .DataWidth(DataWidth),
    .Depth    (16)
  ) u_output (
    .clk_i,
    .rst_ni,
    .claim_i        (s_axis_tvalid_i & s_axis_tready_o),
    .room_o         (s_axis_tready_o),
    .valid_i        (valid_q[6]),
    .last_i         (beat7.last),
    .keep_i         (beat7.keep),
    .data_i         (beat7.data),
    .crc_i          (vcrc),
    .encap_i        (encap7),
    .reason_i       (reason7),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tuser_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i
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
`endif

endmodule
