package main

const replayFIFOFile = "ctx/replay_fifo.sv"

// replayFIFO is the way of a record through replay_fifo. Its memories are taken out: what they give may be anything,
// and so may what is decided of it.
var (
	_ = register(proof{block: "replay_fifo", depth: 24, gone: replayMemories, forget: replayForgets,
		properties: undecided(append(replayPipe(), replayStages()...))})
	_ = register(proof{block: "replay_fifo", depth: 24, gone: replayMemories, forget: replayForgets,
		parameters: "-set Ecc 1",
		properties: undecided(says(append(append(replayPipe()[4:], replayStages()...), replayWithCode()...), ", with Ecc"))})
)

var (
	replayMemories = []string{"u_words", "u_slots"}
	replayForgets  = []string{"ram_1r1w", "credit_queue"}
)

// undecided has what X decides, and whether a range is within the original's, take any value: replay_decide and
// replay_range have proofs of their own, and sums of 64 bits are what takes the time.
func undecided(all []property) []property {
	for i := range all {
		if !all[i].plain {
			all[i].free = append(all[i].free, "x_decision", "x_looks", "x_renews", "z_within")
		}
	}
	return all
}

func replayPipe() []property {
	return pipeProperties("u_queue", "records", "sixteen",
		fault{"a record comes a second time", replayFIFOFile,
			"else valid_q <= {valid_q[6:0], accept};", "else valid_q <= {valid_q[6:0], accept | (valid_q[7] & ~m_valid_o)};"},
		fault{"what is kept is not counted", replayFIFOFile,
			".claim_i  (accept),", ".claim_i  (accept & s_op_i != replay_pkg::OpKeep),"},
		fault{"R2 takes the record behind", replayFIFOFile, "    r2_q <= x_q;", "    r2_q <= f_q;"})
}

func replayStages() []property {
	return []property{
		{check: 6, skip: 8, says: "X2 looks up and writes the slot that X decided, of its own record",
			fault: fault{"the decision on the record behind", replayFIFOFile,
				"    x2_decision_q <= f2_decision_q;", "    x2_decision_q <= r2_decision_q;"}},
		{check: 7, skip: 10, says: "found where X decided so, and a READ where its range is good, and then only",
			fault: fault{"the range of the record behind", replayFIFOFile,
				"    z_in_range_q <= y_in_range_q;", "    z_in_range_q <= x2_decision_q.in_range;"}},
		{check: 8, skip: 8, says: "a result is shown as its slot has it, to a look-up of its kind and to no other",
			fault: fault{"to the record behind", replayFIFOFile,
				"x2_decision_q.shows ? x2_slot.original", "f2_decision_q.shows ? x2_slot.original"}},
	}
}

func replayWithCode() []property {
	return []property{
		{check: 9, skip: 8, says: "the last word is had of what X2 looked up, with what X was told of its own record",
			fault: fault{"the counts of the record behind", replayFIFOFile,
				"x2_counts_q <= f2_counts_q;", "x2_counts_q <= r2_counts_q;"}},
		{check: 10, skip: 4, says: "a word that was lost is written by what renews it, and by nothing else (ECC-7)",
			fault: fault{"by all that look it up", replayFIFOFile,
				".x_writes_i (x_valid & x_looks & (~x_lost | x_renews)),", ".x_writes_i (x_valid & x_looks),"}},
		{check: 6, skip: 8, says: "nor does a result go to a slot that was lost", fault: fault{"it does", replayFIFOFile,
			"(x2_decision_q.returns & ~x2_lost)", "x2_decision_q.returns"}},
		{check: 11, skip: 7, says: "an order goes to the memory that it names, once, and to no other",
			fault: fault{"the other one", replayFIFOFile,
				".x_inject_i (x2_valid & x2_decision_q.injects & x2_q.kind[0]),",
				".x_inject_i (x2_valid & x2_decision_q.injects & ~x2_q.kind[0]),"}},
	}
}
