// SPDX-License-Identifier: Apache-2.0
// The receive WQE that a QP's next message would use: docs/blocks/rq_head.md.
//
//   R, F, X     the words of queue and QP are looked up; X decides which slot is read or written (rq_decide)
//   R2, F2, X2  the slot and what the QP holds are looked up, and written
//
// Each of the two halves is exact by itself, records a clock apart included (qp_context). So X knows the head as all
// earlier records left it, and X2 the WQEs.
module rq_head #(
  parameter int unsigned NumQps = 4096,  // a power of two from 4; times Depth at most 65,536
  parameter int unsigned Depth = 8,      // a power of two from 2 to 64
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

  rq_pkg::query_t s_rec, r_q, f_q, x_q, r2_q, f2_q, x2_q;
  rq_pkg::result_t x2_result, out;
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
  logic x_holds, x_holds_d;
  rq_pkg::decision_t x_decision;

  always_ff @(posedge clk_i) begin
    f_qp_ok_q    <= r_q.qpn[23:QpnWidth] == '0;
    f_queue_ok_q <= r_q.rq[23:QpnWidth] == '0;
    x_qp_ok_q    <= f_qp_ok_q;
    x_queue_ok_q <= f_queue_ok_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   (SlotWidth + CountWidth),
    .RamStyle(RamStyle)
  ) u_queues (
    .clk_i,
    .rst_ni,
    .ready_o(queues_ready),
    .r_qpn_i(r_q.rq[QpnWidth-1:0]),
    .x_ctx_o({x_head, x_count}),
    .x_ctx_i({x_head_d, x_count_d}),
    .x_we_i (x_valid)
  );

  qp_context #(
    .NumQps  (NumQps),
    .Width   (1),
    .RamStyle(RamStyle)
  ) u_qps (
    .clk_i,
    .rst_ni,
    .ready_o(qps_ready),
    .r_qpn_i(r_q.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_holds),
    .x_ctx_i(x_holds_d),
    .x_we_i (x_valid)
  );

  rq_decide #(
    .Depth(Depth)
  ) u_decide (
    .rec_i     (x_q),
    .qp_ok_i   (x_qp_ok_q),
    .queue_ok_i(x_queue_ok_q),
    .head_i    (x_head),
    .count_i   (x_count),
    .holds_i   (x_holds),
    .head_o    (x_head_d),
    .count_o   (x_count_d),
    .holds_o   (x_holds_d),
    .slot_o    (x_slot),
    .decision_o(x_decision)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // R2, F2, X2: the WQE in the slot, and the one that the QP holds.

  logic [SlotWidth-1:0] r2_slot_q;
  rq_pkg::decision_t r2_decision_q, f2_decision_q, x2_decision_q;
  rq_pkg::wqe_t x2_slot, x2_held, x2_shown;

  always_ff @(posedge clk_i) begin
    r2_slot_q     <= x_slot;
    r2_decision_q <= x_decision;
    f2_decision_q <= r2_decision_q;
    x2_decision_q <= f2_decision_q;
  end

  qp_context #(
    .NumQps  (NumQps * Depth),
    .Width   ($bits(x2_slot)),
    .RamStyle(RamStyle)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .ready_o(slots_ready),
    .r_qpn_i({r2_q.rq[QpnWidth-1:0], r2_slot_q}),
    .x_ctx_o(x2_slot),
    .x_ctx_i(x2_q.wqe),
    .x_we_i (x2_valid & x2_decision_q.stores)
  );

  qp_context #(
    .NumQps  (NumQps),
    .Width   ($bits(x2_held)),
    .RamStyle(RamStyle)
  ) u_held (
    .clk_i,
    .rst_ni,
    .ready_o(held_ready),
    .r_qpn_i(r2_q.qpn[QpnWidth-1:0]),
    .x_ctx_o(x2_held),
    .x_ctx_i(x2_slot),
    .x_we_i (x2_valid & x2_decision_q.binds)
  );

  always_comb begin
    x2_shown = '0;
    if (x2_decision_q.shows) x2_shown = x2_decision_q.is_held ? x2_held : x2_slot;
    x2_result.qpn     = x2_q.qpn;
    x2_result.op      = x2_q.op;
    x2_result.present = x2_decision_q.present;
    x2_result.wqe     = x2_shown;
    x2_result.credits = x2_decision_q.credits;
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
