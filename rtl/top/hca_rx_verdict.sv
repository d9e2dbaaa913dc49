// SPDX-License-Identifier: Apache-2.0
// The verdict on every request in hca_rx: its key first, then resp_psn_check with what the key said.
module hca_rx_verdict #(
  parameter int unsigned NumQps = 4096,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic                           wqe_present_i,
  input  logic [31:0]                    wqe_bytes_i,

  input  mr_pkg::query_t                 s_key_i,
  input  hca_rx_pkg::ask_t               s_ask_i,
  input  logic                           s_ask_valid_i,
  output logic                           s_ask_ready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0] op_i,
  input  logic                           key_op_valid_i,  // goes before requests
  output logic                           key_op_ready_o,
  input  logic                           verdict_op_valid_i,
  output logic                           verdict_op_ready_o,

  output resp_pkg::result_t              m_res_o,
  output logic                           m_res_valid_o,  // of requests only
  input  logic                           m_res_ready_i
);

  // ---------------------------------------------------------------------------------------------------------------
  // The key. What the verdict needs beside it waits.

  mr_pkg::query_t mr_in;
  hca_rx_pkg::ask_t ask;
  logic accept, asks_ready, ask_valid, mr_in_valid, mr_in_ready, mr_valid, mr_ready, mr_ok, mr_is_check, rsp_go;
  logic [2:0] mr_op, unused_mr_why, unused_mr_count;
  logic [31:0] unused_mr_rkey;
  logic [63:0] unused_mr_address;
  logic [4:0] unused_ask_count;

  assign s_ask_ready_o = asks_ready & key_op_ready_o & ~key_op_valid_i;
  assign accept        = s_ask_valid_i & s_ask_ready_o;

  sync_fifo #(
    .Width($bits(ask)),
    .Depth(16)
  ) u_asks (
    .clk_i,
    .rst_ni,
    .s_data_i (s_ask_i),
    .s_valid_i(accept),
    .s_ready_o(asks_ready),
    .m_data_o (ask),
    .m_valid_o(ask_valid),
    .m_ready_i(rsp_go),
    .count_o  (unused_ask_count)
  );

  sync_fifo #(
    .Width($bits(mr_in)),
    .Depth(4)
  ) u_mr_in (
    .clk_i,
    .rst_ni,
    .s_data_i (key_op_valid_i ? op_i[$bits(mr_in)-1:0] : s_key_i),
    .s_valid_i(key_op_valid_i | accept),
    .s_ready_o(key_op_ready_o),
    .m_data_o (mr_in),
    .m_valid_o(mr_in_valid),
    .m_ready_i(mr_in_ready),
    .count_o  (unused_mr_count)
  );

  mr_lookup #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .s_op_i     (mr_in.op),
    .s_rkey_i   (mr_in.rkey),
    .s_pd_i     (mr_in.pd),
    .s_va_i     (mr_in.va),
    .s_length_i (mr_in.len),
    .s_need_i   (mr_in.need),
    .s_whole_i  (mr_in.whole),
    .s_window_i (mr_in.window),
    .s_base_i   (mr_in.base),
    .s_valid_i  (mr_in_valid),
    .s_ready_o  (mr_in_ready),
    .m_address_o(unused_mr_address),
    .m_rkey_o   (unused_mr_rkey),
    .m_op_o     (mr_op),
    .m_ok_o     (mr_ok),
    .m_why_o    (unused_mr_why),
    .m_valid_o  (mr_valid),
    .m_ready_i  (mr_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The verdict.

  localparam logic [4:0] CreditsNotUsed = 5'd31;

  resp_pkg::request_t rsp_ask, rsp_in;
  logic rsp_in_valid, rsp_in_ready, res_valid, res_ready, res_is_packet;
  logic [2:0] unused_rsp_count;

  assign mr_is_check = mr_op == mr_pkg::OpCheck;
  assign rsp_go      = mr_valid & mr_is_check & ask_valid & verdict_op_ready_o & ~verdict_op_valid_i;
  assign mr_ready    = ~mr_is_check | rsp_go;

  always_comb begin
    rsp_ask             = '0;
    rsp_ask.flush_sel   = ask.flush_sel;
    rsp_ask.flush_plt   = ask.flush_plt;
    rsp_ask.access_ok   = ask.by_key ? mr_ok : ask.granted;
    rsp_ask.wqe_present = wqe_present_i;
    rsp_ask.solicited   = ask.solicited;
    rsp_ask.ack_req     = ask.ack_req;
    rsp_ask.pad         = ask.pad;
    rsp_ask.credits     = CreditsNotUsed;
    rsp_ask.va_low      = ask.va_low;
    rsp_ask.wqe_bytes   = wqe_bytes_i;
    rsp_ask.dma_length  = ask.dma_length;
    rsp_ask.payload     = ask.payload;
    rsp_ask.opcode      = ask.opcode;
    rsp_ask.psn         = ask.psn;
    rsp_ask.qpn         = ask.qpn;
  end

  sync_fifo #(
    .Width($bits(rsp_in)),
    .Depth(4)
  ) u_rsp_in (
    .clk_i,
    .rst_ni,
    .s_data_i (verdict_op_valid_i ? op_i[$bits(rsp_in)-1:0] : rsp_ask),
    .s_valid_i(verdict_op_valid_i | rsp_go),
    .s_ready_o(verdict_op_ready_o),
    .m_data_o (rsp_in),
    .m_valid_o(rsp_in_valid),
    .m_ready_i(rsp_in_ready),
    .count_o  (unused_rsp_count)
  );

  resp_psn_check #(
    .NumQps  (NumQps),
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
    .s_valid_i        (rsp_in_valid),
    .s_ready_o        (rsp_in_ready),
    .m_qpn_o          (m_res_o.qpn),
    .m_epsn_before_o  (m_res_o.epsn_before),
    .m_epsn_after_o   (m_res_o.epsn_after),
    .m_psn_o          (m_res_o.psn),
    .m_msn_o          (m_res_o.msn),
    .m_syndrome_o     (m_res_o.syndrome),
    .m_op_o           (m_res_o.op),
    .m_why_o          (m_res_o.why),
    .m_verdict_o      (m_res_o.verdict),
    .m_answer_o       (m_res_o.answer),
    .m_first_o        (m_res_o.first),
    .m_last_o         (m_res_o.last),
    .m_complete_o     (m_res_o.complete),
    .m_solicited_o    (m_res_o.solicited),
    .m_to_error_o     (m_res_o.to_error),
    .m_behind_o       (m_res_o.behind),
    .m_valid_o        (res_valid),
    .m_ready_i        (res_ready)
  );

  assign res_is_packet = m_res_o.op == resp_pkg::OpPacket;
  assign m_res_valid_o = res_valid & res_is_packet;
  assign res_ready     = ~res_is_packet | m_res_ready_i;

endmodule
