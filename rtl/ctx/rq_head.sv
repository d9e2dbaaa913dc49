// SPDX-License-Identifier: Apache-2.0
// The receive WQE that a QP's next message would use: docs/blocks/rq_head.md.
//
//   R, F, X     the words of queue and QP are looked up; X decides which slot is read or written (rq_decide)
//   R2, F2, X2  the slot and what the QP holds are looked up, and written; with Ecc X2 has the last word on what was
//               lost (rq_ecc)
//
// Each of the two halves is exact by itself, records a clock apart included (qp_context). So X knows the head as all
// earlier records left it, and X2 the WQEs.
module rq_head #(
  parameter int unsigned NumQps = 4096,  // a power of two from 4; times Depth at most 65,536
  parameter int unsigned Depth = 8,      // a power of two from 2 to 64
  parameter int unsigned Ecc = 0,        // 1: the memories have a code: docs/ecc.md
  parameter RamStyle = "block"           // of the memories: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [2:0]  s_op_i,
  input  logic [23:0] s_qpn_i,
  input  logic [23:0] s_queue_i,
  input  logic        s_shared_i,
  input  logic        s_complete_i,
  input  logic [31:0] s_bytes_i,
  input  logic [31:0] s_wqe_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [2:0]  m_op_o,
  output logic        m_present_o,
  output logic [31:0] m_bytes_o,
  output logic [31:0] m_wqe_o,
  output logic [4:0]  m_credits_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned SlotWidth = $clog2(Depth);
  localparam int unsigned CountWidth = SlotWidth + 1;

  if (NumQps < 4 || NumQps != 2 ** QpnWidth || NumQps * Depth > 65536) begin : gen_bad_num_qps
    $error("rq_head: NumQps must be a power of two from 4, NumQps times Depth at most 65536");
  end
  if (Depth < 2 || Depth > 64 || Depth != 2 ** SlotWidth) begin : gen_bad_depth
    $error("rq_head: Depth must be a power of two from 2 to 64");
  end
  if (Ecc > 1) begin : gen_bad_ecc
    $error("rq_head: Ecc must be 0 or 1");
  end

  rq_pkg::query_t s_rec, r_q, f_q, x_q, r2_q, f2_q, x2_q;
  rq_pkg::result_t x2_decided, x2_result, out;
  logic [5:0] valid_q;  // of the stages, R lowest
  logic accept, room, open, queues_ready, slots_ready, qps_ready, held_ready, x_valid, x2_valid, unused_x2;

  // The slots are the largest memory: the others are ready before it.
  assign open      = slots_ready & queues_ready & qps_ready & held_ready;
  assign s_rec     = {s_wqe_i, s_bytes_i, s_complete_i, s_shared_i, s_queue_i, s_qpn_i, s_op_i};
  assign s_ready_o = room & open;
  assign accept    = s_valid_i & s_ready_o;
  assign x_valid   = valid_q[2];
  assign x2_valid  = valid_q[5];
  assign unused_x2 = ^x2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[4:0], accept};
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
  // R, F, X: the queue's head and count, and whether the QP holds a WQE.

  logic f_qp_ok_q, f_queue_ok_q, x_qp_ok_q, x_queue_ok_q;
  logic [SlotWidth-1:0] x_head, x_head_d, x_slot;
  logic [CountWidth-1:0] x_count, x_count_d;
  logic x_holds, x_holds_d, x_looks_queue, x_renews_queue, x_looks_qp, x_renews_qp, x_queue_lost, x_qp_lost;
  logic [15:0] x_bit_a, x_bit_b, x2_bit_a, x2_bit_b;
  logic [3:0] injects, inject_ok;  // rq_pkg::memory_e
  ecc_pkg::counts_t queue_counts, qp_counts, slot_counts, held_counts;
  rq_pkg::decision_t x_decision;

  always_ff @(posedge clk_i) begin
    f_qp_ok_q    <= r_q.qpn[23:QpnWidth] == '0;
    f_queue_ok_q <= r_q.rq[23:QpnWidth] == '0;
    x_qp_ok_q    <= f_qp_ok_q;
    x_queue_ok_q <= f_queue_ok_q;
  end

  assign x_bit_a  = x_q.wqe.bytes[15:0];
  assign x_bit_b  = x_q.wqe.bytes[31:16];
  assign x2_bit_a = x2_q.wqe.bytes[15:0];
  assign x2_bit_b = x2_q.wqe.bytes[31:16];

  // What X and X2 order an injection in.
  always_comb begin
    injects = '0;
    if (x_valid && x_decision.injects) injects[1:0] = 2'b01 << x_q.wqe.wqe[1:0];
    if (x2_valid && x2_decision_q.injects) injects[3:2] = x2_q.wqe.wqe[1] ? 2'b01 << x2_q.wqe.wqe[0] : 2'b00;
  end

  coded_context #(
    .NumQps  (NumQps),
    .Width   (SlotWidth + CountWidth),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_queues (
    .clk_i,
    .rst_ni,
    .ready_o    (queues_ready),
    .s_index_i  (s_queue_i[QpnWidth-1:0]),
    .x_index_i  (x_q.rq[QpnWidth-1:0]),
    .x_looks_i  (x_valid & x_looks_queue),
    .x_writes_i (x_valid & x_looks_queue & (~x_queue_lost | x_renews_queue)),
    .x_poison_i (1'b0),
    .x_inject_i (injects[rq_pkg::MemoryQueue]),
    .x_bit_a_i  (x_bit_a),
    .x_bit_b_i  (x_bit_b),
    .x_ctx_o    ({x_head, x_count}),
    .x_lost_o   (x_queue_lost),
    .x_ctx_i    ({x_head_d, x_count_d}),
    .inject_ok_o(inject_ok[rq_pkg::MemoryQueue]),
    .counts_o   (queue_counts)
  );

  coded_context #(
    .NumQps  (NumQps),
    .Width   (1),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_qps (
    .clk_i,
    .rst_ni,
    .ready_o    (qps_ready),
    .s_index_i  (s_qpn_i[QpnWidth-1:0]),
    .x_index_i  (x_q.qpn[QpnWidth-1:0]),
    .x_looks_i  (x_valid & x_looks_qp),
    .x_writes_i (x_valid & x_looks_qp & (~x_qp_lost | x_renews_qp)),
    .x_poison_i (1'b0),
    .x_inject_i (injects[rq_pkg::MemoryQp]),
    .x_bit_a_i  (x_bit_a),
    .x_bit_b_i  (x_bit_b),
    .x_ctx_o    (x_holds),
    .x_lost_o   (x_qp_lost),
    .x_ctx_i    (x_holds_d),
    .inject_ok_o(inject_ok[rq_pkg::MemoryQp]),
    .counts_o   (qp_counts)
  );

  rq_decide #(
    .Depth(Depth)
  ) u_decide (
    .rec_i         (x_q),
    .qp_ok_i       (x_qp_ok_q),
    .queue_ok_i    (x_queue_ok_q),
    .queue_lost_i  (x_queue_lost),
    .qp_lost_i     (x_qp_lost),
    .head_i        (x_head),
    .count_i       (x_count),
    .holds_i       (x_holds),
    .head_o        (x_head_d),
    .count_o       (x_count_d),
    .holds_o       (x_holds_d),
    .slot_o        (x_slot),
    .looks_queue_o (x_looks_queue),
    .renews_queue_o(x_renews_queue),
    .looks_qp_o    (x_looks_qp),
    .renews_qp_o   (x_renews_qp),
    .decision_o    (x_decision)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // R2, F2, X2: the WQE in the slot, and the one that the QP holds.

  logic [SlotWidth-1:0] r2_slot_q, f2_slot_q, x2_slot_q;
  logic x2_looks_slot, x2_looks_held, x2_slot_lost, x2_held_lost;
  rq_pkg::decision_t r2_decision_q, f2_decision_q, x2_decision_q;
  rq_pkg::wqe_t x2_slot, x2_held, x2_shown;

  always_ff @(posedge clk_i) begin
    r2_slot_q     <= x_slot;
    f2_slot_q     <= r2_slot_q;
    x2_slot_q     <= f2_slot_q;
    r2_decision_q <= x_decision;
    f2_decision_q <= r2_decision_q;
    x2_decision_q <= f2_decision_q;
  end

  assign x2_looks_slot = x2_valid & x2_decision_q.shows & ~x2_decision_q.is_held;
  assign x2_looks_held = x2_valid & x2_decision_q.shows & x2_decision_q.is_held;

  coded_context #(
    .NumQps  (NumQps * Depth),
    .Width   ($bits(x2_slot)),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .ready_o    (slots_ready),
    .s_index_i  ({x_q.rq[QpnWidth-1:0], x_slot}),
    .x_index_i  ({x2_q.rq[QpnWidth-1:0], x2_slot_q}),
    .x_looks_i  (x2_looks_slot),
    .x_writes_i (x2_valid & x2_decision_q.stores),
    .x_poison_i (1'b0),
    .x_inject_i (injects[rq_pkg::MemorySlot]),
    .x_bit_a_i  (x2_bit_a),
    .x_bit_b_i  (x2_bit_b),
    .x_ctx_o    (x2_slot),
    .x_lost_o   (x2_slot_lost),
    .x_ctx_i    (x2_q.wqe),
    .inject_ok_o(inject_ok[rq_pkg::MemorySlot]),
    .counts_o   (slot_counts)
  );

  // What is bound that was lost is lost where it goes.
  coded_context #(
    .NumQps  (NumQps),
    .Width   ($bits(x2_held)),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_held (
    .clk_i,
    .rst_ni,
    .ready_o    (held_ready),
    .s_index_i  (x_q.qpn[QpnWidth-1:0]),
    .x_index_i  (x2_q.qpn[QpnWidth-1:0]),
    .x_looks_i  (x2_looks_held),
    .x_writes_i (x2_valid & x2_decision_q.binds),
    .x_poison_i (x2_valid & x2_decision_q.binds & x2_slot_lost),
    .x_inject_i (injects[rq_pkg::MemoryHeld]),
    .x_bit_a_i  (x2_bit_a),
    .x_bit_b_i  (x2_bit_b),
    .x_ctx_o    (x2_held),
    .x_lost_o   (x2_held_lost),
    .x_ctx_i    (x2_slot),
    .inject_ok_o(inject_ok[rq_pkg::MemoryHeld]),
    .counts_o   (held_counts)
  );

  always_comb begin
    x2_shown = '0;
    if (x2_decision_q.shows) x2_shown = x2_decision_q.is_held ? x2_held : x2_slot;
    x2_decided.qpn     = x2_q.qpn;
    x2_decided.op      = x2_q.op;
    x2_decided.present = x2_decision_q.present;
    x2_decided.wqe     = x2_shown;
    x2_decided.credits = x2_decision_q.credits;
  end

  if (Ecc == 0) begin : gen_plain
    logic unused_ecc;

    assign x2_result  = x2_decided;
    assign unused_ecc = ^{inject_ok, x2_decision_q.lost, x2_slot_lost, x2_held_lost, queue_counts, qp_counts,
                          slot_counts, held_counts};
  end else begin : gen_ecc
    // What X was told goes along with its record.
    logic [1:0] r2_ok_q, f2_ok_q, x2_ok_q;
    ecc_pkg::counts_t r2_counts_q, f2_counts_q, x2_counts_q, x2_counts;

    always_ff @(posedge clk_i) begin
      r2_ok_q     <= inject_ok[1:0];
      f2_ok_q     <= r2_ok_q;
      x2_ok_q     <= f2_ok_q;
      r2_counts_q <= x_q.wqe.wqe[0] ? qp_counts : queue_counts;
      f2_counts_q <= r2_counts_q;
      x2_counts_q <= f2_counts_q;
    end

    assign x2_counts = x2_q.wqe.wqe[1] ? (x2_q.wqe.wqe[0] ? held_counts : slot_counts) : x2_counts_q;

    rq_ecc u_ecc (
      .rec_i      (x2_q),
      .decision_i (x2_decision_q),
      .slot_lost_i(x2_slot_lost),
      .held_lost_i(x2_held_lost),
      .inject_ok_i({inject_ok[3:2], x2_ok_q}),
      .counts_i   (x2_counts),
      .result_i   (x2_decided),
      .result_o   (x2_result)
    );
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The output.

  credit_queue #(
    .Width($bits(out)),
    .Depth(8)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i  (accept),
    .room_o   (room),
    .data_i   (x2_result),
    .valid_i  (x2_valid),
    .m_data_o (out),
    .m_valid_o,
    .m_ready_i
  );

  assign {m_credits_o, m_wqe_o, m_bytes_o, m_present_o, m_op_o, m_qpn_o} = out;

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
