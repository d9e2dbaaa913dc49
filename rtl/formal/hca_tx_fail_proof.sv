// SPDX-License-Identifier: Apache-2.0
// hca_tx_fail closes every QP of which it is told, by four operations in the order of docs/transmit.md, and lets those
// of the host through between. What its queue gives is assumed to be what it took, once and in order: sync_fifo's; one
// failure is watched, any, by its number.
//
// Assumed: a block that is named and ready takes the operation; an operation of the host names one block or none.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of hca_tx_fail.go.
module hca_tx_fail_proof #(
  parameter logic [5:0] Check = '1
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic [hca_tx_pkg::OpWidth-1:0] s_data_i,
  input logic [hca_tx_pkg::Targets-1:0] s_to_i,
  input logic [23:0]                    failed_qpn_i,
  input logic                           failed_i,
  input logic [23:0]                    broken_qpn_i,
  input logic                           broken_i,
  input logic                           holds_i,
  input logic [hca_tx_pkg::Targets-1:0] ready_i,
  input logic [3:0]                     watch_i
);

  logic [hca_tx_pkg::Targets-1:0] host_ready, to;
  logic [hca_tx_pkg::OpWidth-1:0] data;
  logic failed_ready, broken_ready, failing;

  hca_tx_fail dut (
    .clk_i,
    .rst_ni,
    .s_data_i,
    .s_to_i,
    .s_ready_o       (host_ready),
    .s_failed_qpn_i  (failed_qpn_i),
    .s_failed_valid_i(failed_i),
    .s_failed_ready_o(failed_ready),
    .s_broken_qpn_i  (broken_qpn_i),
    .s_broken_valid_i(broken_i),
    .s_broken_ready_o(broken_ready),
    .holds_i,
    .failing_o       (failing),
    .data_o          (data),
    .to_o            (to),
    .ready_i
  );

  // Registers of the block and ports of its queue, joined by name when the design is flattened.
  (* hierconn *) wire [1:0] \dut.step_q ;
  (* hierconn *) wire [23:0] \dut.u_failed.m_data_o ;
  (* hierconn *) wire \dut.u_failed.m_valid_o ;
  (* hierconn *) wire \dut.u_failed.m_ready_i ;
  (* hierconn *) wire [23:0] \dut.u_failed.s_data_i ;
  (* hierconn *) wire \dut.u_failed.s_valid_i ;

  logic initial_q = 1'b1;
  logic stays_q = 1'b0;
  logic [3:0] watch_q, told_q, taken_q, closed_q;  // failures told, taken out of the queue, closed by four operations
  logic [23:0] told_qpn_q, head_q;
  logic there, pops, goes, host_goes;
  logic [1:0] step_q, tells;

  req_pkg::rec_t to_check;
  retry_pkg::rec_t to_retry;
  tx_pkg::rec_t to_packets;
  retire_pkg::query_t to_queue;

  assign there      = \dut.u_failed.m_valid_o ;
  assign pops       = there & \dut.u_failed.m_ready_i ;
  assign tells      = 2'(failed_i & failed_ready) + 2'(broken_i & broken_ready);
  assign to_check   = data[$bits(to_check)-1:0];
  assign to_retry   = data[$bits(to_retry)-1:0];
  assign to_packets = data[$bits(to_packets)-1:0];
  assign to_queue   = data[$bits(to_queue)-1:0];

  // An operation that is not the host's goes to a block; one of the host's does, or the host thinks so.
  logic own;
  assign own       = there & (step_q != '0 | ~holds_i);
  assign goes      = own & (to & ready_i) != '0;
  assign host_goes = (s_to_i & host_ready) != '0;

  always_ff @(posedge clk_i) begin
    initial_q <= 1'b0;
    watch_q   <= initial_q ? watch_i : watch_q;
    stays_q   <= rst_ni & there & ~pops;
    head_q    <= \dut.u_failed.m_data_o ;
    if (told_q == watch_q && tells != '0) told_qpn_q <= failed_i ? failed_qpn_i : broken_qpn_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      told_q   <= '0;
      taken_q  <= '0;
      closed_q <= '0;
      step_q   <= '0;
    end else begin
      told_q  <= told_q + 4'(tells);
      taken_q <= taken_q + 4'(pops);
      if (goes) step_q <= step_q + 2'd1;
      if (goes && step_q == 2'd3) closed_q <= closed_q + 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (rst_ni) begin
      assume ((s_to_i & (s_to_i - 1'b1)) == '0);
      // The queue: two places, what goes in comes out once and in order.
      assume (!failed_ready || 4'(told_q - taken_q) < 4'd2);
      assume (!there || told_q != taken_q);
      if (stays_q) assume (there && \dut.u_failed.m_data_o == head_q);
      if (there && taken_q == watch_q) assume (\dut.u_failed.m_data_o == told_qpn_q);
    end
    if (!initial_q && rst_ni) begin
      if (Check[0]) begin
        assert (\dut.step_q == step_q);
        assert (step_q == '0 || stays_q);
        assert (4'(told_q - taken_q) <= 4'd2 && taken_q == closed_q);
      end
      if (Check[1] && own) begin
        case (step_q)
          2'd0: assert (to == 8'd1 << hca_tx_pkg::ToCheck && to_check.op == req_pkg::OpClose &&
                        to_check.qpn == \dut.u_failed.m_data_o );
          2'd1: assert (to == 8'd1 << hca_tx_pkg::ToRetry && to_retry.op == retry_pkg::OpClose &&
                        to_retry.qpn == \dut.u_failed.m_data_o );
          2'd2: assert (to == 8'd1 << hca_tx_pkg::ToPackets && to_packets.op == tx_pkg::OpClose &&
                        to_packets.qpn == \dut.u_failed.m_data_o );
          default: assert (to == 8'd1 << hca_tx_pkg::ToQueue && to_queue.op == retire_pkg::OpVerdict && to_queue.fail &&
                           to_queue.qpn == \dut.u_failed.m_data_o );
        endcase
      end
      if (Check[2]) begin
        if (own) assert (!host_goes);
        else assert (to == s_to_i && data == s_data_i && host_ready == ready_i);
      end
      if (Check[3] && holds_i && step_q == '0) assert (to == s_to_i);
      if (Check[4]) begin
        assert (taken_q == closed_q);
        assert (\dut.u_failed.s_valid_i == (failed_i | broken_i));
        assert (tells != 2'd2);
        if (tells != '0) assert (\dut.u_failed.s_data_i == (failed_i ? failed_qpn_i : broken_qpn_i));
      end
      if (Check[5]) assert (failing == there);
    end
  end

endmodule
