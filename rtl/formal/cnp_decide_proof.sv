// SPDX-License-Identifier: Apache-2.0
// cnp_decide says what the document says, for all records, words and times. It has no state: one clock says all. Check:
// one bit a property, bit 0 is not used.
module cnp_decide_proof #(
  parameter logic [8:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [457:0] rec_i,    // as docs/blocks/cnp_gen.md lays it out
  input logic         valid_i,
  input logic         visit_i,
  input logic [49:0]  ctx_i,
  input logic [7:0]   stamp_i,
  input logic [7:0]   now_i,
  input logic [6:0]   period_i
);

  logic [49:0] ctx;
  logic [7:0] stamp;
  logic we, period_we;
  logic [426:0] result;

  cnp_decide #(
    .StampWidth(8)
  ) dut (
    .rec_i,
    .valid_i,
    .visit_i,
    .ctx_i,
    .stamp_i,
    .now_i,
    .period_i,
    .ctx_o      (ctx),
    .stamp_o    (stamp),
    .we_o       (we),
    .period_we_o(period_we),
    .result_o   (result)
  );

  // By the words of the document.
  logic [2:0] op, why, first;
  logic there, recent, ours, marked, ip, cnp, soon, half, gives;
  logic [7:0] age;
  assign op     = rec_i[2:0];
  assign why    = result[29:27];
  assign there  = ctx_i[49];
  assign recent = ctx_i[48];
  assign ours   = there && ctx_i[47:24] == rec_i[26:3];
  assign marked = rec_i[107] && rec_i[106];
  assign ip     = rec_i[39:37] == 3'd2 || rec_i[39:37] == 3'd3;
  assign cnp    = rec_i[36:29] == 8'h81;
  assign age    = now_i - stamp_i;
  assign soon   = recent && age < {1'b0, period_i};
  assign half   = age >= 8'd128;
  assign first  = !marked ? 3'd1 : !ip ? 3'd2 : cnp ? 3'd3 : !ours ? 3'd4 : soon ? 3'd5 : 3'd0;
  assign gives  = result[37:30] == 8'h81;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (!(valid_i && visit_i));
    if (!initial_q && rst_ni) begin
      if (Check[1]) begin
        if (gives) assert (op == 3'd0 && marked && ip && !cnp && ours && why == 3'd0);
        if (op == 3'd0) assert (why == first);
        if (!gives) assert (result[61:30] == '0);
        assert (result[26:0] == {op, rec_i[26:3]} && result[426:62] == rec_i[401:37]);
      end
      if (Check[2] && op == 3'd0 && marked && ip && !cnp && ours) assert (gives == !soon && (why == 3'd5) == soon);
      if (Check[3] && gives) begin
        if (rec_i[28:27] == 2'd2) assert (result[61:38] == rec_i[425:402]);
        else assert (result[61:38] == ctx_i[23:0]);
      end
      if (Check[4] && valid_i && op == 3'd0) begin
        assert (we == (first == 3'd0));
        if (we) assert (ctx == {2'b11, ctx_i[47:0]} && stamp == now_i);
      end
      if (Check[5] && valid_i) begin
        if (op == 3'd1) assert (we && ctx == {2'b10, rec_i[26:3], rec_i[425:402]} && why == 3'd0);
        if (op == 3'd3) assert (we == ours && why == (ours ? 3'd0 : 3'd4));
        if (op == 3'd3 && we) assert (!ctx[49]);
        if (op == 3'd2 || op > 3'd3) assert (!we);
        if (op > 3'd3) assert (why == 3'd7);
      end
      if (Check[6] && visit_i) begin
        assert (we == half && !period_we);
        if (we) assert (ctx == {ctx_i[49], 1'b0, ctx_i[47:0]} && stamp == stamp_i);
      end
      if (Check[7]) begin
        assert (period_we == (valid_i && op == 3'd2 && rec_i[457:433] == '0));
        if (op == 3'd2) assert (why == (rec_i[457:433] == '0 ? 3'd0 : 3'd6));
      end
      if (Check[8] && !valid_i && !visit_i) assert (!we && !period_we);
    end
  end

endmodule
