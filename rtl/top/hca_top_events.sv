// SPDX-License-Identifier: Apache-2.0
// What qp_ctl is told in hca_top of frames that enter, leave and are dropped: docs/blocks/hca_top.md, Events.
//
// The gate goes first: no frame leaves before it has entered.
module hca_top_events (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic [2:0]      s_gate_why_i,
  input  logic            s_gate_valid_i,
  output logic            s_gate_ready_o,

  input  logic [2:0]      s_rec_class_i,
  input  logic [3:0]      s_rec_dropped_i,
  input  logic [2:0]      s_rec_verdict_i,
  input  logic [4:0]      s_rec_why_i,
  input  logic            s_rec_valid_i,
  output logic            s_rec_ready_o,

  input  logic            removed_i,

  output qpc_pkg::event_t m_event_o,
  output logic            m_event_valid_o,
  input  logic            m_event_ready_i
);

  qpc_pkg::event_t event_d, event_q;
  logic valid_q, closed_q, moves, gate_takes, gate_counts, rec_takes, rec_dropped, verdict_drops, rec_counts, closes;

  assign moves         = ~valid_q | m_event_ready_i;
  assign gate_takes    = moves & s_gate_valid_i;
  assign gate_counts   = gate_takes & s_gate_why_i != '0;
  assign rec_dropped   = s_rec_class_i == classify_pkg::ClassDropped;
  assign verdict_drops = s_rec_class_i == classify_pkg::ClassRequest & s_rec_verdict_i == resp_pkg::VerdictDropped;
  assign rec_counts    = rec_dropped | verdict_drops;
  assign rec_takes     = moves & s_rec_valid_i & ~(rec_counts & gate_counts);
  assign closes        = removed_i | closed_q;

  assign s_gate_ready_o = moves;
  assign s_rec_ready_o  = moves & ~(rec_counts & gate_counts);

  always_comb begin
    event_d.enters = gate_takes && s_gate_why_i == '0;
    event_d.leaves = rec_takes;
    event_d.closed = closes;
    event_d.counts = gate_counts || (rec_takes && rec_counts);
    event_d.reason = {2'd1, s_rec_dropped_i};
    if (!rec_dropped) event_d.reason = {1'b1, s_rec_why_i};
    if (gate_counts) event_d.reason = {3'd0, s_gate_why_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      closed_q <= 1'b0;
    end else begin
      if (moves) valid_q <= gate_takes | rec_takes | closes;
      closed_q <= closes & ~moves;
    end
  end

  always_ff @(posedge clk_i) begin
    if (moves) event_q <= event_d;
  end

  assign m_event_o       = event_q;
  assign m_event_valid_o = valid_q;

endmodule
