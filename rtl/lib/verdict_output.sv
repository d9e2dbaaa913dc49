// SPDX-License-Identifier: Apache-2.0
// The edges of a block that gives out the packets that it takes, each with a verdict on its last beat: icrc_check,
// icrc_insert, vcrc_check. The block's stages never stand still. A beat that is accepted comes to them out of a
// register; what they make of it is queued here until it is taken (credit_queue).
module verdict_output #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Depth = 16,  // beats under way at most: for a beat a clock at least the block's latency
  localparam int unsigned BeatBytes = DataWidth / 8
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // A beat was accepted; another one may be.
  input  logic                             claim_i,
  output logic                             room_o,

  // Out of the last stage. The verdict counts on the last beat.
  input  logic                             valid_i,
  input  logic                             last_i,
  input  logic [BeatBytes-1:0]             keep_i,
  input  logic [DataWidth-1:0]             data_i,
  input  hca_pkg::crc_e                    crc_i,
  input  hca_pkg::encap_e                  encap_i,
  input  hca_pkg::reason_e                 reason_i,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [BeatBytes-1:0]             m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i
);

  typedef struct packed {
    logic [hca_pkg::VerdictWidth-1:0] user;
    logic                             last;
    logic [BeatBytes-1:0]             keep;
    logic [DataWidth-1:0]             data;
  } beat_t;

  hca_pkg::verdict_t verdict;
  beat_t beat, out;

  always_comb begin
    verdict        = '0;
    verdict.crc    = crc_i;
    verdict.encap  = encap_i;
    verdict.reason = reason_i;
    beat.user      = last_i ? verdict : '0;
    beat.last      = last_i;
    beat.keep      = keep_i;
    beat.data      = data_i;
  end

  credit_queue #(
    .Width($bits(beat)),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i,
    .room_o,
    .data_i   (beat),
    .valid_i,
    .m_data_o (out),
    .m_valid_o(m_axis_tvalid_o),
    .m_ready_i(m_axis_tready_i)
  );

  assign m_axis_tdata_o = out.data;
  assign m_axis_tkeep_o = out.keep;
  assign m_axis_tlast_o = out.last;
  assign m_axis_tuser_o = out.user;

`ifdef VERILATOR
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
