// SPDX-License-Identifier: Apache-2.0
// What rate_limiter makes of a record, or of a visit, by the word of its QP and the time: docs/blocks/rate_limiter.md.
module rate_decide #(
  parameter int unsigned StampWidth = 24
) (
  input  rate_pkg::query_t      rec_i,
  input  logic                  valid_i,    // there is a record
  input  logic                  visit_i,    // there is none, and the QP's stamps are looked at
  input  rate_pkg::context_t    ctx_i,
  input  logic [StampWidth-1:0] next_i,     // the QP's time
  input  logic [StampWidth-1:0] change_i,   // the clock of its last change
  input  logic [StampWidth-1:0] now_i,
  input  logic [StampWidth-2:0] period_i,
  input  logic [StampWidth-2:0] forget_i,
  input  rate_pkg::factors_t    factors_i,

  output rate_pkg::context_t    ctx_o,
  output logic [StampWidth-1:0] next_o,
  output logic [StampWidth-1:0] change_o,
  output logic                  we_o,       // write the three
  output logic                  law_we_o,
  output rate_pkg::result_t     result_o
);

  localparam int unsigned SumWidth = (StampWidth > 17 ? StampWidth : 17) + 1;
  localparam logic [StampWidth-1:0] Furthest = {1'b0, {(StampWidth - 1){1'b1}}};

  // ---------------------------------------------------------------------------------------------------------------
  // The QP as the time leaves it.

  logic is_ours, waits, slow, ripe, soon, fits, unused_rec, unused_fraction;
  logic [StampWidth-1:0] lead, age;
  logic [15:0] pace;

  assign unused_rec = ^{rec_i.raise, rec_i.cut};  // of a law: what goes past here

  assign is_ours = ctx_i.there && ctx_i.number == rec_i.qpn;
  assign lead    = next_i - now_i;
  assign waits   = ctx_i.ahead && lead != '0 && !lead[StampWidth-1];
  assign age     = now_i - change_i;
  assign slow    = ctx_i.changed && age < {1'b0, forget_i};
  assign ripe    = age >= {1'b0, period_i};
  assign soon    = slow && ctx_i.fell && !ripe;
  assign pace    = slow ? ctx_i.pace : ctx_i.fixed;
  assign fits    = rec_i.period >> (StampWidth - 1) == '0 && rec_i.forget >> (StampWidth - 1) == '0;

  logic asks, cuts, steps, sets, sends, removes;
  assign asks    = valid_i && rec_i.op == rate_pkg::OpAsk && is_ours;
  assign cuts    = valid_i && rec_i.op == rate_pkg::OpCnp && is_ours && !soon;
  assign steps   = asks && slow && ripe;
  assign sets    = valid_i && rec_i.op == rate_pkg::OpSet;
  assign sends   = valid_i && rec_i.op == rate_pkg::OpSent && is_ours;
  assign removes = valid_i && rec_i.op == rate_pkg::OpRemove && is_ours;

  // ---------------------------------------------------------------------------------------------------------------
  // One product, of three.

  logic [7:0] beats, factor;
  logic [15:0] own;
  logic [23:0] own_product, product;

  assign beats = {1'b0, rec_i.bytes[12:6]} + {7'd0, rec_i.bytes[5:0] != '0};
  assign own   = rec_i.op == rate_pkg::OpAsk ? ctx_i.target : ctx_i.pace;
  always_comb begin
    factor = beats;
    if (rec_i.op == rate_pkg::OpAsk) factor = factors_i.raise;
    if (rec_i.op == rate_pkg::OpCnp) factor = factors_i.cut;
  end

  rate_product u_product (
    .own_i    (own),
    .static_i (ctx_i.fixed),
    .is_own_i (slow),
    .factor_i (factor),
    .own_o    (own_product),
    .product_o(product)
  );

  // sent: how far ahead the QP's time is then.
  logic [SumWidth-1:0] reach;
  logic far;
  assign reach = (waits ? SumWidth'(lead) : '0) + SumWidth'(product[23:6]) + SumWidth'(product[5:0] != '0);
  assign far   = reach > SumWidth'(Furthest);

  // CNP: the pace cut.
  logic [17:0] cut_pace;
  logic [15:0] least;
  assign cut_pace = {2'b00, pace} + {1'b0, product[23:7]};
  assign least    = pace > factors_i.slowest ? pace : factors_i.slowest;  // of what bounds it, so not below pace

  // step: the target, and the pace half way to it. A QP that steps is slow, so its own count: they do not wait for
  // whether it is. Nor does half way wait for the target: it is had of each.
  logic [16:0] fall, lower, to_target, to_fixed, to_lower;
  logic [15:0] step_target, step_pace;
  logic least_is_fixed;
  assign unused_fraction = ^own_product[7:0];
  assign fall           = {1'b0, own_product[23:8]} + 17'd1;
  assign lower          = {1'b0, ctx_i.target} - fall;
  assign least_is_fixed = lower[16] || lower[15:0] < ctx_i.fixed;
  assign to_target      = {1'b0, ctx_i.pace} + {1'b0, ctx_i.target};
  assign to_fixed       = {1'b0, ctx_i.pace} + {1'b0, ctx_i.fixed};
  assign to_lower       = {1'b0, ctx_i.pace} + {1'b0, lower[15:0]};
  always_comb begin
    step_target = least_is_fixed ? ctx_i.fixed : lower[15:0];
    step_pace   = least_is_fixed ? 16'(to_fixed >> 1) : 16'(to_lower >> 1);
    if (ctx_i.pace != ctx_i.target) begin
      step_target = ctx_i.target;
      step_pace   = 16'(to_target >> 1);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What is written.

  logic passed, old;
  assign passed   = visit_i && ctx_i.ahead && !waits;
  assign old      = visit_i && ctx_i.changed && age[StampWidth-1];
  assign law_we_o = valid_i && rec_i.op == rate_pkg::OpLaw && fits;
  assign we_o     = passed || old || cuts || steps || sets || sends || removes;

  always_comb begin
    ctx_o    = ctx_i;
    next_o   = next_i;
    change_o = change_i;
    if (cuts) begin
      ctx_o.pace   = cut_pace > {2'b00, factors_i.slowest} ? least : cut_pace[15:0];
      ctx_o.target = pace;
    end
    if (steps) begin
      ctx_o.pace   = step_pace;
      ctx_o.target = step_target;
    end
    if (cuts || steps) begin
      ctx_o.changed = 1'b1;
      ctx_o.fell    = cuts;
      change_o      = now_i;
    end
    if (sends) begin
      ctx_o.ahead = 1'b1;
      next_o      = now_i + (far ? Furthest : reach[StampWidth-1:0]);
    end
    if (sets) begin
      ctx_o        = '0;
      ctx_o.there  = 1'b1;
      ctx_o.number = rec_i.qpn;
      ctx_o.fixed  = rec_i.pace;
    end
    if (removes) ctx_o = '0;
    if (passed) ctx_o.ahead = 1'b0;
    if (old) ctx_o.changed = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What is said.

  rate_pkg::why_e why;
  logic [15:0] told;

  always_comb begin
    why  = is_ours ? rate_pkg::WhyGood : rate_pkg::WhyNoQp;
    told = is_ours ? pace : '0;
    case (rec_i.op)
      rate_pkg::OpAsk: begin
        if (is_ours && waits) why = rate_pkg::WhyNotYet;
        if (steps) told = step_pace;
      end
      rate_pkg::OpCnp: begin
        if (is_ours && soon) why = rate_pkg::WhySoon;
        if (cuts && forget_i != '0) told = ctx_o.pace;
      end
      rate_pkg::OpLaw: begin
        why  = fits ? rate_pkg::WhyGood : rate_pkg::WhyLaw;
        told = '0;
      end
      rate_pkg::OpSet: begin
        why  = rate_pkg::WhyGood;
        told = rec_i.pace;
      end
      rate_pkg::OpSent:   if (is_ours && far) why = rate_pkg::WhyFar;
      rate_pkg::OpRemove: told = '0;
      default: begin
        why  = rate_pkg::WhyNoSuch;
        told = '0;
      end
    endcase
  end

  assign result_o = {told, why, rec_i.op, rec_i.qpn};

endmodule
