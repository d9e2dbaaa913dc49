package main

const issueFile = "rx/rx_issue.sv"

// rxIssue is held against a list of what is under way, that the harness keeps by the words of the document. Its two
// queues are sync_fifo's.
var _ = register(proof{block: "rx_issue", depth: 16, properties: []property{
	{check: 1, plain: true, says: "valid stays until ready", fault: fault{"valid lasts a cycle only", "lib/sync_fifo.sv",
		"if (move) out_valid_q <= ~mem_empty | push;", "out_valid_q <= ~mem_empty | push;"}},
	{check: 2, plain: true, says: "the output is stable while stalled", fault: fault{"the output follows what comes",
		"lib/sync_fifo.sv", "if (move) out_q <=", "if (move | push) out_q <="}},
	{check: 3, says: "what leaves the input queue enters the output queue in its clock, as it was, and nothing else does",
		fault: fault{"let go without a place in the queue", issueFile,
			"assign issue   = head_valid & room & place_q & ~held;", "assign issue   = head_valid & place_q & ~held;"}},
	{check: 4, says: "nothing is let go that depends on a request under way: message and invalidate, of its QP",
		fault: fault{"an invalidate holds no one", issueFile, "(head.needs_message | invalidates_q[i])",
			"head.needs_message"}},
	{check: 5, says: "the same: a receive WQE, of its queue", fault: fault{"of its QP", issueFile,
		"(same_rq & head.needs_wqe & uses_q[i])", "(same_qp & head.needs_wqe & uses_q[i])"}},
	{check: 6, says: "what depends on none goes, with a place for it: no starvation", fault: fault{
		"one that was decided still holds", issueFile, "assign holds[i] = valid_q[i] & (", "assign holds[i] = ("}},
	{check: 7, says: "a verdict is accepted while something is under way, and then only",
		fault: fault{"only while a request waits", issueFile,
			"assign s_done_ready_o = some_q;", "assign s_done_ready_o = some_q & head_valid;"}},
	{check: 8, says: "it ends the oldest one, if it is of its QP; never more than Depth are under way", fault: fault{
		"of any QP", issueFile, "some_q & s_done_qpn_i == qpns_q[24*read_ptr_q+:24];", "some_q;"}},
}})
