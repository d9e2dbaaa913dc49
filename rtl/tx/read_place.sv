// SPDX-License-Identifier: Apache-2.0
// Where the payload of READ responses and the values of atomics go, and verdicts behind what they tell of:
// docs/blocks/read_place.md.
//
// The list of the QP comes to X with its record, as the record before it left it (place_decide). What leaves the queue
// behind is a record of dma_place; its entries go by dma_order.
module read_place #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Depth = 128,    // entries under way: a power of two from 2 to 256
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter int unsigned Reads = 4,      // outstanding READs and atomics of a QP, 1 to 16
  parameter RamStyle = "block"           // of the memory of lists: ram_1r1w
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [1:0]             s_op_i,
  input  logic [23:0]            s_qpn_i,
  input  logic [23:0]            s_psn_i,
  input  logic                   s_data_i,
  input  logic                   s_ended_i,
  input  logic [12:0]            s_bytes_i,
  input  logic [1:0]             s_kind_i,
  input  logic [2:0]             s_pmtu_i,
  input  logic                   s_progress_i,
  input  logic                   s_fail_i,
  input  logic [3:0]             s_status_i,
  input  logic [63:0]            s_address_i,
  input  logic [63:0]            s_value_i,
  input  logic                   s_valid_i,
  output logic                   s_ready_o,

  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  input  logic [7:0]             s_mem_tag_i,
  input  logic                   s_mem_error_i,
  input  logic                   s_mem_valid_i,
  output logic                   s_mem_ready_o,

  output logic [7:0]             m_mem_tag_o,
  output logic [15:0]            m_mem_bytes_o,
  output logic [63:0]            m_mem_address_o,
  output logic                   m_mem_valid_o,
  input  logic                   m_mem_ready_i,

  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  output logic [23:0]            m_rec_qpn_o,
  output logic [1:0]             m_rec_op_o,
  output logic [23:0]            m_rec_una_o,
  output logic                   m_rec_progress_o,
  output logic                   m_rec_fail_o,
  output logic [3:0]             m_rec_status_o,
  output logic                   m_rec_valid_o,
  input  logic                   m_rec_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);
  localparam int unsigned CtxWidth = place_pkg::StateWidth + Reads * place_pkg::ReadWidth;

  // ---------------------------------------------------------------------------------------------------------------
  // The list of the record's QP.

  place_pkg::rec_t s_rec, r_rec, x_rec;
  place_pkg::decided_t x_result, decided;
  logic [CtxWidth-1:0] x_ctx, x_ctx_d;
  logic open, x_valid, f_in_range_q, x_in_range_q, decided_valid, decided_ready, unused_r_rec;

  assign s_rec = {s_value_i, s_address_i, s_status_i, s_fail_i, s_progress_i, s_pmtu_i, s_kind_i, s_bytes_i, s_ended_i,
                  s_data_i, s_psn_i, s_qpn_i, s_op_i};
  assign unused_r_rec = ^r_rec;

  record_pipe #(
    .Width   ($bits(s_rec)),
    .OutWidth($bits(decided)),
    .Depth   (8)
  ) u_pipe (
    .clk_i,
    .rst_ni,
    .open_i    (open),
    .s_data_i  (s_rec),
    .s_valid_i,
    .s_ready_o,
    .r_data_o  (r_rec),
    .x_data_o  (x_rec),
    .x_valid_o (x_valid),
    .x_result_i(x_result),
    .m_data_o  (decided),
    .m_valid_o (decided_valid),
    .m_ready_i (decided_ready)
  );

  always_ff @(posedge clk_i) begin
    f_in_range_q <= r_rec.qpn[23:QpnWidth] == '0;
    x_in_range_q <= f_in_range_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   (CtxWidth),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o(open),
    .r_qpn_i(r_rec.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_ctx),
    .x_ctx_i(x_ctx_d),
    .x_we_i (x_valid)
  );

  place_decide #(
    .Reads   (Reads),
    .CtxWidth(CtxWidth)
  ) u_decide (
    .rec_i     (x_rec),
    .in_range_i(x_in_range_q),
    .ctx_i     (x_ctx),
    .ctx_o     (x_ctx_d),
    .result_o  (x_result)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Its write, or what is thrown away.

  dma_pkg::cmd_t cmd;
  dma_pkg::write_t m_mem;
  dma_pkg::entry_t entry;
  dma_pkg::ack_t s_mem;
  logic goes, entry_valid, entry_ready;
  logic feed_valid, feed_ready, feed_last;
  logic [DataWidth-1:0] feed_data;
  logic [DataWidth/8-1:0] feed_keep;

  always_comb begin
    cmd.immediate     = '0;
    cmd.has_immediate = decided.fail;
    cmd.length        = '0;
    cmd.wqe           = '0;
    cmd.address       = decided.base + ({40'd0, decided.reach} << (4'd7 + {1'b0, decided.pmtu}));
    cmd.bytes         = {3'd0, decided.bytes};
    cmd.psn           = decided.psn;
    cmd.qpn           = decided.qpn;
    cmd.status        = decided.status;
    cmd.solicited     = decided.progress;
    cmd.complete      = decided.verdict;
    cmd.place         = decided.place;
    cmd.clear         = decided.clear;
  end

  assign goes  = decided_valid & decided_ready;
  assign s_mem = {s_mem_error_i, s_mem_tag_i};
  assign {m_mem_address_o, m_mem_bytes_o, m_mem_tag_o} = m_mem;

  place_feed #(
    .DataWidth(DataWidth)
  ) u_feed (
    .clk_i,
    .rst_ni,
    .s_is_value_i   (decided.is_value),
    .s_value_i      (decided.value),
    .s_valid_i      (goes & decided.bytes != '0),
    .s_axis_tdata_i,
    .s_axis_tkeep_i,
    .s_axis_tlast_i,
    .s_axis_tvalid_i,
    .s_axis_tready_o,
    .m_axis_tdata_o (feed_data),
    .m_axis_tkeep_o (feed_keep),
    .m_axis_tlast_o (feed_last),
    .m_axis_tvalid_o(feed_valid),
    .m_axis_tready_i(feed_ready)
  );

  dma_place #(
    .DataWidth(DataWidth)
  ) u_place (
    .clk_i,
    .rst_ni,
    .open_i         (open),
    .s_cmd_i        (cmd),
    .s_cmd_valid_i  (decided_valid),
    .s_cmd_ready_o  (decided_ready),
    .s_axis_tdata_i (feed_data),
    .s_axis_tkeep_i (feed_keep),
    .s_axis_tlast_i (feed_last),
    .s_axis_tvalid_i(feed_valid),
    .s_axis_tready_o(feed_ready),
    .m_mem_o        (m_mem),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .m_axis_tdata_o,
    .m_axis_tkeep_o,
    .m_axis_tlast_o,
    .m_axis_tvalid_o,
    .m_axis_tready_i,
    .m_entry_o      (entry),
    .m_entry_valid_o(entry_valid),
    .m_entry_ready_i(entry_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Entries in their order, and what is told of them.

  dma_pkg::record_t retired;
  place_pkg::result_t result, m_rec;
  logic retired_valid, retired_ready, unused_retired;
  logic [3:0] unused_results;

  dma_order #(
    .Depth(Depth)
  ) u_order (
    .clk_i,
    .rst_ni,
    .s_entry_i       (entry),
    .s_entry_valid_i (entry_valid),
    .s_entry_ready_o (entry_ready),
    .mem_left_i      (m_mem_valid_o & m_mem_ready_i),
    .data_left_i     (m_axis_tvalid_o & m_axis_tready_i & m_axis_tlast_o),
    .s_mem_i         (s_mem),
    .s_mem_valid_i,
    .s_mem_ready_o,
    .m_record_o      (retired),
    .m_record_valid_o(retired_valid),
    .m_record_ready_i(retired_ready)
  );

  assign unused_retired = ^{retired.complete, retired.cqe.immediate, retired.cqe.length, retired.cqe.wqe};

  always_comb begin
    result.qpn      = retired.cqe.qpn;
    result.una      = retired.cqe.psn;
    result.op       = place_pkg::OpVerdict;
    result.progress = retired.cqe.solicited;
    result.fail     = retired.cqe.has_immediate;
    result.status   = retired.cqe.status;
    if (retired.clear) result.op = place_pkg::OpClear;
    if (retired.failed) begin
      result.op       = place_pkg::OpTold;
      result.progress = 1'b1;
      result.fail     = 1'b1;
      result.status   = dma_pkg::StatusMemoryError;
    end
  end

  sync_fifo #(
    .Width($bits(m_rec)),
    .Depth(8)
  ) u_results (
    .clk_i,
    .rst_ni,
    .s_data_i (result),
    .s_valid_i(retired_valid),
    .s_ready_o(retired_ready),
    .m_data_o (m_rec),
    .m_valid_o(m_rec_valid_o),
    .m_ready_i(m_rec_ready_i),
    .count_o  (unused_results)
  );

  assign {m_rec_status_o, m_rec_fail_o, m_rec_progress_o, m_rec_una_o, m_rec_op_o, m_rec_qpn_o} = m_rec;

`ifdef VERILATOR
  axis_rules #(
    .DataWidth(DataWidth)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (s_axis_tdata_i),
    .tkeep_i (s_axis_tkeep_i),
    .tlast_i (s_axis_tlast_i),
    .tuser_i (1'b0),
    .tvalid_i(s_axis_tvalid_i),
    .tready_i(s_axis_tready_o)
  );

  record_rules #(
    .Width($bits(s_mem))
  ) u_ack_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_mem),
    .valid_i(s_mem_valid_i),
    .ready_i(s_mem_ready_o)
  );

  record_rules #(
    .Width($bits(m_mem))
  ) u_mem_rules (
    .clk_i,
    .rst_ni,
    .data_i (m_mem),
    .valid_i(m_mem_valid_o),
    .ready_i(m_mem_ready_i)
  );

  axis_rules #(
    .DataWidth(DataWidth)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .tdata_i (m_axis_tdata_o),
    .tkeep_i (m_axis_tkeep_o),
    .tlast_i (m_axis_tlast_o),
    .tuser_i (1'b0),
    .tvalid_i(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i)
  );

  record_rules #(
    .Width($bits(m_rec))
  ) u_rec_rules (
    .clk_i,
    .rst_ni,
    .data_i (m_rec),
    .valid_i(m_rec_valid_o),
    .ready_i(m_rec_ready_i)
  );
`endif

endmodule
