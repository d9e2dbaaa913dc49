// SPDX-License-Identifier: Apache-2.0
// The requester: docs/blocks/hca_tx.md, and docs/transmit.md for the whole.
//
// A turn of sq_scheduler becomes packets of tx_packetizer (hca_tx_turn), each told to req_ack_check before it leaves as
// a frame (hca_tx_frames).
// What req_ack_check says of what was sent and of responses goes through retry_ctl, in its order, to all whom it
// concerns (hca_tx_retry); verdicts of sq_retire behind what responses brought (hca_tx_place).
module hca_tx #(
  parameter int unsigned NumQps = 4096,  // a power of two, 32 to 65,536
  parameter int unsigned SqDepth = 8,    // send WQEs of a QP: a power of two, 2 to 64; times NumQps 65,536 at most
  parameter int unsigned Reads = 4,      // outstanding READs and atomics of a QP, 1 to 16
  parameter int unsigned DataWidth = 512,
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Configuration, constant from reset on.
  input  logic [15:0]  cycles_per_tick_i,
  input  logic [31:0]  tick_step_i,
  input  logic         retry7_forever_i,

  input  logic [2:0]   s_op_target_i,
  input  logic [541:0] s_op_data_i,
  input  logic         s_op_valid_i,
  output logic         s_op_ready_o,

  input  logic [23:0]  s_resp_qpn_i,
  input  logic [23:0]  s_resp_psn_i,
  input  logic [23:0]  s_resp_number_i,
  input  logic [12:0]  s_resp_payload_i,
  input  logic [7:0]   s_resp_opcode_i,
  input  logic [7:0]   s_resp_syndrome_i,
  input  logic [1:0]   s_resp_pad_i,
  input  logic [63:0]  s_resp_original_i,
  input  logic         s_resp_valid_i,
  output logic         s_resp_ready_o,

  input  logic [23:0]  s_cnp_qpn_i,
  input  logic         s_cnp_valid_i,
  output logic         s_cnp_ready_o,

  output logic [5:0]   m_txd_tag_o,
  output logic [8:0]   m_txd_bytes_o,
  output logic [63:0]  m_txd_address_o,
  output logic         m_txd_valid_o,
  input  logic         m_txd_ready_i,

  input  logic [DataWidth-1:0]             s_txd_tdata_i,
  input  logic [DataWidth/8-1:0]           s_txd_tkeep_i,
  input  logic [6:0]                       s_txd_tuser_i,
  input  logic                             s_txd_tlast_i,
  input  logic                             s_txd_tvalid_i,
  output logic                             s_txd_tready_o,

  output logic [DataWidth-1:0]             m_axis_tdata_o,
  output logic [DataWidth/8-1:0]           m_axis_tkeep_o,
  output logic                             m_axis_tlast_o,
  output logic [hca_pkg::VerdictWidth-1:0] m_axis_tuser_o,
  output logic                             m_axis_tvalid_o,
  input  logic                             m_axis_tready_i,

  output logic [23:0]  m_cqe_qpn_o,
  output logic [31:0]  m_cqe_wqe_o,
  output logic [3:0]   m_cqe_status_o,
  output logic [3:0]   m_cqe_verb_o,
  output logic [31:0]  m_cqe_length_o,
  output logic         m_cqe_valid_o,
  input  logic         m_cqe_ready_i,

  output logic [23:0]  m_local_qpn_o,
  output logic [5:0]   m_local_slot_o,
  output logic [3:0]   m_local_verb_o,
  output logic [31:0]  m_local_rkey_o,
  output logic [63:0]  m_local_va_o,
  output logic [31:0]  m_local_length_o,
  output logic [31:0]  m_local_imm_o,
  output logic [31:0]  m_local_qkey_o,
  output logic [63:0]  m_local_list_o,
  output logic         m_local_valid_o,
  input  logic         m_local_ready_i,

  // Payload of READ responses, in the order of s_resp, and where it goes.
  input  logic [DataWidth-1:0]             s_data_tdata_i,
  input  logic [DataWidth/8-1:0]           s_data_tkeep_i,
  input  logic                             s_data_tlast_i,
  input  logic                             s_data_tvalid_i,
  output logic                             s_data_tready_o,

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
  input  logic                             m_data_tready_i
);

  logic [hca_tx_pkg::OpWidth-1:0] host_op, op;
  logic [hca_tx_pkg::Targets-1:0] host_to, host_ready, op_to, op_ready;
  hca_tx_pkg::response_t resp;
  hca_tx_pkg::packet_t pkt;
  sched_pkg::turn_t turn;
  tx_pkg::rec_t ask, verdict;
  tx_pkg::out_t answer;
  hca_tx_pkg::end_t given;
  hca_tx_pkg::local_t work;
  retire_pkg::query_t look, begun, ends, placed, gone;
  retire_pkg::result_t looked;
  retire_pkg::cqe_t cqe;
  req_pkg::rec_t sent, asked;
  req_pkg::out_t told;
  hca_tx_pkg::note_t sent_note, told_note;
  dma_pkg::write_t write;
  rate_pkg::query_t pace;
  logic [23:0] done_qpn, moved_qpn, posted_qpn, failed_qpn, broken_qpn;
  logic [2:0] done_why;
  logic turn_valid, turn_ready, done_valid, done_ready, ask_valid, ask_ready, answer_valid, verdict_valid;
  logic verdict_ready, moved_valid, moved_ready, posted_valid, posted_ready, look_valid, look_ready, looked_valid;
  logic begun_valid, begun_ready, ends_valid, ends_ready, sent_valid, sent_ready, asked_valid, asked_ready;
  logic told_valid, told_ready, pkt_valid, pkt_ready, pace_valid, pace_ready, slow, slow_valid;
  logic failed_valid, failed_ready, failing, given_valid, given_room, left_good, left_valid, left_ready;
  logic gone_valid, gone_ready, heard_valid, heard_ready, placed_valid, placed_ready, queue_op_valid, queue_op_ready;
  logic broken_valid, broken_ready, holds;

  hca_tx_ops u_ops (
    .clk_i,
    .rst_ni,
    .s_op_target_i,
    .s_op_data_i,
    .s_op_valid_i,
    .s_op_ready_o,
    .data_o (host_op),
    .to_o   (host_to),
    .ready_i(host_ready)
  );

  hca_tx_fail u_fail (
    .clk_i,
    .rst_ni,
    .s_data_i        (host_op),
    .s_to_i          (host_to),
    .s_ready_o       (host_ready),
    .s_failed_qpn_i  (failed_qpn),
    .s_failed_valid_i(failed_valid),
    .s_failed_ready_o(failed_ready),
    .s_broken_qpn_i  (broken_qpn),
    .s_broken_valid_i(broken_valid),
    .s_broken_ready_o(broken_ready),
    .holds_i         (holds),
    .failing_o       (failing),
    .data_o          (op),
    .to_o            (op_to),
    .ready_i         (op_ready)
  );

  assign op_ready[hca_tx_pkg::ToTime] = 1'b1;

  hca_tx_order #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_order (
    .clk_i,
    .rst_ni,
    .op_i            (op),
    .op_valid_i      (op_to[hca_tx_pkg::ToTurns]),
    .op_ready_o      (op_ready[hca_tx_pkg::ToTurns]),
    .s_done_qpn_i    (done_qpn),
    .s_done_why_i    (done_why),
    .s_done_valid_i  (done_valid),
    .s_done_ready_o  (done_ready),
    .s_moved_qpn_i   (moved_qpn),
    .s_moved_valid_i (moved_valid),
    .s_moved_ready_o (moved_ready),
    .s_posted_qpn_i  (posted_qpn),
    .s_posted_valid_i(posted_valid),
    .s_posted_ready_o(posted_ready),
    .m_turn_o        (turn),
    .m_turn_valid_o  (turn_valid),
    .m_turn_ready_i  (turn_ready)
  );

  hca_tx_turn u_turn (
    .clk_i,
    .rst_ni,
    .s_turn_i        (turn),
    .s_turn_valid_i  (turn_valid),
    .s_turn_ready_o  (turn_ready),
    .m_done_qpn_o    (done_qpn),
    .m_done_why_o    (done_why),
    .m_done_valid_o  (done_valid),
    .m_done_ready_i  (done_ready),
    .m_ask_o         (ask),
    .m_ask_valid_o   (ask_valid),
    .m_ask_ready_i   (ask_ready),
    .s_answer_i      (answer),
    .s_answer_valid_i(answer_valid),
    .m_look_o        (look),
    .m_look_valid_o  (look_valid),
    .m_look_ready_i  (look_ready),
    .s_look_i        (looked),
    .s_look_valid_i  (looked_valid),
    .m_begun_o       (begun),
    .m_begun_valid_o (begun_valid),
    .m_begun_ready_i (begun_ready),
    .m_sent_o        (sent),
    .m_note_o        (sent_note),
    .m_sent_valid_o  (sent_valid),
    .m_sent_ready_i  (sent_ready),
    .m_pace_o        (pace),
    .m_pace_valid_o  (pace_valid),
    .m_pace_ready_i  (pace_ready),
    .s_slow_i        (slow),
    .s_slow_valid_i  (slow_valid),
    .m_pkt_o         (pkt),
    .m_pkt_valid_o   (pkt_valid),
    .m_pkt_ready_i   (pkt_ready),
    .m_end_o         (given),
    .m_end_valid_o   (given_valid),
    .m_end_room_i    (given_room),
    .m_local_o       (work),
    .m_local_valid_o,
    .m_local_ready_i
  );

  hca_tx_pace #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_pace (
    .clk_i,
    .rst_ni,
    .op_i            (op),
    .op_valid_i      (op_to[hca_tx_pkg::ToPace]),
    .op_ready_o      (op_ready[hca_tx_pkg::ToPace]),
    .s_cnp_qpn_i,
    .s_cnp_valid_i,
    .s_cnp_ready_o,
    .s_turn_i        (pace),
    .s_turn_valid_i  (pace_valid),
    .s_turn_ready_o  (pace_ready),
    .m_slow_o        (slow),
    .m_answer_valid_o(slow_valid)
  );

  hca_tx_frames #(
    .NumQps   (NumQps),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_frames (
    .clk_i,
    .rst_ni,
    .op_i            (op),
    .op_valid_i      (op_to[hca_tx_pkg::ToFrames]),
    .op_ready_o      (op_ready[hca_tx_pkg::ToFrames]),
    .s_pkt_i         (pkt),
    .s_pkt_valid_i   (pkt_valid),
    .s_pkt_ready_o   (pkt_ready),
    .m_txd_o         ({m_txd_address_o, m_txd_bytes_o, m_txd_tag_o}),
    .m_txd_valid_o,
    .m_txd_ready_i,
    .s_txd_tdata_i,
    .s_txd_tkeep_i,
    .s_txd_tuser_i,
    .s_txd_tlast_i,
    .s_txd_tvalid_i,
    .s_txd_tready_o,
    .m_failed_qpn_o  (failed_qpn),
    .m_failed_valid_o(failed_valid),
    .m_failed_ready_i(failed_ready),
    .m_left_good_o   (left_good),
    .m_left_valid_o  (left_valid),
    .m_left_ready_i  (left_ready),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tuser_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i
  );

  hca_tx_ends u_ends (
    .clk_i,
    .rst_ni,
    .s_end_i          (given),
    .s_end_valid_i    (given_valid),
    .s_end_room_o     (given_room),
    .s_left_good_i    (left_good),
    .s_left_valid_i   (left_valid),
    .s_left_ready_o   (left_ready),
    .failing_i        (failing),
    .m_verdict_o      (gone),
    .m_verdict_valid_o(gone_valid),
    .m_verdict_ready_i(gone_ready)
  );

  hca_tx_packets #(
    .NumQps  (NumQps),
    .SqDepth (SqDepth),
    .RamStyle(RamStyle)
  ) u_packets (
    .clk_i,
    .rst_ni,
    .op_i             (op),
    .op_valid_i       (op_to[hca_tx_pkg::ToPackets]),
    .op_ready_o       (op_ready[hca_tx_pkg::ToPackets]),
    .s_verdict_i      (verdict),
    .s_verdict_valid_i(verdict_valid),
    .s_verdict_ready_o(verdict_ready),
    .s_ask_i          (ask),
    .s_ask_valid_i    (ask_valid),
    .s_ask_ready_o    (ask_ready),
    .m_answer_o       (answer),
    .m_answer_valid_o (answer_valid),
    .m_moved_qpn_o    (moved_qpn),
    .m_moved_valid_o  (moved_valid),
    .m_moved_ready_i  (moved_ready)
  );

  hca_tx_queue #(
    .NumQps  (NumQps),
    .SqDepth (SqDepth),
    .RamStyle(RamStyle)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .op_i             (op),
    .op_valid_i       (queue_op_valid),
    .op_ready_o       (queue_op_ready),
    .s_verdict_i      (placed),
    .s_verdict_valid_i(placed_valid),
    .s_verdict_ready_o(placed_ready),
    .s_end_i          (gone),
    .s_end_valid_i    (gone_valid),
    .s_end_ready_o    (gone_ready),
    .s_begun_i        (begun),
    .s_begun_valid_i  (begun_valid),
    .s_begun_ready_o  (begun_ready),
    .s_look_i         (look),
    .s_look_valid_i   (look_valid),
    .s_look_ready_o   (look_ready),
    .m_look_o         (looked),
    .m_look_valid_o   (looked_valid),
    .m_posted_qpn_o   (posted_qpn),
    .m_posted_valid_o (posted_valid),
    .m_posted_ready_i (posted_ready),
    .m_cqe_o          (cqe),
    .m_cqe_valid_o,
    .m_cqe_ready_i
  );

  hca_tx_check #(
    .NumQps  (NumQps),
    .Reads   (Reads),
    .RamStyle(RamStyle)
  ) u_check (
    .clk_i,
    .rst_ni,
    .op_i          (op),
    .op_valid_i    (op_to[hca_tx_pkg::ToCheck]),
    .op_ready_o    (op_ready[hca_tx_pkg::ToCheck]),
    .s_sent_i      (sent),
    .s_note_i      (sent_note),
    .s_sent_valid_i(sent_valid),
    .s_sent_ready_o(sent_ready),
    .s_ask_i       (asked),
    .s_ask_valid_i (asked_valid),
    .s_ask_ready_o (asked_ready),
    .s_resp_i      (resp),
    .s_resp_valid_i,
    .s_resp_ready_o,
    .m_told_o      (told),
    .m_note_o      (told_note),
    .m_told_valid_o(told_valid),
    .m_told_ready_i(told_ready)
  );

  hca_tx_place #(
    .NumQps   (NumQps),
    .Reads    (Reads),
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_place (
    .clk_i,
    .rst_ni,
    .op_i             (op),
    .op_valid_i       (op_to[hca_tx_pkg::ToQueue]),
    .op_ready_o       (op_ready[hca_tx_pkg::ToQueue]),
    .m_op_valid_o     (queue_op_valid),
    .m_op_ready_i     (queue_op_ready),
    .holds_o          (holds),
    .s_told_i         (told),
    .s_note_i         (told_note),
    .s_told_valid_i   (told_valid),
    .s_told_ready_o   (told_ready),
    .m_told_valid_o   (heard_valid),
    .m_told_ready_i   (heard_ready),
    .s_verdict_i      (ends),
    .s_verdict_valid_i(ends_valid),
    .s_verdict_ready_o(ends_ready),
    .s_data_tdata_i,
    .s_data_tkeep_i,
    .s_data_tlast_i,
    .s_data_tvalid_i,
    .s_data_tready_o,
    .s_mem_i          ({s_mem_error_i, s_mem_tag_i}),
    .s_mem_valid_i,
    .s_mem_ready_o,
    .m_mem_o          (write),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .m_data_tdata_o,
    .m_data_tkeep_o,
    .m_data_tlast_o,
    .m_data_tvalid_o,
    .m_data_tready_i,
    .m_verdict_o      (placed),
    .m_verdict_valid_o(placed_valid),
    .m_verdict_ready_i(placed_ready),
    .m_failed_qpn_o   (broken_qpn),
    .m_failed_valid_o (broken_valid),
    .m_failed_ready_i (broken_ready)
  );

  assign {m_mem_address_o, m_mem_bytes_o, m_mem_tag_o} = write;

  hca_tx_retry #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_retry (
    .clk_i,
    .rst_ni,
    .cycles_per_tick_i,
    .tick_step_i,
    .retry7_forever_i,
    .op_i             (op),
    .op_valid_i       (op_to[hca_tx_pkg::ToRetry]),
    .op_ready_o       (op_ready[hca_tx_pkg::ToRetry]),
    .lapse_valid_i    (op_to[hca_tx_pkg::ToTime]),
    .s_told_i         (told),
    .s_told_valid_i   (heard_valid),
    .s_told_ready_o   (heard_ready),
    .m_packets_o      (verdict),
    .m_packets_valid_o(verdict_valid),
    .m_packets_ready_i(verdict_ready),
    .m_queue_o        (ends),
    .m_queue_valid_o  (ends_valid),
    .m_queue_ready_i  (ends_ready),
    .m_ask_o          (asked),
    .m_ask_valid_o    (asked_valid),
    .m_ask_ready_i    (asked_ready)
  );

  assign resp = {s_resp_original_i, s_resp_pad_i, s_resp_syndrome_i, s_resp_opcode_i, s_resp_payload_i,
                 s_resp_number_i, s_resp_psn_i, s_resp_qpn_i};
  assign {m_local_list_o, m_local_qkey_o, m_local_imm_o, m_local_length_o, m_local_va_o, m_local_rkey_o,
          m_local_verb_o, m_local_slot_o, m_local_qpn_o} = work;
  assign {m_cqe_length_o, m_cqe_verb_o, m_cqe_status_o, m_cqe_wqe_o, m_cqe_qpn_o} = cqe;

`ifdef VERILATOR
  // A packet is noted before it leaves: so many that req_ack_check has been told of have not left. Nobody is told of
  // one of UC or UD.
  logic [7:0] noted_q;
  logic noted, leaves, of_rc;
  assign of_rc  = pkt.opcode[7:5] == 3'd0;
  assign noted  = sent_valid & sent_ready;
  assign leaves = pkt_valid & pkt_ready & of_rc;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) noted_q <= '0;
    else noted_q <= noted_q + 8'(noted) - 8'(leaves);
  end

  noted_before: assert property (@(posedge clk_i) disable iff (!rst_ni) pkt_valid && of_rc |-> noted_q != '0)
  else $error("%m: a packet leaves of which req_ack_check was not told");

  // A WQE of UC or UD ends behind its last packet: that one does not wait here.
  ended_behind: assert property (@(posedge clk_i) disable iff (!rst_ni)
    gone_valid && pkt_valid && pkt.qpn == gone.qpn |-> pkt.psn != gone.una - psn_pkg::Step)
  else $error("%m: a WQE ends whose last packet has not left");
`endif

endmodule
