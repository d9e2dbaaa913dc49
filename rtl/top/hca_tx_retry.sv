// SPDX-License-Identifier: Apache-2.0
// retry_ctl in hca_tx: answers of req_ack_check and expiries go in, each in its turn, and what it says is given to all
// whom it concerns at once: retx_timer, tx_packetizer, sq_retire, req_ack_check.
module hca_tx_retry #(
  parameter int unsigned NumQps = 4096,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [15:0]                    cycles_per_tick_i,
  input  logic [31:0]                    tick_step_i,
  input  logic                           retry7_forever_i,

  input  logic [hca_tx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,  // goes first
  output logic                           op_ready_o,
  input  logic                           lapse_valid_i,  // op_i says how many ticks

  input  req_pkg::out_t                  s_told_i,
  input  logic                           s_told_valid_i,
  output logic                           s_told_ready_o,

  output tx_pkg::rec_t                   m_packets_o,
  output logic                           m_packets_valid_o,
  input  logic                           m_packets_ready_i,

  output retire_pkg::query_t             m_queue_o,
  output logic                           m_queue_valid_o,
  input  logic                           m_queue_ready_i,

  output req_pkg::rec_t                  m_ask_o,
  output logic                           m_ask_valid_o,
  input  logic                           m_ask_ready_i
);

  // ---------------------------------------------------------------------------------------------------------------
  // In: an operation first. An expiry waits for one answer of req_ack_check at most.

  retry_pkg::rec_t told, expiry, other, rec;
  hca_tx_pkg::beside_t beside, kept;
  logic [23:0] exp_qpn;
  logic [7:0] exp_gen;
  logic exp_rnr, exp_valid, exp_ready, exp_turn_q, takes_exp, other_valid, in_room, kept_room, accept;
  logic rec_valid, rec_ready, kept_valid, unused_in;
  logic [1:0] ready;
  logic [5:0] unused_kept_count;

  assign unused_in = ^{op_i, s_told_i};

  always_comb begin
    told          = '0;
    told.qpn      = s_told_i.qpn;
    told.op       = s_told_i.op == req_pkg::OpSent ? retry_pkg::OpSent : retry_pkg::OpResponse;
    told.una      = s_told_i.una;
    told.action   = s_told_i.action;
    told.why      = s_told_i.why;
    told.region   = s_told_i.region;
    told.syndrome = s_told_i.syndrome;
    told.progress = s_told_i.progress;
    told.idle     = s_told_i.idle;
    expiry        = '0;
    expiry.qpn    = exp_qpn;
    expiry.op     = retry_pkg::OpExpiry;
    expiry.gen    = exp_gen;
    expiry.rnr    = exp_rnr;
  end

  assign takes_exp      = exp_valid & (~s_told_valid_i | exp_turn_q);
  assign other          = takes_exp ? expiry : told;
  assign other_valid    = (exp_valid | s_told_valid_i) & kept_room;
  assign in_room        = ready[1] & kept_room;
  assign s_told_ready_o = in_room & ~takes_exp;
  assign exp_ready      = in_room & takes_exp;
  assign op_ready_o     = ready[0] & kept_room;
  assign accept         = (op_valid_i & op_ready_o) | (other_valid & in_room);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) exp_turn_q <= 1'b0;
    else if (other_valid & in_room) exp_turn_q <= ~takes_exp;
  end

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(2)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({other, op_i[$bits(rec)-1:0]}),
    .s_valid_i({other_valid, op_valid_i & kept_room}),
    .s_ready_o(ready),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  // What req_ack_check said besides goes in step: retry_ctl answers every record, in order.
  always_comb begin
    beside = '0;
    if (!op_valid_i && !takes_exp && s_told_i.why != req_pkg::WhyNoQp) begin
      beside.told      = 1'b1;
      beside.ended     = s_told_i.ended;
      beside.unlimited = s_told_i.unlimited;
      beside.lsn       = s_told_i.lsn;
    end
  end

  logic out_valid, out_ready;
  retry_pkg::out_t out;

  sync_fifo #(
    .Width($bits(kept)),
    .Depth(32)
  ) u_beside (
    .clk_i,
    .rst_ni,
    .s_data_i (beside),
    .s_valid_i(accept),
    .s_ready_o(kept_room),
    .m_data_o (kept),
    .m_valid_o(kept_valid),
    .m_ready_i(out_valid & out_ready),
    .count_o  (unused_kept_count)
  );

  retry_ctl #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_control (
    .clk_i,
    .rst_ni,
    .retry7_forever_i,
    .s_qpn_i        (rec.qpn),
    .s_op_i         (rec.op),
    .s_una_i        (rec.una),
    .s_action_i     (rec.action),
    .s_why_i        (rec.why),
    .s_region_i     (rec.region),
    .s_syndrome_i   (rec.syndrome),
    .s_progress_i   (rec.progress),
    .s_idle_i       (rec.idle),
    .s_gen_i        (rec.gen),
    .s_rnr_i        (rec.rnr),
    .s_code_i       (rec.code),
    .s_retry_cnt_i  (rec.retry_cnt),
    .s_rnr_retry_i  (rec.rnr_retry),
    .s_any_answer_i (rec.any_answer),
    .s_valid_i      (rec_valid),
    .s_ready_o      (rec_ready),
    .m_qpn_o        (out.qpn),
    .m_op_o         (out.op),
    .m_una_o        (out.una),
    .m_order_o      (out.order),
    .m_cause_o      (out.cause),
    .m_status_o     (out.status),
    .m_why_o        (out.why),
    .m_progress_o   (out.progress),
    .m_first_o      (out.first),
    .m_timer_o      (out.timer),
    .m_timer_op_o   (out.timer_op),
    .m_code_o       (out.code),
    .m_wait_code_o  (out.wait_code),
    .m_gen_o        (out.gen),
    .m_retry_cnt_o  (out.retry_cnt),
    .m_rnr_retry_o  (out.rnr_retry),
    .m_ask_o        (out.ask),
    .m_waiting_o    (out.waiting),
    .m_retrying_o   (out.retrying),
    .m_retries_o    (out.retries),
    .m_rnr_retries_o(out.rnr_retries),
    .m_valid_o      (out_valid),
    .m_ready_i      (out_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Out: to all at once, when every queue has room.

  tx_pkg::rec_t to_packets;
  retire_pkg::query_t to_queue;
  req_pkg::rec_t to_check;
  logic tells, moves, fails, asks, room, packets_room, queue_room, ask_room, timer_ready, unused_out;
  logic [4:0] unused_packets_count, unused_queue_count, unused_ask_count;

  assign unused_out = ^{out.cause, out.retrying, kept_valid};
  assign tells      = (out.op == retry_pkg::OpResponse || out.op == retry_pkg::OpExpiry) &&
                      out.why != retry_pkg::WhyNoQp;
  assign fails      = out.order == retry_pkg::OrderFail;
  assign moves      = out.progress | fails;
  assign asks       = out.ask != retry_pkg::AskNone;
  assign room       = packets_room & queue_room & ask_room;
  assign out_ready  = room & timer_ready;

  always_comb begin
    to_packets           = '0;
    to_packets.qpn       = out.qpn;
    to_packets.op        = tx_pkg::OpVerdict;
    to_packets.una       = out.una;
    to_packets.order     = out.order;
    to_packets.progress  = out.progress;
    to_packets.lsn       = kept.lsn;
    to_packets.unlimited = kept.unlimited;
    to_packets.ended     = kept.ended;
    to_packets.told      = kept.told;
    to_queue             = '0;
    to_queue.qpn         = out.qpn;
    to_queue.op          = retire_pkg::OpVerdict;
    to_queue.una         = out.una;
    to_queue.progress    = out.progress;
    to_queue.fail        = fails;
    to_queue.status      = out.status;
    to_check             = '0;
    to_check.qpn         = out.qpn;
    to_check.op          = out.ask == retry_pkg::AskClose ? req_pkg::OpClose : req_pkg::OpGoOn;
  end

  hca_tx_timer #(
    .NumQps(NumQps)
  ) u_timer (
    .clk_i,
    .rst_ni,
    .cycles_per_tick_i,
    .tick_step_i,
    .retry7_forever_i,
    .lapse_i      (op_i[31:0]),
    .lapse_valid_i,
    .s_rec_i      (out),
    .s_valid_i    (out_valid & room),
    .s_ready_o    (timer_ready),
    .m_qpn_o      (exp_qpn),
    .m_gen_o      (exp_gen),
    .m_rnr_o      (exp_rnr),
    .m_valid_o    (exp_valid),
    .m_ready_i    (exp_ready)
  );

  sync_fifo #(
    .Width($bits(to_packets)),
    .Depth(16)
  ) u_to_packets (
    .clk_i,
    .rst_ni,
    .s_data_i (to_packets),
    .s_valid_i(out_valid & out_ready & tells),
    .s_ready_o(packets_room),
    .m_data_o (m_packets_o),
    .m_valid_o(m_packets_valid_o),
    .m_ready_i(m_packets_ready_i),
    .count_o  (unused_packets_count)
  );

  sync_fifo #(
    .Width($bits(to_queue)),
    .Depth(16)
  ) u_to_queue (
    .clk_i,
    .rst_ni,
    .s_data_i (to_queue),
    .s_valid_i(out_valid & out_ready & tells & moves),
    .s_ready_o(queue_room),
    .m_data_o (m_queue_o),
    .m_valid_o(m_queue_valid_o),
    .m_ready_i(m_queue_ready_i),
    .count_o  (unused_queue_count)
  );

  sync_fifo #(
    .Width($bits(to_check)),
    .Depth(16)
  ) u_to_check (
    .clk_i,
    .rst_ni,
    .s_data_i (to_check),
    .s_valid_i(out_valid & out_ready & tells & asks),
    .s_ready_o(ask_room),
    .m_data_o (m_ask_o),
    .m_valid_o(m_ask_valid_o),
    .m_ready_i(m_ask_ready_i),
    .count_o  (unused_ask_count)
  );

endmodule
