package main

const schedFile = "tx/sched_decide.sv"

// schedDecide is when a QP comes to stand in the queue of sq_scheduler; that it is given the right words is
// qp_context's.
var _ = register(proof{block: "sched_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "a QP that is asleep, or whose turn ends, is given a place, and no other", fault: fault{
		"one that stands there", schedFile,
		"(wakes && !state_i.awake) ||", "(wakes && !state_i.woken) ||"}},
	{check: 2, plain: true, says: "a turn that ends is followed by a place if there is more, or the rate kept it, or it " +
		"was woken", fault: fault{"not if it was woken", schedFile,
		"== sched_pkg::WhyRate || state_i.woken;", "== sched_pkg::WhyRate;"}},
	{check: 3, plain: true, says: "no wake is lost: it gives a place, or is remembered until one is given", fault: fault{
		"in a turn", schedFile, "if (wakes) state_o.woken = state_i.awake;", "if (wakes) state_o.woken = 1'b0;"}},
	{check: 4, plain: true, says: "a number that is none and an operation that is none change nothing; set and remove " +
		"alone change whether a QP is set", fault: fault{"by any", schedFile,
		"if (known_i && rec_i.op == sched_pkg::OpSet) begin", "if (rec_i.op == sched_pkg::OpSet) begin"}},
	{check: 5, plain: true, says: "packets are the weight, 1 for 0", fault: fault{"0", schedFile,
		"state_i.weight == '0 ? 4'd1 : state_i.weight;", "state_i.weight;"}},
}})
