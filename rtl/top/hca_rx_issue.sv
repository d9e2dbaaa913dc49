// SPDX-License-Identifier: Apache-2.0
// Requests of hca_rx, held back until those that they depend on are decided: rx_issue, and the request beside it.
module hca_rx_issue (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  hca_rx_pkg::request_t s_req_i,
  input  logic                 s_req_valid_i,  // with s_req_ready_o only
  output logic                 s_req_ready_o,

  input  logic [23:0]          s_done_qpn_i,  // of a request that is committed
  input  logic                 s_done_valid_i,
  output logic                 s_done_ready_o,

  output hca_rx_pkg::request_t m_req_o,
  output logic                 m_req_valid_o,
  input  logic                 m_req_ready_i
);

  logic reqs_ready, req_valid, issue_ready, issue_valid, go, unused_flags;
  logic [23:0] unused_qpn, unused_rq;
  logic [3:0] flags;
  logic [4:0] unused_count;

  assign s_req_ready_o = reqs_ready & issue_ready;

  sync_fifo #(
    .Width($bits(s_req_i)),
    .Depth(16)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .s_data_i (s_req_i),
    .s_valid_i(s_req_valid_i),
    .s_ready_o(reqs_ready),
    .m_data_o (m_req_o),
    .m_valid_o(req_valid),
    .m_ready_i(go),
    .count_o  (unused_count)
  );

  logic needs_message, uses_wqe, invalidates;
  assign needs_message = s_req_i.verb != msg_pkg::VerbNone && !s_req_i.first;
  assign uses_wqe      = s_req_i.uses_wqe;
  assign invalidates   = s_req_i.invalidates;

  rx_issue #(
    .Depth(hca_rx_pkg::UnderWay)
  ) u_issue (
    .clk_i,
    .rst_ni,
    .s_qpn_i          (s_req_i.qpn),
    .s_queue_i        (s_req_i.rq),
    .s_needs_message_i(needs_message),
    .s_needs_wqe_i    (s_req_i.needs_wqe),
    .s_uses_wqe_i     (uses_wqe),
    .s_invalidates_i  (invalidates),
    .s_valid_i        (s_req_valid_i),
    .s_ready_o        (issue_ready),
    .s_done_qpn_i,
    .s_done_valid_i,
    .s_done_ready_o,
    .m_qpn_o          (unused_qpn),
    .m_queue_o        (unused_rq),
    .m_needs_message_o(flags[0]),
    .m_needs_wqe_o    (flags[1]),
    .m_uses_wqe_o     (flags[2]),
    .m_invalidates_o  (flags[3]),
    .m_valid_o        (issue_valid),
    .m_ready_i        (go)
  );

  assign unused_flags  = ^flags;
  assign m_req_valid_o = issue_valid & req_valid;
  assign go            = m_req_valid_o & m_req_ready_i;

endmodule
