// SPDX-License-Identifier: Apache-2.0
// Send WQEs from posting to their end: docs/blocks/sq_retire.md.
//
//   R, F, X    the word of the QP is looked up; X decides which WQEs end, and how (retire_decide)
//   E          a queue of decisions; its head goes through as many slots as WQEs end, one a clock
//   F2, X2     the slot is looked up, and written
//
// Each of the two halves is exact by itself, records a clock apart included (qp_context). So X knows the ring as all
// earlier records left it, and X2 the WQEs.
module sq_retire #(
  parameter int unsigned NumQps = 4096,  // a power of two from 4; times Depth at most 65,536
  parameter int unsigned Depth = 8,      // a power of two from 2 to 64
  parameter int unsigned PsnWidth = 24,  // 3 to 24
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [2:0]  s_op_i,
  input  logic [5:0]  s_slot_i,
  input  logic [23:0] s_first_i,
  input  logic [23:0] s_last_i,
  input  logic [23:0] s_una_i,
  input  logic        s_progress_i,
  input  logic        s_fail_i,
  input  logic [3:0]  s_status_i,
  input  logic [31:0] s_wqe_i,
  input  logic [3:0]  s_verb_i,
  input  logic [5:0]  s_flags_i,
  input  logic [31:0] s_length_i,
  input  logic [63:0] s_va_i,
  input  logic [31:0] s_rkey_i,
  input  logic [31:0] s_imm_i,
  input  logic [63:0] s_swap_add_i,
  input  logic [63:0] s_compare_i,
  input  logic [31:0] s_qkey_i,
  input  logic [63:0] s_list_i,
  input  logic [4:0]  s_entries_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [2:0]  m_op_o,
  output logic [2:0]  m_why_o,
  output logic [5:0]  m_slot_o,
  output logic [6:0]  m_ended_o,
  output logic [6:0]  m_count_o,
  output logic        m_failed_o,
  output logic        m_present_o,
  output logic        m_begun_o,
  output logic [23:0] m_first_o,
  output logic [23:0] m_last_o,
  output logic [31:0] m_wqe_o,
  output logic [3:0]  m_verb_o,
  output logic [5:0]  m_flags_o,
  output logic [31:0] m_length_o,
  output logic [63:0] m_va_o,
  output logic [31:0] m_rkey_o,
  output logic [31:0] m_imm_o,
  output logic [63:0] m_swap_add_o,
  output logic [63:0] m_compare_o,
  output logic [31:0] m_qkey_o,
  output logic [63:0] m_list_o,
  output logic [4:0]  m_entries_o,
  output logic        m_valid_o,
  input  logic        m_ready_i,

  output logic [23:0] m_cqe_qpn_o,
  output logic [31:0] m_cqe_wqe_o,
  output logic [3:0]  m_cqe_status_o,
  output logic [3:0]  m_cqe_verb_o,
  output logic [31:0] m_cqe_length_o,
  output logic        m_cqe_valid_o,
  input  logic        m_cqe_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned SlotWidth = $clog2(Depth);
  localparam int unsigned WordWidth = 9 + 3 * SlotWidth + 2 * PsnWidth + Depth * (PsnWidth + 1);  // of retire_decide

  if (NumQps < 4 || NumQps != 2 ** QpnWidth || NumQps * Depth > 65536) begin : gen_bad_num_qps
    $error("sq_retire: NumQps must be a power of two from 4, NumQps times Depth at most 65536");
  end
  if (Depth < 2 || Depth > 64 || Depth != 2 ** SlotWidth) begin : gen_bad_depth
    $error("sq_retire: Depth must be a power of two from 2 to 64");
  end
  if (PsnWidth < 3 || PsnWidth > 24) begin : gen_bad_psn_width
    $error("sq_retire: PsnWidth must be 3 to 24");
  end

  retire_pkg::query_t s_rec, r_q, f_q, x_q, e_rec, f2_q, x2_q;
  retire_pkg::decision_t x_decision, e_decision, f2_decision_q, x2_decision_q;
  logic [2:0] valid_q;  // of R, F, X, R lowest
  logic accept, room, words_ready, slots_ready, firsts_ready, e_valid, e_pop, unused_x2;

  // The slots are the largest memories: the words are ready before them.
  assign s_rec     = {s_entries_i, s_list_i, s_qkey_i, s_compare_i, s_swap_add_i, s_imm_i, s_rkey_i, s_va_i, s_length_i,
                      s_flags_i, s_verb_i, s_wqe_i, s_status_i, s_fail_i, s_progress_i, s_una_i, s_last_i, s_first_i,
                      s_slot_i, s_op_i, s_qpn_i};
  assign s_ready_o = room & words_ready & slots_ready & firsts_ready;
  assign accept    = s_valid_i & s_ready_o;
  assign unused_x2 = ^{x2_q, x2_decision_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[1:0], accept};
  end

  always_ff @(posedge clk_i) begin
    r_q <= s_rec;
    f_q <= r_q;
    x_q <= f_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // R, F, X: the word of the QP.

  logic f_known_q, x_known_q;
  logic [WordWidth-1:0] x_word, x_word_d;

  always_ff @(posedge clk_i) begin
    f_known_q <= r_q.qpn[23:QpnWidth] == '0;
    x_known_q <= f_known_q;
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
    .x_we_i (valid_q[2] & x_known_q)
  );

  retire_decide #(
    .Depth   (Depth),
    .PsnWidth(PsnWidth)
  ) u_decide (
    .rec_i     (x_q),
    .known_i   (x_known_q),
    .word_i    (x_word),
    .word_o    (x_word_d),
    .decision_o(x_decision)
  );

  credit_queue #(
    .Width($bits(s_rec) + $bits(x_decision)),
    .Depth(8)
  ) u_decided (
    .clk_i,
    .rst_ni,
    .claim_i  (accept),
    .room_o   (room),
    .data_i   ({x_q, x_decision}),
    .valid_i  (valid_q[2]),
    .m_data_o ({e_rec, e_decision}),
    .m_valid_o(e_valid),
    .m_ready_i(e_pop)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // E: a slot a clock.

  logic [6:0] step_q;
  logic rec_room, cqe_room, e_go, e_first, e_last, e_ends, e_good, e_completes;
  logic [SlotWidth-1:0] e_slot;
  logic [3:0] e_status;

  assign e_go        = e_valid & rec_room & cqe_room;
  assign e_first     = step_q == '0;
  assign e_last      = step_q + 7'd1 >= e_decision.ended;
  assign e_pop       = e_go & e_last;
  assign e_ends      = step_q < e_decision.ended;
  assign e_good      = step_q < e_decision.good;
  assign e_completes = e_decision.flushes | (e_ends & (~e_good | e_decision.asked[step_q[5:0]]));
  assign e_slot      = SlotWidth'(e_ends ? e_decision.head + step_q[5:0] : e_decision.slot);

  always_comb begin
    e_status = retire_pkg::StatusFlushed;
    if (step_q == e_decision.good) e_status = e_decision.status;
    if (e_good) e_status = retire_pkg::StatusSuccess;
    if (e_decision.flushes) e_status = retire_pkg::StatusFlushed;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= '0;
    else if (e_go) step_q <= e_last ? '0 : step_q + 7'd1;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // F2, X2: the slot.

  logic [1:0] valid2_q, first2_q, completes2_q;  // of F2, X2, F2 lowest
  logic [3:0] f2_status_q, x2_status_q;
  logic [QpnWidth+SlotWidth-1:0] e_place;
  logic [PsnWidth-1:0] x2_first;
  retire_pkg::wqe_t x2_wqe;
  retire_pkg::result_t x2_result, out;
  retire_pkg::cqe_t x2_cqe, out_cqe;

  assign e_place = {e_rec.qpn[QpnWidth-1:0], e_slot};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid2_q <= '0;
    else valid2_q <= {valid2_q[0], e_go};
  end

  always_ff @(posedge clk_i) begin
    f2_q          <= e_rec;
    f2_decision_q <= e_decision;
    f2_status_q   <= e_status;
    x2_q          <= f2_q;
    x2_decision_q <= f2_decision_q;
    x2_status_q   <= f2_status_q;
    first2_q      <= {first2_q[0], e_first};
    completes2_q  <= {completes2_q[0], e_completes};
  end

  qp_context #(
    .NumQps  (NumQps * Depth),
    .Width   ($bits(x2_wqe)),
    .RamStyle(RamStyle)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .ready_o(slots_ready),
    .r_qpn_i(e_place),
    .x_ctx_o(x2_wqe),
    .x_ctx_i(x2_q.wqe),
    .x_we_i (valid2_q[1] & x2_decision_q.stores)
  );

  qp_context #(
    .NumQps  (NumQps * Depth),
    .Width   (PsnWidth),
    .RamStyle(RamStyle)
  ) u_firsts (
    .clk_i,
    .rst_ni,
    .ready_o(firsts_ready),
    .r_qpn_i(e_place),
    .x_ctx_o(x2_first),
    .x_ctx_i(x2_decision_q.first_psn[PsnWidth-1:0]),
    .x_we_i (valid2_q[1] & x2_decision_q.begins)
  );

  always_comb begin
    x2_result.qpn       = x2_q.qpn;
    x2_result.op        = x2_q.op;
    x2_result.why       = x2_decision_q.why;
    x2_result.slot      = x2_decision_q.slot;
    x2_result.ended     = x2_decision_q.ended;
    x2_result.count     = x2_decision_q.count;
    x2_result.failed    = x2_decision_q.failed;
    x2_result.present   = x2_decision_q.present;
    x2_result.begun     = x2_decision_q.begun;
    x2_result.first_psn = x2_decision_q.begun ? 24'(x2_first) : '0;
    x2_result.last_psn  = x2_decision_q.last_psn;
    x2_result.wqe       = x2_decision_q.present ? x2_wqe : '0;
  end

  // A post to a QP that has failed ends as it came.
  always_comb begin
    x2_cqe.qpn    = x2_q.qpn;
    x2_cqe.wqe    = x2_decision_q.flushes ? x2_q.wqe.wqe : x2_wqe.wqe;
    x2_cqe.status = x2_status_q;
    x2_cqe.verb   = x2_decision_q.flushes ? x2_q.wqe.verb : x2_wqe.verb;
    x2_cqe.length = x2_decision_q.flushes ? x2_q.wqe.length : x2_wqe.length;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The outputs.

  credit_queue #(
    .Width($bits(out)),
    .Depth(8)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i  (e_go & e_first),
    .room_o   (rec_room),
    .data_i   (x2_result),
    .valid_i  (valid2_q[1] & first2_q[1]),
    .m_data_o (out),
    .m_valid_o,
    .m_ready_i
  );

  credit_queue #(
    .Width($bits(out_cqe)),
    .Depth(8)
  ) u_cqes (
    .clk_i,
    .rst_ni,
    .claim_i  (e_go & e_completes),
    .room_o   (cqe_room),
    .data_i   (x2_cqe),
    .valid_i  (valid2_q[1] & completes2_q[1]),
    .m_data_o (out_cqe),
    .m_valid_o(m_cqe_valid_o),
    .m_ready_i(m_cqe_ready_i)
  );

  assign {m_entries_o, m_list_o, m_qkey_o, m_compare_o, m_swap_add_o, m_imm_o, m_rkey_o, m_va_o, m_length_o, m_flags_o,
          m_verb_o, m_wqe_o, m_last_o, m_first_o, m_begun_o, m_present_o, m_failed_o, m_count_o, m_ended_o, m_slot_o,
          m_why_o, m_op_o, m_qpn_o} = out;
  assign {m_cqe_length_o, m_cqe_verb_o, m_cqe_status_o, m_cqe_wqe_o, m_cqe_qpn_o} = out_cqe;

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

  record_rules #(
    .Width($bits(out_cqe))
  ) u_cqe_rules (
    .clk_i,
    .rst_ni,
    .data_i (out_cqe),
    .valid_i(m_cqe_valid_o),
    .ready_i(m_cqe_ready_i)
  );
`endif

endmodule
