// SPDX-License-Identifier: Apache-2.0
// Which packet of a QP goes out next: docs/blocks/tx_packetizer.md.
//
//   R  an accepted record: the QP's word is looked up
//   F  the word comes
//   X  the word is here: the decision and the new word (pkt_decide)
//   Y  what was decided, on its way to the queue
//
// All the state is in X, in one clock, so that records of one QP may follow each other in every clock (qp_context).
module tx_packetizer #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Wqes = 8,       // slots of a QP in sq_retire: a power of two, 2 to 64
  parameter int unsigned PsnWidth = psn_pkg::PsnBits,  // bits of a PSN that count, the upper ones: 3 to 24
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [2:0]  s_op_i,
  input  logic [23:0] s_una_i,
  input  logic [2:0]  s_order_i,
  input  logic        s_progress_i,
  input  logic [23:0] s_lsn_i,
  input  logic        s_unlimited_i,
  input  logic        s_ended_i,
  input  logic [2:0]  s_pmtu_i,
  input  logic [4:0]  s_max_reads_i,
  input  logic [23:0] s_window_i,
  input  logic [1:0]  s_service_i,
  input  logic        s_restart_i,
  input  logic        s_whole_read_i,
  input  logic [5:0]  s_slot_i,
  input  logic        s_oldest_i,
  input  logic [1:0]  s_begun_i,
  input  logic [3:0]  s_verb_i,
  input  logic        s_immediate_i,
  input  logic        s_invalidate_i,
  input  logic        s_solicited_i,
  input  logic        s_fence_i,
  input  logic [31:0] s_length_i,
  input  logic [23:0] s_first_i,
  input  logic        s_told_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [2:0]  m_op_o,
  output logic [3:0]  m_why_o,
  output logic [1:0]  m_what_o,
  output logic [5:0]  m_slot_o,
  output logic        m_oldest_o,
  output logic        m_begins_o,
  output logic        m_again_o,
  output logic [7:0]  m_opcode_o,
  output logic [23:0] m_psn_o,
  output logic [23:0] m_count_o,
  output logic [31:0] m_offset_o,
  output logic [31:0] m_bytes_o,
  output logic [12:0] m_payload_o,
  output logic [1:0]  m_kind_o,
  output logic [23:0] m_number_o,
  output logic        m_ack_req_o,
  output logic        m_solicited_o,
  output logic [23:0] m_first_o,
  output logic [23:0] m_last_o,
  output logic [23:0] m_una_o,
  output logic [23:0] m_next_o,
  output logic [23:0] m_high_o,
  output logic [4:0]  m_reads_o,
  output logic        m_waiting_o,
  output logic        m_drained_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned Depth = 8;  // records under way at most: for one a clock at least the latency

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("tx_packetizer: NumQps must be a power of two from 4 to 65536");
  end
  if (Wqes < 2 || Wqes > 64 || Wqes != 2 ** $clog2(Wqes)) begin : gen_bad_wqes
    $error("tx_packetizer: Wqes must be a power of two from 2 to 64");
  end
  if (PsnWidth < 3 || PsnWidth > 24) begin : gen_bad_psn_width
    $error("tx_packetizer: PsnWidth must be 3 to 24");
  end

  tx_pkg::rec_t s_rec, r_q, f_q, x_q;
  tx_pkg::state_t x_state, x_state_d;
  tx_pkg::out_t x_result, y_q, out;
  logic [3:0] valid_q;  // of the stages, R lowest
  logic room, accept, ctx_ready, f_known_q, x_known_q;

  assign s_rec = {s_told_i, s_first_i, s_length_i, s_fence_i, s_solicited_i, s_invalidate_i, s_immediate_i, s_verb_i,
                  s_begun_i, s_oldest_i, s_slot_i, s_whole_read_i, s_restart_i, s_service_i, s_window_i,
                  s_max_reads_i, s_pmtu_i, s_ended_i, s_unlimited_i, s_lsn_i, s_progress_i, s_order_i, s_una_i,
                  s_op_i, s_qpn_i};
  assign s_ready_o = room & ctx_ready;
  assign accept    = s_valid_i & s_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[2:0], accept};
  end

  always_ff @(posedge clk_i) begin
    r_q       <= s_rec;
    f_q       <= r_q;
    x_q       <= f_q;
    y_q       <= x_result;
    f_known_q <= (r_q.qpn >> QpnWidth) == '0;
    x_known_q <= f_known_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   ($bits(x_state)),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(ctx_ready),
    .r_qpn_i(r_q.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_state),
    .x_ctx_i(x_state_d),
    .x_we_i (valid_q[2] & x_known_q)
  );

  pkt_decide #(
    .Wqes    (Wqes),
    .PsnWidth(PsnWidth)
  ) u_decide (
    .rec_i   (x_q),
    .known_i (x_known_q),
    .state_i (x_state),
    .state_o (x_state_d),
    .result_o(x_result)
  );

  credit_queue #(
    .Width($bits(out)),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i (accept),
    .room_o  (room),
    .data_i  (y_q),
    .valid_i (valid_q[3]),
    .m_data_o(out),
    .m_valid_o,
    .m_ready_i
  );

  assign {m_drained_o, m_waiting_o, m_reads_o, m_high_o, m_next_o, m_una_o, m_last_o, m_first_o, m_solicited_o,
          m_ack_req_o, m_number_o, m_kind_o, m_payload_o, m_bytes_o, m_offset_o, m_count_o, m_psn_o, m_opcode_o,
          m_again_o, m_begins_o, m_oldest_o, m_slot_o, m_what_o, m_why_o, m_op_o, m_qpn_o} = out;

`ifdef VERILATOR
  record_rules #(
    .Width($bits(s_rec))
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_rec),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width($bits(out))
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i (out),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
