// SPDX-License-Identifier: Apache-2.0
// Where a PSN lies in the window of its QP: docs/blocks/psn_window.md. psn_pkg decides.
//
// A class depends on differences only: the first stage measures everything from base, the second judges, with 0 in its
// place.
module psn_window (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic [psn_pkg::PsnWidth-1:0] s_psn_i,
  input  logic [psn_pkg::PsnWidth-1:0] s_base_i,
  input  logic [psn_pkg::PsnWidth-1:0] s_next_i,
  input  logic                         s_requester_i,
  input  logic                         s_valid_i,
  output logic                         s_ready_o,

  output logic [psn_pkg::PsnWidth-1:0] m_distance_o,
  output logic [2:0]                   m_class_o,
  output logic                         m_valid_o,
  input  logic                         m_ready_i
);

  localparam int unsigned W = psn_pkg::PsnWidth;

  // ---------------------------------------------------------------------------------------------------------------
  // Edge: an accepted record stands in a register. Behind it nothing ever stands still.

  localparam int unsigned Depth = 4;  // records under way at most: for one a clock at least the latency and one

  typedef struct packed {
    logic         requester;
    logic [W-1:0] next;
    logic [W-1:0] base;
    logic [W-1:0] psn;
  } request_t;

  logic in_valid_q;
  request_t in_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_valid_q <= 1'b0;
    else in_valid_q <= s_valid_i & s_ready_o;
  end

  always_ff @(posedge clk_i) in_q <= {s_requester_i, s_next_i, s_base_i, s_psn_i};

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the differences.

  logic valid1_q, requester1_q;
  logic [W-1:0] from_base1_q;    // PSN - base: the distance
  logic [W-1:0] outstanding1_q;  // next - base

  always_ff @(posedge clk_i) begin
    from_base1_q   <= psn_pkg::distance(in_q.psn, in_q.base);
    outstanding1_q <= psn_pkg::distance(in_q.next, in_q.base);
    requester1_q   <= in_q.requester;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 2: the class, in the output queue.

  psn_pkg::class_e class_d;

  always_comb begin
    if (requester1_q) class_d = psn_pkg::respond(from_base1_q, '0, outstanding1_q);
    else class_d = psn_pkg::arrive(from_base1_q, '0);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid1_q <= 1'b0;
    else valid1_q <= in_valid_q;
  end

  credit_queue #(
    .Width($bits({class_d, from_base1_q})),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i (s_valid_i & s_ready_o),
    .room_o  (s_ready_o),
    .data_i  ({class_d, from_base1_q}),
    .valid_i (valid1_q),
    .m_data_o({m_class_o, m_distance_o}),
    .m_valid_o,
    .m_ready_i
  );

`ifdef VERILATOR
  record_rules #(
    .Width(3 * W + 1)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_requester_i, s_next_i, s_base_i, s_psn_i}),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width(W + 3)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i ({m_class_o, m_distance_o}),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
