// SPDX-License-Identifier: Apache-2.0
// Depth clocks of delay, without reset, so that it can become shift-register LUTs.
module delay_line #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  logic [Width-1:0] stage[Depth+1];

  assign stage[0] = data_i;
  for (genvar i = 0; i < Depth; i++) begin : gen_stage
    logic [Width-1:0] data_q;
    always_ff @(posedge clk_i) begin
      data_q <= stage[i];
    end
    assign stage[i+1] = data_q;
  end
  assign data_o = stage[Depth];

endmodule
