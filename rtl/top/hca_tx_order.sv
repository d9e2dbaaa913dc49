// SPDX-License-Identifier: Apache-2.0
// Whose turn it is in hca_tx: sq_scheduler, and all who wake a QP or end a turn.
module hca_tx_order #(
  parameter int unsigned NumQps = 4096,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0] op_i,
  input  logic                           op_valid_i,
  output logic                           op_ready_o,

  input  logic [23:0]                    s_done_qpn_i,
  input  logic [2:0]                     s_done_why_i,
  input  logic                           s_done_valid_i,
  output logic                           s_done_ready_o,

  input  logic [23:0]                    s_moved_qpn_i,  // a verdict has reached tx_packetizer
  input  logic                           s_moved_valid_i,
  output logic                           s_moved_ready_o,

  input  logic [23:0]                    s_posted_qpn_i,  // a post has reached sq_retire
  input  logic                           s_posted_valid_i,
  output logic                           s_posted_ready_o,

  output sched_pkg::turn_t               m_turn_o,
  output logic                           m_turn_valid_o,
  input  logic                           m_turn_ready_i
);

  sched_pkg::query_t done, moved, posted, rec;
  logic rec_valid, rec_ready, unused_op;

  assign unused_op = ^op_i;

  always_comb begin
    done       = '0;
    done.qpn   = s_done_qpn_i;
    done.op    = sched_pkg::OpDone;
    done.why   = s_done_why_i;
    moved      = '0;
    moved.qpn  = s_moved_qpn_i;
    moved.op   = sched_pkg::OpWake;
    posted     = '0;
    posted.qpn = s_posted_qpn_i;
    posted.op  = sched_pkg::OpWake;
  end

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({posted, moved, done, op_i[$bits(rec)-1:0]}),
    .s_valid_i({s_posted_valid_i, s_moved_valid_i, s_done_valid_i, op_valid_i}),
    .s_ready_o({s_posted_ready_o, s_moved_ready_o, s_done_ready_o, op_ready_o}),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  sq_scheduler #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_scheduler (
    .clk_i,
    .rst_ni,
    .s_qpn_i    (rec.qpn),
    .s_op_i     (rec.op),
    .s_why_i    (rec.why),
    .s_weight_i (rec.weight),
    .s_valid_i  (rec_valid),
    .s_ready_o  (rec_ready),
    .m_qpn_o    (m_turn_o.qpn),
    .m_packets_o(m_turn_o.packets),
    .m_valid_o  (m_turn_valid_o),
    .m_ready_i  (m_turn_ready_i)
  );

endmodule
