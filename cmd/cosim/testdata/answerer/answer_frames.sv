// SPDX-License-Identifier: Apache-2.0
// answerer with its answers as packets of two beats: eleven bytes, the first beat's in bits 63:0 of the record.
module answer_frames #(
  parameter int unsigned NumQps = 4,
  parameter int unsigned Patience = 200
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [7:0]  every_i,  // as answerer's
  input  logic [2:0]  fault_i,  // 1 to 4 as answerer's; 5: the first beat is left out, 6: a bit of the last beat

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

  output logic [63:0] m_axis_tdata_o,
  output logic [7:0]  m_axis_tkeep_o,
  output logic        m_axis_tlast_o,
  output logic        m_axis_tvalid_o,
  input  logic        m_axis_tready_i
);

  logic [23:0] qpn, psn, msn;
  logic [7:0] syndrome;
  logic [2:0] answer;
  logic valid;

  answerer #(.NumQps(NumQps), .Patience(Patience)) u_answerer (
    .clk_i(clk_i), .rst_ni(rst_ni), .every_i(every_i),
    .fault_i    (fault_i < 3'd5 ? fault_i : 3'd0),
    .s_qpn_i(s_qpn_i),
    .s_psn_i(s_psn_i),
    .s_opcode_i(s_opcode_i),
    .s_payload_i(s_payload_i),
    .s_dma_length_i(s_dma_length_i),
    .s_wqe_bytes_i(s_wqe_bytes_i),
    .s_op_i(s_op_i),
    .s_service_i(s_service_i),
    .s_pmtu_i(s_pmtu_i),
    .s_max_reads_i(s_max_reads_i),
    .s_enabled_i(s_enabled_i),
    .s_rnr_timer_i(s_rnr_timer_i),
    .s_va_low_i(s_va_low_i),
    .s_credits_i(s_credits_i),
    .s_pad_i(s_pad_i),
    .s_ack_req_i(s_ack_req_i),
    .s_profile_i(s_profile_i),
    .s_solicited_i(s_solicited_i),
    .s_own_error_i(s_own_error_i),
    .s_qkey_ok_i(s_qkey_ok_i),
    .s_wqe_present_i(s_wqe_present_i),
    .s_access_ok_i(s_access_ok_i),
    .s_flush_plt_i(s_flush_plt_i),
    .s_flush_sel_i(s_flush_sel_i),
    .s_flush_enabled_i(s_flush_enabled_i),
    .s_valid_i(s_valid_i),
    .s_ready_o(s_ready_o),
    .m_qpn_o     (qpn),
    .m_psn_o     (psn),
    .m_msn_o     (msn),
    .m_syndrome_o(syndrome),
    .m_answer_o  (answer),
    .m_valid_o   (valid),
    .m_ready_i   (~busy_q)
  );

  // The record waits here while its beats leave.
  logic [127:0] held_q;
  logic busy_q, last_q;

  assign m_axis_tvalid_o = busy_q;
  assign m_axis_tlast_o  = last_q;
  assign m_axis_tkeep_o  = m_axis_tlast_o ? 8'h07 : 8'hFF;
  assign m_axis_tdata_o  = held_q[63:0] ^ 64'(m_axis_tlast_o & fault_i == 3'd6);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q <= valid;
      held_q <= {45'd0, answer, syndrome, msn, psn, qpn} >> (fault_i == 3'd5 ? 64 : 0);
      last_q <= fault_i == 3'd5;
    end else if (m_axis_tready_i) begin
      busy_q <= ~m_axis_tlast_o;
      held_q <= held_q >> 64;
      last_q <= 1'b1;
    end
  end

endmodule
