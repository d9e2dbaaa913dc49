// SPDX-License-Identifier: Apache-2.0
// The receive WQE of every request in hca_rx: rq_head, asked ahead of the verdict and told behind it.
module hca_rx_wqe #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned RqDepth = 8,
  parameter int unsigned Ecc = 0,  // of the context memories: docs/ecc.md
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  hca_rx_pkg::request_t           s_req_i,
  input  logic                           s_req_valid_i,
  output logic                           s_req_ready_o,

  input  rq_pkg::query_t                 take_i,
  input  logic                           take_valid_i,  // goes before requests
  output logic                           take_ready_o,

  input  logic [hca_rx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,  // goes before both
  output logic                           op_ready_o,

  output rq_pkg::result_t                m_wqe_o,  // of look-ups only
  output logic                           m_wqe_valid_o,
  input  logic                           m_wqe_ready_i
);

  rq_pkg::query_t ask, rq_in;
  rq_pkg::result_t out;
  logic in_valid, in_ready, out_valid, out_ready, is_ask, wqes_ready, unused_req;
  logic [4:0] unused_count;

  assign unused_req = ^s_req_i;

  always_comb begin
    ask           = '0;
    ask.op        = rq_pkg::OpLookUp;
    ask.qpn       = s_req_i.qpn;
    ask.rq        = s_req_i.rq;
    ask.is_shared = s_req_i.is_shared;
    ask.complete  = s_req_i.ends;
  end

  hca_rx_input #(
    .Width($bits(rq_in))
  ) u_in (
    .clk_i,
    .rst_ni,
    .op_i          (op_i[$bits(rq_in)-1:0]),
    .op_valid_i,
    .op_ready_o,
    .commit_i      (take_i),
    .commit_valid_i(take_valid_i),
    .commit_ready_o(take_ready_o),
    .ask_i         (ask),
    .ask_valid_i   (s_req_valid_i),
    .ask_ready_o   (s_req_ready_o),
    .m_data_o      (rq_in),
    .m_valid_o     (in_valid),
    .m_ready_i     (in_ready)
  );

  rq_head #(
    .NumQps  (NumQps),
    .Depth   (RqDepth),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_head (
    .clk_i,
    .rst_ni,
    .s_op_i      (rq_in.op),
    .s_qpn_i     (rq_in.qpn),
    .s_queue_i   (rq_in.rq),
    .s_shared_i  (rq_in.is_shared),
    .s_complete_i(rq_in.complete),
    .s_bytes_i   (rq_in.wqe.bytes),
    .s_wqe_i     (rq_in.wqe.wqe),
    .s_valid_i   (in_valid),
    .s_ready_o   (in_ready),
    .m_qpn_o     (out.qpn),
    .m_op_o      (out.op),
    .m_present_o (out.present),
    .m_bytes_o   (out.wqe.bytes),
    .m_wqe_o     (out.wqe.wqe),
    .m_credits_o (out.credits),
    .m_valid_o   (out_valid),
    .m_ready_i   (out_ready)
  );

  assign is_ask    = out.op == rq_pkg::OpLookUp;
  assign out_ready = ~is_ask | wqes_ready;

  sync_fifo #(
    .Width($bits(out)),
    .Depth(16)
  ) u_wqes (
    .clk_i,
    .rst_ni,
    .s_data_i (out),
    .s_valid_i(out_valid & is_ask),
    .s_ready_o(wqes_ready),
    .m_data_o (m_wqe_o),
    .m_valid_o(m_wqe_valid_o),
    .m_ready_i(m_wqe_ready_i),
    .count_o  (unused_count)
  );

endmodule
