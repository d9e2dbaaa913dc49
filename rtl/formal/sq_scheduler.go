package main

const sqSchedulerFile = "tx/sq_scheduler.sv"

// sqScheduler is where QPs stand. Its memories are taken out; that the context gives the right words, and that the
// queue and those behind it give out in order what they took, are assumed: qp_context, ram_1r1w, credit_queue and
// sync_fifo have their own proofs.
var _ = register(proof{block: "sq_scheduler", depth: 16, gone: []string{"u_context", "u_queue"},
	free: []string{"u_in.m_data_o", "u_left.m_data_o"}, properties: []property{
		{check: 1, plain: true, says: "valid stays until ready", free: []string{"u_turns.valid_i", "u_turns.data_i"},
			fault: fault{"valid lasts a cycle only", queueFile,
				"if (move) out_valid_q <= ~mem_empty | valid_i", "out_valid_q <= ~mem_empty | valid_i"}},
		{check: 2, plain: true, says: "the output is stable while stalled",
			free:  []string{"u_turns.valid_i", "u_turns.data_i"},
			fault: fault{"the output follows what comes", queueFile, "if (move) out_q <=", "if (move | valid_i) out_q <="}},
		{check: 3, says: "a QP that is given a place stands in the queue nowhere else, and has no turn under way",
			fault: fault{"a wake gives another", schedFile, "(wakes && !state_i.awake) ||", "(wakes && !state_i.woken) ||"}},
		{check: 4, says: "at most NumQps in the queue, Turns under way, and each of these is known by its QP until its done",
			fault: fault{"a turn more", sqSchedulerFile,
				"place_q     <= under_way_d != TurnsWidth'(Turns);", "place_q     <= under_way_q != TurnsWidth'(Turns);"}},
		{check: 5, says: "places are given and taken in their order, each with its QP and its packets", fault: fault{
			"over the last one", sqSchedulerFile, "    .waddr_i (write_ptr_q),", "    .waddr_i (write_ptr_q - 1'b1),"}},
		{check: 6, says: "a done waits only while there is a turn that has not left", fault: fault{
			"when none will", sqSchedulerFile, "~r_is_done | out_valid | idle;", "~r_is_done | out_valid;"}},
		{check: 7, says: "a done ends the oldest turn that left, of its QP, and nothing else", fault: fault{
			"of any QP", sqSchedulerFile, "out_valid & (out_qpn == r_rec.qpn);", "out_valid;"}},
	}})
