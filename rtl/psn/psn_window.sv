// Where a PSN lies in the window of its QP: docs/blocks/psn_window.md. PSN-1 to PSN-3 in one place.
//
// Three differences modulo 2^24 decide everything; the first stage makes them, the second looks at them.
module psn_window (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic [psn_pkg::PsnWidth-1:0] s_psn_i,
  input  logic [psn_pkg::PsnWidth-1:0] s_base_i,
  input  logic [psn_pkg::PsnWidth-1:0] s_next_i,
  input  logic                         s_requester_i,
  input  logic                         s_oldest_dup_i,
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

  logic en, in_valid, in_requester, in_oldest_dup;
  logic [W-1:0] in_psn, in_base, in_next;

  axis_skid #(
    .Width(3 * W + 2)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .s_data_i ({s_oldest_dup_i, s_requester_i, s_next_i, s_base_i, s_psn_i}),
    .s_valid_i,
    .s_ready_o,
    .m_data_o ({in_oldest_dup, in_requester, in_next, in_base, in_psn}),
    .m_valid_o(in_valid),
    .m_ready_i(en)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 1: the differences.

  logic valid1_q, requester1_q, oldest_dup1_q;
  logic [W-1:0] from_base1_q;    // PSN - base, signed: the distance
  logic [W-1:0] from_next1_q;    // PSN - next, signed
  logic [W-1:0] outstanding1_q;  // next - base

  always_ff @(posedge clk_i) begin
    if (en) begin
      from_base1_q   <= in_psn - in_base;
      from_next1_q   <= in_psn - in_next;
      outstanding1_q <= in_next - in_base;
      requester1_q   <= in_requester;
      oldest_dup1_q  <= in_oldest_dup;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Stage 2: the verdict, in the output register.

  logic zero, behind, oldest, unacked, before_next;
  logic [2:0] class_d;

  assign zero        = from_base1_q == '0;
  assign behind      = from_base1_q[W-1];
  assign oldest      = behind & (from_base1_q[W-2:0] == '0);
  assign unacked     = from_base1_q < outstanding1_q;
  assign before_next = from_next1_q[W-1];  // next - 2^23 to next - 1

  always_comb begin
    if (requester1_q) begin
      class_d = psn_pkg::ClassGhost;
      if (before_next) class_d = psn_pkg::ClassAcked;
      if (unacked) class_d = psn_pkg::ClassUnacked;
    end else begin
      class_d = psn_pkg::ClassOutOfSequence;
      if (behind & (~oldest | oldest_dup1_q)) class_d = psn_pkg::ClassDuplicate;
      if (zero) class_d = psn_pkg::ClassExpected;
    end
  end

  logic out_valid_q;
  logic [2:0] out_class_q;
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
    .Width(3 * W + 2)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i ({s_oldest_dup_i, s_requester_i, s_next_i, s_base_i, s_psn_i}),
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
