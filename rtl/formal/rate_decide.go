package main

const rateDecideFile = "tx/rate_decide.sv"

// rateDecide is what rate_limiter decides of a record, or of a visit, by a word and the time; that it is given the
// right word is qp_context's, and that a stamp tells the true time is rate_wrap's.
var _ = register(proof{block: "rate_decide", depth: 4, gone: []string{"u_product"}, properties: []property{
	{check: 1, plain: true, says: "an ask hears that the QP may send exactly where its time is not ahead",
		fault: fault{"a clock early", rateDecideFile, "lead != '0 &&", "lead > 1 &&"}},
	{check: 2, plain: true,
		says: "why and pace of each operation are those of the document, which are pace and target of " +
			"the QP's own while its change counts, else the static one", fault: fault{"its own for ever", rateDecideFile,
			"ctx_i.changed && age < {1'b0, forget_i};", "ctx_i.changed;"}},
	{check: 3, plain: true,
		says: "a CNP cuts, but for one less than the period behind another cut; then pace is not less " +
			"than it was, nor longer than the slowest of the law makes it, and that is the target",
		fault: fault{"the sum wraps", rateDecideFile,
			"cut_pace > {2'b00, factors_i.slowest} ? least : cut_pace[15:0];",
			"cut_pace[15:0] > least ? least : cut_pace[15:0];"}},
	{check: 4, plain: true, says: "a step is taken by an ask a period behind the last change, and by nothing else; pace " +
		"comes half way to the target, and neither below the static one nor pace below target",
		fault: fault{"the target falls through", rateDecideFile,
			"lower[16] || lower[15:0] < ctx_i.fixed;", "lower[16];"}},
	{check: 5, plain: true, says: "a target that pace has reached comes down by one at least, or is the static one",
		fault: fault{"by raise alone", rateDecideFile, "{1'b0, own_product[23:8]} + 17'd1;", "{1'b0, own_product[23:8]};"}},
	{check: 6, plain: true,
		says: "what is sent puts the QP's time off from now or from itself, never by more than half the " +
			"range, and changes no more", fault: fault{"it wraps", rateDecideFile,
			"(far ? Furthest : reach[StampWidth-1:0]);", "reach[StampWidth-1:0];"}},
	{check: 7, plain: true, says: "set and remove leave nothing of what was; others leave number and static pace",
		fault: fault{"set leaves its time", rateDecideFile, "ctx_o.fixed  = rec_i.pace;",
			"ctx_o.fixed  = rec_i.pace;\n      ctx_o.ahead  = ctx_i.ahead;"}},
	{check: 8, plain: true,
		says: "a visit clears the flag of a time that is not ahead and of a change of half the range or " +
			"more, and does no more", fault: fault{"of a quarter", rateDecideFile, "ctx_i.changed && age[StampWidth-1];",
			"ctx_i.changed && age[StampWidth-1:StampWidth-2] != '0;"}},
	{check: 9, plain: true, says: "a law of half the range or more is refused", fault: fault{"its forget is taken, cut",
		rateDecideFile, " && rec_i.forget >> (StampWidth - 1) == '0;", ";"}},
	{check: 10, plain: true, says: "a bubble writes nothing", fault: fault{"it does", rateDecideFile,
		"assign sets    = valid_i && rec_i.op", "assign sets    = rec_i.op"}},
}})
