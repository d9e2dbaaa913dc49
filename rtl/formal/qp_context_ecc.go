package main

const (
	contextECCFile = "ctx/qp_context_ecc.sv"
	ramECCFile     = "lib/ram_ecc.sv"
)

var _ = register(proof{block: "qp_context_ecc", depth: 16, properties: []property{
	{check: 1, says: "execute sees what the latest write to its QP left, or zero, a bit of each piece wrong or none",
		fault: fault{"what is on its way to the memory is missed", ramECCFile,
			"late_q      <= we_q & waddr_q == raddr_i;", "late_q      <= 1'b0;"}},
	{check: 1, says: "the same, written two records before", fault: fault{"the write of the record before wins always",
		contextECCFile, "if (f_same[0] & x_we_i) x_word_d", "if (x_we_i) x_word_d"}},
	{check: 1, says: "the same, out of memory", fault: fault{"another bit is turned",
		ramECCFile, "assign wcode = code ^ turned;", "assign wcode = code ^ (turned << 1);"}},
	{check: 2, says: "two wrong bits of a piece are told at the next look-up, and nothing else is",
		fault: fault{"not of a word that is forwarded", contextECCFile,
			"assign x_written = {two,", "assign x_written = {1'b0,"}},
	{check: 2, says: "the same, of a bit in each piece", fault: fault{"they count as two of one", contextECCFile,
		"assign two       = x_flip_i & a_there & b_there & same_piece", "assign two       = x_flip_i & a_there & b_there"}},
	{check: 3, says: "a word that was corrected is told at the next look-up, and nothing else is",
		fault: fault{"not of the second piece", ramECCFile,
			"corrected_q <= corrected != '0 & failed == '0;", "corrected_q <= corrected[0] & failed == '0;"}},
	{check: 4, says: "ready NumQps clocks after reset, and then for ever",
		fault: fault{"the scrub stops half way", contextECCFile,
			"assign ready_o = scrub_q[QpnWidth];", "assign ready_o = scrub_q[QpnWidth] | scrub_q[QpnWidth-1];"}},
}})
