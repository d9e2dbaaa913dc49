package main

import "slices"

const sqRetireFile = "tx/sq_retire.sv"

// sqRetire is the way of a record through the first half of sq_retire. Its memories are taken out: what they give may
// be anything, and so may what is decided, which is retire_decide's; so are the queues of the second half.
var _ = register(proof{block: "sq_retire", depth: 20,
	gone:   []string{"u_words", "u_slots", "u_firsts", "u_queue", "u_cqes"},
	free:   []string{"u_decided.m_data_o", "x_decision", "x_word_d"},
	forget: []string{"ram_1r1w", "credit_queue"},
	properties: append(of("first half", pipeProperties("u_decided", "records", "eight",
		fault{"a record comes a second time", sqRetireFile,
			"else valid_q <= {valid_q[1:0], accept};", "else valid_q <= {valid_q[1:0], accept | (valid_q[2] & ~e_valid)};"},
		fault{"posts are not counted", sqRetireFile,
			".claim_i  (accept),", ".claim_i  (accept & s_op_i != retire_pkg::OpPost),"},
		fault{"X takes the number of the record behind", sqRetireFile,
			"    x_q <= f_q;", "    x_q <= {f_q[541:24], r_q.qpn};"},
	)[2:]), property{
		check: 6, says: "X has the word of the record's QP, of one that is there, and writes what it decided",
		fault: fault{"a number is cut", sqRetireFile,
			"    f_known_q <= r_q.qpn[23:QpnWidth] == '0;", "    f_known_q <= 1'b1;"}})})

// sqRetireEnds is its second half: as many slots as WQEs end, and their completions.
var _ = register(proof{block: "sq_retire", harness: "sq_retire_ends", depth: 20,
	gone:   []string{"u_words", "u_slots", "u_firsts", "u_decided"},
	forget: []string{"ram_1r1w", "credit_queue"},
	properties: outputsFree(slices.Concat(pipeProperties("u_queue", "answers", "eight",
		fault{"an answer comes a second time", sqRetireFile,
			"    else valid2_q <= {valid2_q[0], e_go};",
			"    else valid2_q <= {valid2_q[0], e_go | (valid2_q[1] & ~m_valid_o)};"},
		fault{"those of records that end WQEs are not counted", sqRetireFile,
			".claim_i  (e_go & e_first),", ".claim_i  (e_go & e_first & ~e_ends),"},
		fault{"F2 keeps the number of the record before", sqRetireFile,
			"    f2_q          <= e_rec;", "    f2_q          <= {e_rec[541:24], f2_q.qpn};"},
	), numbered(of("m_cqe", pipeProperties("u_cqes", "completions", "eight",
		fault{"a completion comes a second time", sqRetireFile,
			".valid_i  (valid2_q[1] & completes2_q[1]),", ".valid_i  (valid2_q[1] & completes2_q[1] | step_q[0]),"},
		fault{"flushed posts are not counted", sqRetireFile,
			".claim_i  (e_go & e_completes),", ".claim_i  (e_go & e_completes & ~e_decision.flushes),"},
		fault{"of the QP of the record behind", sqRetireFile,
			"    x2_cqe.qpn    = x2_q.qpn;", "    x2_cqe.qpn    = f2_q.qpn;"},
	)), 6, 7, 8, 9, 10), []property{
		{check: 11, says: "E goes through as many slots as WQEs end, the oldest first, each once, and one of a record that " +
			"ends none", fault: fault{"one more", sqRetireFile,
			"step_q + 7'd1 >= e_decision.ended;", "step_q >= e_decision.ended;"}},
		{check: 12, says: "a WQE that ends completes if it is signaled or did not end well; flushed behind the first of " +
			"these",
			fault: fault{"all with the first's status", sqRetireFile,
				"if (step_q == e_decision.good) e_status", "if (step_q >= e_decision.good) e_status"}},
		{check: 13, says: "X2 does what E and X decided, to that slot: stores, keeps the PSN, shows", fault: fault{
			"the decision on the record behind", sqRetireFile,
			"    x2_decision_q <= f2_decision_q;", "    x2_decision_q <= e_decision;"}},
	}))})

// of says of which part of the block properties are that others have too.
func of(part string, all []property) []property {
	for i := range all {
		all[i].says = part + ": " + all[i].says
	}
	return all
}

// outputsFree takes what stands in the two output queues out of the properties that do not hang on it.
func outputsFree(all []property) []property {
	for i := range all {
		if !all[i].plain {
			all[i].free = append(all[i].free, "u_queue.m_data_o", "u_cqes.m_data_o")
		}
	}
	return all
}
