// SPDX-License-Identifier: Apache-2.0
// Ends of WQEs of UC and UD in hca_tx: nobody answers them, so each ends when its last packet has left (REQ-13). Every
// packet that is given stands here, in order, until tx_frame has answered it. One that does not leave ends nothing:
// its QP is failing, and no other WQE ends before that is done.
module hca_tx_ends (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  hca_tx_pkg::end_t   s_end_i,
  input  logic               s_end_valid_i,  // only with room
  output logic               s_end_room_o,

  input  logic               s_left_good_i,  // of the oldest packet that stands here: it leaves, or not
  input  logic               s_left_valid_i,
  output logic               s_left_ready_o,
  input  logic               failing_i,      // a QP is to be closed

  output retire_pkg::query_t m_verdict_o,
  output logic               m_verdict_valid_o,
  input  logic               m_verdict_ready_i
);

  // 32 in tx_frame, 8 answered, 12 in front of it.
  localparam int unsigned Depth = 64;

  hca_tx_pkg::end_t head;
  logic head_valid, ends, goes;
  logic [6:0] unused_count;

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
    .m_ready_i(s_left_valid_i & s_left_ready_o),
    .count_o  (unused_count)
  );

  assign ends           = head.ends & s_left_good_i;
  assign goes           = ends & ~failing_i;
  assign s_left_ready_o = head_valid & (~ends | (goes & m_verdict_ready_i));

  always_comb begin
    m_verdict_o          = '0;
    m_verdict_o.qpn      = head.qpn;
    m_verdict_o.op       = retire_pkg::OpVerdict;
    m_verdict_o.una      = head.una;
    m_verdict_o.progress = 1'b1;
  end

  assign m_verdict_valid_o = head_valid & s_left_valid_i & goes;

`ifdef VERILATOR
  given_before: assert property (@(posedge clk_i) disable iff (!rst_ni) s_left_valid_i |-> head_valid)
  else $error("%m: a packet has left that was not given");
`endif

endmodule
