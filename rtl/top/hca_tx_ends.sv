// SPDX-License-Identifier: Apache-2.0
// Ends of WQEs of UC and UD in hca_tx: nobody answers them, so each ends when its last packet has left (REQ-13). Every
// packet that is given stands here, in order, until it has left.
module hca_tx_ends (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  hca_tx_pkg::end_t   s_end_i,
  input  logic               s_end_valid_i,  // only with room
  output logic               s_end_room_o,

  input  logic               left_i,  // the oldest packet that stands here has left

  output retire_pkg::query_t m_verdict_o,
  output logic               m_verdict_valid_o,
  input  logic               m_verdict_ready_i
);

  localparam int unsigned Depth = 16;

  hca_tx_pkg::end_t head;
  logic head_valid, goes, pop;
  logic [4:0] left_q, unused_count;  // left_q: packets that have left and stand here still

  sync_fifo #(
    .Width($bits(head)),
    .Depth(Depth)
  ) u_given (
    .clk_i,
    .rst_ni,
    .s_data_i (s_end_i),
    .s_valid_i(s_end_valid_i),
    .s_ready_o(s_end_room_o),
    .m_data_o (head),
    .m_valid_o(head_valid),
    .m_ready_i(pop),
    .count_o  (unused_count)
  );

  assign goes = head_valid && left_q != '0;
  assign pop  = goes & (~head.ends | m_verdict_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else left_q <= left_q + 5'(left_i) - 5'(pop);
  end

  always_comb begin
    m_verdict_o          = '0;
    m_verdict_o.qpn      = head.qpn;
    m_verdict_o.op       = retire_pkg::OpVerdict;
    m_verdict_o.una      = head.una;
    m_verdict_o.progress = 1'b1;
  end

  assign m_verdict_valid_o = goes & head.ends;

endmodule
