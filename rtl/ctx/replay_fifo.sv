// SPDX-License-Identifier: Apache-2.0
// READs and atomics that were executed, for their duplicates: docs/blocks/replay_fifo.md.
//
//   R, F, X     the word of the QP: X finds the slot by PSN and kind (replay_decide)
//   R2, F2, X2  the rest of the slot is looked up, and written
//   Y, Z        is the range of a READ part of the original's (replay_range)
module replay_fifo #(
  parameter int unsigned NumQps = 4096,  // a power of two from 4; times Slots at most 65,536
  parameter int unsigned Slots = 4,      // a power of two from 2 to 16
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [2:0]  s_op_i,
  input  logic [23:0] s_qpn_i,
  input  logic [23:0] s_psn_i,
  input  logic [1:0]  s_kind_i,
  input  logic [23:0] s_last_i,
  input  logic [63:0] s_va_i,
  input  logic [31:0] s_rkey_i,
  input  logic [31:0] s_bytes_i,
  input  logic [63:0] s_original_i,
  input  logic [2:0]  s_pmtu_i,
  input  logic [4:0]  s_depth_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [2:0]  m_op_o,
  output logic        m_found_o,
  output logic [4:0]  m_slot_o,
  output logic        m_known_o,
  output logic [63:0] m_original_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned SlotWidth = $clog2(Slots);
  localparam int unsigned WordWidth = Slots * replay_pkg::EntryWidth + 13;

  if (NumQps < 4 || NumQps != 2 ** QpnWidth || NumQps * Slots > 65536) begin : gen_bad_num_qps
    $error("replay_fifo: NumQps must be a power of two from 4, NumQps times Slots at most 65536");
  end
  if (Slots < 2 || Slots > 16 || Slots != 2 ** SlotWidth) begin : gen_bad_slots
    $error("replay_fifo: Slots must be a power of two from 2 to 16");
  end

  replay_pkg::query_t s_rec, r_q, f_q, x_q, r2_q, f2_q, x2_q;
  replay_pkg::result_t x2_result, y_q, z_q, z_result, out;
  logic [7:0] valid_q;  // of the stages, R lowest
  logic accept, room, words_ready, slots_ready, x_valid, x2_valid, unused_x2;

  assign s_rec     = {s_depth_i, s_pmtu_i, s_original_i, s_bytes_i, s_rkey_i, s_va_i, s_last_i, s_kind_i, s_psn_i,
                      s_qpn_i, s_op_i};
  assign s_ready_o = room & words_ready & slots_ready;
  assign accept    = s_valid_i & s_ready_o;
  assign x_valid   = valid_q[2];
  assign x2_valid  = valid_q[5];
  assign unused_x2 = ^x2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[6:0], accept};
  end

  always_ff @(posedge clk_i) begin
    r_q  <= s_rec;
    f_q  <= r_q;
    x_q  <= f_q;
    r2_q <= x_q;
    f2_q <= r2_q;
    x2_q <= f2_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // R, F, X: the word of the QP.

  logic f_qp_ok_q, x_qp_ok_q;
  logic [23:0] f_span_q, x_span_q;
  logic [WordWidth-1:0] x_word, x_word_d;
  replay_pkg::decision_t x_decision;

  always_ff @(posedge clk_i) begin
    f_qp_ok_q <= r_q.qpn[23:QpnWidth] == '0;
    f_span_q  <= r_q.last_psn - r_q.psn;
    x_qp_ok_q <= f_qp_ok_q;
    x_span_q  <= f_span_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   (WordWidth),
    .RamStyle(RamStyle)
  ) u_words (
    .clk_i,
    .rst_ni,
    .ready_o(words_ready),
    .r_qpn_i(r_q.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_word),
    .x_ctx_i(x_word_d),
    .x_we_i (x_valid)
  );

  replay_decide #(
    .Slots(Slots)
  ) u_decide (
    .rec_i     (x_q),
    .qp_ok_i   (x_qp_ok_q),
    .span_i    (x_span_q),
    .ctx_i     (x_word),
    .ctx_o     (x_word_d),
    .decision_o(x_decision)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // R2, F2, X2: the rest of the slot.

  replay_pkg::decision_t r2_decision_q, f2_decision_q, x2_decision_q;
  replay_pkg::slot_t x2_slot, x2_slot_d;

  always_ff @(posedge clk_i) begin
    r2_decision_q <= x_decision;
    f2_decision_q <= r2_decision_q;
    x2_decision_q <= f2_decision_q;
  end

  qp_context #(
    .NumQps  (NumQps * Slots),
    .Width   ($bits(x2_slot)),
    .RamStyle(RamStyle)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .ready_o(slots_ready),
    .r_qpn_i({r2_q.qpn[QpnWidth-1:0], r2_decision_q.slot[SlotWidth-1:0]}),
    .x_ctx_o(x2_slot),
    .x_ctx_i(x2_slot_d),
    .x_we_i (x2_valid)
  );

  always_comb begin
    x2_slot_d = x2_slot;
    if (x2_decision_q.keeps) x2_slot_d = {64'd0, 1'b0, x2_q.asked};
    if (x2_decision_q.returns) {x2_slot_d.original, x2_slot_d.known} = {x2_q.original, 1'b1};
    x2_result.qpn      = x2_q.qpn;
    x2_result.op       = x2_q.op;
    x2_result.found    = x2_decision_q.found;
    x2_result.slot     = x2_decision_q.slot;
    x2_result.known    = x2_decision_q.shows & x2_slot.known;
    x2_result.original = x2_decision_q.shows ? x2_slot.original : '0;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Y, Z: the range, and the output.

  logic y_in_range_q, z_in_range_q, z_within;

  replay_range u_range (
    .clk_i,
    .asked_i (x2_q.asked),
    .kept_i  (x2_slot.kept),
    .ahead_i (x2_decision_q.ahead),
    .pmtu_i  (x2_decision_q.pmtu),
    .within_o(z_within)
  );

  always_ff @(posedge clk_i) begin
    y_q          <= x2_result;
    y_in_range_q <= x2_decision_q.in_range;
    z_q          <= y_q;
    z_in_range_q <= y_in_range_q;
  end

  always_comb begin
    z_result = z_q;
    if (z_in_range_q & ~z_within) {z_result.found, z_result.slot} = '0;
  end

  credit_queue #(
    .Width($bits(out)),
    .Depth(16)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i  (accept),
    .room_o   (room),
    .data_i   (z_result),
    .valid_i  (valid_q[7]),
    .m_data_o (out),
    .m_valid_o,
    .m_ready_i
  );

  assign {m_original_o, m_known_o, m_slot_o, m_found_o, m_op_o, m_qpn_o} = out;

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
