package main

const (
	windowFile = "psn/psn_window.sv"
	psnFile    = "pkg/psn_pkg.sv"
)

var psnWindow = proof{block: "psn_window", depth: 10, properties: []property{
	{check: 1, says: "responder's class is PSN-2 for all inputs", fault: fault{"the turn is not seen", psnFile,
		"is_behind = from_base[PsnWidth-1];", "is_behind = psn < base;"}},
	{check: 2, says: "requester's class is PSN-3 for all inputs", fault: fault{"next itself is unacked", psnFile,
		"distance(psn, una) < psn_pkg", "distance(psn, una) <= psn_pkg"}},
	{check: 3, says: "base + distance = PSN for all inputs (PSN-1)", fault: fault{"23 bits only", psnFile,
		"distance = psn - base;", "distance = {1'b0, psn[PsnWidth-2:0]} - {1'b0, base[PsnWidth-2:0]};"}},
	{check: 4, says: "nothing comes out that did not go in", fault: fault{"a record comes a second time", windowFile,
		"<= {valid1_q, in_valid}", "<= {valid1_q, in_valid | (valid1_q & ~out_valid_q)}"}},
	{check: 5, says: "never more than four records inside", fault: fault{"a record is lost in stage 1", windowFile,
		"<= {valid1_q, in_valid}", "<= {valid1_q & ~in_valid, in_valid}"}},
	{check: 6, says: "valid stays until ready", fault: fault{"valid falls without ready", windowFile,
		"assign m_valid_o    = out_valid_q", "assign m_valid_o    = out_valid_q & (m_ready_i | ~in_valid)"}},
	{check: 7, says: "the record is stable while stalled", fault: fault{"the class follows stage 1", windowFile,
		"assign m_class_o    = out_class_q", "assign m_class_o    = m_ready_i ? out_class_q : class_d"}},
	{check: 8, says: "unstalled: offered after 3 cycles, none without cause", fault: fault{"a record waits for the next one", windowFile,
		"assign en = m_ready_i | ~out_valid_q;", "assign en = (m_ready_i | ~out_valid_q) & (in_valid | ~valid1_q);"}},
	{check: 9, says: "unstalled: a record a clock is taken", fault: fault{"a bubble behind every record", skidFile,
		"ready_q       <= ~spare_valid_d", "ready_q       <= ~spare_valid_d & ~push"}},
	{check: 10, says: "not ready in the cycle after reset", fault: fault{"ready during reset", skidFile,
		"ready_q       <= 1'b0;", "ready_q       <= 1'b1;"}},
	{check: 11, says: "una <= ePSN <= high <= una + 2^23: duplicate, expected, gap", fault: fault{"-2^23 is out of sequence", psnFile,
		"if (psn_pkg::is_behind(psn, expected))", "if (psn_pkg::is_behind(psn, expected) && psn_pkg::distance(psn, expected) != 24'h80_0000)"}},
}}
