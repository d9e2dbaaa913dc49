// SPDX-License-Identifier: Apache-2.0
// The responder's check of requests for many QPs: docs/blocks/resp_psn_check.md.
//
// R looks the QP up, F waits for its word, X decides and writes the word back in the same clock. All that can be said
// about a record without its QP is worked out in R and F, for every path MTU where it depends on that: X only chooses
// (resp_decide).
module resp_psn_check #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Ecc = 0,        // 1: the memory of QPs has a code: docs/ecc.md
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [23:0] s_qpn_i,
  input  logic [23:0] s_psn_i,
  input  logic [7:0]  s_opcode_i,
  input  logic [15:0] s_payload_i,
  input  logic [31:0] s_dma_length_i,
  input  logic [31:0] s_wqe_bytes_i,
  input  logic [2:0]  s_op_i,
  input  logic [1:0]  s_service_i,
  input  logic [2:0]  s_pmtu_i,
  input  logic [4:0]  s_max_reads_i,
  input  logic [2:0]  s_enabled_i,
  input  logic [4:0]  s_rnr_timer_i,
  input  logic [2:0]  s_va_low_i,
  input  logic [4:0]  s_credits_i,
  input  logic [1:0]  s_pad_i,
  input  logic        s_ack_req_i,
  input  logic [7:0]  s_profile_i,
  input  logic        s_solicited_i,
  input  logic        s_own_error_i,
  input  logic        s_qkey_ok_i,
  input  logic        s_wqe_present_i,
  input  logic        s_access_ok_i,
  input  logic [3:0]  s_flush_plt_i,
  input  logic [1:0]  s_flush_sel_i,
  input  logic [1:0]  s_flush_enabled_i,
  input  logic        s_lost_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [23:0] m_epsn_before_o,
  output logic [23:0] m_epsn_after_o,
  output logic [23:0] m_psn_o,
  output logic [23:0] m_msn_o,
  output logic [7:0]  m_syndrome_o,
  output logic [2:0]  m_op_o,
  output logic [4:0]  m_why_o,
  output logic [2:0]  m_verdict_o,
  output logic [2:0]  m_answer_o,
  output logic        m_first_o,
  output logic        m_last_o,
  output logic        m_complete_o,
  output logic        m_solicited_o,
  output logic        m_to_error_o,
  output logic [4:0]  m_behind_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned Depth = 8;  // records under way at most: for one a clock at least the latency

  if (NumQps < 4 || NumQps > 65536 || NumQps != 2 ** QpnWidth) begin : gen_bad_num_qps
    $error("resp_psn_check: NumQps must be a power of two from 4 to 65536");
  end
  if (Ecc > 1) begin : gen_bad_ecc
    $error("resp_psn_check: Ecc must be 0 or 1");
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted record stands in a register. Behind it nothing ever stands still; nothing enters until every
  // word is zero.

  logic room, accept, ctx_ready, in_valid_q;
  resp_pkg::request_t s_rec, in_q;

  assign s_rec = {s_lost_i, s_flush_enabled_i, s_flush_sel_i, s_flush_plt_i, s_access_ok_i, s_wqe_present_i,
                  s_qkey_ok_i, s_own_error_i, s_solicited_i, s_profile_i, s_ack_req_i, s_pad_i, s_credits_i, s_va_low_i,
                  s_rnr_timer_i, s_enabled_i, s_max_reads_i, s_pmtu_i, s_service_i, s_op_i, s_wqe_bytes_i,
                  s_dma_length_i, s_payload_i, s_opcode_i, s_psn_i, s_qpn_i};

  assign s_ready_o = room & ctx_ready;
  assign accept    = s_valid_i & s_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_valid_q <= 1'b0;
    else in_valid_q <= accept;
  end

  always_ff @(posedge clk_i) in_q <= s_rec;

  // ---------------------------------------------------------------------------------------------------------------
  // Into R: the opcode, and how many PSNs the request takes under each path MTU (PSN-4).

  resp_pkg::decoded_t dec;
  logic several;

  resp_opcode u_opcode (
    .opcode_i(in_q.opcode),
    .dec_o   (dec)
  );

  assign several = dec.read && in_q.dma_length != '0;

  resp_pkg::request_t r_q;
  resp_pkg::decoded_t r_dec_q;
  logic r_valid_q;
  logic [resp_pkg::Pmtus*24-1:0] r_takes_q;  // how far its PSNs reach

  always_ff @(posedge clk_i) begin
    r_q     <= in_q;
    r_dec_q <= dec;
  end

  for (genvar i = 0; i < resp_pkg::Pmtus; i++) begin : gen_takes
    logic [31:0] rounded;
    assign rounded = in_q.dma_length + 32'((256 << i) - 1);  // 2^31 at most; more is refused
    always_ff @(posedge clk_i) begin
      r_takes_q[24*i+:24] <= several ? psn_pkg::steps(24'(rounded[31:8+i])) : psn_pkg::Step;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Into F: what the lengths come to. Into X: nothing more, the word is on its way.

  resp_pkg::facts_t r_facts, f_facts_q, x_facts_q;
  resp_pkg::request_t f_q, x_q;
  resp_pkg::decoded_t f_dec_q, x_dec_q;
  logic f_valid_q, x_valid_q;

  resp_facts #(
    .QpnWidth(QpnWidth)
  ) u_facts (
    .req_i  (r_q),
    .dec_i  (r_dec_q),
    .takes_i(r_takes_q),
    .facts_o(r_facts)
  );

  always_ff @(posedge clk_i) begin
    f_q       <= r_q;
    f_dec_q   <= r_dec_q;
    f_facts_q <= r_facts;
    x_q       <= f_q;
    x_dec_q   <= f_dec_q;
    x_facts_q <= f_facts_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // X: the verdict.

  resp_pkg::context_t x_ctx, x_decided_ctx, x_ctx_d;
  resp_pkg::result_t x_decided, x_result;

  resp_decide u_decide (
    .req_i   (x_q),
    .dec_i   (x_dec_q),
    .facts_i (x_facts_q),
    .ctx_i   (x_ctx),
    .ctx_o   (x_decided_ctx),
    .result_o(x_decided)
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
      .r_qpn_i(r_q.qpn[QpnWidth-1:0]),
      .x_ctx_o(x_ctx),
      .x_ctx_i(x_ctx_d),
      .x_we_i (x_valid_q & x_facts_q.in_range)
    );

    assign x_ctx_d  = x_decided_ctx;
    assign x_result = x_decided;
  end else begin : gen_ecc
    // A look-up takes a clock more: it begins as soon as the record stands at the edge.
    logic corrected, failed, we, flip;
    logic [ecc_pkg::BitWidth-1:0] flip_a, flip_b;

    qp_context_ecc #(
      .NumQps  (NumQps),
      .Width   ($bits(x_ctx)),
      .RamStyle(RamStyle)
    ) u_context (
      .clk_i,
      .rst_ni,
      .ready_o      (ctx_ready),
      .r_qpn_i      (in_q.qpn[QpnWidth-1:0]),
      .x_ctx_o      (x_ctx),
      .x_corrected_o(corrected),
      .x_failed_o   (failed),
      .x_ctx_i      (x_ctx_d),
      .x_we_i       (we),
      .x_flip_i     (flip),
      .x_flip_a_i   (flip_a),
      .x_flip_b_i   (flip_b)
    );

    resp_ecc #(
      .QpnWidth(QpnWidth),
      .CodeBits(ecc_pkg::word_bits($bits(x_ctx), ecc_pkg::PieceBits))
    ) u_ecc (
      .clk_i,
      .rst_ni,
      .valid_i    (x_valid_q),
      .req_i      (x_q),
      .in_range_i (x_facts_q.in_range),
      .corrected_i(corrected),
      .failed_i   (failed),
      .ctx_i      (x_decided_ctx),
      .result_i   (x_decided),
      .ctx_o      (x_ctx_d),
      .we_o       (we),
      .flip_o     (flip),
      .flip_a_o   (flip_a),
      .flip_b_o   (flip_b),
      .result_o   (x_result)
    );
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Output queue.

  resp_pkg::result_t out;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {x_valid_q, f_valid_q, r_valid_q} <= '0;
    else {x_valid_q, f_valid_q, r_valid_q} <= {f_valid_q, r_valid_q, in_valid_q};
  end

  credit_queue #(
    .Width($bits(out)),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i (accept),
    .room_o  (room),
    .data_i  (x_result),
    .valid_i (x_valid_q),
    .m_data_o(out),
    .m_valid_o,
    .m_ready_i
  );

  assign {m_behind_o, m_to_error_o, m_solicited_o, m_complete_o, m_last_o, m_first_o, m_answer_o, m_verdict_o, m_why_o,
          m_op_o, m_syndrome_o, m_msn_o, m_psn_o, m_epsn_after_o, m_epsn_before_o, m_qpn_o} = out;

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
