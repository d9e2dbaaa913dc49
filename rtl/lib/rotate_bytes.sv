// SPDX-License-Identifier: Apache-2.0
// Turns a beat by 0 to 3 steps: byte n * StepBytes comes to byte 0, what lay before it to the end. Steps that go
// around the whole beat turn it by what is left of them.
module rotate_bytes #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned StepBytes = 1
) (
  input  logic [1:0]           steps_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [DataWidth-1:0] data_o
);

  logic [2*DataWidth-1:0] twice;

  assign twice = {data_i, data_i};

  always_comb begin
    data_o = data_i;
    for (int n = 1; n < 4; n++) begin
      if (steps_i == n[1:0]) data_o = twice[(n*StepBytes*8)%DataWidth+:DataWidth];
    end
  end

endmodule
