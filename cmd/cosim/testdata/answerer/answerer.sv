// SPDX-License-Identifier: Apache-2.0
// A responder of another make: it decides as resp_psn_check does, and sends an ACK for every every_i requests that were
// executed, before any other answer of their QP, and when an ACK that was asked for has waited for Patience clocks.
//
// For example every_i = 4: three SENDs without AckReq and a READ give the ACK of the third SEND, then the READ's answer.
module answerer #(
  parameter int unsigned NumQps = 4,
  parameter int unsigned Patience = 200
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [7:0]  every_i,  // at least 1
  input  logic [2:0]  fault_i,  // 1: no timer, 2: no NAK, 3: a READ's answer twice, 4: an ACK's PSN one too far

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
  input  logic        s_valid_i,
  output logic        s_ready_o,

  output logic [23:0] m_qpn_o,
  output logic [23:0] m_psn_o,
  output logic [23:0] m_msn_o,
  output logic [7:0]  m_syndrome_o,
  output logic [2:0]  m_answer_o,
  output logic        m_valid_o,
  input  logic        m_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  // ---------------------------------------------------------------------------------------------------------------
  // What is decided, and what of its record an ACK needs: records come out in their order.

  logic [23:0] qpn, psn, msn;
  logic [7:0] syndrome;
  logic [4:0] why;
  logic [2:0] op, verdict, answer;
  logic valid, take, accept, check_ready;

  assign accept = s_valid_i & s_ready_o;

  /* verilator lint_off PINMISSING */
  resp_psn_check #(
    .NumQps(NumQps)
  ) u_check (
    .s_valid_i(s_valid_i & s_ready_o), .s_ready_o(check_ready), .s_lost_i(1'b0),
    .m_qpn_o(qpn), .m_psn_o(psn), .m_msn_o(msn), .m_syndrome_o(syndrome), .m_op_o(op), .m_why_o(why),
    .m_verdict_o(verdict), .m_answer_o(answer), .m_valid_o(valid), .m_ready_i(take),
    .m_epsn_before_o(), .m_epsn_after_o(), .m_first_o(), .m_last_o(), .m_complete_o(), .m_solicited_o(),
    .m_to_error_o(), .m_behind_o(), .*
  );

  logic [31:0] kept_q [32];  // PSN, credits and whether its service is RC
  logic [4:0] head_q, tail_q;
  logic [23:0] in_psn;
  logic [4:0] in_credits;
  logic in_rc;

  assign s_ready_o = check_ready & 5'(tail_q - head_q) < 5'd24;
  assign {in_psn, in_credits, in_rc} = kept_q[head_q][29:0];

  always_ff @(posedge clk_i) if (accept) kept_q[tail_q] <= {2'b0, s_psn_i, s_credits_i, s_opcode_i[7:5] == 3'd0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {head_q, tail_q} <= '0;
    else begin
      head_q <= head_q + 5'(valid & take);
      tail_q <= tail_q + 5'(accept);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // ACKs that wait, by QP.

  logic [55:0] ack_q [NumQps];  // PSN, MSN, syndrome
  logic [NumQps-1:0] waits_q, owed_q;
  logic [7:0] count_q [NumQps];
  logic [15:0] age_q [NumQps];
  logic [QpnWidth-1:0] look_q;  // the QP whose ACK is looked at when nothing is decided

  logic [QpnWidth-1:0] q;
  logic asked, acknowledges, other, flush_first, full, late, again_q;

  assign q            = qpn[QpnWidth-1:0];
  assign asked        = valid & answer == resp_pkg::AnswerAck;
  assign acknowledges = asked | valid & verdict == resp_pkg::VerdictExecute & op == resp_pkg::OpPacket & in_rc &
                        answer == resp_pkg::AnswerNone;
  assign other        = valid & ~acknowledges & (answer != resp_pkg::AnswerNone | op != resp_pkg::OpPacket);
  assign flush_first  = other & 32'(qpn) < NumQps & waits_q[q];
  assign full         = acknowledges & 32'(waits_q[q] ? count_q[q] : 8'd0) + 1 >= 32'(every_i);
  assign late         = ~valid & waits_q[look_q] & owed_q[look_q] & 32'(age_q[look_q]) > Patience & fault_i != 1;

  logic [55:0] now;
  logic [23:0] now_psn;
  assign now_psn = (asked ? psn : in_psn) + 24'(asked & fault_i == 4);
  assign now     = {now_psn, msn, asked ? syndrome : {3'd0, in_credits}};

  logic give, give_other;
  logic [55:0] given;

  assign give_other = other & ~flush_first & answer != resp_pkg::AnswerNone &
                      ~(fault_i == 2 & answer == resp_pkg::AnswerNak);
  assign give       = flush_first | full | late | give_other;
  assign given      = full ? now : late ? ack_q[look_q] : flush_first ? ack_q[q] : {psn, msn, syndrome};
  assign m_valid_o  = give;
  assign m_qpn_o    = late ? 24'(look_q) : qpn;
  assign {m_psn_o, m_msn_o, m_syndrome_o} = given;
  assign m_answer_o = give_other ? answer : resp_pkg::AnswerAck;

  logic twice;
  assign twice = fault_i == 3 & give_other & answer == resp_pkg::AnswerRead & ~again_q;
  assign take  = ~flush_first & ~twice & (m_ready_i | ~give);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) again_q <= 1'b0;
    else if (m_valid_o & m_ready_i) again_q <= twice;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      owed_q  <= '0;
      look_q  <= '0;
    end else begin
      if (!late) look_q <= look_q + 1'b1;
      for (int i = 0; i < NumQps; i++) age_q[i] <= &age_q[i] ? age_q[i] : age_q[i] + 16'd1;
      if (acknowledges && take) begin
        ack_q[q]   <= now;
        waits_q[q] <= ~full;
        owed_q[q]  <= ~full & (asked | waits_q[q] & owed_q[q]);
        count_q[q] <= waits_q[q] ? count_q[q] + 8'd1 : 8'd1;
        if (asked && !(waits_q[q] && owed_q[q])) age_q[q] <= '0;
        if (full) count_q[q] <= '0;
      end
      if (late && m_ready_i) {waits_q[look_q], owed_q[look_q], count_q[look_q]} <= '0;
      if (flush_first && m_ready_i) {waits_q[q], owed_q[q], count_q[q]} <= '0;
    end
  end

endmodule
