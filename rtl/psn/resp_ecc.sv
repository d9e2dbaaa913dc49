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
  output logic [7:0]         flip_a_o,
  output logic [7:0]         flip_b_o,
  output resp_pkg::result_t  result_o
);

  localparam int unsigned CountWidth = 8;

  logic inject, counts, looks, corrected, failed, reset;

  assign inject    = req_i.op == resp_pkg::OpInject;
  assign counts    = req_i.op == resp_pkg::OpCounts;
  assign reset     = req_i.op == resp_pkg::OpReset;
  assign looks     = valid_i & in_range_i & ~inject & ~counts;
  assign corrected = looks & corrected_i;
  assign failed    = in_range_i & ~inject & ~counts & failed_i;

  // ---------------------------------------------------------------------------------------------------------------
  // The injection that waits for the next write to its word: ECC-4.

  logic inject_ok, inject_q;
  logic [QpnWidth-1:0] inject_qpn_q;
  logic [7:0] flip_a_q, flip_b_q;

  assign inject_ok = in_range_i & 32'(req_i.payload[7:0]) < CodeBits & 32'(req_i.payload[15:8]) < CodeBits;
  assign we_o      = looks;
  assign flip_o    = looks & inject_q & req_i.qpn[QpnWidth-1:0] == inject_qpn_q;
  assign flip_a_o  = flip_a_q;
  assign flip_b_o  = flip_b_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inject_q <= 1'b0;
    else inject_q <= valid_i & inject & inject_ok | inject_q & ~flip_o;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i & inject & inject_ok) begin
      inject_qpn_q <= req_i.qpn[QpnWidth-1:0];
      flip_a_q     <= req_i.payload[7:0];
      flip_b_q     <= req_i.payload[15:8];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What is counted: ECC-5.

  logic [CountWidth-1:0] corrected_count_q, failed_count_q;
  logic [QpnWidth-1:0] corrected_qpn_q, failed_qpn_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      corrected_count_q <= '0;
      failed_count_q    <= '0;
      corrected_qpn_q   <= '0;
      failed_qpn_q      <= '0;
    end else begin
      if (corrected) begin
        corrected_count_q <= corrected_count_q + 1'b1;
        corrected_qpn_q   <= req_i.qpn[QpnWidth-1:0];
      end
      if (valid_i & failed) begin
        failed_count_q <= failed_count_q + 1'b1;
        failed_qpn_q   <= req_i.qpn[QpnWidth-1:0];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // A worthless word: nothing of it is used, and the QP goes to error. Reset needs nothing of it.

  resp_pkg::context_t stopped;

  always_comb begin
    stopped       = '0;
    stopped.state = resp_pkg::StateError;
  end

  assign ctx_o = failed & ~reset ? stopped : ctx_i;

  resp_pkg::result_t told;

  always_comb begin
    told     = '0;
    told.qpn = req_i.qpn;
    told.op  = req_i.op;
    if (inject) begin
      told.verdict = inject_ok ? resp_pkg::VerdictDone : resp_pkg::VerdictIgnored;
      if (!in_range_i) told.why = resp_pkg::WhyNoQp;
      else if (!inject_ok) told.why = resp_pkg::WhyNoSuch;
    end else if (counts) begin
      told.verdict     = resp_pkg::VerdictDone;
      told.epsn_before = 24'(corrected_count_q);
      told.epsn_after  = 24'(failed_count_q);
      told.psn         = 24'(corrected_qpn_q);
      told.msn         = 24'(failed_qpn_q);
    end else if (reset) begin
      told.verdict = resp_pkg::VerdictDone;
    end else begin
      told.verdict  = req_i.op == resp_pkg::OpPacket ? resp_pkg::VerdictDropped : resp_pkg::VerdictIgnored;
      told.why      = resp_pkg::WhyContext;
      told.to_error = 1'b1;
    end
  end

  assign result_o = inject | counts | failed ? told : result_i;

endmodule
