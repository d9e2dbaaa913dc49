// SPDX-License-Identifier: Apache-2.0
// What mr_lookup makes of a record by the word of its key: docs/blocks/mr_lookup.md.
module mr_decide (
  input  mr_pkg::query_t   rec_i,
  input  mr_pkg::sums_t    sums_i,
  input  mr_pkg::context_t ctx_i,
  output mr_pkg::context_t ctx_o,
  output mr_pkg::result_t  result_o
);

  logic ours, covers, unused_rec;
  mr_pkg::why_e why;

  assign unused_rec = ^{rec_i.base, rec_i.len};
  assign ours       = ctx_i.there && ctx_i.rkey == rec_i.rkey;
  assign covers     = rec_i.va >= ctx_i.start && sums_i.past <= ctx_i.past;

  always_comb begin
    why = mr_pkg::WhyGood;
    case (rec_i.op)
      mr_pkg::OpCheck: begin
        if (!ours) why = mr_pkg::WhyNoKey;
        else if (ctx_i.pd != rec_i.pd) why = mr_pkg::WhyDomain;
        else if ((rec_i.need & ~ctx_i.allows) != '0) why = mr_pkg::WhyPermission;
        else if (!rec_i.whole && !covers) why = mr_pkg::WhyBounds;
        else if (rec_i.window && !ctx_i.window) why = mr_pkg::WhyNoWindow;
      end
      mr_pkg::OpSet: begin
        if (sums_i.empty) why = mr_pkg::WhyNoSuch;
        else if (ctx_i.there && !ours) why = mr_pkg::WhyTaken;
      end
      mr_pkg::OpRemove: if (!ours) why = mr_pkg::WhyNoKey;
      mr_pkg::OpInvalidate: begin
        if (!ours) why = mr_pkg::WhyNoKey;
        else if (ctx_i.pd != rec_i.pd) why = mr_pkg::WhyDomain;
        else if (!ctx_i.window) why = mr_pkg::WhyNoWindow;
      end
      default: why = mr_pkg::WhyNoSuch;
    endcase
  end

  always_comb begin
    ctx_o = ctx_i;
    if (why == mr_pkg::WhyGood) begin
      if (rec_i.op == mr_pkg::OpSet) begin
        ctx_o = {1'b1, rec_i.window, rec_i.need, rec_i.pd, rec_i.rkey, rec_i.va, sums_i.past, sums_i.delta};
      end
      if (rec_i.op == mr_pkg::OpRemove || rec_i.op == mr_pkg::OpInvalidate) ctx_o = '0;
    end
  end

  always_comb begin
    result_o.why     = why;
    result_o.ok      = why == mr_pkg::WhyGood;
    result_o.op      = rec_i.op;
    result_o.rkey    = rec_i.rkey;
    result_o.address = '0;
    if (why == mr_pkg::WhyGood && rec_i.op == mr_pkg::OpCheck) result_o.address = rec_i.va + ctx_i.delta;
  end

endmodule
