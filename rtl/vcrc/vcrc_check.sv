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
  // Edge: a skid buffer registers ready. Behind it everything moves together or not at all.

  logic en, in_valid, in_last;
  logic [BeatBytes-1:0] in_keep;
  logic [DataWidth-1:0] in_data;

  axis_skid #(
    .Width(DataWidth + BeatBytes + 1)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i}),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o ({in_last, in_keep, in_data}),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the beat, its index, and the LRH's fields, which the first beat of every packet loads.

  logic sof_q, last1_q;
  logic [IdxWidth-1:0] idx1_d, idx1_q;
  logic [1:0] lnh1_q;
  logic [10:0] pkt_len1_q;
  logic [BeatBytes-1:0] keep1_q;
  logic [DataWidth-1:0] data1_q;

  always_comb begin
    idx1_d = idx1_q + 1'b1;
    if (idx1_q[IdxWidth-1-:2] == 2'b11) idx1_d = idx1_q;
    if (sof_q) idx1_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sof_q <= 1'b1;
    else if (en && in_valid) sof_q <= in_last;
  end

  always_ff @(posedge clk_i) begin
    if (en && in_valid) begin
      idx1_q <= idx1_d;
      if (sof_q) begin
        lnh1_q     <= in_data[1*8+:2];
        pkt_len1_q <= {in_data[4*8+:3], in_data[5*8+:8]};
      end
    end
    if (en) begin
      last1_q <= in_last;
      keep1_q <= in_keep;
      data1_q <= in_data;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 2: E + 2, counted from this beat; bytes in the beat.

  logic last2_q, first2_q, short2_q;
  logic [1:0] lnh2_q;
  logic [CntWidth-1:0] cnt2_d, cnt2_q;
  logic signed [RelWidth-1:0] rel2_q;
  logic [BeatBytes-1:0] keep2_q;
  logic [DataWidth-1:0] data2_q;

  keep_count #(
    .BeatBytes(BeatBytes)
  ) u_keep_count (
    .keep_i (keep1_q),
    .count_o(cnt2_d)
  );

  always_ff @(posedge clk_i) begin
    if (en) begin
      last2_q  <= last1_q;
      first2_q <= idx1_q == '0;
      short2_q <= pkt_len1_q < 11'd2;
      lnh2_q   <= lnh1_q;
      cnt2_q   <= cnt2_d;
      rel2_q   <= {2'b00, pkt_len1_q, 2'b10} - {1'b0, idx1_q, BeatShift'(0)};
      keep2_q  <= keep1_q;
      data2_q  <= data1_q;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 3: which bytes are before E + 2; does it lie inside the frame.

  logic signed [RelWidth-1:0] cnt2_rel;
  logic last3_q, first3_q, end3_q, runt3_q, short3_q, trunc3_q, trailer3_q;
  logic [1:0] lnh3_q;
  logic [BeatShift-1:0] zeros3_q;
  logic [BeatBytes-1:0] inside3_d, inside3_q, keep3_q;
  logic [DataWidth-1:0] data3_q;

  assign cnt2_rel = {{(RelWidth - CntWidth) {1'b0}}, cnt2_q};

  always_comb begin
    inside3_d = ~({BeatBytes{1'b1}} << rel2_q[BeatShift-1:0]);
    if (rel2_q[RelWidth-1:BeatShift] != '0) inside3_d = {BeatBytes{~rel2_q[RelWidth-1]}};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      last3_q    <= last2_q;
      first3_q   <= first2_q;
      lnh3_q     <= lnh2_q;
      keep3_q    <= keep2_q;
      data3_q    <= data2_q;
      inside3_q  <= inside3_d;
      end3_q     <= (rel2_q > 0) & (rel2_q <= BeatRel);
      zeros3_q   <= BeatShift'(0) - rel2_q[BeatShift-1:0];
      runt3_q    <= first2_q & (cnt2_q < CntWidth'(8));
      short3_q   <= short2_q;
      trunc3_q   <= rel2_q > cnt2_rel;
      trailer3_q <= rel2_q < cnt2_rel;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 4: the beat for the CRC, the initial value XORed into the packet's first two bytes; the verdict on the length.

  logic [DataWidth-1:0] masked4_d, masked4_q, data4_q;
  logic [BeatBytes-1:0] keep4_q;
  logic last4_q, first4_q, end4_q, runt4_q, bad4_q;
  logic [BeatShift-1:0] zeros4_q;
  logic [2:0] encap4_d, encap4_q;
  logic [3:0] reason4_d, reason4_q;

  always_comb begin
    for (int i = 0; i < BeatBytes; i++) masked4_d[8*i+:8] = data3_q[8*i+:8] & {8{inside3_q[i]}};
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
    if (en) begin
      last4_q   <= last3_q;
      first4_q  <= first3_q;
      keep4_q   <= keep3_q;
      data4_q   <= data3_q;
      masked4_q <= masked4_d;
      end4_q    <= end3_q;
      zeros4_q  <= zeros3_q;
      runt4_q   <= runt3_q;
      bad4_q    <= short3_q | trunc3_q;
      encap4_q  <= encap4_d;
      reason4_q <= reason4_d;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 5 to 7: judge the CRC.

  logic good7, last7, runt7, bad7;
  logic [2:0] encap7;
  logic [3:0] reason7;
  logic [BeatBytes-1:0] keep7;
  logic [DataWidth-1:0] data7;
  logic [6:0] valid_q;  // stages 1 to 7

  crc_judge #(
    .DataWidth(DataWidth),
    .CrcWidth (16),
    .Poly     (ib_pkg::VcrcPoly)
  ) u_judge (
    .clk_i,
    .en_i   (en),
    .valid_i(valid_q[3]),
    .first_i(first4_q),
    .end_i  (end4_q),
    .zeros_i(zeros4_q),
    .data_i (masked4_q),
    .good_o (good7)
  );

  delay_line #(
    .Width(DataWidth + BeatBytes + 10),
    .Depth(3)
  ) u_side (
    .clk_i,
    .en_i  (en),
    .data_i({last4_q, runt4_q, bad4_q, encap4_q, reason4_q, keep4_q, data4_q}),
    .data_o({last7, runt7, bad7, encap7, reason7, keep7, data7})
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 8: the verdict, in the output register.

  logic [1:0] vcrc;
  logic out_valid_q, out_last_q;
  logic [hca_pkg::VerdictWidth-1:0] out_user_q;
  logic [BeatBytes-1:0] out_keep_q;
  logic [DataWidth-1:0] out_data_q;

  assign en = m_axis_tready_i | ~out_valid_q;

  always_comb begin
    vcrc = good7 ? hca_pkg::CrcGood : hca_pkg::CrcBad;
    if (bad7) vcrc = hca_pkg::CrcBad;
    if (runt7) vcrc = hca_pkg::CrcNone;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_valid_q, valid_q} <= '0;
    else if (en) {out_valid_q, valid_q} <= {valid_q, in_valid};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      out_last_q <= last7;
      out_user_q <= last7 ? {reason7, 1'b0, encap7, 2'b00, vcrc} : '0;
      out_keep_q <= keep7;
      out_data_q <= data7;
    end
  end

  assign m_axis_tdata_o  = out_data_q;
  assign m_axis_tkeep_o  = out_keep_q;
  assign m_axis_tlast_o  = out_last_q;
  assign m_axis_tuser_o  = out_user_q;
  assign m_axis_tvalid_o = out_valid_q;

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
    .DataWidth (DataWidth),
    .UserWidth (hca_pkg::VerdictWidth),
    .UserOnLast(1'b1)
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
