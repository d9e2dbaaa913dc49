package main

const drainFile = "top/hca_top_drain.sv"

var _ = register(proof{block: "hca_top_drain", depth: 16, properties: []property{
	{check: 1, skip: 9, says: "closed not before all that had entered has left, and all answers that were due are through",
		fault: fault{"a count compared without its turn", drainFile, "assign there     = ~past[Width-1];",
			"assign there     = (phase_q == Packets ? left_q : through_q) >= mark_q;"}},
	{check: 2, says: "closed as soon as that is so", fault: fault{"it waits for what enters behind the remove", drainFile,
		"mark_q  <= entered_d;", "mark_q  <= entered_d + 1'b1;"}},
	{check: 3, skip: 9, says: "closed not while one of several answers that were due is not through", fault: fault{
		"the first of several waited for", drainFile, "mark_q  <= due_q;",
		"mark_q  <= through_q + Width'(through_q != due_q);"}},
}})
