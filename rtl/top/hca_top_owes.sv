// SPDX-License-Identifier: Apache-2.0
// An assertion of hca_top: no answer of a QP is due when the QP is closed, since to what its index is set then the answer
// would go another's way. Checked by Verilator under --assert; other tools see nothing of it.
`ifdef VERILATOR
module hca_top_owes #(
  parameter int unsigned NumQps = 256,
  localparam int unsigned IndexWidth = $clog2(NumQps)
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  due_i,
  input logic [IndexWidth-1:0] due_qpn_i,
  input logic                  through_i,
  input logic [IndexWidth-1:0] through_qpn_i,
  input logic                  remove_i,  // of remove_qpn_i: it is given
  input logic [IndexWidth-1:0] remove_qpn_i,
  input logic                  closed_i
);

  logic [IndexWidth-1:0] closing_q;
  logic [7:0] due_q [NumQps];
  logic [7:0] owed;  // to the QP that closes

  assign owed = due_q[closing_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_q <= '{default: '0};
    else if (!due_i || !through_i || due_qpn_i != through_qpn_i) begin
      if (due_i) due_q[due_qpn_i] <= due_q[due_qpn_i] + 1'b1;
      if (through_i) due_q[through_qpn_i] <= due_q[through_qpn_i] - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (remove_i) closing_q <= remove_qpn_i;
  end

  closed_owes_nothing: assert property (@(posedge clk_i) disable iff (!rst_ni) closed_i |-> owed == '0)
  else $error("%m: a QP is closed whose answers are due");

endmodule
`endif
