// Packets in, the same packets out, each with a verdict on its invariant CRC: docs/blocks/icrc_check.md.
//
// The CRC runs over the masked beats with the ICRC's own bytes included, so that crc_judge can tell a good packet by what
// the register holds after the beat of byte E - 1. The verdict waits for the last beat.
module icrc_check #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
  input  logic [0:0]                       s_axis_tuser_i,
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
  localparam int unsigned RelWidth = 18;
  localparam logic signed [RelWidth-1:0] BeatRel = RelWidth'(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("icrc_check: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: a skid buffer registers ready. Behind it everything moves together or not at all.

  logic en, in_valid, in_last, in_ib;
  logic [BeatBytes-1:0] in_keep;
  logic [DataWidth-1:0] in_data;

  axis_skid #(
    .Width(DataWidth + BeatBytes + 2)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_axis_tlast_i, s_axis_tuser_i, s_axis_tkeep_i, s_axis_tdata_i}),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o ({in_last, in_ib, in_keep, in_data}),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 1 to 6: find the packet; 7 to 9: judge its CRC.

  logic valid6, first6, last6, known6, covered6, short6, trunc6, end6;
  logic [BeatBytes-1:0] keep6;
  logic [DataWidth-1:0] data6, masked6;
  logic signed [RelWidth-1:0] rel6;
  logic [2:0] encap6;
  logic [3:0] reason6;

  icrc_locate #(
    .DataWidth(DataWidth),
    .Trim     (0)
  ) u_locate (
    .clk_i,
    .rst_ni,
    .en_i       (en),
    .valid_i    (in_valid),
    .last_i     (in_last),
    .ib_i       (in_ib),
    .keep_i     (in_keep),
    .data_i     (in_data),
    .valid_o    (valid6),
    .first_o    (first6),
    .last_o     (last6),
    .keep_o     (keep6),
    .data_o     (data6),
    .masked_o   (masked6),
    .end_known_o(known6),
    .end_rel_o  (rel6),
    .covered_o  (covered6),
    .short_o    (short6),
    .trunc_o    (trunc6),
    .encap_o    (encap6),
    .reason_o   (reason6)
  );

  // rel6 bytes of the packet are left: 1 to BeatBytes of them in its last beat, the rest of the beat is zeros.
  assign end6 = known6 & (rel6 > 0) & (rel6 <= BeatRel);

  logic good9;

  crc_judge #(
    .DataWidth(DataWidth),
    .CrcWidth (32),
    .Poly     (ib_pkg::IcrcPoly)
  ) u_judge (
    .clk_i,
    .en_i   (en),
    .valid_i(valid6),
    .first_i(first6),
    .end_i  (end6),
    .zeros_i(BeatShift'(0) - rel6[BeatShift-1:0]),
    .data_i (masked6),
    .good_o (good9)
  );

  logic last9, covered9, bad9;
  logic [2:0] encap9, valid_q;  // valid: stages 7 to 9
  logic [3:0] reason9;
  logic [BeatBytes-1:0] keep9;
  logic [DataWidth-1:0] data9;

  delay_line #(
    .Width(DataWidth + BeatBytes + 10),
    .Depth(3)
  ) u_side (
    .clk_i,
    .en_i  (en),
    .data_i({last6, covered6, short6 | trunc6, encap6, reason6, keep6, data6}),
    .data_o({last9, covered9, bad9, encap9, reason9, keep9, data9})
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 10: the verdict, in the output register.

  logic [1:0] icrc;
  logic out_valid_q, out_last_q;
  logic [hca_pkg::VerdictWidth-1:0] out_user_q;
  logic [BeatBytes-1:0] out_keep_q;
  logic [DataWidth-1:0] out_data_q;

  assign en = m_axis_tready_i | ~out_valid_q;

  always_comb begin
    icrc = good9 ? hca_pkg::CrcGood : hca_pkg::CrcBad;
    if (bad9) icrc = hca_pkg::CrcBad;
    if (!covered9) icrc = hca_pkg::CrcNone;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_valid_q, valid_q} <= '0;
    else if (en) {out_valid_q, valid_q} <= {valid_q, valid6};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      out_last_q <= last9;
      out_user_q <= last9 ? {reason9, 1'b0, encap9, 2'b00, icrc} : '0;
      out_keep_q <= keep9;
      out_data_q <= data9;
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
    .tuser_i (s_axis_tuser_i),
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
