// SPDX-License-Identifier: Apache-2.0
// rate_decide says what the document says, for all records, words and times. It has no state: one clock says all.
// Check: one bit a property, bit 0 is not used.
module rate_decide_proof #(
  parameter logic [10:0] Check = '1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [135:0] rec_i,     // as docs/blocks/rate_limiter.md lays it out
  input logic         valid_i,
  input logic         visit_i,
  input logic [75:0]  ctx_i,
  input logic [7:0]   next_i,
  input logic [7:0]   change_i,
  input logic [7:0]   now_i,
  input logic [6:0]   period_i,
  input logic [6:0]   forget_i,
  input logic [31:0]  factors_i
);

  logic [75:0] ctx;
  logic [7:0] next, change;
  logic we, law_we;
  logic [45:0] result;

  rate_decide #(
    .StampWidth(8)
  ) dut (
    .rec_i,
    .valid_i,
    .visit_i,
    .ctx_i,
    .next_i,
    .change_i,
    .now_i,
    .period_i,
    .forget_i,
    .factors_i,
    .ctx_o   (ctx),
    .next_o  (next),
    .change_o(change),
    .we_o    (we),
    .law_we_o(law_we),
    .result_o(result)
  );

  // By the words of the document.
  logic [2:0] op, why;
  logic [15:0] said, fixed, pace, target, pace_then, target_then;
  logic ours, ahead, slow, soon, due, good_law;
  logic [7:0] until_next, age, lead;
  assign op          = rec_i[2:0];
  assign why         = result[29:27];
  assign said        = result[45:30];
  assign ours        = ctx_i[75] && ctx_i[71:48] == rec_i[26:3];
  assign until_next  = next_i - now_i;
  assign ahead       = ctx_i[74] && until_next >= 8'd1 && until_next <= 8'd127;
  assign lead        = ahead ? until_next : 8'd0;
  assign age         = now_i - change_i;
  assign slow        = ctx_i[73] && age < {1'b0, forget_i};
  assign soon        = slow && ctx_i[72] && age < {1'b0, period_i};
  assign due         = slow && age >= {1'b0, period_i};
  assign fixed       = ctx_i[47:32];
  assign pace        = slow ? ctx_i[31:16] : fixed;
  assign target      = slow ? ctx_i[15:0] : fixed;
  assign pace_then   = ctx[31:16];
  assign target_then = ctx[15:0];
  assign good_law    = rec_i[87:56] < 32'd128 && rec_i[119:88] < 32'd128;

  // What is multiplied, and what comes of the product: that may be anything below 256 of the base.
  (* hierconn *) wire [15:0] \dut.u_product.own_i ;
  (* hierconn *) wire [15:0] \dut.u_product.static_i ;
  (* hierconn *) wire \dut.u_product.is_own_i ;
  (* hierconn *) wire [7:0] \dut.u_product.factor_i ;
  (* hierconn *) wire [23:0] \dut.u_product.own_o ;
  (* hierconn *) wire [23:0] \dut.u_product.product_o ;

  logic [7:0] beats;
  logic [15:0] base;
  logic [23:0] product;
  logic [17:0] gap, sum, cut_pace, fallen;
  logic [16:0] middle;
  assign base     = \dut.u_product.is_own_i ? \dut.u_product.own_i : \dut.u_product.static_i ;
  assign product  = \dut.u_product.product_o ;
  assign beats    = 8'((14'(rec_i[39:27]) + 14'd63) >> 6);
  assign gap      = 18'((25'(product) + 25'd63) >> 6);
  assign sum      = 18'(lead) + gap;
  assign cut_pace = 18'(pace) + 18'(product >> 7);
  assign fallen   = 18'(product >> 8) + 18'd1;
  assign middle   = ({1'b0, pace} + {1'b0, target_then}) >> 1;

  logic initial_q = 1'b1;
  always_ff @(posedge clk_i) initial_q <= 1'b0;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni);
    assume (!(valid_i && visit_i));
    assume (product[23:8] <= base);
    assume (!\dut.u_product.is_own_i || \dut.u_product.own_o == product);
    // What is proved of every word that is written: property 3, 4.
    assume (ctx_i[31:16] >= ctx_i[15:0] && ctx_i[15:0] >= fixed || !ctx_i[73]);
    if (!initial_q && rst_ni) begin
      if (Check[1] && op == 3'd0 && ours) assert ((why == 3'd0) == !ahead && (why == 3'd1) == ahead);
      if (Check[2] && valid_i) begin
        assert (result[26:0] == {op, rec_i[26:3]});
        if (op == 3'd2) assert (why == (good_law ? 3'd0 : 3'd6) && said == '0);
        if (op == 3'd3) assert (why == 3'd0 && said == rec_i[55:40]);
        if (op > 3'd5) assert (why == 3'd7 && said == '0);
        if ((op < 3'd2 || op == 3'd4 || op == 3'd5) && !ours) assert (why == 3'd4 && said == '0 && !we);
        if (op == 3'd5 && ours) assert (why == 3'd0 && said == '0);
        if (op == 3'd4 && ours) assert (said == pace);
        if (op < 3'd2 && ours) begin
          if (op == 3'd1) assert (why == (soon ? 3'd2 : 3'd0));
          if (!we) assert (said == pace);
          if (we) assert (said == (forget_i == '0 ? fixed : pace_then));
        end
      end
      if (Check[3] && valid_i && op == 3'd1 && ours) begin
        assert (we == !soon);
        assert (base == pace && \dut.u_product.factor_i == factors_i[7:0]);
        if (we) begin
          assert (ctx[75:74] == ctx_i[75:74] && ctx[73:72] == 2'b11 && change == now_i && next == next_i);
          assert (target_then == pace && pace_then >= pace && target_then >= fixed);
          if (cut_pace <= 18'(factors_i[31:16])) assert (18'(pace_then) == cut_pace);
          else assert (pace_then == (pace > factors_i[31:16] ? pace : factors_i[31:16]));
        end
      end
      if (Check[4] && valid_i && op == 3'd0) begin
        assert (we == (ours && due));
        if (we) begin
          assert (ctx[75:74] == ctx_i[75:74] && ctx[73:72] == 2'b10 && change == now_i && next == next_i);
          assert (pace_then == middle[15:0] && pace_then >= target_then && target_then >= fixed);
          assert (pace_then <= pace && (pace_then < pace || pace == target_then));
        end
      end
      if (Check[5] && valid_i && op == 3'd0 && we) begin
        assert (base == target && \dut.u_product.factor_i == factors_i[15:8]);
        if (pace != target) assert (target_then == target);
        else if (18'(target) >= 18'(fixed) + fallen) assert (18'(target_then) + fallen == 18'(target));
        else assert (target_then == fixed);
        if (pace == target) assert (target_then < target || target_then == fixed);
      end
      if (Check[6] && valid_i && op == 3'd4 && ours) begin
        assert (base == pace && \dut.u_product.factor_i == beats);
        assert (we && ctx == {ctx_i[75], 1'b1, ctx_i[73:0]} && change == change_i);
        assert (8'(next - now_i) == (sum > 18'd127 ? 8'd127 : sum[7:0]));
        assert (why == (sum > 18'd127 ? 3'd3 : 3'd0));
      end
      if (Check[7] && valid_i) begin
        if (op == 3'd3) assert (we && ctx == {4'b1000, rec_i[26:3], rec_i[55:40], 32'd0});
        if (op == 3'd5) assert (we == ours && (!we || !ctx[75]));
        if (op != 3'd3 && op != 3'd5 && we) assert (ctx[71:32] == ctx_i[71:32]);
        if (op == 3'd2 || op > 3'd5) assert (!we);
      end
      if (Check[8] && visit_i) begin
        assert (we == ((ctx_i[74] && !ahead) || (ctx_i[73] && age >= 8'd128)) && !law_we);
        if (we) assert (ctx == {ctx_i[75], ahead, ctx_i[73] && age < 8'd128, ctx_i[72:0]});
        assert (next == next_i && change == change_i);
      end
      if (Check[9]) assert (law_we == (valid_i && op == 3'd2 && good_law));
      if (Check[10] && !valid_i && !visit_i) assert (!we && !law_we);
    end
  end

endmodule
