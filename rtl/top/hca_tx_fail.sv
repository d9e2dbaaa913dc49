// SPDX-License-Identifier: Apache-2.0
// The operations of hca_tx on their way to the blocks. A QP of which a packet could not be sent, or what a response
// brought could not be written, goes to error: the four operations that close it, in the order of docs/transmit.md, go
// before the host's.
module hca_tx_fail (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [hca_tx_pkg::OpWidth-1:0] s_data_i,
  input  logic [hca_tx_pkg::Targets-1:0] s_to_i,    // none: nothing waits
  output logic [hca_tx_pkg::Targets-1:0] s_ready_o,

  input  logic [23:0]                    s_failed_qpn_i,  // a packet of it could not be sent
  input  logic                           s_failed_valid_i,
  output logic                           s_failed_ready_o,

  input  logic [23:0]                    s_broken_qpn_i,  // a write of it failed
  input  logic                           s_broken_valid_i,
  output logic                           s_broken_ready_o,

  input  logic                           holds_i,  // an operation under way: it is not overtaken

  output logic                           failing_o,  // a QP is to be closed

  output logic [hca_tx_pkg::OpWidth-1:0] data_o,
  output logic [hca_tx_pkg::Targets-1:0] to_o,
  input  logic [hca_tx_pkg::Targets-1:0] ready_i
);

  typedef enum logic [1:0] {
    Check,
    Retry,
    Packets,
    Queue
  } step_e;

  step_e step_q;
  logic [23:0] qpn;
  logic valid, closing, ready, accepted;
  logic [1:0] unused_count;
  req_pkg::rec_t to_check;
  retry_pkg::rec_t to_retry;
  tx_pkg::rec_t to_packets;
  retire_pkg::query_t to_queue;
  logic [hca_tx_pkg::OpWidth-1:0] closes;
  logic [hca_tx_pkg::Targets-1:0] to;

  sync_fifo #(
    .Width(24),
    .Depth(2)
  ) u_failed (
    .clk_i,
    .rst_ni,
    .s_data_i (s_failed_valid_i ? s_failed_qpn_i : s_broken_qpn_i),
    .s_valid_i(s_failed_valid_i | s_broken_valid_i),
    .s_ready_o(s_failed_ready_o),
    .m_data_o (qpn),
    .m_valid_o(valid),
    .m_ready_i(accepted && step_q == Queue),
    .count_o  (unused_count)
  );

  assign s_broken_ready_o = s_failed_ready_o & ~s_failed_valid_i;
  assign closing = valid && (step_q != Check || !holds_i);

  always_comb begin
    to_check        = '0;
    to_check.qpn    = qpn;
    to_check.op     = req_pkg::OpClose;
    to_retry        = '0;
    to_retry.qpn    = qpn;
    to_retry.op     = retry_pkg::OpClose;
    to_packets      = '0;
    to_packets.qpn  = qpn;
    to_packets.op   = tx_pkg::OpClose;
    to_queue        = '0;
    to_queue.qpn    = qpn;
    to_queue.op     = retire_pkg::OpVerdict;
    to_queue.fail   = 1'b1;
    to_queue.status = hca_tx_pkg::StatusLocal;
  end

  always_comb begin
    to = '0;
    unique case (step_q)
      Check: begin
        closes                  = hca_tx_pkg::OpWidth'(to_check);
        to[hca_tx_pkg::ToCheck] = 1'b1;
      end
      Retry: begin
        closes                  = hca_tx_pkg::OpWidth'(to_retry);
        to[hca_tx_pkg::ToRetry] = 1'b1;
      end
      Packets: begin
        closes                    = hca_tx_pkg::OpWidth'(to_packets);
        to[hca_tx_pkg::ToPackets] = 1'b1;
      end
      default: begin
        closes                  = to_queue;
        to[hca_tx_pkg::ToQueue] = 1'b1;
      end
    endcase
  end

  assign ready    = (to & ready_i) != '0;
  assign accepted = closing & ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= Check;
    end else if (accepted) begin
      unique case (step_q)
        Check:   step_q <= Retry;
        Retry:   step_q <= Packets;
        Packets: step_q <= Queue;
        default: step_q <= Check;
      endcase
    end
  end

  assign failing_o = valid;
  assign data_o    = closing ? closes : s_data_i;
  assign to_o      = closing ? to : s_to_i;
  assign s_ready_o = closing ? '0 : ready_i;

endmodule
