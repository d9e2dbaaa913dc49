// SPDX-License-Identifier: Apache-2.0
// READs and atomics of hca_rx, and the order of all that answers: docs/blocks/hca_rx.md.
module hca_rx_serve #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Ecc = 0,  // of the context memories: docs/ecc.md
  parameter RamStyle = "block"
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  hca_rx_pkg::work_t                 s_work_i,  // in the order of the commits
  input  logic                              s_work_valid_i,
  output logic                              s_work_ready_o,

  input  logic [hca_rx_pkg::CountWidth-1:0] writes_i,  // so many were decided
  input  logic [7:0]                        ack_tag_i,
  input  logic                              acks_i,    // memory has the write of this tag, or not

  input  logic [hca_rx_pkg::OpWidth-1:0]    op_i,
  input  logic                              op_valid_i,
  output logic                              op_ready_o,

  input  logic [23:0]                       s_failed_qpn_i,
  input  logic                              s_failed_valid_i,
  output logic                              s_failed_ready_o,

  output hca_rx_pkg::outcome_t              m_outcome_o,
  output logic                              m_outcome_valid_o,
  input  logic                              m_outcome_ready_i,

  input  logic [DataWidth-1:0]              s_rd_tdata_i,
  input  logic [DataWidth/8-1:0]            s_rd_tkeep_i,
  input  logic [6:0]                        s_rd_tuser_i,
  input  logic                              s_rd_tlast_i,
  input  logic                              s_rd_tvalid_i,
  output logic                              s_rd_tready_o,

  output logic [5:0]                        m_rd_tag_o,
  output logic [8:0]                        m_rd_bytes_o,
  output logic [63:0]                       m_rd_address_o,
  output logic                              m_rd_valid_o,
  input  logic                              m_rd_ready_i,

  input  logic [5:0]                        s_ard_tag_i,
  input  logic                              s_ard_error_i,
  input  logic [63:0]                       s_ard_data_i,
  input  logic                              s_ard_valid_i,
  output logic                              s_ard_ready_o,

  output logic [5:0]                        m_ard_tag_o,
  output logic [63:0]                       m_ard_address_o,
  output logic                              m_ard_valid_o,
  input  logic                              m_ard_ready_i,

  input  logic [5:0]                        s_awr_tag_i,
  input  logic                              s_awr_error_i,
  input  logic                              s_awr_valid_i,
  output logic                              s_awr_ready_o,

  output logic [5:0]                        m_awr_tag_o,
  output logic [63:0]                       m_awr_address_o,
  output logic [63:0]                       m_awr_data_o,
  output logic                              m_awr_valid_o,
  input  logic                              m_awr_ready_i,

  output ack_pkg::record_t                  m_answer_o,
  output logic                              m_answer_valid_o,
  input  logic                              m_answer_ready_i,

  output logic [DataWidth-1:0]              m_axis_tdata_o,
  output logic [DataWidth/8-1:0]            m_axis_tkeep_o,
  output logic                              m_axis_tlast_o,
  output logic                              m_axis_tvalid_o,
  input  logic                              m_axis_tready_i,

  output hca_rx_pkg::ended_t                m_end_o,
  output logic                              m_end_valid_o,
  input  logic                              m_end_ready_i,

  output logic                              due_o,     // an answer is due
  output logic                              through_o  // one has gone to ack_gen, or leads to none
);

  logic [hca_rx_pkg::CountWidth-1:0] acked;
  hca_rx_pkg::turn_t turn;
  read_pkg::cmd_t cmd;
  read_pkg::piece_t piece;
  read_pkg::hdr_t hdr;
  read_pkg::rec_t rec;
  atomic_pkg::read_t ard;
  atomic_pkg::write_t awr;
  replay_pkg::query_t op;
  logic engines_ready, order_ready, sets, turn_valid, turn_ready, cmd_valid, cmd_ready, hdr_valid, hdr_ready;
  logic rec_valid, rec_ready, unused_op;

  assign op         = op_i[$bits(op)-1:0];
  assign unused_op  = ^op;
  assign op_ready_o = engines_ready & order_ready;
  assign due_o      = s_work_valid_i & s_work_ready_o;

  hca_rx_acked u_acked (
    .clk_i,
    .rst_ni,
    .writes_i,
    .tag_i  (ack_tag_i),
    .acks_i,
    .acked_o(acked)
  );

  hca_rx_engines #(
    .NumQps  (NumQps),
    .Ecc     (Ecc),
    .RamStyle(RamStyle)
  ) u_engines (
    .clk_i,
    .rst_ni,
    .s_work_i,
    .s_work_valid_i,
    .s_work_ready_o,
    .acked_i       (acked),
    .op_i,
    .op_valid_i    (op_valid_i & order_ready),
    .op_ready_o    (engines_ready),
    .op_sets_o     (sets),
    .m_read_o      (cmd),
    .m_read_valid_o(cmd_valid),
    .m_read_ready_i(cmd_ready),
    .m_ard_o       (ard),
    .m_ard_valid_o,
    .m_ard_ready_i,
    .s_ard_tag_i,
    .s_ard_error_i,
    .s_ard_data_i,
    .s_ard_valid_i,
    .s_ard_ready_o,
    .m_awr_o       (awr),
    .m_awr_valid_o,
    .m_awr_ready_i,
    .s_awr_tag_i,
    .s_awr_error_i,
    .s_awr_valid_i,
    .s_awr_ready_o,
    .m_turn_o      (turn),
    .m_turn_valid_o(turn_valid),
    .m_turn_ready_i(turn_ready)
  );

  assign {m_ard_address_o, m_ard_tag_o}             = ard;
  assign {m_awr_data_o, m_awr_address_o, m_awr_tag_o} = awr;
  assign {m_rd_address_o, m_rd_bytes_o, m_rd_tag_o} = piece;

  hca_rx_read #(
    .DataWidth(DataWidth),
    .RamStyle (RamStyle)
  ) u_read (
    .clk_i,
    .rst_ni,
    .s_cmd_i      (cmd),
    .s_cmd_valid_i(cmd_valid),
    .s_cmd_ready_o(cmd_ready),
    .m_rd_o       (piece),
    .m_rd_valid_o,
    .m_rd_ready_i,
    .s_rd_tdata_i,
    .s_rd_tkeep_i,
    .s_rd_tuser_i,
    .s_rd_tlast_i,
    .s_rd_tvalid_i,
    .s_rd_tready_o,
    .m_hdr_o      (hdr),
    .m_hdr_valid_o(hdr_valid),
    .m_hdr_ready_i(hdr_ready),
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i,
    .m_rec_o      (rec),
    .m_rec_valid_o(rec_valid),
    .m_rec_ready_i(rec_ready)
  );

  hca_rx_order #(
    .NumQps  (NumQps),
    .RamStyle(RamStyle)
  ) u_order (
    .clk_i,
    .rst_ni,
    .ready_o       (order_ready),
    .s_turn_i      (turn),
    .s_turn_valid_i(turn_valid),
    .s_turn_ready_o(turn_ready),
    .alive_qpn_i   (op.qpn),
    .alive_i       (sets),
    .s_hdr_i       (hdr),
    .s_hdr_valid_i (hdr_valid),
    .s_hdr_ready_o (hdr_ready),
    .s_rec_i       (rec),
    .s_rec_valid_i (rec_valid),
    .s_rec_ready_o (rec_ready),
    .s_failed_qpn_i,
    .s_failed_valid_i,
    .s_failed_ready_o,
    .m_outcome_o,
    .m_outcome_valid_o,
    .m_outcome_ready_i,
    .m_answer_o,
    .m_answer_valid_o,
    .m_answer_ready_i,
    .m_end_o,
    .m_end_valid_o,
    .m_end_ready_i,
    .through_o
  );

`ifdef VERILATOR
  // What an engine begins stands behind as many acknowledgements at least as there were writes before it.
  logic [hca_rx_pkg::CountWidth-1:0] acks_q, spare;

  assign spare = acks_q - u_engines.work.writes;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) acks_q <= '0;
    else if (acks_i) acks_q <= acks_q + 1'b1;
  end

  read_behind_writes: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_engines.begins |-> !spare[hca_rx_pkg::CountWidth-1])
  else $error("%m: a READ or atomic begins before the writes ahead of it are acknowledged");
`endif

endmodule
