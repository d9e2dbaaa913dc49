package main

const (
	windowFile = "psn/psn_window.sv"
	psnFile    = "pkg/psn_pkg.sv"
)

var _ = register(proof{block: "psn_window", depth: 12, properties: append(numbered(pipeProperties("u_queue", "records",
	"four",
	fault{"a record comes a second time", windowFile,
		"else valid1_q <= in_valid_q;", "else valid1_q <= in_valid_q | (valid1_q & ~m_valid_o);"},
	fault{"a requester's record is not counted", windowFile,
		".claim_i (s_valid_i & s_ready_o)", ".claim_i (s_valid_i & s_ready_o & ~s_requester_i)"},
	fault{"the distance of the record behind", windowFile,
		"from_base1_q   <= psn_pkg::distance(in_q.psn, in_q.base)",
		"from_base1_q   <= psn_pkg::distance(s_psn_i, in_q.base)"},
), 6, 7, 4, 5, 12), []property{
	{check: 1, says: "responder's class is PSN-2 for all inputs", fault: fault{"the turn is not seen", psnFile,
		"is_behind = from_base[PsnWidth-1];", "is_behind = psn < base;"}},
	{check: 2, says: "requester's class is PSN-3 for all inputs", fault: fault{"next itself is unacked", psnFile,
		"distance(psn, una) < psn_pkg", "distance(psn, una) <= psn_pkg"}},
	{check: 3, says: "base + distance = PSN for all inputs (PSN-1)", fault: fault{"23 bits only", psnFile,
		"distance = psn - base;", "distance = {1'b0, psn[PsnWidth-2:0]} - {1'b0, base[PsnWidth-2:0]};"}},
	{check: 8, says: "unstalled: offered after 3 cycles, none without cause",
		fault: fault{"a record waits in an empty queue", queueFile,
			"if (move) out_valid_q <= ~mem_empty | valid_i", "if (move) out_valid_q <= ~mem_empty"}},
	{check: 9, says: "unstalled: a record a clock is taken", fault: fault{"a bubble behind every record", queueFile,
		"room_q  <= count_d != CountWidth'(Depth)", "room_q  <= count_d != CountWidth'(Depth) & ~claim_i"}},
	{check: 10, says: "not ready in the cycle after reset", fault: fault{"ready during reset", queueFile,
		"room_q      <= 1'b0;", "room_q      <= 1'b1;"}},
	{check: 11, says: "una <= ePSN <= high <= una + 2^23: duplicate, expected, gap",
		fault: fault{"-2^23 is out of sequence", psnFile,
			"if (psn_pkg::is_behind(psn, expected))", "if (psn_pkg::is_behind(psn, expected) && psn_pkg::distance(psn, " +
				"expected) != 24'h80_0000)"}},
}...)})
