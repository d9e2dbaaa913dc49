package main

const rqHeadFile = "ctx/rq_head.sv"

// rqHead is the way of a record through the two halves of rq_head. Their memories are taken out: what they give may be
// anything.
var _ = register(proof{block: "rq_head", depth: 20, gone: []string{`u_queues.\gen_plain.u_words`,
	`u_qps.\gen_plain.u_words`,
	`u_slots.\gen_plain.u_words`, `u_held.\gen_plain.u_words`},
	properties: append(pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", rqHeadFile,
			"else valid_q <= {valid_q[4:0], accept};", "else valid_q <= {valid_q[4:0], accept | (valid_q[5] & ~m_valid_o)};"},
		fault{"posts are not counted", rqHeadFile,
			".claim_i  (accept),", ".claim_i  (accept & s_op_i != rq_pkg::OpPost),"},
		fault{"R2 takes the record behind", rqHeadFile, "    r2_q <= x_q;", "    r2_q <= f_q;"},
	), []property{
		{check: 6, says: "R2 looks up the slot that X decided, of its own queue", fault: fault{"a slot of the record before",
			rqHeadFile, ".s_index_i  ({x_q.rq[QpnWidth-1:0], x_slot}),", ".s_index_i  ({f_q.rq[QpnWidth-1:0], x_slot}),"}},
		{check: 7, says: "X2 does what X decided: shows the slot or what is held, stores, binds",
			fault: fault{"the decision on the record behind", rqHeadFile,
				"    x2_decision_q <= f2_decision_q;", "    x2_decision_q <= r2_decision_q;"}},
	}...)})
