// SPDX-License-Identifier: Apache-2.0
// What resp_psn_check makes of wrong bits in its memory, and its operations inject and counts: docs/ecc.md,
// docs/blocks/resp_psn_check.md. In X, behind resp_decide: where the word was worthless it has the last word.
module resp_ecc #(
  parameter int unsigned QpnWidth = 12,
  parameter int unsigned CodeBits = 134  // of the word in memory
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               valid_i,
  input  resp_pkg::request_t req_i,
  input  logic               in_range_i,
  input  logic               corrected_i,  // of the word that was looked up
  input  logic               failed_i,
  input  resp_pkg::context_t ctx_i,        // what resp_decide makes of it
  input  resp_pkg::result_t  result_i,

  output resp_pkg::context_t ctx_o,
  output logic               we_o,
  output logic               flip_o,
  output logic [ecc_pkg::BitWidth-1:0] flip_a_o,
  output logic [ecc_pkg::BitWidth-1:0] flip_b_o,
  output resp_pkg::result_t  result_o
);

  logic inject, counts, looks, failed, reset, lost;

  assign inject = req_i.op == resp_pkg::OpInject;
  assign counts = req_i.op == resp_pkg::OpCounts;
  assign reset  = req_i.op == resp_pkg::OpReset;
  assign looks  = valid_i & in_range_i & ~inject & ~counts;
  assign failed = in_range_i & ~inject & ~counts & failed_i;
  assign we_o   = looks;

  // A packet for which another memory had a worthless word is as one that found it here, but is not counted here.
  assign lost = req_i.op == resp_pkg::OpPacket & req_i.lost & in_range_i;

  logic inject_ok;
  ecc_pkg::counts_t seen;

  ecc_orders #(
    .IndexWidth(QpnWidth),
    .CodeBits  (CodeBits)
  ) u_orders (
    .clk_i,
    .rst_ni,
    .index_i    (req_i.qpn[QpnWidth-1:0]),
    .looks_i    (looks),
    .writes_i   (looks),
    .corrected_i,
    .failed_i,
    .inject_i   (valid_i & inject & in_range_i),
    .bit_a_i    ({8'd0, req_i.payload[7:0]}),
    .bit_b_i    ({8'd0, req_i.payload[15:8]}),
    .inject_ok_o(inject_ok),
    .flip_o,
    .flip_a_o,
    .flip_b_o,
    .counts_o   (seen)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // A worthless word: nothing of it is used, and the QP goes to error. Reset needs nothing of it.

  resp_pkg::context_t stopped;

  always_comb begin
    stopped       = '0;
    stopped.state = resp_pkg::StateError;
  end

  assign ctx_o = (failed | lost) & ~reset ? stopped : ctx_i;

  resp_pkg::result_t told;

  always_comb begin
    told     = '0;
    told.qpn = req_i.qpn;
    told.op  = req_i.op;
    if (inject) begin
      told.verdict = in_range_i & inject_ok ? resp_pkg::VerdictDone : resp_pkg::VerdictIgnored;
      if (!in_range_i) told.why = resp_pkg::WhyNoQp;
      else if (!inject_ok) told.why = resp_pkg::WhyNoSuch;
    end else if (counts) begin
      told.verdict     = resp_pkg::VerdictDone;
      told.epsn_before = 24'(seen.corrected);
      told.epsn_after  = 24'(seen.failed);
      told.psn         = 24'(seen.corrected_at);
      told.msn         = 24'(seen.failed_at);
    end else if (reset) begin
      told.verdict = resp_pkg::VerdictDone;
    end else begin
      told.verdict  = req_i.op == resp_pkg::OpPacket ? resp_pkg::VerdictDropped : resp_pkg::VerdictIgnored;
      told.why      = resp_pkg::WhyContext;
      told.to_error = 1'b1;
    end
  end

  assign result_o = inject | counts | failed | lost ? told : result_i;

endmodule
