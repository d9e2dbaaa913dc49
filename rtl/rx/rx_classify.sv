// SPDX-License-Identifier: Apache-2.0
// Is a packet for a QP of ours, and what is it: docs/blocks/rx_classify.md.
//
// The word of the QP comes to X with its record; the port's tables are registers that X reads and writes. So one stage
// sees and changes everything (rx_admit).
module rx_classify #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Ecc = 0,        // 1: the memory has a code: docs/ecc.md
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic [2:0]   s_op_i,
  input  logic [3:0]   s_reason_i,
  input  logic [2:0]   s_encap_i,
  input  logic [7:0]   s_opcode_i,
  input  logic [23:0]  s_dest_qp_i,
  input  logic [15:0]  s_pkey_i,
  input  logic [15:0]  s_slid_i,
  input  logic [15:0]  s_dlid_i,
  input  logic [3:0]   s_entry_i,
  input  logic [1:0]   s_service_i,
  input  logic         s_live_i,
  input  logic         s_global_i,
  input  logic [127:0] s_src_i,
  input  logic [127:0] s_dst_i,
  input  logic [23:0]  s_queue_i,
  input  logic         s_shared_i,
  input  logic [23:0]  s_pd_i,
  input  logic         s_whole_write_i,
  input  logic [31:0]  s_qkey_i,
  input  logic         s_valid_i,
  output logic         s_ready_o,

  output logic [23:0]  m_qpn_o,
  output logic [15:0]  m_pkey_o,
  output logic [2:0]   m_class_o,
  output logic [3:0]   m_why_o,
  output logic [2:0]   m_op_o,
  output logic [1:0]   m_service_o,
  output logic [23:0]  m_queue_o,
  output logic         m_shared_o,
  output logic [23:0]  m_pd_o,
  output logic         m_whole_write_o,
  output logic [31:0]  m_qkey_o,
  output logic         m_valid_o,
  input  logic         m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("rx_classify: NumQps must be a power of two from 4 to 65536");
  end
  if (Ecc > 1) begin : gen_bad_ecc
    $error("rx_classify: Ecc must be 0 or 1");
  end

  classify_pkg::query_t s_rec, r_rec, x_rec;
  classify_pkg::result_t x_decided, x_result, out;
  classify_pkg::context_t x_ctx, x_ctx_d;
  logic ctx_ready, x_valid, own_we, pkey_we, unused_r_rec;

  assign s_rec = {s_qkey_i, s_whole_write_i, s_pd_i, s_shared_i, s_queue_i,
                  s_dst_i, s_src_i, s_global_i, s_live_i, s_service_i, s_entry_i, s_dlid_i, s_slid_i, s_pkey_i,
                  s_dest_qp_i, s_opcode_i, s_encap_i, s_reason_i, s_op_i};
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

  if (Ecc == 0) begin : gen_plain
    qp_context #(
      .NumQps  (NumQps),
      .Width   ($bits(x_ctx)),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o(ctx_ready),
      .r_qpn_i(r_rec.dest_qp[QpnWidth-1:0]),
      .x_ctx_o(x_ctx),
      .x_ctx_i(x_ctx_d),
      .x_we_i (x_valid)
    );

    assign x_result = x_decided;
  end else begin : gen_ecc
    // A QP whose word was lost is one that is not there. The port's tables are registers: what is told of them asks no
    // word.
    logic packet, inject, counts, looks, inject_ok, lost;
    logic [15:0] failed_at, corrected_at;  // ecc_pkg::counts_t
    logic [ecc_pkg::CountWidth-1:0] failures, corrections;

    assign packet = x_rec.op == classify_pkg::OpPacket;
    assign inject = x_rec.op == classify_pkg::OpInject;
    assign counts = x_rec.op == classify_pkg::OpCounts;
    assign looks  = x_valid & x_rec.op <= classify_pkg::OpRemove;

    ecc_context #(
      .NumQps  (NumQps),
      .Width   ($bits(x_ctx)),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o    (ctx_ready),
      .s_index_i  (s_dest_qp_i[QpnWidth-1:0]),
      .x_index_i  (x_rec.dest_qp[QpnWidth-1:0]),
      .x_looks_i  (looks),
      .x_writes_i (looks),
      .x_poison_i (1'b0),
      .x_inject_i (x_valid & inject),
      .x_bit_a_i  (x_rec.src[15:0]),
      .x_bit_b_i  (x_rec.src[31:16]),
      .x_ctx_o    (x_ctx),
      .x_lost_o   (lost),
      .x_ctx_i    (x_ctx_d),
      .inject_ok_o(inject_ok),
      .counts_o   ({failed_at, corrected_at, failures, corrections})
    );

    always_comb begin
      x_result = x_decided;
      if (packet && lost && x_decided.why == classify_pkg::WhyNoQp) x_result.why = classify_pkg::WhyLost;
      if (counts || (inject && inject_ok)) begin
        x_result.what = classify_pkg::ClassDone;
        x_result.why  = classify_pkg::WhyGood;
      end
      if (counts) begin
        x_result.pkey       = {failures, corrections};
        x_result.receive.rq = 24'(corrected_at);
        x_result.receive.pd = 24'(failed_at);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X: the port's tables, and the decision.

  logic [classify_pkg::Addresses*128-1:0] own_q;
  logic [classify_pkg::Pkeys*16-1:0] pkeys_q;

  rx_admit u_admit (
    .rec_i    (x_rec),
    .ctx_i    (x_ctx),
    .own_i    (own_q),
    .pkeys_i  (pkeys_q),
    .ctx_o    (x_ctx_d),
    .own_we_o (own_we),
    .pkey_we_o(pkey_we),
    .result_o (x_decided)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      own_q   <= '0;
      pkeys_q <= '0;
    end else begin
      for (int unsigned i = 0; i < classify_pkg::Addresses; i++) begin
        if (x_valid && own_we && x_rec.entry[1:0] == 2'(i)) own_q[128*i+:128] <= x_rec.src;
      end
      for (int unsigned i = 0; i < classify_pkg::Pkeys; i++) begin
        if (x_valid && pkey_we && x_rec.entry == 4'(i)) pkeys_q[16*i+:16] <= x_rec.pkey;
      end
    end
  end

  assign {m_qkey_o, m_whole_write_o, m_pd_o, m_shared_o, m_queue_o, m_service_o, m_op_o, m_why_o, m_class_o, m_pkey_o,
          m_qpn_o} = out;

endmodule
