// SPDX-License-Identifier: Apache-2.0
// The verdict on every request in hca_rx: resp_psn_check, with what was looked up ahead. Verdicts wait in a queue that
// holds as many as can be under way: so nothing before it ever waits for the commit.
module hca_rx_verdict #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned Ecc = 0,  // of the context memories: docs/ecc.md
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  hca_rx_pkg::located_t           s_req_i,
  input  logic                           s_req_valid_i,
  output logic                           s_req_ready_o,

  input  rq_pkg::result_t                s_wqe_i,  // one for each request
  input  logic                           s_wqe_valid_i,
  output logic                           s_wqe_ready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,  // goes before requests
  output logic                           op_ready_o,

  input  hca_rx_pkg::outcome_t           s_outcome_i,  // before requests too
  input  logic                           s_outcome_valid_i,
  output logic                           s_outcome_ready_o,

  output resp_pkg::result_t              m_res_o,  // of requests only
  output hca_rx_pkg::settled_t           m_req_o,
  output logic                           m_res_valid_o,
  input  logic                           m_res_ready_i
);

  hca_rx_pkg::request_t req;
  hca_rx_pkg::settled_t settled;
  resp_pkg::request_t ask, outcome, rsp_in;
  resp_pkg::result_t res;
  logic go, ask_ready, settled_ready, settled_valid, rsp_in_valid, rsp_in_ready, res_valid, res_ready;
  logic res_is_packet, told_ready, told_valid, done, wqe_lost, unused_wqe;
  logic [5:0] unused_settled_count, unused_told_count;

  assign req           = s_req_i.req;
  assign go            = s_req_valid_i & s_wqe_valid_i & settled_ready & ask_ready;
  assign s_req_ready_o = go;
  assign s_wqe_ready_o = go;
  assign unused_wqe    = ^{s_wqe_i.qpn, s_wqe_i.op};
  assign wqe_lost      = Ecc != 0 & req.needs_wqe & ~s_wqe_i.present & s_wqe_i.wqe.bytes[0];

  always_comb begin
    ask             = '0;
    ask.lost        = s_req_i.lost | wqe_lost;
    ask.flush_sel   = req.flush_sel;
    ask.flush_plt   = req.flush_plt;
    ask.access_ok   = s_req_i.access_ok;
    ask.wqe_present = s_wqe_i.present;
    ask.qkey_ok     = req.qkey_ok;
    ask.solicited   = req.solicited;
    ask.ack_req     = req.ack_req;
    ask.pad         = req.pad;
    ask.credits     = s_wqe_i.credits;
    ask.va_low      = req.va[2:0];
    ask.wqe_bytes   = s_wqe_i.wqe.bytes;
    ask.dma_length  = req.dma_length;
    ask.payload     = req.payload;
    ask.opcode      = req.opcode;
    ask.psn         = req.psn;
    ask.qpn         = req.qpn;
  end

  always_comb begin
    settled.address = s_req_i.address;
    settled.offset  = s_req_i.offset;
    settled.wqe     = s_wqe_i.wqe.wqe;
    settled.access_ok = s_req_i.access_ok;
    settled.req     = req;
  end

  sync_fifo #(
    .Width($bits(settled)),
    .Depth(hca_rx_pkg::UnderWay)
  ) u_settled (
    .clk_i,
    .rst_ni,
    .s_data_i (settled),
    .s_valid_i(go),
    .s_ready_o(settled_ready),
    .m_data_o (m_req_o),
    .m_valid_o(settled_valid),
    .m_ready_i(done),
    .count_o  (unused_settled_count)
  );

  always_comb begin
    outcome     = '0;
    outcome.op  = s_outcome_i.is_error ? resp_pkg::OpError : resp_pkg::OpFreed;
    outcome.qpn = s_outcome_i.qpn;
  end

  hca_rx_input #(
    .Width($bits(rsp_in))
  ) u_rsp_in (
    .clk_i,
    .rst_ni,
    .op_i          (op_i[$bits(rsp_in)-1:0]),
    .op_valid_i,
    .op_ready_o,
    .commit_i      (outcome),
    .commit_valid_i(s_outcome_valid_i),
    .commit_ready_o(s_outcome_ready_o),
    .ask_i         (ask),
    .ask_valid_i   (go),
    .ask_ready_o   (ask_ready),
    .m_data_o      (rsp_in),
    .m_valid_o     (rsp_in_valid),
    .m_ready_i     (rsp_in_ready)
  );

  resp_psn_check #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_verdict (
    .clk_i,
    .rst_ni,
    .s_qpn_i          (rsp_in.qpn),
    .s_psn_i          (rsp_in.psn),
    .s_opcode_i       (rsp_in.opcode),
    .s_payload_i      (rsp_in.payload),
    .s_dma_length_i   (rsp_in.dma_length),
    .s_wqe_bytes_i    (rsp_in.wqe_bytes),
    .s_op_i           (rsp_in.op),
    .s_service_i      (rsp_in.service),
    .s_pmtu_i         (rsp_in.pmtu),
    .s_max_reads_i    (rsp_in.max_reads),
    .s_enabled_i      (rsp_in.enabled),
    .s_rnr_timer_i    (rsp_in.rnr_timer),
    .s_va_low_i       (rsp_in.va_low),
    .s_credits_i      (rsp_in.credits),
    .s_pad_i          (rsp_in.pad),
    .s_ack_req_i      (rsp_in.ack_req),
    .s_profile_i      (rsp_in.profile),
    .s_solicited_i    (rsp_in.solicited),
    .s_own_error_i    (rsp_in.own_error),
    .s_qkey_ok_i      (rsp_in.qkey_ok),
    .s_wqe_present_i  (rsp_in.wqe_present),
    .s_access_ok_i    (rsp_in.access_ok),
    .s_flush_plt_i    (rsp_in.flush_plt),
    .s_flush_sel_i    (rsp_in.flush_sel),
    .s_flush_enabled_i(rsp_in.flush_enabled),
    .s_lost_i         (rsp_in.lost),
    .s_valid_i        (rsp_in_valid),
    .s_ready_o        (rsp_in_ready),
    .m_qpn_o          (res.qpn),
    .m_epsn_before_o  (res.epsn_before),
    .m_epsn_after_o   (res.epsn_after),
    .m_psn_o          (res.psn),
    .m_msn_o          (res.msn),
    .m_syndrome_o     (res.syndrome),
    .m_op_o           (res.op),
    .m_why_o          (res.why),
    .m_verdict_o      (res.verdict),
    .m_answer_o       (res.answer),
    .m_first_o        (res.first),
    .m_last_o         (res.last),
    .m_complete_o     (res.complete),
    .m_solicited_o    (res.solicited),
    .m_to_error_o     (res.to_error),
    .m_behind_o       (res.behind),
    .m_valid_o        (res_valid),
    .m_ready_i        (res_ready)
  );

  assign res_is_packet = res.op == resp_pkg::OpPacket;
  assign res_ready     = ~res_is_packet | told_ready;

  sync_fifo #(
    .Width($bits(res)),
    .Depth(hca_rx_pkg::UnderWay)
  ) u_told (
    .clk_i,
    .rst_ni,
    .s_data_i (res),
    .s_valid_i(res_valid & res_is_packet),
    .s_ready_o(told_ready),
    .m_data_o (m_res_o),
    .m_valid_o(told_valid),
    .m_ready_i(done),
    .count_o  (unused_told_count)
  );

  assign m_res_valid_o = told_valid & settled_valid;
  assign done          = m_res_valid_o & m_res_ready_i;

endmodule
