// SPDX-License-Identifier: Apache-2.0
// Where the open message of a QP goes on: docs/blocks/msg_tracker.md.
//
// The word of the QP comes to X with its record, as the record before it left it: so X adds once (msg_decide).
module msg_tracker #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Ecc = 0,        // 1: the memory has a code: docs/ecc.md
  parameter RamStyle = "block"           // of the memory of messages: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [2:0]  s_op_i,
  input  logic [23:0] s_qpn_i,
  input  logic [1:0]  s_verb_i,
  input  logic        s_first_i,
  input  logic        s_last_i,
  input  logic [15:0] s_payload_i,
  input  logic [63:0] s_va_i,
  input  logic [31:0] s_rkey_i,
  input  logic [31:0] s_dma_length_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [2:0]  m_op_o,
  output logic        m_found_o,
  output logic [63:0] m_va_o,
  output logic [31:0] m_rkey_o,
  output logic [31:0] m_offset_o,
  output logic [31:0] m_left_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("msg_tracker: NumQps must be a power of two from 4 to 65536");
  end
  if (Ecc > 1) begin : gen_bad_ecc
    $error("msg_tracker: Ecc must be 0 or 1");
  end

  msg_pkg::query_t s_rec, r_rec, x_rec;
  msg_pkg::result_t x_decided, x_result, out;
  msg_pkg::context_t x_ctx, x_decided_ctx, x_ctx_d;
  logic ctx_ready, x_valid, f_in_range_q, x_in_range_q, unused_r_rec;

  assign s_rec = {s_dma_length_i, s_rkey_i, s_va_i, s_payload_i, s_last_i, s_first_i, s_verb_i, s_qpn_i, s_op_i};
  assign unused_r_rec = ^r_rec;

  record_pipe #(
    .Width   ($bits(s_rec)),
    .OutWidth($bits(out)),
    .Depth   (8)
  ) u_pipe (
    .clk_i,
    .rst_ni,
    .open_i    (ctx_ready),
    .s_data_i  (s_rec),
    .s_valid_i,
    .s_ready_o,
    .r_data_o  (r_rec),
    .x_data_o  (x_rec),
    .x_valid_o (x_valid),
    .x_result_i(x_result),
    .m_data_o  (out),
    .m_valid_o,
    .m_ready_i
  );

  always_ff @(posedge clk_i) begin
    f_in_range_q <= r_rec.qpn[23:QpnWidth] == '0;
    x_in_range_q <= f_in_range_q;
  end

  if (Ecc == 0) begin : gen_plain
    qp_context #(
      .NumQps  (NumQps),
      .Width   ($bits(x_ctx)),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o(ctx_ready),
      .r_qpn_i(r_rec.qpn[QpnWidth-1:0]),
      .x_ctx_o(x_ctx),
      .x_ctx_i(x_ctx_d),
      .x_we_i (x_valid)
    );

    assign x_ctx_d  = x_decided_ctx;
    assign x_result = x_decided;
  end else begin : gen_ecc
    logic looks, inject, inject_ok, lost;
    ecc_pkg::counts_t seen;

    ecc_context #(
      .NumQps  (NumQps),
      .Width   ($bits(x_ctx)),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o    (ctx_ready),
      .s_index_i  (s_qpn_i[QpnWidth-1:0]),
      .x_index_i  (x_rec.qpn[QpnWidth-1:0]),
      .x_looks_i  (x_valid & looks),
      .x_writes_i (x_valid & looks),
      .x_poison_i (1'b0),
      .x_inject_i (x_valid & inject),
      .x_bit_a_i  (x_rec.va[15:0]),
      .x_bit_b_i  (x_rec.va[31:16]),
      .x_ctx_o    (x_ctx),
      .x_lost_o   (lost),
      .x_ctx_i    (x_ctx_d),
      .inject_ok_o(inject_ok),
      .counts_o   (seen)
    );

    msg_ecc u_ecc (
      .op_i       (x_rec.op),
      .in_range_i (x_in_range_q),
      .stopped_i  (lost | x_ctx.open == msg_pkg::VerbStopped),
      .inject_ok_i(inject_ok),
      .counts_i   (seen),
      .ctx_i      (x_decided_ctx),
      .result_i   (x_decided),
      .looks_o    (looks),
      .inject_o   (inject),
      .ctx_o      (x_ctx_d),
      .result_o   (x_result)
    );
  end

  msg_decide u_decide (
    .rec_i     (x_rec),
    .in_range_i(x_in_range_q),
    .ctx_i     (x_ctx),
    .ctx_o     (x_decided_ctx),
    .result_o  (x_decided)
  );

  assign {m_left_o, m_offset_o, m_rkey_o, m_va_o, m_found_o, m_op_o, m_qpn_o} = out;

endmodule
