// SPDX-License-Identifier: Apache-2.0
// The device: registers, the receive side and the transmit side, one wire. docs/blocks/hca_top.md.
module hca_top #(
  parameter int unsigned NumQps = 4096,  // a power of two, 32 to 8,192; of keys and receive queues as many
  parameter int unsigned RqDepth = 8,    // WQEs in a receive queue; times NumQps 65,536 at most
  parameter int unsigned SqDepth = 8,    // WQEs in a send queue: a power of two, 2 to 64; times NumQps 65,536 at most
  parameter int unsigned Reads = 4,      // outstanding READs and atomics of a QP, 1 to 16
  parameter int unsigned DataWidth = 512,
  parameter int unsigned CounterLow = 32,
  parameter int unsigned FlowWidth = 16,
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // Configuration, constant from reset on.
  input  logic [15:0]                      cycles_per_tick_i,
  input  logic [31:0]                      tick_step_i,
  input  logic                             retry7_forever_i,

  input  logic [11:0]                       s_axil_awaddr_i,
  input  logic                              s_axil_awvalid_i,
  output logic                              s_axil_awready_o,
  input  logic [31:0]                       s_axil_wdata_i,
  input  logic [3:0]                        s_axil_wstrb_i,
  input  logic                              s_axil_wvalid_i,
  output logic                              s_axil_wready_o,
  output logic [1:0]                        s_axil_bresp_o,
  output logic                              s_axil_bvalid_o,
  input  logic                              s_axil_bready_i,
  input  logic [11:0]                       s_axil_araddr_i,
  input  logic                              s_axil_arvalid_i,
  output logic                              s_axil_arready_o,
  output logic [31:0]                       s_axil_rdata_o,
  output logic [1:0]                        s_axil_rresp_o,
  output logic                              s_axil_rvalid_o,
  input  logic                              s_axil_rready_i,

  input  logic [DataWidth-1:0]             s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]           s_axis_tkeep_i,
  input  logic                             s_axis_tlast_i,
  input  logic [0:0]                       s_axis_tuser_i,
  input  logic                             s_axis_tvalid_i,
  output logic                             s_axis_tready_o,

  input  logic [7:0]                       s_mem_tag_i,
  input  logic                             s_mem_error_i,
  input  logic                             s_mem_valid_i,
  output logic                             s_mem_ready_o,

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
  input  logic [6:0]                       s_rd_tuser_i,  // tag 6, error 1
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

  output logic [23:0]                      m_end_qpn_o,
  output logic [23:0]                      m_end_psn_o,
  output logic [23:0]                      m_end_count_o,
  output logic [2:0]                       m_end_status_o,
  output logic                             m_end_valid_o,
  input  logic                             m_end_ready_i,

  input  logic [23:0]                      s_post_qpn_i,
  input  logic                             s_post_done_i,
  input  logic [5:0]                       s_post_slot_i,
  input  logic                             s_post_fail_i,
  input  logic [3:0]                       s_post_status_i,
  input  logic [31:0]                      s_post_wqe_i,
  input  logic [3:0]                       s_post_verb_i,
  input  logic [5:0]                       s_post_flags_i,
  input  logic [31:0]                      s_post_length_i,
  input  logic [63:0]                      s_post_va_i,
  input  logic [31:0]                      s_post_rkey_i,
  input  logic [31:0]                      s_post_imm_i,
  input  logic [63:0]                      s_post_swap_add_i,
  input  logic [63:0]                      s_post_compare_i,
  input  logic [31:0]                      s_post_qkey_i,
  input  logic [63:0]                      s_post_list_i,
  input  logic [4:0]                       s_post_entries_i,
  input  logic                             s_post_valid_i,
  output logic                             s_post_ready_o,

  input  logic [31:0]                      s_time_ticks_i,
  input  logic                             s_time_valid_i,
  output logic                             s_time_ready_o,

  output logic [5:0]                       m_txd_tag_o,
  output logic [8:0]                       m_txd_bytes_o,
  output logic [63:0]                      m_txd_address_o,
  output logic                             m_txd_valid_o,
  input  logic                             m_txd_ready_i,

  input  logic [DataWidth-1:0]             s_txd_tdata_i,
  input  logic [DataWidth/8-1:0]           s_txd_tkeep_i,
  input  logic [6:0]                       s_txd_tuser_i,  // tag 6, error 1
  input  logic                             s_txd_tlast_i,
  input  logic                             s_txd_tvalid_i,
  output logic                             s_txd_tready_o,

  output logic [23:0]                      m_scqe_qpn_o,
  output logic [31:0]                      m_scqe_wqe_o,
  output logic [3:0]                       m_scqe_status_o,
  output logic [3:0]                       m_scqe_verb_o,
  output logic [31:0]                      m_scqe_length_o,
  output logic                             m_scqe_valid_o,
  input  logic                             m_scqe_ready_i,

  output logic [23:0]                      m_local_qpn_o,
  output logic [5:0]                       m_local_slot_o,
  output logic [3:0]                       m_local_verb_o,
  output logic [31:0]                      m_local_rkey_o,
  output logic [63:0]                      m_local_va_o,
  output logic [31:0]                      m_local_length_o,
  output logic [31:0]                      m_local_imm_o,
  output logic [31:0]                      m_local_qkey_o,
  output logic [63:0]                      m_local_list_o,
  output logic                             m_local_valid_o,
  input  logic                             m_local_ready_i,

  input  logic [7:0]                       s_place_tag_i,
  input  logic                             s_place_error_i,
  input  logic                             s_place_valid_i,
  output logic                             s_place_ready_o,

  output logic [7:0]                       m_place_tag_o,
  output logic [15:0]                      m_place_bytes_o,
  output logic [63:0]                      m_place_address_o,
  output logic                             m_place_valid_o,
  input  logic                             m_place_ready_i,

  output logic [DataWidth-1:0]             m_pdata_tdata_o,
  output logic [DataWidth/8-1:0]           m_pdata_tkeep_o,
  output logic                             m_pdata_tlast_o,
  output logic                             m_pdata_tvalid_o,
  input  logic                             m_pdata_tready_i
);

  logic [qpc_pkg::DataWidth-1:0] op_data;
  logic [3:0] op_target, rec_dropped;
  logic [4:0] rec_why;
  logic [2:0] gate_why, rec_class, rec_verdict, rec_answer;
  logic op_valid, op_ready, for_rx, removed, closed, gate_valid, gate_ready, rec_valid, rec_ready;
  logic event_valid, event_ready, tx_op_ready;
  qpc_pkg::event_t event_now;

  assign for_rx = op_target < qpc_pkg::ToCheck;

  qp_ctl_axil #(
    .NumQps    (NumQps),
    .CounterLow(CounterLow),
    .FlowWidth (FlowWidth),
    .RamStyle  (RamStyle)
  ) u_registers (
    .clk_i, .rst_ni,
    .s_event_enters_i(event_now.enters),
    .s_event_leaves_i(event_now.leaves),
    .s_event_closed_i(event_now.closed),
    .s_event_counts_i(event_now.counts),
    .s_event_reason_i(event_now.reason),
    .s_event_valid_i (event_valid),
    .s_event_ready_o (event_ready),
    .s_axil_awaddr_i, .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_wdata_i, .s_axil_wstrb_i, .s_axil_wvalid_i,
    .s_axil_wready_o, .s_axil_bresp_o, .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_araddr_i, .s_axil_arvalid_i,
    .s_axil_arready_o, .s_axil_rdata_o, .s_axil_rresp_o, .s_axil_rvalid_o, .s_axil_rready_i,
    .m_op_target_o   (op_target),
    .m_op_data_o     (op_data),
    .m_op_valid_o    (op_valid),
    .m_op_ready_i    (for_rx ? op_ready : tx_op_ready)
  );

  hca_top_events u_events (
    .clk_i, .rst_ni,
    .s_gate_why_i   (gate_why),
    .s_gate_valid_i (gate_valid),
    .s_gate_ready_o (gate_ready),
    .s_rec_class_i  (rec_class),
    .s_rec_dropped_i(rec_dropped),
    .s_rec_verdict_i(rec_verdict),
    .s_rec_why_i    (rec_why),
    .s_rec_valid_i  (rec_valid),
    .s_rec_ready_o  (rec_ready),
    .removed_i      (closed),
    .m_event_o      (event_now),
    .m_event_valid_o(event_valid),
    .m_event_ready_i(event_ready)
  );

  logic due, through, unused_answer;

  assign unused_answer = ^rec_answer;

  hca_top_drain u_drain (
    .clk_i, .rst_ni,
    .enters_i (gate_valid & gate_ready & gate_why == '0),
    .leaves_i (rec_valid & rec_ready),
    .due_i    (due),
    .through_i(through),
    .removed_i(removed),
    .closed_o (closed)
  );

`ifdef VERILATOR
  classify_pkg::query_t removal;

  assign removal = op_data[$bits(removal)-1:0];

  hca_top_owes #(
    .NumQps(NumQps)
  ) u_owes (
    .clk_i, .rst_ni,
    .due_i        (due),
    .due_qpn_i    (u_rx.work.answer.qpn),
    .through_i    (through),
    .through_qpn_i(u_rx.u_serve.u_order.turn.answer.qpn),
    .op_valid_i   (op_valid && op_target == 4'(hca_rx_pkg::ToClassify)),
    .op_i         (removal),
    .closed_i     (closed)
  );
`endif

  // ---------------------------------------------------------------------------------------------------------------
  // The receive side: all that depends on its ports stands here.

  hca_tx_pkg::response_t resp;
  logic [23:0] cnp_qpn;
  logic resp_valid, resp_ready, cnp_valid, cnp_ready;
  logic [DataWidth-1:0] rx_data, tx_data;
  logic [DataWidth/8-1:0] rx_keep, tx_keep;
  logic [hca_pkg::VerdictWidth-1:0] rx_user, tx_user;
  logic rx_last, rx_valid, rx_ready, tx_last, tx_valid, tx_ready;
  logic [DataWidth-1:0] brings_data;  // payload of responses
  logic [DataWidth/8-1:0] brings_keep;
  logic brings_last, brings_valid, brings_ready;

  logic [1:0] unused_gate_icrc;
  logic [2:0] unused_gate_encap;
  logic [3:0] unused_gate_reason;
  logic [23:0] unused_rec_qpn, unused_rec_psn;
  logic unused_rec_complete, unused_rec_placed;
  logic [63:0] unused_rec_address;
  logic [31:0] unused_rec_offset, unused_rec_wqe;

  hca_rx #(
    .NumQps   (NumQps),
    .RqDepth  (RqDepth),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_rx (
    .clk_i, .rst_ni,
    .s_axis_tdata_i, .s_axis_tkeep_i, .s_axis_tlast_i, .s_axis_tuser_i, .s_axis_tvalid_i, .s_axis_tready_o,
    .s_op_target_i(op_target),
    .s_op_data_i(op_data),
    .s_op_valid_i(op_valid & for_rx),
    .s_op_ready_o(op_ready),
    .s_mem_tag_i, .s_mem_error_i, .s_mem_valid_i, .s_mem_ready_o,
    .m_gate_why_o(gate_why),
    .m_gate_icrc_o(unused_gate_icrc),
    .m_gate_encap_o(unused_gate_encap),
    .m_gate_reason_o(unused_gate_reason),
    .m_gate_valid_o(gate_valid),
    .m_gate_ready_i(gate_ready),
    .m_rec_qpn_o(unused_rec_qpn),
    .m_rec_psn_o(unused_rec_psn),
    .m_rec_class_o(rec_class),
    .m_rec_dropped_o(rec_dropped),
    .m_rec_verdict_o(rec_verdict),
    .m_rec_why_o(rec_why),
    .m_rec_answer_o(rec_answer),
    .m_rec_complete_o(unused_rec_complete),
    .m_rec_placed_o(unused_rec_placed),
    .m_rec_address_o(unused_rec_address),
    .m_rec_offset_o(unused_rec_offset),
    .m_rec_wqe_o(unused_rec_wqe),
    .m_rec_valid_o(rec_valid),
    .m_rec_ready_i(rec_ready),
    .m_mem_tag_o, .m_mem_bytes_o, .m_mem_address_o, .m_mem_valid_o, .m_mem_ready_i,
    .m_data_tdata_o, .m_data_tkeep_o, .m_data_tlast_o, .m_data_tvalid_o, .m_data_tready_i,
    .m_cqe_cleared_o, .m_cqe_complete_o, .m_cqe_failed_o, .m_cqe_solicited_o, .m_cqe_status_o, .m_cqe_qpn_o,
    .m_cqe_psn_o, .m_cqe_wqe_o, .m_cqe_length_o, .m_cqe_has_immediate_o, .m_cqe_immediate_o, .m_cqe_valid_o,
    .m_cqe_ready_i,
    .m_axis_tdata_o (rx_data),
    .m_axis_tkeep_o (rx_keep),
    .m_axis_tlast_o (rx_last),
    .m_axis_tuser_o (rx_user),
    .m_axis_tvalid_o(rx_valid),
    .m_axis_tready_i(rx_ready),
    .s_rd_tdata_i, .s_rd_tkeep_i, .s_rd_tuser_i, .s_rd_tlast_i, .s_rd_tvalid_i, .s_rd_tready_o,
    .m_rd_tag_o, .m_rd_bytes_o, .m_rd_address_o, .m_rd_valid_o, .m_rd_ready_i,
    .s_ard_tag_i, .s_ard_error_i, .s_ard_data_i, .s_ard_valid_i, .s_ard_ready_o,
    .m_ard_tag_o, .m_ard_address_o, .m_ard_valid_o, .m_ard_ready_i,
    .s_awr_tag_i, .s_awr_error_i, .s_awr_valid_i, .s_awr_ready_o,
    .m_awr_tag_o, .m_awr_address_o,
    .m_awr_data_o, .m_awr_valid_o, .m_awr_ready_i,
    .due_o(due),
    .through_o(through),
    .m_end_qpn_o, .m_end_psn_o, .m_end_count_o, .m_end_status_o, .m_end_valid_o, .m_end_ready_i,
    .m_resp_qpn_o     (resp.qpn),
    .m_resp_psn_o     (resp.psn),
    .m_resp_number_o  (resp.number),
    .m_resp_payload_o (resp.payload),
    .m_resp_opcode_o  (resp.opcode),
    .m_resp_syndrome_o(resp.syndrome),
    .m_resp_pad_o     (resp.pad),
    .m_resp_original_o(resp.original),
    .m_resp_valid_o   (resp_valid),
    .m_resp_ready_i   (resp_ready),
    .m_cnp_qpn_o      (cnp_qpn),
    .m_cnp_valid_o    (cnp_valid),
    .m_cnp_ready_i    (cnp_ready),
    .m_brings_tdata_o(brings_data), .m_brings_tkeep_o(brings_keep), .m_brings_tlast_o(brings_last),
    .m_brings_tvalid_o(brings_valid), .m_brings_tready_i(brings_ready),
    .removed_o(removed)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // The transmit side.

  retire_pkg::query_t post;
  logic [hca_tx_pkg::OpWidth-1:0] tx_op_data;
  logic [2:0] tx_op_target;
  logic to_tx_valid, to_tx_ready;

  always_comb begin
    post                = '0;
    post.qpn            = s_post_qpn_i;
    post.slot           = s_post_slot_i;
    post.fail           = s_post_fail_i;
    post.status         = s_post_status_i;
    post.wqe.wqe        = s_post_wqe_i;
    post.wqe.verb       = s_post_verb_i;
    post.wqe.signaled   = s_post_flags_i[0];
    post.wqe.more_flags = s_post_flags_i[5:1];
    post.wqe.length     = s_post_length_i;
    post.wqe.va         = s_post_va_i;
    post.wqe.rkey       = s_post_rkey_i;
    post.wqe.imm        = s_post_imm_i;
    post.wqe.swap_add   = s_post_swap_add_i;
    post.wqe.compare    = s_post_compare_i;
    post.wqe.qkey       = s_post_qkey_i;
    post.wqe.gather     = s_post_list_i;
    post.wqe.entries    = s_post_entries_i;
  end

  hca_top_ops u_ops (
    .clk_i, .rst_ni,
    .s_op_target_i (op_target),
    .s_op_data_i   (op_data),
    .s_op_valid_i  (op_valid & ~for_rx),
    .s_op_ready_o  (tx_op_ready),
    .s_post_done_i,
    .s_post_i      (post),
    .s_post_valid_i, .s_post_ready_o,
    .s_time_ticks_i, .s_time_valid_i, .s_time_ready_o,
    .m_op_target_o (tx_op_target),
    .m_op_data_o   (tx_op_data),
    .m_op_valid_o  (to_tx_valid),
    .m_op_ready_i  (to_tx_ready)
  );

  hca_tx #(
    .NumQps   (NumQps),
    .SqDepth  (SqDepth),
    .Reads    (Reads),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_tx (
    .clk_i, .rst_ni,
    .cycles_per_tick_i,
    .tick_step_i,
    .retry7_forever_i,
    .s_op_target_i    (tx_op_target),
    .s_op_data_i      (tx_op_data),
    .s_op_valid_i     (to_tx_valid),
    .s_op_ready_o     (to_tx_ready),
    .s_resp_qpn_i     (resp.qpn),
    .s_resp_psn_i     (resp.psn),
    .s_resp_number_i  (resp.number),
    .s_resp_payload_i (resp.payload),
    .s_resp_opcode_i  (resp.opcode),
    .s_resp_syndrome_i(resp.syndrome),
    .s_resp_pad_i     (resp.pad),
    .s_resp_original_i(resp.original),
    .s_resp_valid_i   (resp_valid),
    .s_resp_ready_o   (resp_ready),
    .s_cnp_qpn_i      (cnp_qpn),
    .s_cnp_valid_i    (cnp_valid),
    .s_cnp_ready_o    (cnp_ready),
    .m_txd_tag_o, .m_txd_bytes_o, .m_txd_address_o, .m_txd_valid_o, .m_txd_ready_i,
    .s_txd_tdata_i, .s_txd_tkeep_i, .s_txd_tuser_i, .s_txd_tlast_i, .s_txd_tvalid_i, .s_txd_tready_o,
    .m_axis_tdata_o   (tx_data),
    .m_axis_tkeep_o   (tx_keep),
    .m_axis_tlast_o   (tx_last),
    .m_axis_tuser_o   (tx_user),
    .m_axis_tvalid_o  (tx_valid),
    .m_axis_tready_i  (tx_ready),
    .m_cqe_qpn_o      (m_scqe_qpn_o),
    .m_cqe_wqe_o      (m_scqe_wqe_o),
    .m_cqe_status_o   (m_scqe_status_o),
    .m_cqe_verb_o     (m_scqe_verb_o),
    .m_cqe_length_o   (m_scqe_length_o),
    .m_cqe_valid_o    (m_scqe_valid_o),
    .m_cqe_ready_i    (m_scqe_ready_i),
    .m_local_qpn_o, .m_local_slot_o, .m_local_verb_o, .m_local_rkey_o, .m_local_va_o, .m_local_length_o,
    .m_local_imm_o, .m_local_qkey_o, .m_local_list_o, .m_local_valid_o,
    .m_local_ready_i,
    .s_data_tdata_i(brings_data), .s_data_tkeep_i(brings_keep), .s_data_tlast_i(brings_last),
    .s_data_tvalid_i(brings_valid), .s_data_tready_o(brings_ready),
    .s_mem_tag_i(s_place_tag_i), .s_mem_error_i(s_place_error_i), .s_mem_valid_i(s_place_valid_i),
    .s_mem_ready_o(s_place_ready_o),
    .m_mem_tag_o(m_place_tag_o), .m_mem_bytes_o(m_place_bytes_o), .m_mem_address_o(m_place_address_o),
    .m_mem_valid_o(m_place_valid_o), .m_mem_ready_i(m_place_ready_i),
    .m_data_tdata_o(m_pdata_tdata_o), .m_data_tkeep_o(m_pdata_tkeep_o), .m_data_tlast_o(m_pdata_tlast_o),
    .m_data_tvalid_o(m_pdata_tvalid_o), .m_data_tready_i(m_pdata_tready_i)
  );

  hca_top_wire #(
    .DataWidth(DataWidth)
  ) u_wire (
    .clk_i, .rst_ni,
    .s_rx_tdata_i (rx_data),
    .s_rx_tkeep_i (rx_keep),
    .s_rx_tlast_i (rx_last),
    .s_rx_tuser_i (rx_user),
    .s_rx_tvalid_i(rx_valid),
    .s_rx_tready_o(rx_ready),
    .s_tx_tdata_i (tx_data),
    .s_tx_tkeep_i (tx_keep),
    .s_tx_tlast_i (tx_last),
    .s_tx_tuser_i (tx_user),
    .s_tx_tvalid_i(tx_valid),
    .s_tx_tready_o(tx_ready),
    .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tuser_o, .m_axis_tvalid_o,
    .m_axis_tready_i
  );

endmodule
