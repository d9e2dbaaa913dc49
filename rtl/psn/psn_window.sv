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
  // Edge: a skid buffer registers ready. Behind it everything moves together or not at all.

  logic en, in_valid, in_requester;
  logic [W-1:0] in_psn, in_base, in_next;

  axis_skid #(
    .Width(3 * W + 1)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_requester_i, s_next_i, s_base_i, s_psn_i}),
    .s_valid_i,
    .s_ready_o,
    .m_data_o ({in_requester, in_next, in_base, in_psn}),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the differences.

  logic valid1_q, requester1_q;
  logic [W-1:0] from_base1_q;    // PSN - base: the distance
  logic [W-1:0] outstanding1_q;  // next - base

  always_ff @(posedge clk_i) begin
    if (en) begin
      from_base1_q   <= psn_pkg::distance(in_psn, in_base);
      outstanding1_q <= psn_pkg::distance(in_next, in_base);
      requester1_q   <= in_requester;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 2: the class, in the output register.

  psn_pkg::class_e class_d;

  always_comb begin
    if (requester1_q) class_d = psn_pkg::respond(from_base1_q, '0, outstanding1_q);
    else class_d = psn_pkg::arrive(from_base1_q, '0);
  end

  logic out_valid_q;
  psn_pkg::class_e out_class_q;
  logic [W-1:0] out_distance_q;

  assign en = m_ready_i | ~out_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_valid_q, valid1_q} <= '0;
    else if (en) {out_valid_q, valid1_q} <= {valid1_q, in_valid};
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      out_class_q    <= class_d;
      out_distance_q <= from_base1_q;
    end
  end

  assign m_class_o    = out_class_q;
  assign m_distance_o = out_distance_q;
  assign m_valid_o    = out_valid_q;

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
