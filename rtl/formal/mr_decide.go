package main

const mrFile = "ctx/mr_decide.sv"

// mrDecide is what mr_lookup decides; its order is record_pipe's, that it decides by the right word qp_context's.
var _ = register(proof{block: "mr_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "a key opens its own region, to its protection domain (RSP-1)",
		fault: fault{"a key that was taken away", mrFile, "assign ours       = ctx_i.there && ", "assign ours       = "}},
	{check: 2, plain: true, says: "with every permission that is asked for (RSP-1, RSP-16)", fault: fault{"one is enough",
		mrFile, "(rec_i.need & ~ctx_i.allows) != '0)", "rec_i.need != '0 && (rec_i.need & ctx_i.allows) == '0)"}},
	{check: 3, plain: true, says: "no byte outside of the region, for all addresses and lengths",
		fault: fault{"64 bits of the end are compared", mrFile,
			"sums_i.past <= ctx_i.past;", "sums_i.past[63:0] <= ctx_i.past[63:0];"}},
	{check: 4, plain: true, says: "look-ups change nothing; the peer takes windows away, and nothing else",
		fault: fault{"a region too", mrFile, "else if (!ctx_i.window) why", "else if (!ctx_i.window && !rec_i.whole) why"}},
	{check: 5, plain: true, says: "what is not good has a reason", fault: fault{"an operation that there is not is done",
		mrFile, "default: why = mr_pkg::WhyNoSuch;", "default: why = mr_pkg::WhyGood;"}},
	{check: 6, plain: true, says: "where a window is asked for, a region will not do", fault: fault{"with a length only",
		mrFile, "else if (rec_i.window && !ctx_i.window)", "else if (rec_i.window && !rec_i.whole && !ctx_i.window)"}},
}})
