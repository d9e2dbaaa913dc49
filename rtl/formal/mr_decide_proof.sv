// SPDX-License-Identifier: Apache-2.0
// mr_decide opens a region to those whom RSP-1 lets in, and no byte outside of it, for all numbers; and only operations
// change a key. It has no state: one clock says all.
module mr_decide_proof #(
  parameter logic [6:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [257:0] rec_i,  // as docs/blocks/mr_lookup.md lays it out
  input logic         there_i,
  input logic         window_i,
  input logic [4:0]   allows_i,
  input logic [23:0]  pd_i,
  input logic [31:0]  rkey_i,
  input logic [63:0]  start_i,
  input logic [63:0]  length_i,  // of the region
  input logic [63:0]  byte_i     // any byte
);

  logic [255:0] before, behind;
  logic [102:0] result;
  logic [63:0] va, length;
  logic [64:0] past, byte_past;

  assign va     = rec_i[122:59];
  assign length = rec_i[186:123];
  assign past   = {1'b0, va} + {1'b0, length};
  assign before = {there_i, window_i, allows_i, pd_i, rkey_i, start_i, {1'b0, start_i} + {1'b0, length_i}, 64'd0};

  mr_decide dut (
    .rec_i,
    .sums_i  ({past, rec_i[257:194] - va, length == 64'd0}),
    .ctx_i   (before),
    .ctx_o   (behind),
    .result_o(result)
  );

  logic [2:0] op;
  logic ok, mine;
  assign op   = rec_i[2:0];
  assign ok   = result[99];
  assign mine = there_i && rkey_i == rec_i[34:3];
  assign byte_past = {1'b0, byte_i} - {1'b0, start_i};

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    if (!initial_q && rst_ni) begin
      if (Check[1] && op == 3'd0 && ok) assert (mine && pd_i == rec_i[58:35]);
      if (Check[2] && op == 3'd0 && ok) assert ((rec_i[191:187] | allows_i) == allows_i);
      // Any byte of the range is one of the region.
      if (Check[3] && op == 3'd0 && ok && !rec_i[192] && byte_i >= va && {1'b0, byte_i} < past) begin
        assert (byte_i >= start_i && byte_past < {1'b0, length_i});
      end
      if (Check[4]) begin
        if (op == 3'd0 || !ok) assert (behind == before);
        if (op == 3'd3 && ok) assert (mine && window_i && pd_i == rec_i[58:35] && !behind[255]);
        if (op == 3'd1 && ok) assert (length != 64'd0 && (!there_i || mine) && behind[255]);
      end
      if (Check[6] && op == 3'd0 && rec_i[193] && ok) assert (window_i);
      if (Check[5]) assert (ok == (result[102:100] == 3'd0) && (op < 3'd4 || !ok));
    end
  end

endmodule
