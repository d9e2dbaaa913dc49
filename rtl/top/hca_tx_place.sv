// SPDX-License-Identifier: Apache-2.0
// read_place in hca_tx, and who speaks to it: what req_ack_check tells first, then the verdicts of retry_ctl, then what
// the operations of sq_retire wait for. What is told goes here before retry_ctl hears of it, so a verdict is behind it.
//
// A clear and a verdict of an operation go to sq_retire when everything told before them is in memory. Nothing that is
// to leave here waits for who is told of a write that failed: each of those under way has room.
module hca_tx_place #(
  parameter int unsigned NumQps = 4096,
  parameter int unsigned Reads = 4,
  parameter int unsigned DataWidth = 512,
  // What is told waits for room for as many failures as can be under way: 128 entries, and what stands before them.
  parameter int unsigned FailedDepth = 256,
  parameter int unsigned FailedMost = 64,
  parameter RamStyle = "block"
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0] op_i,  // of sq_retire
  input  logic                           op_valid_i,
  output logic                           op_ready_o,
  output logic                           m_op_valid_o,  // op_i goes on
  input  logic                           m_op_ready_i,
  output logic                           holds_o,  // op_i is waited for: nothing comes before it

  input  req_pkg::out_t                  s_told_i,
  input  hca_tx_pkg::note_t              s_note_i,  // with it
  input  logic                           s_told_valid_i,
  output logic                           s_told_ready_o,
  output logic                           m_told_valid_o,  // to retry_ctl
  input  logic                           m_told_ready_i,

  input  retire_pkg::query_t             s_verdict_i,
  input  logic                           s_verdict_valid_i,
  output logic                           s_verdict_ready_o,

  input  logic [DataWidth-1:0]           s_data_tdata_i,
  input  logic [DataWidth/8-1:0]         s_data_tkeep_i,
  input  logic                           s_data_tlast_i,
  input  logic                           s_data_tvalid_i,
  output logic                           s_data_tready_o,

  input  dma_pkg::ack_t                  s_mem_i,
  input  logic                           s_mem_valid_i,
  output logic                           s_mem_ready_o,

  output dma_pkg::write_t                m_mem_o,
  output logic                           m_mem_valid_o,
  input  logic                           m_mem_ready_i,

  output logic [DataWidth-1:0]           m_data_tdata_o,
  output logic [DataWidth/8-1:0]         m_data_tkeep_o,
  output logic                           m_data_tlast_o,
  output logic                           m_data_tvalid_o,
  input  logic                           m_data_tready_i,

  output retire_pkg::query_t             m_verdict_o,
  output logic                           m_verdict_valid_o,
  input  logic                           m_verdict_ready_i,

  output logic [23:0]                    m_failed_qpn_o,  // a write of the QP failed
  output logic                           m_failed_valid_o,
  input  logic                           m_failed_ready_i
);

  // ---------------------------------------------------------------------------------------------------------------
  // What is told, to both.

  place_pkg::rec_t told, told_head, verdict, fence, rec;
  logic places, told_room, failed_few, offered_q, told_may, told_valid, rec_valid, rec_ready, unused_in;
  logic [2:0] ready, unused_told_count;
  logic [$clog2(FailedDepth+1)-1:0] failed_count;

  assign unused_in = ^{s_told_i, s_verdict_i};

  always_comb begin
    told         = '0;
    told.op      = place_pkg::OpTold;
    told.qpn     = s_told_i.qpn;
    told.psn     = s_note_i.psn;
    told.data    = s_told_i.data;
    told.ended   = s_told_i.ended;
    told.bytes   = s_note_i.bytes;
    told.value   = s_note_i.address;
    told.kind    = s_note_i.kind;
    told.address = s_note_i.address;
    if (s_told_i.op == req_pkg::OpSent) told.op = place_pkg::OpSent;
  end

  assign places         = s_note_i.joins || s_note_i.bytes != '0 || s_told_i.data;
  assign failed_few     = failed_count <= ($bits(failed_count))'(FailedMost);
  assign told_may       = ~places | (told_room & (failed_few | offered_q));
  assign m_told_valid_o = s_told_valid_i & told_may;
  assign s_told_ready_o = m_told_ready_i & told_may;

  // What was offered stays, whatever fails meanwhile: one record more has room.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) offered_q <= 1'b0;
    else offered_q <= m_told_valid_o & ~m_told_ready_i;
  end

  sync_fifo #(
    .Width($bits(told)),
    .Depth(4)
  ) u_told (
    .clk_i,
    .rst_ni,
    .s_data_i (told),
    .s_valid_i(s_told_valid_i & s_told_ready_o & places),
    .s_ready_o(told_room),
    .m_data_o (told_head),
    .m_valid_o(told_valid),
    .m_ready_i(ready[0]),
    .count_o  (unused_told_count)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Operations of sq_retire: a clear and a verdict empty the list of their QP, and wait for what comes of that.

  retire_pkg::query_t op;
  place_pkg::result_t out;
  logic fences, fence_valid, asked_q, passed, out_valid, out_ready, unused_op;

  assign op           = op_i;
  assign unused_op    = ^op;
  assign fences       = op.op == retire_pkg::OpClear || op.op == retire_pkg::OpVerdict;
  assign fence_valid  = op_valid_i & fences & ~asked_q;
  assign passed       = asked_q & out_valid & out.op == place_pkg::OpClear;
  assign m_op_valid_o = op_valid_i & (~fences | passed);
  assign op_ready_o   = m_op_ready_i & (~fences | passed);
  assign holds_o      = asked_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else if (asked_q) asked_q <= ~(op_valid_i & op_ready_o);
    else asked_q <= fence_valid & ready[2];
  end

  always_comb begin
    verdict          = '0;
    verdict.op       = place_pkg::OpVerdict;
    verdict.qpn      = s_verdict_i.qpn;
    verdict.psn      = s_verdict_i.una;
    verdict.progress = s_verdict_i.progress;
    verdict.fail     = s_verdict_i.fail;
    verdict.status   = s_verdict_i.status;
    fence            = '0;
    fence.op         = place_pkg::OpClear;
    fence.qpn        = op.qpn;
    fence.psn        = op.una;
    fence.pmtu       = op.slot[2:0];
  end

  hca_tx_input #(
    .Width ($bits(rec)),
    .Inputs(3)
  ) u_in (
    .clk_i,
    .rst_ni,
    .s_data_i ({fence, verdict, told_head}),
    .s_valid_i({fence_valid, s_verdict_valid_i, told_valid}),
    .s_ready_o(ready),
    .m_data_o (rec),
    .m_valid_o(rec_valid),
    .m_ready_i(rec_ready)
  );

  assign s_verdict_ready_o = ready[1];

  read_place #(
    .DataWidth(DataWidth),
    .NumQps   (NumQps),
    .Reads    (Reads),
    .RamStyle (RamStyle)
  ) u_place (
    .clk_i,
    .rst_ni,
    .s_op_i          (rec.op),
    .s_qpn_i         (rec.qpn),
    .s_psn_i         (rec.psn),
    .s_data_i        (rec.data),
    .s_ended_i       (rec.ended),
    .s_bytes_i       (rec.bytes),
    .s_kind_i        (rec.kind),
    .s_pmtu_i        (rec.pmtu),
    .s_progress_i    (rec.progress),
    .s_fail_i        (rec.fail),
    .s_status_i      (rec.status),
    .s_address_i     (rec.address),
    .s_value_i       (rec.value),
    .s_valid_i       (rec_valid),
    .s_ready_o       (rec_ready),
    .s_axis_tdata_i  (s_data_tdata_i),
    .s_axis_tkeep_i  (s_data_tkeep_i),
    .s_axis_tlast_i  (s_data_tlast_i),
    .s_axis_tvalid_i (s_data_tvalid_i),
    .s_axis_tready_o (s_data_tready_o),
    .s_mem_tag_i     (s_mem_i.tag),
    .s_mem_error_i   (s_mem_i.failed),
    .s_mem_valid_i,
    .s_mem_ready_o,
    .m_mem_tag_o     (m_mem_o.tag),
    .m_mem_bytes_o   (m_mem_o.bytes),
    .m_mem_address_o (m_mem_o.address),
    .m_mem_valid_o,
    .m_mem_ready_i,
    .m_axis_tdata_o  (m_data_tdata_o),
    .m_axis_tkeep_o  (m_data_tkeep_o),
    .m_axis_tlast_o  (m_data_tlast_o),
    .m_axis_tvalid_o (m_data_tvalid_o),
    .m_axis_tready_i (m_data_tready_i),
    .m_rec_qpn_o     (out.qpn),
    .m_rec_op_o      (out.op),
    .m_rec_una_o     (out.una),
    .m_rec_progress_o(out.progress),
    .m_rec_fail_o    (out.fail),
    .m_rec_status_o  (out.status),
    .m_rec_valid_o   (out_valid),
    .m_rec_ready_i   (out_ready)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // What goes on to sq_retire. A write that failed is told to who takes its QP to error, too.

  logic is_clear, failed_room, fails;

  assign is_clear          = out.op == place_pkg::OpClear;
  assign out_ready         = is_clear ? op_valid_i & fences & passed & m_op_ready_i : m_verdict_ready_i;
  assign m_verdict_valid_o = out_valid & ~is_clear;
  assign fails             = m_verdict_valid_o & m_verdict_ready_i & out.op == place_pkg::OpTold;

  always_comb begin
    m_verdict_o          = '0;
    m_verdict_o.qpn      = out.qpn;
    m_verdict_o.op       = retire_pkg::OpVerdict;
    m_verdict_o.una      = out.una;
    m_verdict_o.progress = out.progress;
    m_verdict_o.fail     = out.fail;
    m_verdict_o.status   = out.status;
  end

  sync_fifo #(
    .Width(24),
    .Depth(FailedDepth)
  ) u_failed (
    .clk_i,
    .rst_ni,
    .s_data_i (out.qpn),
    .s_valid_i(fails),
    .s_ready_o(failed_room),
    .m_data_o (m_failed_qpn_o),
    .m_valid_o(m_failed_valid_o),
    .m_ready_i(m_failed_ready_i),
    .count_o  (failed_count)
  );

`ifdef VERILATOR
  failed_kept: assert property (@(posedge clk_i) disable iff (!rst_ni) fails |-> failed_room)
  else $error("%m: no room for a write that failed");
  told_stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
    m_told_valid_o & ~m_told_ready_i |=> m_told_valid_o)
  else $error("%m: what was told is not offered any more");
  op_stays: assert property (@(posedge clk_i) disable iff (!rst_ni) asked_q |-> op_valid_i & fences)
  else $error("%m: an operation that is waited for was taken away");
`else
  logic unused_room;
  assign unused_room = failed_room;
`endif

endmodule
