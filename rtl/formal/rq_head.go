package main

const rqHeadFile = "ctx/rq_head.sv"

// rqHead is the way of a record through the two halves of rq_head. Their memories are taken out: what they give may be
// anything.
var (
	_ = register(proof{block: "rq_head", depth: 20, gone: rqMemories, forget: []string{"ram_1r1w"},
		properties: append(rqPipe(), rqHalves()...)})
	_ = register(proof{block: "rq_head", depth: 20, gone: rqMemories, forget: []string{"ram_1r1w"},
		parameters: "-set Ecc 1",
		properties: says(append(append(rqPipe()[4:], rqHalves()...), rqWithCode()...), ", with Ecc")})
)

var rqMemories = []string{"u_queues", "u_qps", "u_slots", "u_held"}

func rqPipe() []property {
	return pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", rqHeadFile,
			"else valid_q <= {valid_q[4:0], accept};", "else valid_q <= {valid_q[4:0], accept | (valid_q[5] & ~m_valid_o)};"},
		fault{"posts are not counted", rqHeadFile,
			".claim_i  (accept),", ".claim_i  (accept & s_op_i != rq_pkg::OpPost),"},
		fault{"R2 takes the record behind", rqHeadFile, "    r2_q <= x_q;", "    r2_q <= f_q;"})
}

func rqHalves() []property {
	return []property{
		{check: 6, says: "R2 looks up the slot that X decided, of its own queue", fault: fault{"a slot of the record before",
			rqHeadFile, ".s_index_i  ({x_q.rq[QpnWidth-1:0], x_slot}),", ".s_index_i  ({f_q.rq[QpnWidth-1:0], x_slot}),"}},
		{check: 7, says: "X2 does what X decided: shows the slot or what is held, stores, binds",
			fault: fault{"the decision on the record behind", rqHeadFile,
				"    x2_decision_q <= f2_decision_q;", "    x2_decision_q <= r2_decision_q;"}},
	}
}

func rqWithCode() []property {
	return []property{
		{check: 8, says: "the last word is had of what X2 looked up, with what X was told of its own record",
			fault: fault{"the counts of the record behind", rqHeadFile,
				"x2_counts_q <= f2_counts_q;", "x2_counts_q <= r2_counts_q;"}},
		{check: 9, says: "a word that was lost is written by what renews it, and by nothing else (ECC-7)",
			fault: fault{"by all that look it up", rqHeadFile,
				".x_writes_i (x_valid & x_looks_qp & (~x_qp_lost | x_renews_qp)),", ".x_writes_i (x_valid & x_looks_qp),"}},
		{check: 9, says: "a WQE that was lost is lost where it is bound, too", fault: fault{"it is zero there", rqHeadFile,
			".x_poison_i (x2_valid & x2_decision_q.binds & x2_slot_lost),", ".x_poison_i (1'b0),"}},
		{check: 10, says: "an order goes to the memory that it names, once, and to no other",
			fault: fault{"of what is no record, too", rqHeadFile,
				"if (x2_valid && x2_decision_q.injects)", "if (x2_decision_q.injects)"}},
	}
}
