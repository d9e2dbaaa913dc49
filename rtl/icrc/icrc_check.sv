// Packets in, the same packets out, each with a verdict on its invariant CRC: docs/blocks/icrc_check.md.
//
// The CRC runs over the masked beat with the ICRC's own bytes included. After a good packet its register holds a
// constant, and the k zero bytes from E to the end of that beat turn it into another constant: Residue[k]. So there
// is no CRC over a part of a beat and no barrel shifter. The verdict waits in a register for the last beat.
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
    .s_data_i ({s_axis_tdata_i, s_axis_tkeep_i, s_axis_tlast_i, s_axis_tuser_i}),
    .s_valid_i(s_axis_tvalid_i),
    .s_ready_o(s_axis_tready_o),
    .m_data_o ({in_data, in_keep, in_last, in_ib}),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 1 to 6: find the packet; 7 to 9: the CRC.

  logic valid6, first6, last6, known6, covered6, short6, trunc6;
  logic [BeatBytes-1:0] keep6;
  logic [DataWidth-1:0] data6, masked6;
  logic signed [RelWidth-1:0] rel6;
  logic [2:0] encap6;
  logic [3:0] reason6;
  logic [31:0] state9;

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

  crc_stream #(
    .DataWidth(DataWidth),
    .CrcWidth (32),
    .Poly     (ib_pkg::IcrcPoly)
  ) u_crc (
    .clk_i,
    .en_i   (en),
    .valid_i(valid6),
    .first_i(first6),
    .data_i (masked6),
    .state_o(state9)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Beside the CRC: is byte E - 1 in this beat, and what must the register then be.

  // Residue[k]: the register after a good packet and k zero bytes.
  function automatic logic [BeatBytes*32-1:0] residues();
    logic [31:0] state;
    state = ib_pkg::IcrcResidue;
    for (int k = 0; k < BeatBytes; k++) begin
      residues[k*32+:32] = state;
      for (int i = 0; i < 8; i++) state = (state >> 1) ^ (state[0] ? ib_pkg::IcrcPoly : 32'd0);
    end
  endfunction
  localparam logic [BeatBytes*32-1:0] Residue = residues();

  logic valid7_q, last7_q, end7_q, covered7_q, bad7_q;
  logic valid8_q, last8_q, end8_q, covered8_q, bad8_q;
  logic valid9_q, last9_q, end9_q, covered9_q, bad9_q;
  logic [BeatShift-1:0] zeros7_q, zeros8_q;
  logic [31:0] residue9_q;
  logic [2:0] encap7_q, encap8_q, encap9_q;
  logic [3:0] reason7_q, reason8_q, reason9_q;
  logic [BeatBytes-1:0] keep7_q, keep8_q, keep9_q;
  logic [DataWidth-1:0] data7_q, data8_q, data9_q;

  always_ff @(posedge clk_i) begin
    if (en) begin
      {last9_q, last8_q, last7_q}          <= {last8_q, last7_q, last6};
      {covered9_q, covered8_q, covered7_q} <= {covered8_q, covered7_q, covered6};
      {bad9_q, bad8_q, bad7_q}             <= {bad8_q, bad7_q, short6 | trunc6};
      {encap9_q, encap8_q, encap7_q}       <= {encap8_q, encap7_q, encap6};
      {reason9_q, reason8_q, reason7_q}    <= {reason8_q, reason7_q, reason6};
      {keep9_q, keep8_q, keep7_q}          <= {keep8_q, keep7_q, keep6};
      {data9_q, data8_q, data7_q}          <= {data8_q, data7_q, data6};
      // 1 to BeatBytes bytes of the packet are left; BeatBytes - that many zeros follow them.
      end7_q     <= known6 & (rel6 > 0) & (rel6 <= BeatRel);
      zeros7_q   <= BeatShift'(0) - rel6[BeatShift-1:0];
      end8_q     <= end7_q;
      zeros8_q   <= zeros7_q;
      end9_q     <= end8_q;
      residue9_q <= Residue[zeros8_q*32+:32];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 10: the verdict, in the output register.

  logic good, good_held_q;
  logic [1:0] icrc;
  logic out_valid_q, out_last_q;
  logic [hca_pkg::VerdictWidth-1:0] out_user_q;
  logic [BeatBytes-1:0] out_keep_q;
  logic [DataWidth-1:0] out_data_q;

  assign en = m_axis_tready_i | ~out_valid_q;

  assign good = end9_q ? state9 == residue9_q : good_held_q;

  always_comb begin
    icrc = good ? hca_pkg::CrcGood : hca_pkg::CrcBad;
    if (bad9_q) icrc = hca_pkg::CrcBad;
    if (!covered9_q) icrc = hca_pkg::CrcNone;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid7_q, valid8_q, valid9_q, out_valid_q} <= '0;
    else if (en) {valid7_q, valid8_q, valid9_q, out_valid_q} <= {valid6, valid7_q, valid8_q, valid9_q};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      if (valid9_q) good_held_q <= good;
      out_last_q <= last9_q;
      out_user_q <= last9_q ? {reason9_q, 1'b0, encap9_q, 2'b00, icrc} : '0;
      out_keep_q <= keep9_q;
      out_data_q <= data9_q;
    end
  end

  assign m_axis_tdata_o  = out_data_q;
  assign m_axis_tkeep_o  = out_keep_q;
  assign m_axis_tlast_o  = out_last_q;
  assign m_axis_tuser_o  = out_user_q;
  assign m_axis_tvalid_o = out_valid_q;

endmodule
