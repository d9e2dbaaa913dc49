// SPDX-License-Identifier: Apache-2.0
// The stream rules of a record port as assertions. A failure on an input is the bench's fault, on an output the
// block's. Checked by Verilator under --assert; other tools see nothing of it, and rtl/formal proves the same.
`ifdef VERILATOR
module record_rules #(
  parameter int unsigned Width = 8
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] data_i,
  input logic             valid_i,
  input logic             ready_i
);

  valid_stays: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i && !ready_i |=> valid_i)
  else $error("%m: valid fell before ready came");

  payload_stable: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i && !ready_i |=> $stable(data_i))
  else $error("%m: the record changed while ready was low");

endmodule
`endif
