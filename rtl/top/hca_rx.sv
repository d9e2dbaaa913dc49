// SPDX-License-Identifier: Apache-2.0
// The responder, as far as it is joined: docs/blocks/hca_rx.md, and docs/pipeline.md for the whole.
// Records go from block to block through queues; what a block does not need of a packet waits beside it in another one
// and is its head when the block's record comes. Every block's input is the choice of an operation or a packet.
module hca_rx #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 8,192; of keys and receive queues as many
  parameter int unsigned RqDepth = 8,    // WQEs in a receive queue; times NumQps 65,536 at most
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Ecc = 0,        // 1: the context memories that docs/ecc.md names have a code
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
  input  logic [0:0]                       s_axis_tuser_i,
  input  logic                             s_axis_tvalid_i,
  output logic                             s_axis_tready_o,

  input  logic [hca_rx_pkg::TargetWidth-1:0] s_op_target_i,
  input  logic [563:0]                     s_op_data_i,
  input  logic                             s_op_valid_i,
  output logic                             s_op_ready_o,

  input  logic [7:0]                       s_mem_tag_i,
  input  logic                             s_mem_error_i,
  input  logic                             s_mem_valid_i,
  output logic                             s_mem_ready_o,

  output logic [2:0]                       m_gate_why_o,
  output logic [1:0]                       m_gate_icrc_o,
  output logic [2:0]                       m_gate_encap_o,
  output logic [3:0]                       m_gate_reason_o,
  output logic                             m_gate_valid_o,
  input  logic                             m_gate_ready_i,

  output logic [23:0]                      m_rec_qpn_o,
  output logic [23:0]                      m_rec_psn_o,
  output logic [2:0]                       m_rec_class_o,
  output logic [3:0]                       m_rec_dropped_o,
  output logic [2:0]                       m_rec_verdict_o,
  output logic [4:0]                       m_rec_why_o,
  output logic [2:0]                       m_rec_answer_o,
  output logic                             m_rec_complete_o,
  output logic                             m_rec_placed_o,
  output logic [63:0]                      m_rec_address_o,
  output logic [31:0]                      m_rec_offset_o,
  output logic [31:0]                      m_rec_wqe_o,
  output logic                             m_rec_valid_o,
  input  logic                             m_rec_ready_i,

  output logic [7:0]                       m_mem_tag_o,
  output logic [15:0]                      m_mem_bytes_o,
  output logic [63:0]                      m_mem_address_o,
  output logic                             m_mem_valid_o,
  input  logic                             m_mem_ready_i,

  output logic [DataWidth-1:0]             m_data_tdata_o,
  output logic [DataWidth/8-1:0]           m_data_tkeep_o,
  output logic                             m_data_tlast_o,
  output logic                             m_data_tvalid_o,
  input  logic                             m_data_tready_i,

  output logic                             m_cqe_cleared_o,
  output logic                             m_cqe_complete_o,
  output logic                             m_cqe_failed_o,
  output logic                             m_cqe_solicited_o,
  output logic [3:0]                       m_cqe_status_o,
  output logic [23:0]                      m_cqe_qpn_o,
  output logic [23:0]                      m_cqe_psn_o,
  output logic [31:0]                      m_cqe_wqe_o,
  output logic [31:0]                      m_cqe_length_o,
  output logic                             m_cqe_has_immediate_o,
  output logic [31:0]                      m_cqe_immediate_o,
  output logic                             m_cqe_valid_o,
  input  logic                             m_cqe_ready_i,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i,

  input  logic [DataWidth-1:0]             s_rd_tdata_i,
  input  logic [DataWidth/8-1:0]           s_rd_tkeep_i,
  input  logic [6:0]                       s_rd_tuser_i,
  input  logic                             s_rd_tlast_i,
  input  logic                             s_rd_tvalid_i,
  output logic                             s_rd_tready_o,

  output logic [5:0]                       m_rd_tag_o,
  output logic [8:0]                       m_rd_bytes_o,
  output logic [63:0]                      m_rd_address_o,
  output logic                             m_rd_valid_o,
  input  logic                             m_rd_ready_i,

  input  logic [5:0]                       s_ard_tag_i,
  input  logic                             s_ard_error_i,
  input  logic [63:0]                      s_ard_data_i,
  input  logic                             s_ard_valid_i,
  output logic                             s_ard_ready_o,

  output logic [5:0]                       m_ard_tag_o,
  output logic [63:0]                      m_ard_address_o,
  output logic                             m_ard_valid_o,
  input  logic                             m_ard_ready_i,

  input  logic [5:0]                       s_awr_tag_i,
  input  logic                             s_awr_error_i,
  input  logic                             s_awr_valid_i,
  output logic                             s_awr_ready_o,

  output logic [5:0]                       m_awr_tag_o,
  output logic [63:0]                      m_awr_address_o,
  output logic [63:0]                      m_awr_data_o,
  output logic                             m_awr_valid_o,
  input  logic                             m_awr_ready_i,

  output logic                             due_o,      // an answer is due: for hca_top, as the next one
  output logic                             through_o,  // one has gone to ack_gen, or leads to none
  output logic [23:0]                      m_end_qpn_o,
  output logic [23:0]                      m_end_psn_o,
  output logic [23:0]                      m_end_count_o,
  output logic [2:0]                       m_end_status_o,
  output logic                             m_end_valid_o,
  input  logic                             m_end_ready_i,

  // For hca_top: responses and CNPs go on to the requester; and rx_classify answered a remove.
  output logic [23:0]                      m_resp_qpn_o,
  output logic [23:0]                      m_resp_psn_o,
  output logic [23:0]                      m_resp_number_o,
  output logic [12:0]                      m_resp_payload_o,
  output logic [7:0]                       m_resp_opcode_o,
  output logic [7:0]                       m_resp_syndrome_o,
  output logic [1:0]                       m_resp_pad_o,
  output logic [63:0]                      m_resp_original_o,
  output logic                             m_resp_valid_o,
  input  logic                             m_resp_ready_i,

  output logic [23:0]                      m_cnp_qpn_o,
  output logic                             m_cnp_valid_o,
  input  logic                             m_cnp_ready_i,

  // Payload of responses, in their order.
  output logic [DataWidth-1:0]             m_brings_tdata_o,
  output logic [DataWidth/8-1:0]           m_brings_tkeep_o,
  output logic                             m_brings_tlast_o,
  output logic                             m_brings_tvalid_o,
  input  logic                             m_brings_tready_i,

  output logic                             removed_o
);

  rx_pkg::header_t hdr;
  hca_rx_pkg::way_t way;
  hca_rx_pkg::notice_t notice;
  hca_rx_pkg::request_t req, issued;
  hca_rx_pkg::located_t located;
  hca_rx_pkg::settled_t settled;
  hca_rx_pkg::told_t told;
  msg_pkg::query_t message;
  rq_pkg::query_t take;
  rq_pkg::result_t wqe;
  mr_pkg::query_t key;
  resp_pkg::result_t res;
  hca_rx_pkg::work_t work;
  ack_pkg::record_t answer;
  hca_tx_pkg::response_t heard;
  hca_rx_pkg::outcome_t outcome;
  hca_rx_pkg::ended_t ended;
  logic [hca_rx_pkg::CountWidth-1:0] writes;
  dma_pkg::cmd_t memory;
  dma_pkg::write_t write;
  dma_pkg::record_t cqe;
  logic [hca_rx_pkg::OpWidth-1:0] op;
  logic [hca_rx_pkg::Targets-1:0] op_to, op_ready;
  logic [DataWidth-1:0] p_data, r_data;  // of what came, and of READ responses
  logic [DataWidth/8-1:0] p_keep, r_keep;
  logic [23:0] done_qpn, failed_qpn;
  logic brings, brings_valid, brings_ready, w_valid, w_ready;  // whose payload is the requester's; rx_dma's
  logic r_last, r_valid, r_ready, p_last, p_valid, p_ready, hdr_valid, hdr_ready, notice_valid, notice_ready,
        way_valid, way_ready, req_valid, req_ready, issued_valid, issued_ready, locate_ready, seek_ready,
        located_valid, located_ready, wqe_valid, wqe_ready, message_valid, message_ready, take_valid, take_ready,
        key_valid, key_ready, done_valid, done_ready, res_valid, res_ready, memory_valid, memory_ready,
        failed_valid, failed_ready, answer_valid, answer_ready, work_valid, work_ready, outcome_valid, outcome_ready;

  hca_rx_front #(.DataWidth(DataWidth)) u_front (
    .clk_i,
    .rst_ni,
    .s_axis_tdata_i, .s_axis_tkeep_i, .s_axis_tlast_i, .s_axis_tuser_i, .s_axis_tvalid_i, .s_axis_tready_o,
    .m_gate_why_o, .m_gate_icrc_o, .m_gate_encap_o, .m_gate_reason_o, .m_gate_valid_o, .m_gate_ready_i,
    .m_hdr_o        (hdr),
    .m_hdr_valid_o  (hdr_valid),
    .m_hdr_ready_i  (hdr_ready),
    .m_axis_tdata_o (p_data),
    .m_axis_tkeep_o (p_keep),
    .m_axis_tlast_o (p_last),
    .m_axis_tvalid_o(p_valid),
    .m_axis_tready_i(p_ready)
  );

  hca_rx_ops u_ops (
    .clk_i,
    .rst_ni,
    .s_op_target_i, .s_op_data_i, .s_op_valid_i, .s_op_ready_o,
    .data_o (op),
    .to_o   (op_to),
    .ready_i(op_ready)
  );

  hca_rx_admit #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_admit (
    .clk_i,
    .rst_ni,
    .s_hdr_i      (hdr),
    .s_hdr_valid_i(hdr_valid),
    .s_hdr_ready_o(hdr_ready),
    .op_i         (op),
    .op_valid_i   (op_to[hca_rx_pkg::ToClassify]),
    .op_ready_o   (op_ready[hca_rx_pkg::ToClassify]),
    .m_way_o      (way),
    .m_way_valid_o(way_valid),
    .m_way_ready_i(way_ready),
    .notify_op_i      (op),
    .notify_op_valid_i(op_to[hca_rx_pkg::ToNotify]),
    .notify_op_ready_o(op_ready[hca_rx_pkg::ToNotify]),
    .m_notice_o       (notice),
    .m_notice_valid_o (notice_valid),
    .m_notice_ready_i (notice_ready),
    .m_req_o      (req),
    .m_req_valid_o(req_valid),
    .m_req_ready_i(req_ready),
    .m_resp_o     (heard),
    .m_resp_valid_o, .m_resp_ready_i,
    .m_cnp_qpn_o, .m_cnp_valid_o, .m_cnp_ready_i,
    .removed_o
  );

  assign {m_resp_original_o, m_resp_pad_o, m_resp_syndrome_o, m_resp_opcode_o, m_resp_payload_o, m_resp_number_o,
          m_resp_psn_o, m_resp_qpn_o} = heard;

  // ---------------------------------------------------------------------------------------------------------------
  // What a request depends on is asked ahead of its verdict: of message and key, and of the receive queue beside them.

  hca_rx_issue u_issue (
    .clk_i,
    .rst_ni,
    .s_req_i       (req),
    .s_req_valid_i (req_valid),
    .s_req_ready_o (req_ready),
    .s_done_qpn_i  (done_qpn),
    .s_done_valid_i(done_valid),
    .s_done_ready_o(done_ready),
    .m_req_o       (issued),
    .m_req_valid_o (issued_valid),
    .m_req_ready_i (issued_ready)
  );

  assign issued_ready = locate_ready & seek_ready;

  hca_rx_lookup #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_lookup (
    .clk_i,
    .rst_ni,
    .s_req_i           (issued),
    .s_req_valid_i     (issued_valid & issued_ready),
    .s_req_ready_o     (locate_ready),
    .message_i         (message),
    .message_valid_i   (message_valid),
    .message_ready_o   (message_ready),
    .key_i             (key),
    .key_valid_i       (key_valid),
    .key_ready_o       (key_ready),
    .op_i              (op),
    .message_op_valid_i(op_to[hca_rx_pkg::ToMessages]),
    .message_op_ready_o(op_ready[hca_rx_pkg::ToMessages]),
    .key_op_valid_i    (op_to[hca_rx_pkg::ToKeys]),
    .key_op_ready_o    (op_ready[hca_rx_pkg::ToKeys]),
    .m_req_o           (located),
    .m_req_valid_o     (located_valid),
    .m_req_ready_i     (located_ready)
  );

  hca_rx_wqe #(
    .NumQps  (NumQps),
    .RqDepth (RqDepth),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_wqe (
    .clk_i, .rst_ni,
    .s_req_i      (issued),
    .s_req_valid_i(issued_valid & issued_ready),
    .s_req_ready_o(seek_ready),
    .take_i       (take),
    .take_valid_i (take_valid),
    .take_ready_o (take_ready),
    .op_i         (op),
    .op_valid_i   (op_to[hca_rx_pkg::ToReceiveQueues]),
    .op_ready_o   (op_ready[hca_rx_pkg::ToReceiveQueues]),
    .m_wqe_o      (wqe),
    .m_wqe_valid_o(wqe_valid),
    .m_wqe_ready_i(wqe_ready)
  );

  hca_rx_verdict #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_verdict (
    .clk_i,
    .rst_ni,
    .s_req_i      (located),
    .s_req_valid_i(located_valid),
    .s_req_ready_o(located_ready),
    .s_wqe_i      (wqe),
    .s_wqe_valid_i(wqe_valid),
    .s_wqe_ready_o(wqe_ready),
    .op_i         (op),
    .op_valid_i   (op_to[hca_rx_pkg::ToVerdict]),
    .op_ready_o   (op_ready[hca_rx_pkg::ToVerdict]),
    .s_outcome_i      (outcome),
    .s_outcome_valid_i(outcome_valid),
    .s_outcome_ready_o(outcome_ready),
    .m_res_o      (res),
    .m_req_o      (settled),
    .m_res_valid_o(res_valid),
    .m_res_ready_i(res_ready)
  );

  hca_rx_commit u_commit (
    .clk_i,
    .rst_ni,
    .s_way_i          (way),
    .s_way_valid_i    (way_valid),
    .s_way_ready_o    (way_ready),
    .s_notice_i       (notice),
    .s_notice_valid_i (notice_valid),
    .s_notice_ready_o (notice_ready),
    .s_res_i          (res),
    .s_req_i          (settled),
    .s_res_valid_i    (res_valid),
    .s_res_ready_o    (res_ready),
    .m_message_o      (message),
    .m_message_valid_o(message_valid),
    .m_message_ready_i(message_ready),
    .m_take_o         (take),
    .m_take_valid_o   (take_valid),
    .m_take_ready_i   (take_ready),
    .m_key_o          (key),
    .m_key_valid_o    (key_valid),
    .m_key_ready_i    (key_ready),
    .m_done_qpn_o     (done_qpn),
    .m_done_valid_o   (done_valid),
    .m_done_ready_i   (done_ready),
    .m_memory_o       (memory),
    .m_memory_valid_o (memory_valid),
    .m_memory_ready_i (memory_ready),
    .m_heard_o(brings), .m_heard_valid_o(brings_valid), .m_heard_ready_i(brings_ready),
    .m_work_o         (work),
    .m_work_valid_o   (work_valid),
    .m_work_ready_i   (work_ready),
    .writes_o         (writes),
    .m_rec_o          (told),
    .m_rec_valid_o,
    .m_rec_ready_i
  );

  assign {m_rec_wqe_o, m_rec_offset_o, m_rec_address_o, m_rec_placed_o, m_rec_complete_o, m_rec_answer_o, m_rec_why_o,
          m_rec_verdict_o, m_rec_dropped_o, m_rec_class_o, m_rec_psn_o, m_rec_qpn_o} = told;

  hca_rx_steer u_steer (
    .clk_i, .rst_ni,
    .s_heard_i(brings), .s_heard_valid_i(brings_valid), .s_heard_ready_o(brings_ready),
    .s_axis_tlast_i(p_last), .s_axis_tvalid_i(p_valid), .s_axis_tready_o(p_ready),
    .m_memory_tvalid_o(w_valid), .m_memory_tready_i(w_ready),
    .m_heard_tvalid_o(m_brings_tvalid_o), .m_heard_tready_i(m_brings_tready_i)
  );

  assign {m_brings_tlast_o, m_brings_tkeep_o, m_brings_tdata_o} = {p_last, p_keep, p_data};

  hca_rx_memory #(
    .NumQps   (NumQps),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .s_cmd_i         (memory),
    .s_cmd_valid_i   (memory_valid),
    .s_cmd_ready_o   (memory_ready),
    .op_i            (op),
    .op_valid_i      (op_to[hca_rx_pkg::ToMemory]),
    .op_ready_o      (op_ready[hca_rx_pkg::ToMemory]),
    .s_axis_tdata_i  (p_data),
    .s_axis_tkeep_i  (p_keep),
    .s_axis_tlast_i  (p_last),
    .s_axis_tvalid_i (w_valid),
    .s_axis_tready_o (w_ready),
    .s_mem_tag_i, .s_mem_error_i, .s_mem_valid_i, .s_mem_ready_o,
    .m_mem_o         (write),
    .m_mem_valid_o, .m_mem_ready_i,
    .m_axis_tdata_o  (m_data_tdata_o),
    .m_axis_tkeep_o  (m_data_tkeep_o),
    .m_axis_tlast_o  (m_data_tlast_o),
    .m_axis_tvalid_o (m_data_tvalid_o),
    .m_axis_tready_i (m_data_tready_i),
    .m_cqe_o         (cqe),
    .m_cqe_valid_o, .m_cqe_ready_i,
    .m_failed_qpn_o  (failed_qpn),
    .m_failed_valid_o(failed_valid),
    .m_failed_ready_i(failed_ready)
  );

  assign {m_mem_address_o, m_mem_bytes_o, m_mem_tag_o} = write;
  assign {m_cqe_immediate_o, m_cqe_has_immediate_o, m_cqe_length_o, m_cqe_wqe_o, m_cqe_psn_o, m_cqe_qpn_o,
          m_cqe_status_o, m_cqe_solicited_o, m_cqe_failed_o, m_cqe_complete_o, m_cqe_cleared_o} = cqe;

  // ---------------------------------------------------------------------------------------------------------------
  // Answers in their order: what READs and atomics are asked for, and what leaves next.

  hca_rx_serve #(
    .NumQps   (NumQps),
    .DataWidth(DataWidth),
    .Ecc      (Ecc),
    .RamStyle (RamStyle)
  ) u_serve (
    .clk_i, .rst_ni,
    .s_work_i         (work),
    .s_work_valid_i   (work_valid),
    .s_work_ready_o   (work_ready),
    .writes_i         (writes),
    .ack_tag_i        (s_mem_tag_i),
    .acks_i           (s_mem_valid_i & s_mem_ready_o),
    .op_i             (op),
    .op_valid_i       (op_to[hca_rx_pkg::ToReplay]),
    .op_ready_o       (op_ready[hca_rx_pkg::ToReplay]),
    .s_failed_qpn_i   (failed_qpn),
    .s_failed_valid_i (failed_valid),
    .s_failed_ready_o (failed_ready),
    .m_outcome_o      (outcome),
    .m_outcome_valid_o(outcome_valid),
    .m_outcome_ready_i(outcome_ready),
    .s_rd_tdata_i, .s_rd_tkeep_i, .s_rd_tuser_i, .s_rd_tlast_i, .s_rd_tvalid_i, .s_rd_tready_o,
    .m_rd_tag_o, .m_rd_bytes_o, .m_rd_address_o, .m_rd_valid_o, .m_rd_ready_i,
    .s_ard_tag_i, .s_ard_error_i, .s_ard_data_i, .s_ard_valid_i, .s_ard_ready_o, .m_ard_tag_o,
    .m_ard_address_o, .m_ard_valid_o, .m_ard_ready_i, .s_awr_tag_i, .s_awr_error_i, .s_awr_valid_i,
    .s_awr_ready_o, .m_awr_tag_o, .m_awr_address_o, .m_awr_data_o, .m_awr_valid_o, .m_awr_ready_i,
    .m_answer_o       (answer),
    .m_answer_valid_o (answer_valid),
    .m_answer_ready_i (answer_ready),
    .m_axis_tdata_o   (r_data),
    .m_axis_tkeep_o   (r_keep),
    .m_axis_tlast_o   (r_last),
    .m_axis_tvalid_o  (r_valid),
    .m_axis_tready_i  (r_ready),
    .m_end_o          (ended),
    .m_end_valid_o,
    .m_end_ready_i,
    .due_o,
    .through_o
  );

  assign {m_end_status_o, m_end_count_o, m_end_psn_o, m_end_qpn_o} = ended;

  hca_rx_answer #(
    .NumQps   (NumQps),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_answer (
    .clk_i,
    .rst_ni,
    .s_answer_i      (answer),
    .s_answer_valid_i(answer_valid),
    .s_answer_ready_o(answer_ready),
    .s_axis_tdata_i  (r_data),
    .s_axis_tkeep_i  (r_keep),
    .s_axis_tlast_i  (r_last),
    .s_axis_tvalid_i (r_valid),
    .s_axis_tready_o (r_ready),
    .op_i            (op),
    .op_valid_i      (op_to[hca_rx_pkg::ToAnswers]),
    .op_ready_o      (op_ready[hca_rx_pkg::ToAnswers]),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tuser_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i
  );

endmodule
