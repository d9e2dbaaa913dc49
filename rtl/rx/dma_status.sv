// SPDX-License-Identifier: Apache-2.0
// What a completion says, by what its QP has been through (docs/blocks/rx_dma.md, Errors).
module dma_status #(
  parameter int unsigned NumQps = 4096,  // a power of two, 4 to 65,536
  parameter RamStyle = "block"           // of the memory of QPs: ram_1r1w
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic                            ready_o,  // from a register; once it is high it stays

  input  logic [dma_pkg::RecordWidth-1:0] s_record_i,  // dma_pkg::record_t
  input  logic                            s_record_valid_i,
  output logic                            s_record_ready_o,

  output logic [dma_pkg::RecordWidth-1:0] m_record_o,  // dma_pkg::record_t
  output logic                            m_record_valid_o,
  input  logic                            m_record_ready_i
);

  localparam int unsigned QpnWidth = $clog2(NumQps);

  dma_pkg::record_t r_rec, x_rec, x_result;
  logic [1:0] x_ctx, x_ctx_d, seen;  // dma_pkg::qp_e
  logic x_valid, f_in_range_q, x_in_range_q, unused_r_rec;

  assign unused_r_rec = ^r_rec;

  record_pipe #(
    .Width   ($bits(r_rec)),
    .OutWidth($bits(x_result)),
    .Depth   (8)
  ) u_pipe (
    .clk_i,
    .rst_ni,
    .open_i    (ready_o),
    .s_data_i  (s_record_i),
    .s_valid_i (s_record_valid_i),
    .s_ready_o (s_record_ready_o),
    .r_data_o  (r_rec),
    .x_data_o  (x_rec),
    .x_valid_o (x_valid),
    .x_result_i(x_result),
    .m_data_o  (m_record_o),
    .m_valid_o (m_record_valid_o),
    .m_ready_i (m_record_ready_i)
  );

  always_ff @(posedge clk_i) begin
    f_in_range_q <= r_rec.cqe.qpn[23:QpnWidth] == '0;
    x_in_range_q <= f_in_range_q;
  end

  qp_context #(
    .NumQps  (NumQps),
    .Width   (2),
    .RamStyle(RamStyle)
  ) u_context (
    .clk_i,
    .rst_ni,
    .ready_o,
    .r_qpn_i(r_rec.cqe.qpn[QpnWidth-1:0]),
    .x_ctx_o(x_ctx),
    .x_ctx_i(x_ctx_d),
    .x_we_i (x_valid & x_in_range_q)
  );

  always_comb begin
    seen = x_ctx;
    if (x_rec.failed && x_ctx == dma_pkg::QpGood) seen = dma_pkg::QpFailing;

    x_result = x_rec;
    x_ctx_d  = seen;
    if (x_rec.complete && x_in_range_q) begin
      if (seen == dma_pkg::QpFailing) begin
        x_result.cqe.status = dma_pkg::StatusMemoryError;
        x_ctx_d             = dma_pkg::QpFailed;
      end else if (seen == dma_pkg::QpFailed) begin
        x_result.cqe.status = dma_pkg::StatusFlushed;
      end
    end
    if (x_rec.clear) x_ctx_d = dma_pkg::QpGood;
  end

endmodule
