// SPDX-License-Identifier: Apache-2.0
// An assertion of hca_top: no answer of a QP is due when the QP is closed, since the answer would go the way of the QP
// that is set up next. Checked by Verilator under --assert; other tools see nothing of it.
`ifdef VERILATOR
module hca_top_owes #(
  parameter int unsigned NumQps = 256
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 due_i,
  input logic [23:0]          due_qpn_i,
  input logic                 through_i,
  input logic [23:0]          through_qpn_i,
  input logic                 op_valid_i,  // an operation of rx_classify
  input classify_pkg::query_t op_i,
  input logic                 closed_i
);

  localparam int unsigned IndexWidth = $clog2(NumQps);

  logic [IndexWidth-1:0] closing_q, due_index, through_index;
  logic unused_bits;
  logic [7:0] due_q [NumQps];
  logic [7:0] owed;  // to the QP that closes

  assign owed          = due_q[closing_q];
  assign due_index     = due_qpn_i[IndexWidth-1:0];
  assign through_index = through_qpn_i[IndexWidth-1:0];
  assign unused_bits   = ^{op_i, due_qpn_i, through_qpn_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_q <= '{default: '0};
    else if (!due_i || !through_i || due_index != through_index) begin
      if (due_i) due_q[due_index] <= due_q[due_index] + 1'b1;
      if (through_i) due_q[through_index] <= due_q[through_index] - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (op_valid_i && op_i.op == classify_pkg::OpRemove) closing_q <= op_i.dest_qp[IndexWidth-1:0];
  end

  closed_owes_nothing: assert property (@(posedge clk_i) disable iff (!rst_ni) closed_i |-> owed == '0)
  else $error("%m: a QP is closed whose answers are due");

endmodule
`endif
