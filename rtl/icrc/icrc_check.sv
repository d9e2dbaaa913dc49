// SPDX-License-Identifier: Apache-2.0
// Packets in, the same packets out, each with a verdict on its invariant CRC: docs/blocks/icrc_check.md.
//
// The CRC runs over the masked beats with the ICRC's own bytes included, so that crc_judge can tell a good packet by
// what the register holds after the beat of byte E - 1. The verdict waits for the last beat.
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
  localparam int unsigned RelWidth = locate_pkg::RelWidth;
  localparam logic signed [RelWidth-1:0] BeatRel = RelWidth'(BeatBytes);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512 && DataWidth != 1024) begin : gen_bad
    $error("icrc_check: DataWidth must be 64, 128, 256, 512 or 1024");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted beat stands in a register. Behind it nothing ever stands still.

  typedef struct packed {
    logic                 last;
    logic                 ib;
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
    in_q <= {s_axis_tlast_i, s_axis_tuser_i, s_axis_tkeep_i, s_axis_tdata_i};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stages 1 to 6: find the packet; 7 to 9: judge its CRC.

  logic valid6, first6, last6, known6, end6;
  logic [BeatBytes-1:0] keep6;
  logic [DataWidth-1:0] data6, masked6;
  logic signed [RelWidth-1:0] rel6;
  hca_pkg::found_t found6;

  icrc_locate #(
    .DataWidth(DataWidth),
    .Trim     (0)
  ) u_locate (
    .clk_i,
    .rst_ni,
    .valid_i    (in_valid_q),
    .last_i     (in_q.last),
    .ib_i       (in_q.ib),
    .keep_i     (in_q.keep),
    .data_i     (in_q.data),
    .valid_o    (valid6),
    .first_o    (first6),
    .last_o     (last6),
    .keep_o     (keep6),
    .data_o     (data6),
    .masked_o   (masked6),
    .end_known_o(known6),
    .end_rel_o  (rel6),
    .found_o    (found6)
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
    .valid_i(valid6),
    .first_i(first6),
    .end_i  (end6),
    .zeros_i(BeatShift'(0) - rel6[BeatShift-1:0]),
    .data_i (masked6),
    .good_o (good9)
  );

  logic last9;
  logic [2:0] valid_q;  // stages 7 to 9
  logic [BeatBytes-1:0] keep9;
  logic [DataWidth-1:0] data9;
  hca_pkg::found_t found9;

  delay_line #(
    .Width($bits({last6, found6, keep6, data6})),
    .Depth(3)
  ) u_side (
    .clk_i,
    .data_i({last6, found6, keep6, data6}),
    .data_o({last9, found9, keep9, data9})
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[1:0], valid6};
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 10: the verdict, in the output queue.

  hca_pkg::crc_e icrc;

  always_comb begin
    icrc = good9 ? hca_pkg::CrcGood : hca_pkg::CrcBad;
    if (found9.is_short || found9.trunc) icrc = hca_pkg::CrcBad;
    if (!found9.covered) icrc = hca_pkg::CrcNone;
  end

  verdict_output #(
    .DataWidth(DataWidth),
    .Depth    (16)
  ) u_output (
    .clk_i,
    .rst_ni,
    .claim_i        (s_axis_tvalid_i & s_axis_tready_o),
    .room_o         (s_axis_tready_o),
    .valid_i        (valid_q[2]),
    .last_i         (last9),
    .keep_i         (keep9),
    .data_i         (data9),
    .crc_i          (icrc),
    .encap_i        (found9.encap),
    .reason_i       (found9.reason),
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
    .tuser_i (s_axis_tuser_i),
    .tvalid_i(s_axis_tvalid_i),
    .tready_i(s_axis_tready_o)
  );
`endif

endmodule
