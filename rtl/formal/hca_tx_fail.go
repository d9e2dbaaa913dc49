package main

const failFile = "top/hca_tx_fail.sv"

var _ = register(proof{block: "hca_tx_fail", depth: 14, gone: []string{"u_failed"}, properties: []property{
	{check: 1, says: "the four operations that close a QP go to their blocks in order, each once, with its number",
		fault: fault{
			"tx_packetizer is left out", failFile, "Retry:   step_q <= Packets;", "Retry:   step_q <= Queue;"}},
	{check: 1, says: "the same, where a block is not ready", fault: fault{"any ready block will do", failFile,
		"assign ready    = (to & ready_i) != '0;", "assign ready    = ready_i != '0;"}},
	{check: 2, says: "nothing of the host's goes between them, and nothing of it is lost", fault: fault{
		"it is taken and goes nowhere", failFile,
		"assign s_ready_o = closing ? '0 : ready_i;", "assign s_ready_o = ready_i;"}},
	{check: 3, says: "none begins while an operation under way holds the blocks", fault: fault{"it is overtaken", failFile,
		"assign closing = valid && (step_q != Check || !holds_i);", "assign closing = valid;"}},
	{check: 4, says: "every failure that is told is closed once, in order, of packets before of writes", fault: fault{
		"one told in the clock of another is lost", failFile,
		"assign s_broken_ready_o = s_failed_ready_o & ~s_failed_valid_i;", "assign s_broken_ready_o = s_failed_ready_o;"}},
	{check: 4, says: "the same, at its last operation", fault: fault{"it is closed a second time", failFile,
		"accepted && step_q == Queue", "accepted && step_q == Queue && s_to_i == '0"}},
	{check: 5, says: "failing_o as long as one is to be closed", fault: fault{"from its first operation on", failFile,
		"assign failing_o = valid;", "assign failing_o = valid && step_q != Check;"}},
}})
