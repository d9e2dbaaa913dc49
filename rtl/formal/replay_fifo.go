package main

const replayFIFOFile = "ctx/replay_fifo.sv"

// replayFIFO is the way of a record through replay_fifo. Its memories are taken out: what they give may be anything.
var _ = register(proof{block: "replay_fifo", depth: 24, gone: []string{`u_words.\gen_plain.u_words`,
	`u_slots.\gen_plain.u_words`},
	properties: append(pipeProperties("u_queue", "records", "sixteen",
		fault{"a record comes a second time", replayFIFOFile,
			"else valid_q <= {valid_q[6:0], accept};", "else valid_q <= {valid_q[6:0], accept | (valid_q[7] & ~m_valid_o)};"},
		fault{"what is kept is not counted", replayFIFOFile,
			".claim_i  (accept),", ".claim_i  (accept & s_op_i != replay_pkg::OpKeep),"},
		fault{"R2 takes the record behind", replayFIFOFile, "    r2_q <= x_q;", "    r2_q <= f_q;"},
	), []property{
		{check: 6, says: "X2 looks up and writes the slot that X decided, of its own record",
			fault: fault{"the decision on the record behind", replayFIFOFile,
				"    x2_decision_q <= f2_decision_q;", "    x2_decision_q <= r2_decision_q;"}},
		{check: 7, says: "found where X decided so, and a READ where its range is good, and then only",
			fault: fault{"the range of the record behind", replayFIFOFile,
				"    z_in_range_q <= y_in_range_q;", "    z_in_range_q <= x2_decision_q.in_range;"}},
		{check: 8, says: "a result is shown as its slot has it, to a look-up of its kind and to no other",
			fault: fault{"to the record behind", replayFIFOFile,
				"x2_decision_q.shows ? x2_slot.original", "f2_decision_q.shows ? x2_slot.original"}},
	}...)})
