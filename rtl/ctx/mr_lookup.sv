// SPDX-License-Identifier: Apache-2.0
// May a peer use a key for what it asks, and where is that: docs/blocks/mr_lookup.md.
//
// The word of the key comes to X with its record, and with the sums that the record's numbers make: so X compares and
// adds once (mr_decide).
module mr_lookup #(
  parameter int unsigned NumQps = 4096,  // keys: a power of two, 4 to 65,536
  parameter int unsigned Ecc = 0,        // 1: the memory has a code: docs/ecc.md
  parameter RamStyle = "block"           // of the memory of keys: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [2:0]  s_op_i,
  input  logic [31:0] s_rkey_i,
  input  logic [23:0] s_pd_i,
  input  logic [63:0] s_va_i,
  input  logic [63:0] s_length_i,
  input  logic [4:0]  s_need_i,
  input  logic        s_whole_i,
  input  logic        s_window_i,
  input  logic [63:0] s_base_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [63:0] m_address_o,
  output logic [31:0] m_rkey_o,
  output logic [2:0]  m_op_o,
  output logic        m_ok_o,
  output logic [2:0]  m_why_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned IndexWidth = $clog2(NumQps);
  localparam int unsigned IndexLow = 8;  // of a key: what lies below, its owner changes

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** IndexWidth) begin : gen_bad_num_qps
    $error("mr_lookup: NumQps must be a power of two from 4 to 65536");
  end
  if (Ecc > 1) begin : gen_bad_ecc
    $error("mr_lookup: Ecc must be 0 or 1");
  end

  mr_pkg::query_t s_rec, r_rec, x_rec;
  mr_pkg::result_t x_decided, x_result, out;
  mr_pkg::context_t x_ctx, x_ctx_d;
  mr_pkg::sums_t r_sums, f_sums_q, x_sums_q;
  logic ctx_ready, x_valid, unused_r_rec;

  assign s_rec = {s_base_i, s_window_i, s_whole_i, s_need_i, s_length_i, s_va_i, s_pd_i, s_rkey_i, s_op_i};
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

  always_comb begin
    r_sums.past  = {1'b0, r_rec.va} + {1'b0, r_rec.len};
    r_sums.delta = r_rec.base - r_rec.va;
    r_sums.empty = r_rec.len == '0;
  end

  always_ff @(posedge clk_i) begin
    f_sums_q <= r_sums;
    x_sums_q <= f_sums_q;
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
      .r_qpn_i(r_rec.rkey[IndexLow+:IndexWidth]),
      .x_ctx_o(x_ctx),
      .x_ctx_i(x_ctx_d),
      .x_we_i (x_valid)
    );

    assign x_result = x_decided;
  end else begin : gen_ecc
    // A key whose word was lost is one that is not there.
    logic inject, counts, looks, inject_ok, unused_lost;
    logic [15:0] failed_at, corrected_at;  // ecc_pkg::counts_t
    logic [ecc_pkg::CountWidth-1:0] failures, corrections;

    assign inject = x_rec.op == mr_pkg::OpInject;
    assign counts = x_rec.op == mr_pkg::OpCounts;
    assign looks  = x_valid & ~inject & ~counts;

    ecc_context #(
      .NumQps  (NumQps),
      .Width   ($bits(x_ctx)),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o    (ctx_ready),
      .s_index_i  (s_rkey_i[IndexLow+:IndexWidth]),
      .x_index_i  (x_rec.rkey[IndexLow+:IndexWidth]),
      .x_looks_i  (looks),
      .x_writes_i (looks),
      .x_poison_i (1'b0),
      .x_inject_i (x_valid & inject),
      .x_bit_a_i  (x_rec.va[15:0]),
      .x_bit_b_i  (x_rec.va[31:16]),
      .x_ctx_o    (x_ctx),
      .x_lost_o   (unused_lost),
      .x_ctx_i    (x_ctx_d),
      .inject_ok_o(inject_ok),
      .counts_o   ({failed_at, corrected_at, failures, corrections})
    );

    always_comb begin
      x_result = x_decided;
      if (counts || (inject && inject_ok)) begin
        x_result.why = mr_pkg::WhyGood;
        x_result.ok  = 1'b1;
      end
      if (counts) x_result.address = {failed_at, corrected_at, 16'(failures), 16'(corrections)};
    end
  end

  mr_decide u_decide (
    .rec_i   (x_rec),
    .sums_i  (x_sums_q),
    .ctx_i   (x_ctx),
    .ctx_o   (x_ctx_d),
    .result_o(x_decided)
  );

  assign {m_why_o, m_ok_o, m_op_o, m_rkey_o, m_address_o} = out;

endmodule
