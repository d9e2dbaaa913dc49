// SPDX-License-Identifier: Apache-2.0
// read_engine in hca_rx. What memory gives waits until it was asked for.
module hca_rx_read #(
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  read_pkg::cmd_t         s_cmd_i,
  input  logic                   s_cmd_valid_i,
  output logic                   s_cmd_ready_o,

  output read_pkg::piece_t       m_rd_o,
  output logic                   m_rd_valid_o,
  input  logic                   m_rd_ready_i,

  input  logic [DataWidth-1:0]   s_rd_tdata_i,
  input  logic [DataWidth/8-1:0] s_rd_tkeep_i,
  input  logic [6:0]             s_rd_tuser_i,
  input  logic                   s_rd_tlast_i,
  input  logic                   s_rd_tvalid_i,
  output logic                   s_rd_tready_o,

  output read_pkg::hdr_t         m_hdr_o,
  output logic                   m_hdr_valid_o,
  input  logic                   m_hdr_ready_i,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  output read_pkg::rec_t         m_rec_o,
  output logic                   m_rec_valid_o,
  input  logic                   m_rec_ready_i
);

  localparam int unsigned Tags = 64;

  typedef struct packed {
    logic                   last;
    logic [6:0]             user;
    logic [DataWidth/8-1:0] keep;
    logic [DataWidth-1:0]   data;
  } beat_t;

  beat_t s_beat, beat;
  logic beat_valid, beat_ready, asked, gives;
  logic [Tags-1:0] asked_q;

  assign s_beat = {s_rd_tlast_i, s_rd_tuser_i, s_rd_tkeep_i, s_rd_tdata_i};

  axis_skid #(
    .Width($bits(beat))
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i (s_beat),
    .s_valid_i(s_rd_tvalid_i),
    .s_ready_o(s_rd_tready_o),
    .m_data_o (beat),
    .m_valid_o(beat_valid),
    .m_ready_i(beat_ready & asked)
  );

  assign asked = asked_q[beat.user[5:0]];
  assign gives = beat_valid & beat_ready & asked;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= '0;
    end else begin
      if (gives & beat.last) asked_q[beat.user[5:0]] <= 1'b0;
      if (m_rd_valid_o & m_rd_ready_i) asked_q[m_rd_o.tag] <= 1'b1;
    end
  end

  read_engine #(
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_read (
    .clk_i,
    .rst_ni,
    .s_cmd_clear_i   (s_cmd_i.clear),
    .s_cmd_resumed_i (s_cmd_i.resumed),
    .s_cmd_qpn_i     (s_cmd_i.qpn),
    .s_cmd_psn_i     (s_cmd_i.psn),
    .s_cmd_address_i (s_cmd_i.address),
    .s_cmd_bytes_i   (s_cmd_i.bytes),
    .s_cmd_pmtu_i    (s_cmd_i.pmtu),
    .s_cmd_msn_i     (s_cmd_i.msn),
    .s_cmd_syndrome_i(s_cmd_i.syndrome),
    .s_cmd_valid_i,
    .s_cmd_ready_o,
    .m_mem_tag_o     (m_rd_o.tag),
    .m_mem_bytes_o   (m_rd_o.bytes),
    .m_mem_address_o (m_rd_o.address),
    .m_mem_valid_o   (m_rd_valid_o),
    .m_mem_ready_i   (m_rd_ready_i),
    .s_mem_tdata_i   (beat.data),
    .s_mem_tkeep_i   (beat.keep),
    .s_mem_tuser_i   (beat.user),
    .s_mem_tlast_i   (beat.last),
    .s_mem_tvalid_i  (beat_valid & asked),
    .s_mem_tready_o  (beat_ready),
    .m_hdr_qpn_o     (m_hdr_o.qpn),
    .m_hdr_opcode_o  (m_hdr_o.opcode),
    .m_hdr_psn_o     (m_hdr_o.psn),
    .m_hdr_msn_o     (m_hdr_o.msn),
    .m_hdr_syndrome_o(m_hdr_o.syndrome),
    .m_hdr_bytes_o   (m_hdr_o.bytes),
    .m_hdr_last_o    (m_hdr_o.last),
    .m_hdr_valid_o,
    .m_hdr_ready_i,
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i,
    .m_rec_qpn_o     (m_rec_o.qpn),
    .m_rec_psn_o     (m_rec_o.psn),
    .m_rec_count_o   (m_rec_o.count),
    .m_rec_status_o  (m_rec_o.status),
    .m_rec_valid_o,
    .m_rec_ready_i
  );

endmodule
