// SPDX-License-Identifier: Apache-2.0
// The time of a block that keeps time stamps of QPs, and whose turn it is to be visited: in half of the range of a
// stamp every QP once, so that none is compared after it has wrapped. A visit takes the place of a record in R, F and
// X: the input closes in the clock before.
module visit_clock #(
  parameter int unsigned StampWidth = 24,
  parameter int unsigned QpnWidth = 12
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  ready_i,    // the memory of QPs is

  output logic [StampWidth-1:0] now_o,
  output logic                  open_o,     // the input may take a record
  output logic                  r_visit_o,  // a visit stands in R, of the QP r_turn_o
  output logic [QpnWidth-1:0]   r_turn_o,
  output logic                  x_visit_o
);

  localparam int unsigned EveryWidth = StampWidth - 1 - QpnWidth;  // a visit every 2^EveryWidth clocks

  logic [StampWidth-1:0] now_q;
  logic open_q, r_visit_q, f_visit_q, x_visit_q;
  logic [QpnWidth-1:0] r_turn_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else now_q <= now_q + 1'b1;
  end

  // open_q is low in the clocks in which the low bits of the time are 0.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) open_q <= 1'b0;
    else open_q <= ready_i & (now_q[EveryWidth-1:0] != '1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {x_visit_q, f_visit_q, r_visit_q} <= '0;
    else {x_visit_q, f_visit_q, r_visit_q} <= {f_visit_q, r_visit_q, ready_i & (now_q[EveryWidth-1:0] == '0)};
  end

  always_ff @(posedge clk_i) r_turn_q <= now_q[EveryWidth+:QpnWidth];

  assign now_o     = now_q;
  assign open_o    = open_q;
  assign r_visit_o = r_visit_q;
  assign r_turn_o  = r_turn_q;
  assign x_visit_o = x_visit_q;

endmodule
