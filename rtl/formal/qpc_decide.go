package main

const qpcDecideFile = "ctx/qpc_decide.sv"

// qpcDecide is what qp_ctl makes of an access; that it is given the right words is ram_1r1w's.
var _ = register(proof{block: "qpc_decide", depth: 4, properties: []property{
	{check: 1, plain: true,
		says: "a write changes the bits that there are, of the bytes that are written, of its register only",
		fault: fault{"the bytes beside are cleared", qpcDecideFile, "((access_i.data & strobes) | (old & ~strobes)) & there;",
			"access_i.data & strobes & there;"}},
	{check: 2, plain: true, says: "the configuration of a QP that is not in RESET never changes, and software is told",
		fault: fault{"that of one in INIT does", qpcDecideFile, "words_i.state != qpc_pkg::StateReset;",
			"words_i.state > qpc_pkg::StateInit;"}},
	{check: 3, plain: true, says: "a read changes nothing but what COUNTER_HIGH keeps, and that by COUNTER_LOW only",
		fault: fault{"by both", qpcDecideFile, "if (!writes && is_counter && !at[2])", "if (!writes && is_counter)"}},
	{check: 4, plain: true, says: "a command that is not done changes nothing and gives no operation", fault: fault{
		"its operations leave", qpcDecideFile, "assign steps_o = does ? steps : '0;",
		"assign steps_o = commands ? steps : '0;"}},
	{check: 5, plain: true,
		says: "a QP is made known from INIT only, freed from CLOSING only and with nothing under way, one " +
			"at a time is closing", fault: fault{"freed at once", qpcDecideFile, "blocked = !drained_i;", "blocked = 1'b0;"}},
	{check: 6, plain: true, says: "where there is no register nothing changes, and the answer is SLVERR", fault: fault{
		"OKAY", qpcDecideFile, "(!known || refuses) ?", "refuses ?"}},
	{check: 7, plain: true, says: "no command of a QP is done to one of another number", fault: fault{"the low bits count",
		qpcDecideFile, "words_i.number == regs_i.qpn;", "words_i.number[15:0] == regs_i.qpn[15:0];"}},
}})
