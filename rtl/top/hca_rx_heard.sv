// SPDX-License-Identifier: Apache-2.0
// What hca_rx hears for the requester beside it: responses and CNPs that rx_classify let pass, in their order, each in
// a queue of its own.
module hca_rx_heard (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  rx_pkg::header_t       hdr_i,
  input  logic [23:0]           qpn_i,
  input  logic [2:0]            class_i,
  input  logic                  go_i,     // with room_o only
  output logic                  room_o,   // for one of either

  output hca_tx_pkg::response_t m_resp_o,
  output logic                  m_resp_valid_o,
  input  logic                  m_resp_ready_i,

  output logic [23:0]           m_cnp_qpn_o,
  output logic                  m_cnp_valid_o,
  input  logic                  m_cnp_ready_i
);

  hca_tx_pkg::response_t resp;
  logic resp_ready, cnp_ready, unused_hdr;
  logic [2:0] unused_resp_count, unused_cnp_count;

  assign unused_hdr = ^hdr_i;
  assign room_o     = resp_ready & cnp_ready;

  assign resp.original = hdr_i.original;
  assign resp.pad      = hdr_i.pad;
  assign resp.syndrome = hdr_i.syndrome;
  assign resp.opcode   = hdr_i.opcode;
  assign resp.payload  = hdr_i.payload_bytes[12:0];
  assign resp.number   = hdr_i.msn;
  assign resp.psn      = hdr_i.psn;
  assign resp.qpn      = qpn_i;

  sync_fifo #(
    .Width($bits(resp)),
    .Depth(4)
  ) u_responses (
    .clk_i,
    .rst_ni,
    .s_data_i (resp),
    .s_valid_i(go_i & class_i == classify_pkg::ClassResponse),
    .s_ready_o(resp_ready),
    .m_data_o (m_resp_o),
    .m_valid_o(m_resp_valid_o),
    .m_ready_i(m_resp_ready_i),
    .count_o  (unused_resp_count)
  );

  sync_fifo #(
    .Width(24),
    .Depth(4)
  ) u_cnps (
    .clk_i,
    .rst_ni,
    .s_data_i (qpn_i),
    .s_valid_i(go_i & class_i == classify_pkg::ClassCnp),
    .s_ready_o(cnp_ready),
    .m_data_o (m_cnp_qpn_o),
    .m_valid_o(m_cnp_valid_o),
    .m_ready_i(m_cnp_ready_i),
    .count_o  (unused_cnp_count)
  );

endmodule
