// SPDX-License-Identifier: Apache-2.0
// READs and atomics that were executed, for their duplicates: docs/blocks/replay_fifo.md.
//
//   R, F, X     the word of the QP: X finds the slot by PSN and kind (replay_decide)
//   R2, F2, X2  the rest of the slot is looked up, and written; with Ecc replay_ecc has the last word in X2
//   Y, Z        is the range of a READ part of the original's (replay_range)
module replay_fifo #(
  parameter int unsigned NumQps = 4096,  // a power of two from 4; times Slots at most 65,536
  parameter int unsigned Slots = 4,      // a power of two from 2 to 16
  parameter int unsigned Ecc = 0,        // 1: the memories have a code: docs/ecc.md
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
  if (Ecc > 1) begin : gen_bad_ecc
    $error("replay_fifo: Ecc must be 0 or 1");
  end

  replay_pkg::query_t s_rec, r_q, f_q, x_q, r2_q, f2_q, x2_q;
  replay_pkg::result_t x2_decided, x2_result, y_q, z_q, z_result, out;
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
  logic x_looks, x_renews, x_lost;
  logic [1:0] inject_ok;  // of the words, of the slots
  ecc_pkg::counts_t word_counts, slot_counts;
  replay_pkg::decision_t x_decision;

  always_ff @(posedge clk_i) begin
    f_qp_ok_q <= r_q.qpn[23:QpnWidth] == '0;
    f_span_q  <= r_q.last_psn - r_q.psn;
    x_qp_ok_q <= f_qp_ok_q;
    x_span_q  <= f_span_q;
  end

  coded_context #(
    .NumQps  (NumQps),
    .Width   (WordWidth),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_words (
    .clk_i,
    .rst_ni,
    .ready_o    (words_ready),
    .s_index_i  (s_qpn_i[QpnWidth-1:0]),
    .x_index_i  (x_q.qpn[QpnWidth-1:0]),
    .x_looks_i  (x_valid & x_looks),
    .x_writes_i (x_valid & x_looks & (~x_lost | x_renews)),
    .x_poison_i (1'b0),
    .x_inject_i (x_valid & x_decision.injects & ~x_q.kind[0]),
    .x_bit_a_i  (x_q.asked.va[15:0]),
    .x_bit_b_i  (x_q.asked.va[31:16]),
    .x_ctx_o    (x_word),
    .x_lost_o   (x_lost),
    .x_ctx_i    (x_word_d),
    .inject_ok_o(inject_ok[0]),
    .counts_o   (word_counts)
  );

  replay_decide #(
    .Slots(Slots)
  ) u_decide (
    .rec_i     (x_q),
    .qp_ok_i   (x_qp_ok_q),
    .span_i    (x_span_q),
    .lost_i    (x_lost),
    .looks_o   (x_looks),
    .renews_o  (x_renews),
    .ctx_i     (x_word),
    .ctx_o     (x_word_d),
    .decision_o(x_decision)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // R2, F2, X2: the rest of the slot.

  replay_pkg::decision_t r2_decision_q, f2_decision_q, x2_decision_q;
  replay_pkg::slot_t x2_slot, x2_slot_d;
  logic x2_hit, x2_lost;

  always_ff @(posedge clk_i) begin
    r2_decision_q <= x_decision;
    f2_decision_q <= r2_decision_q;
    x2_decision_q <= f2_decision_q;
  end

  // What is found is looked up; a keep writes its slot anew.
  assign x2_hit = x2_decision_q.in_range | x2_decision_q.shows | x2_decision_q.returns;

  coded_context #(
    .NumQps  (NumQps * Slots),
    .Width   ($bits(x2_slot)),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .ready_o    (slots_ready),
    .s_index_i  ({x_q.qpn[QpnWidth-1:0], x_decision.slot[SlotWidth-1:0]}),
    .x_index_i  ({x2_q.qpn[QpnWidth-1:0], x2_decision_q.slot[SlotWidth-1:0]}),
    .x_looks_i  (x2_valid & x2_hit),
    .x_writes_i (x2_valid & (x2_decision_q.keeps | (x2_decision_q.returns & ~x2_lost))),
    .x_poison_i (1'b0),
    .x_inject_i (x2_valid & x2_decision_q.injects & x2_q.kind[0]),
    .x_bit_a_i  (x2_q.asked.va[15:0]),
    .x_bit_b_i  (x2_q.asked.va[31:16]),
    .x_ctx_o    (x2_slot),
    .x_lost_o   (x2_lost),
    .x_ctx_i    (x2_slot_d),
    .inject_ok_o(inject_ok[1]),
    .counts_o   (slot_counts)
  );

  always_comb begin
    x2_slot_d = x2_slot;
    if (x2_decision_q.keeps) x2_slot_d = {64'd0, 1'b0, x2_q.asked};
    if (x2_decision_q.returns) {x2_slot_d.original, x2_slot_d.known} = {x2_q.original, 1'b1};
    x2_decided.qpn      = x2_q.qpn;
    x2_decided.op       = x2_q.op;
    x2_decided.found    = x2_decision_q.found;
    x2_decided.slot     = x2_decision_q.slot;
    x2_decided.known    = x2_decision_q.shows & x2_slot.known;
    x2_decided.original = x2_decision_q.shows ? x2_slot.original : '0;
  end

  if (Ecc == 0) begin : gen_plain
    logic unused_ecc;

    // An injection is none: what names its slot is not told.
    always_comb begin
      x2_result = x2_decided;
      if (x2_decision_q.injects) x2_result.slot = '0;
    end

    assign unused_ecc = ^{inject_ok, x2_decision_q.lost, x2_lost, x2_hit, word_counts, slot_counts};
  end else begin : gen_ecc
    // What X was told goes along with its record.
    logic r2_ok_q, f2_ok_q, x2_ok_q;
    ecc_pkg::counts_t r2_counts_q, f2_counts_q, x2_counts_q;

    always_ff @(posedge clk_i) begin
      r2_ok_q     <= inject_ok[0];
      f2_ok_q     <= r2_ok_q;
      x2_ok_q     <= f2_ok_q;
      r2_counts_q <= word_counts;
      f2_counts_q <= r2_counts_q;
      x2_counts_q <= f2_counts_q;
    end

    replay_ecc u_ecc (
      .op_i       (x2_q.op),
      .lost_i     (x2_decision_q.lost | (x2_hit & x2_lost)),
      .injects_i  (x2_decision_q.injects & (x2_q.kind[0] ? inject_ok[1] : x2_ok_q)),
      .counts_i   (x2_q.kind[0] ? slot_counts : x2_counts_q),
      .result_i   (x2_decided),
      .result_o   (x2_result)
    );
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
