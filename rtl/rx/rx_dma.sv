// SPDX-License-Identifier: Apache-2.0
// Host writes of payload, and what is told of them when memory has acknowledged them: docs/blocks/rx_dma.md.
module rx_dma #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Depth = 128,    // entries under way: a power of two from 2 to 256
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   s_cmd_clear_i,
  input  logic                   s_cmd_place_i,
  input  logic                   s_cmd_complete_i,
  input  logic                   s_cmd_solicited_i,
  input  logic [3:0]             s_cmd_status_i,
  input  logic [23:0]            s_cmd_qpn_i,
  input  logic [23:0]            s_cmd_psn_i,
  input  logic [15:0]            s_cmd_bytes_i,
  input  logic [63:0]            s_cmd_address_i,
  input  logic [31:0]            s_cmd_wqe_i,
  input  logic [31:0]            s_cmd_length_i,
  input  logic                   s_cmd_has_immediate_i,
  input  logic [31:0]            s_cmd_immediate_i,
  input  logic                   s_cmd_valid_i,
  output logic                   s_cmd_ready_o,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  input  logic [7:0]             s_mem_tag_i,
  input  logic                   s_mem_error_i,
  input  logic                   s_mem_valid_i,
  output logic                   s_mem_ready_o,

  output logic [7:0]             m_mem_tag_o,
  output logic [15:0]            m_mem_bytes_o,
  output logic [63:0]            m_mem_address_o,
  output logic                   m_mem_valid_o,
  input  logic                   m_mem_ready_i,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  output logic                   m_rec_cleared_o,
  output logic                   m_rec_complete_o,
  output logic                   m_rec_failed_o,
  output logic                   m_rec_solicited_o,
  output logic [3:0]             m_rec_status_o,
  output logic [23:0]            m_rec_qpn_o,
  output logic [23:0]            m_rec_psn_o,
  output logic [31:0]            m_rec_wqe_o,
  output logic [31:0]            m_rec_length_o,
  output logic                   m_rec_has_immediate_o,
  output logic [31:0]            m_rec_immediate_o,
  output logic                   m_rec_valid_o,
  input  logic                   m_rec_ready_i
);

  dma_pkg::cmd_t s_cmd;
  dma_pkg::write_t m_mem;
  dma_pkg::entry_t entry;
  dma_pkg::ack_t s_mem;
  dma_pkg::record_t retired, m_rec;
  logic open, entry_valid, entry_ready, retired_valid, retired_ready;

  assign s_cmd = {s_cmd_immediate_i, s_cmd_has_immediate_i, s_cmd_length_i, s_cmd_wqe_i, s_cmd_address_i, s_cmd_bytes_i,
                  s_cmd_psn_i, s_cmd_qpn_i, s_cmd_status_i, s_cmd_solicited_i, s_cmd_complete_i, s_cmd_place_i,
                  s_cmd_clear_i};
  assign s_mem = {s_mem_error_i, s_mem_tag_i};
  assign {m_mem_address_o, m_mem_bytes_o, m_mem_tag_o} = m_mem;
  assign {m_rec_immediate_o, m_rec_has_immediate_o, m_rec_length_o, m_rec_wqe_o, m_rec_psn_o, m_rec_qpn_o,
          m_rec_status_o, m_rec_solicited_o, m_rec_failed_o, m_rec_complete_o, m_rec_cleared_o} = m_rec;

  dma_place #(
    .DataWidth(DataWidth)
  ) u_place (
    .clk_i,
    .rst_ni,
    .open_i         (open),
    .s_cmd_i        (s_cmd),
    .s_cmd_valid_i,
    .s_cmd_ready_o,
    .s_axis_tdata_i,
    .s_axis_tkeep_i,
    .s_axis_tlast_i,
    .s_axis_tvalid_i,
    .s_axis_tready_o,
    .m_mem_o        (m_mem),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i,
    .m_entry_o      (entry),
    .m_entry_valid_o(entry_valid),
    .m_entry_ready_i(entry_ready)
  );

  dma_order #(
    .Depth(Depth)
  ) u_order (
    .clk_i,
    .rst_ni,
    .s_entry_i       (entry),
    .s_entry_valid_i (entry_valid),
    .s_entry_ready_o (entry_ready),
    .mem_left_i      (m_mem_valid_o & m_mem_ready_i),
    .data_left_i     (m_axis_tvalid_o & m_axis_tready_i & m_axis_tlast_o),
    .s_mem_i         (s_mem),
    .s_mem_valid_i,
    .s_mem_ready_o,
    .m_record_o      (retired),
    .m_record_valid_o(retired_valid),
    .m_record_ready_i(retired_ready)
  );

  dma_status #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_status (
    .clk_i,
    .rst_ni,
    .ready_o         (open),
    .s_record_i      (retired),
    .s_record_valid_i(retired_valid),
    .s_record_ready_o(retired_ready),
    .m_record_o      (m_rec),
    .m_record_valid_o(m_rec_valid_o),
    .m_record_ready_i(m_rec_ready_i)
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

  record_rules #(
    .Width($bits(s_mem))
  ) u_ack_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_mem),
    .valid_i(s_mem_valid_i),
    .ready_i(s_mem_ready_o)
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
`endif

endmodule
