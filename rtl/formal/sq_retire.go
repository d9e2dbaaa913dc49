package main

import "slices"

const sqRetireFile = "tx/sq_retire.sv"

// sqRetire is the way of a record through the two halves of sq_retire, and of its completions. Its memories are taken
// out: what they give may be anything.
var _ = register(proof{block: "sq_retire", depth: 20, gone: []string{"u_words", "u_slots", "u_firsts"},
	properties: slices.Concat(pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", sqRetireFile,
			"    else valid2_q <= {valid2_q[0], e_go};", "    else valid2_q <= {valid2_q[0], e_go | (valid2_q[1] & ~m_valid_o)};"},
		fault{"those that end WQEs are not counted", sqRetireFile,
			".claim_i  (e_go & e_first),", ".claim_i  (e_go & e_first & ~e_ends),"},
		fault{"F2 takes the record behind", sqRetireFile, "    f2_q          <= e_rec;", "    f2_q          <= x_q;"},
	), numbered(pipeProperties("u_cqes", "completions", "eight",
		fault{"a completion comes a second time", sqRetireFile,
			".valid_i  (valid2_q[1] & completes2_q[1]),", ".valid_i  (valid2_q[1] & completes2_q[1] | step_q[0]),"},
		fault{"flushed posts are not counted", sqRetireFile,
			".claim_i  (e_go & e_completes),", ".claim_i  (e_go & e_completes & ~e_decision.flushes),"},
		fault{"of the QP of the record behind", sqRetireFile,
			"    x2_cqe.qpn    = x2_q.qpn;", "    x2_cqe.qpn    = f2_q.qpn;"},
	), 6, 7, 8, 9, 10), []property{
		{check: 11, says: "a record comes to E as it came in, with what X decided of it, eight at most", fault: fault{
			"the decision on the record before", sqRetireFile,
			".data_i   ({x_q, x_decision}),", ".data_i   ({x_q, e_decision}),"}},
		{check: 12, says: "E goes through as many slots as WQEs end, the oldest first, each once, and one of a record that " +
			"ends none", fault: fault{"one more", sqRetireFile,
			"step_q + 7'd1 >= e_decision.ended;", "step_q >= e_decision.ended;"}},
		{check: 13, says: "a WQE that ends completes if it is signaled or did not end well; flushed behind the first of these",
			fault: fault{"all with the first's status", sqRetireFile,
				"if (step_q == e_decision.good) e_status", "if (step_q >= e_decision.good) e_status"}},
		{check: 14, says: "X2 does what E and X decided, to that slot: stores, keeps the PSN, shows", fault: fault{
			"the decision on the record behind", sqRetireFile,
			"    x2_decision_q <= f2_decision_q;", "    x2_decision_q <= e_decision;"}},
	})})
