// SPDX-License-Identifier: Apache-2.0
// The joints of hca_tx_place: what is told, the operations that wait, what read_place answers, and the writes that
// failed. 8 places for those where a device has 256, of which 2 may be used when something is told.
//
// Assumed: who offers something leaves it as it is until it is taken; the queues give out what they took, once and in
// order, and no more than went in (sync_fifo's); read_place gives an OpClear for an OpClear that went in, and a failure
// for what was told, of which no more than 5 are under way, in 8 places as 190 in 256.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of hca_tx_place.go.
module hca_tx_place_proof #(
  parameter logic [6:0] Check = '1
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic [hca_tx_pkg::OpWidth-1:0] op_i,
  input logic                           op_valid_i,
  input logic                           op_ready_i,
  input req_pkg::out_t                  told_i,
  input hca_tx_pkg::note_t              note_i,
  input logic                           told_valid_i,
  input logic                           told_ready_i,
  input retire_pkg::query_t             verdict_i,
  input logic                           verdict_valid_i,
  input logic                           verdict_ready_i,
  input logic                           failed_ready_i
);

  localparam int unsigned Most = 5;

  logic op_valid, op_ready, holds, told_valid, told_ready, verdict_valid;
  retire_pkg::query_t verdict;

  hca_tx_place #(
    .NumQps     (4),
    .Reads      (1),
    .DataWidth  (64),
    .FailedDepth(8),
    .FailedMost (2)
  ) dut (
    .clk_i,
    .rst_ni,
    .op_i,
    .op_valid_i,
    .op_ready_o       (op_ready),
    .m_op_valid_o     (op_valid),
    .m_op_ready_i     (op_ready_i),
    .holds_o          (holds),
    .s_told_i         (told_i),
    .s_note_i         (note_i),
    .s_told_valid_i   (told_valid_i),
    .s_told_ready_o   (told_ready),
    .m_told_valid_o   (told_valid),
    .m_told_ready_i   (told_ready_i),
    .s_verdict_i      (verdict_i),
    .s_verdict_valid_i(verdict_valid_i),
    .s_verdict_ready_o(),
    .s_data_tdata_i   ('0),
    .s_data_tkeep_i   ('0),
    .s_data_tlast_i   (1'b0),
    .s_data_tvalid_i  (1'b0),
    .s_data_tready_o  (),
    .s_mem_i          ('0),
    .s_mem_valid_i    (1'b0),
    .s_mem_ready_o    (),
    .m_mem_o          (),
    .m_mem_valid_o    (),
    .m_mem_ready_i    (1'b0),
    .m_data_tdata_o   (),
    .m_data_tkeep_o   (),
    .m_data_tlast_o   (),
    .m_data_tvalid_o  (),
    .m_data_tready_i  (1'b0),
    .m_verdict_o      (verdict),
    .m_verdict_valid_o(verdict_valid),
    .m_verdict_ready_i(verdict_ready_i),
    .m_failed_qpn_o   (),
    .m_failed_valid_o (),
    .m_failed_ready_i (failed_ready_i)
  );

  // Wires of the block, joined by name when the design is flattened.
  (* hierconn *) wire \dut.u_told.s_valid_i ;
  (* hierconn *) wire \dut.u_told.s_ready_o ;
  (* hierconn *) wire [2:0] \dut.ready ;
  (* hierconn *) wire \dut.u_in.s_valid_i ;
  (* hierconn *) wire \dut.fence_valid ;
  (* hierconn *) wire \dut.asked_q ;
  (* hierconn *) wire \dut.offered_q ;
  (* hierconn *) wire [place_pkg::ResultWidth-1:0] \dut.out ;
  (* hierconn *) wire \dut.out_valid ;
  (* hierconn *) wire \dut.out_ready ;
  (* hierconn *) wire [3:0] \dut.failed_count ;
  (* hierconn *) wire \dut.failed_room ;
  (* hierconn *) wire [23:0] \dut.u_failed.s_data_i ;
  (* hierconn *) wire \dut.u_failed.s_valid_i ;
  (* hierconn *) wire \dut.u_failed.m_valid_o ;

  retire_pkg::query_t op;
  place_pkg::result_t out;
  logic empties, listed, takes_told, enters, takes_op, asks, answers, is_clear, takes_verdict, fails, gives_failed;

  assign op            = op_i;
  assign out           = \dut.out ;
  assign empties       = op.op == retire_pkg::OpClear || op.op == retire_pkg::OpVerdict;
  assign listed        = note_i.joins || note_i.bytes != '0 || told_i.data;
  assign takes_told    = told_valid_i & told_ready;
  assign enters        = \dut.u_told.s_valid_i & \dut.u_told.s_ready_o ;
  assign takes_op      = op_valid_i & op_ready;
  assign asks          = \dut.fence_valid & \dut.ready [2];
  assign is_clear      = out.op == place_pkg::OpClear;
  assign answers       = \dut.out_valid & \dut.out_ready ;
  assign takes_verdict = verdict_valid & verdict_ready_i;
  assign fails         = \dut.u_failed.s_valid_i ;
  assign gives_failed  = \dut.u_failed.m_valid_o & failed_ready_i;

  logic initial_q = 1'b1;
  logic op_stays_q = 1'b0;
  logic told_stays_q = 1'b0;
  logic out_stays_q = 1'b0;
  logic told_offer_q = 1'b0;
  logic verdict_offer_q = 1'b0;
  logic op_offer_q = 1'b0;
  logic room_stays_q = 1'b0;
  logic [hca_tx_pkg::OpWidth-1:0] op_q;
  logic listed_q;
  logic [place_pkg::ResultWidth-1:0] out_q;
  retire_pkg::query_t verdict_q;

  always_ff @(posedge clk_i) begin
    initial_q       <= 1'b0;
    op_stays_q      <= rst_ni & op_valid_i & ~op_ready;
    told_stays_q    <= rst_ni & told_valid_i & ~told_ready;
    out_stays_q     <= rst_ni & \dut.out_valid & ~\dut.out_ready ;
    told_offer_q    <= rst_ni & told_valid & ~told_ready_i;
    verdict_offer_q <= rst_ni & verdict_valid & ~verdict_ready_i;
    op_offer_q      <= rst_ni & op_valid & ~op_ready_i;
    room_stays_q    <= rst_ni & \dut.u_told.s_ready_o & ~enters;
    op_q            <= op_i;
    listed_q        <= listed;
    out_q           <= out;
    verdict_q       <= verdict;
  end

  // Asked and not answered; what is told and can still fail; failures that wait.
  logic asked_q;
  logic [3:0] under_way_q, failed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q     <= 1'b0;
      under_way_q <= '0;
      failed_q    <= '0;
    end else begin
      if (asks) asked_q <= 1'b1;
      if (answers && is_clear) asked_q <= 1'b0;
      under_way_q <= under_way_q + 4'(enters) - 4'(answers && out.op == place_pkg::OpTold);
      failed_q    <= failed_q + 4'(fails && \dut.failed_room ) - 4'(gives_failed);
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni) begin
      if (op_stays_q) assume (op_valid_i && op_i == op_q);
      if (told_stays_q) assume (told_valid_i && listed == listed_q);
      // The queues.
      if (room_stays_q) assume (\dut.u_told.s_ready_o );
      assume (\dut.failed_count == failed_q);
      assume (\dut.failed_room == (failed_q < 4'd8));
      assume (!gives_failed || failed_q != '0);
      // read_place.
      if (out_stays_q) assume (\dut.out_valid && out == out_q);
      if (\dut.out_valid && is_clear) assume (asked_q);
      if (\dut.out_valid && out.op == place_pkg::OpTold) assume (under_way_q != '0);
      assume (!enters || under_way_q < 4'(Most));
    end
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.asked_q == asked_q);
        if (asked_q) assert (op_stays_q && empties);
        assert (under_way_q <= 4'(Most) && failed_q <= 4'd8);
        assert (failed_q + under_way_q <= 4'd8);
        assert (\dut.offered_q == told_offer_q);
        if (told_offer_q && listed) assert (failed_q + under_way_q < 4'd8);
      end
      if (Check[1]) begin
        assert (takes_told == (told_valid & told_ready_i));
        assert (enters == (takes_told & listed));
        assert (\dut.u_told.s_valid_i == enters);
      end
      if (Check[2]) begin
        assert (!asks || (!asked_q && op_valid_i && empties));
        if (takes_op && empties) assert (asked_q && answers && is_clear);
        assert (holds == asked_q);
      end
      if (Check[3]) begin
        assert (takes_op == (op_valid & op_ready_i));
        if (op_valid_i && !empties) assert (op_valid);
        if (!op_valid_i) assert (!op_valid);
      end
      if (Check[4]) begin
        assert ((answers && is_clear) == (takes_op && empties));
        assert ((answers && !is_clear) == takes_verdict);
        if (verdict_valid)
          assert (verdict.qpn == out.qpn && verdict.op == retire_pkg::OpVerdict && verdict.una == out.una &&
                  verdict.progress == out.progress && verdict.fail == out.fail && verdict.status == out.status);
      end
      if (Check[5]) begin
        assert (fails == (takes_verdict && out.op == place_pkg::OpTold));
        if (fails) assert (\dut.failed_room && \dut.u_failed.s_data_i == out.qpn);
      end
      if (Check[6]) begin
        if (told_offer_q) assert (told_valid);
        if (verdict_offer_q) assert (verdict_valid && verdict == verdict_q);
        if (op_offer_q) assert (op_valid);
      end
    end
  end

endmodule
