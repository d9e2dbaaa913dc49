// SPDX-License-Identifier: Apache-2.0
// READ responses, with bytes that memory gives in any order: docs/blocks/read_engine.md.
module read_engine #(
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"  // of the places of pieces: ram_1r1w
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic                         s_cmd_clear_i,
  input  logic                         s_cmd_resumed_i,
  input  logic [23:0]                  s_cmd_qpn_i,
  input  logic [23:0]                  s_cmd_psn_i,
  input  logic [63:0]                  s_cmd_address_i,
  input  logic [31:0]                  s_cmd_bytes_i,
  input  logic [2:0]                   s_cmd_pmtu_i,
  input  logic [23:0]                  s_cmd_msn_i,
  input  logic [7:0]                   s_cmd_syndrome_i,
  input  logic                         s_cmd_valid_i,
  output logic                         s_cmd_ready_o,

  output logic [5:0]                   m_mem_tag_o,
  output logic [8:0]                   m_mem_bytes_o,
  output logic [63:0]                  m_mem_address_o,
  output logic                         m_mem_valid_o,
  input  logic                         m_mem_ready_i,

  input  logic [DataWidth-1:0]         s_mem_tdata_i,
  input  logic [DataWidth/8-1:0]       s_mem_tkeep_i,
  input  logic [6:0]                   s_mem_tuser_i,
  input  logic                         s_mem_tlast_i,
  input  logic                         s_mem_tvalid_i,
  output logic                         s_mem_tready_o,

  output logic [23:0]                  m_hdr_qpn_o,
  output logic [7:0]                   m_hdr_opcode_o,
  output logic [23:0]                  m_hdr_psn_o,
  output logic [23:0]                  m_hdr_msn_o,
  output logic [7:0]                   m_hdr_syndrome_o,
  output logic [12:0]                  m_hdr_bytes_o,
  output logic                         m_hdr_last_o,
  output logic                         m_hdr_valid_o,
  input  logic                         m_hdr_ready_i,

  output logic [DataWidth-1:0]         m_axis_tdata_o,
  output logic [DataWidth/8-1:0]       m_axis_tkeep_o,
  output logic                         m_axis_tlast_o,
  output logic                         m_axis_tvalid_o,
  input  logic                         m_axis_tready_i,

  output logic [23:0]                  m_rec_qpn_o,
  output logic [23:0]                  m_rec_psn_o,
  output logic [23:0]                  m_rec_count_o,
  output logic [1:0]                   m_rec_status_o,
  output logic                         m_rec_valid_o,
  input  logic                         m_rec_ready_i
);

  localparam int unsigned Places = 64;
  localparam int unsigned PlaceWidth = $clog2(Places);
  localparam int unsigned BeatWidth = PlaceWidth + $clog2(2048 / DataWidth);

  read_pkg::cmd_t s_cmd, head;
  read_pkg::piece_t m_mem;
  read_pkg::hdr_t m_hdr;
  read_pkg::rec_t m_rec;
  logic asks, head_valid, head_stopped, head_asked, retires, fails, frees, oldest_there, blocked, read;
  logic [8:0] ask_end;
  logic [PlaceWidth:0] ask, free, head_end, seen;
  logic [BeatWidth-1:0] read_beat;
  logic [23:0] fails_qpn;
  logic [DataWidth-1:0] data;

  assign s_cmd = {s_cmd_syndrome_i, s_cmd_msn_i, s_cmd_pmtu_i, s_cmd_bytes_i, s_cmd_address_i, s_cmd_psn_i, s_cmd_qpn_i,
                  s_cmd_resumed_i, s_cmd_clear_i};
  assign {m_mem_address_o, m_mem_bytes_o, m_mem_tag_o} = m_mem;
  assign {m_hdr_last_o, m_hdr_bytes_o, m_hdr_syndrome_o, m_hdr_msn_o, m_hdr_psn_o, m_hdr_opcode_o, m_hdr_qpn_o} = m_hdr;
  assign {m_rec_status_o, m_rec_count_o, m_rec_psn_o, m_rec_qpn_o} = m_rec;

  read_ask #(
    .Places(Places)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .s_cmd_i       (s_cmd),
    .s_cmd_valid_i,
    .s_cmd_ready_o,
    .m_mem_o       (m_mem),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .asks_o        (asks),
    .ask_end_o     (ask_end),
    .ask_o         (ask),
    .free_i        (free),
    .head_o        (head),
    .head_valid_o  (head_valid),
    .head_stopped_o(head_stopped),
    .head_asked_o  (head_asked),
    .head_end_o    (head_end),
    .retires_i     (retires),
    .fails_i       (fails),
    .fails_qpn_i   (fails_qpn)
  );

  read_take #(
    .DataWidth(DataWidth),
    .Places   (Places),
    .RamStyle (RamStyle)
  ) u_take (
    .clk_i,
    .rst_ni,
    .s_mem_tdata_i,
    .s_mem_tkeep_i,
    .s_mem_tuser_i,
    .s_mem_tlast_i,
    .s_mem_tvalid_i,
    .s_mem_tready_o,
    .asks_i        (asks),
    .ask_end_i     (ask_end),
    .ask_i         (ask),
    .frees_i       (frees),
    .free_i        (free),
    .oldest_there_o(oldest_there),
    .seen_o        (seen),
    .blocked_o     (blocked),
    .read_i        (read),
    .read_beat_i   (read_beat),
    .data_o        (data)
  );

  read_answer #(
    .DataWidth(DataWidth),
    .Places   (Places)
  ) u_answer (
    .clk_i,
    .rst_ni,
    .head_i        (head),
    .head_valid_i  (head_valid),
    .head_stopped_i(head_stopped),
    .head_asked_i  (head_asked),
    .head_end_i    (head_end),
    .retires_o     (retires),
    .fails_o       (fails),
    .fails_qpn_o   (fails_qpn),
    .frees_o       (frees),
    .free_o        (free),
    .oldest_there_i(oldest_there),
    .seen_i        (seen),
    .blocked_i     (blocked),
    .read_o        (read),
    .read_beat_o   (read_beat),
    .data_i        (data),
    .m_hdr_o       (m_hdr),
    .m_hdr_valid_o,
    .m_hdr_ready_i,
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i,
    .m_rec_o       (m_rec),
    .m_rec_valid_o,
    .m_rec_ready_i
  );

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_cmd))
  ) u_cmd_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_cmd),
    .valid_i(s_cmd_valid_i),
    .ready_i(s_cmd_ready_o)
  );

  record_rules #(
    .Width($bits(m_mem))
  ) u_mem_rules (
    .clk_i,
    .rst_ni,
    .data_i (m_mem),
    .valid_i(m_mem_valid_o),
    .ready_i(m_mem_ready_i)
  );

  axis_rules #(
    .DataWidth(DataWidth),
    .UserWidth(7)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s_mem_tdata_i),
    .tkeep_i (s_mem_tkeep_i),
    .tlast_i (s_mem_tlast_i),
    .tuser_i (s_mem_tuser_i),
    .tvalid_i(s_mem_tvalid_i),
    .tready_i(s_mem_tready_o)
  );

  record_rules #(
    .Width($bits(m_hdr))
  ) u_hdr_rules (
    .clk_i,
    .rst_ni,
    .data_i (m_hdr),
    .valid_i(m_hdr_valid_o),
    .ready_i(m_hdr_ready_i)
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
    .Width($bits(m_rec))
  ) u_rec_rules (
    .clk_i,
    .rst_ni,
    .data_i (m_rec),
    .valid_i(m_rec_valid_o),
    .ready_i(m_rec_ready_i)
  );
`endif

endmodule
