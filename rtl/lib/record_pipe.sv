// SPDX-License-Identifier: Apache-2.0
// The pipeline of a block that looks a word up for every record and decides with it: R, F, X as in qp_context, and a
// queue behind. A record that is accepted in clock c stands in R in c + 1, in X in c + 3 and is offered in c + 4. The
// stages never stand still; no record enters before open_i.
module record_pipe #(
  parameter int unsigned Width = 8,
  parameter int unsigned OutWidth = 8,
  parameter int unsigned Depth = 8  // records under way at most: for one a clock at least 5
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                open_i,  // from a register; it falls in cnp_gen only, whose proof is without it

  input  logic [Width-1:0]    s_data_i,
  input  logic                s_valid_i,
  output logic                s_ready_o,

  output logic [Width-1:0]    r_data_o,
  output logic [Width-1:0]    x_data_o,
  output logic                x_valid_o,
  input  logic [OutWidth-1:0] x_result_i,  // of the record in X, in its clock

  output logic [OutWidth-1:0] m_data_o,
  output logic                m_valid_o,
  input  logic                m_ready_i
);

  if (Depth < 5) begin : gen_bad_depth
    $error("record_pipe: Depth must be at least 5");
  end

  logic room, accept, r_valid_q, f_valid_q, x_valid_q;
  logic [Width-1:0] r_q, f_q, x_q;

  assign s_ready_o = room & open_i;
  assign accept    = s_valid_i & s_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {x_valid_q, f_valid_q, r_valid_q} <= '0;
    else {x_valid_q, f_valid_q, r_valid_q} <= {f_valid_q, r_valid_q, accept};
  end

  always_ff @(posedge clk_i) begin
    r_q <= s_data_i;
    f_q <= r_q;
    x_q <= f_q;
  end

  credit_queue #(
    .Width(OutWidth),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .claim_i  (accept),
    .room_o   (room),
    .data_i   (x_result_i),
    .valid_i  (x_valid_q),
    .m_data_o,
    .m_valid_o,
    .m_ready_i
  );

  assign r_data_o  = r_q;
  assign x_data_o  = x_q;
  assign x_valid_o = x_valid_q;

`ifdef VERILATOR
  record_rules #(
    .Width(Width)
  ) u_s_rules (
    .clk_i,
    .rst_ni,
    .data_i (s_data_i),
    .valid_i(s_valid_i),
    .ready_i(s_ready_o)
  );

  record_rules #(
    .Width(OutWidth)
  ) u_m_rules (
    .clk_i,
    .rst_ni,
    .data_i (m_data_o),
    .valid_i(m_valid_o),
    .ready_i(m_ready_i)
  );
`endif

endmodule
