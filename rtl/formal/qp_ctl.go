package main

const qpCtlFile = "ctx/qp_ctl.sv"

// qpCtl is the way of an access and of an event through qp_ctl. What the memories give, and what is decided of an
// access, may be anything.
var _ = register(proof{block: "qp_ctl", depth: 18, gone: []string{"u_words", "u_counters", "u_decide", "u_op"},
	forget: []string{"ram_1r1w"},
	properties: []property{
		{check: 2, skip: 10, says: "every access gets one answer, what was decided of it, and it stays until it is taken",
			fault: fault{"the access behind it is looked at",
				qpCtlFile, "if (accept) access_q <= s_access;", "access_q <= s_access;"}},
		{check: 3, skip: 12, says: "every operation of a command leaves once, in order, before the next access is taken",
			fault: fault{"one is lost where it is not taken at once", qpCtlFile,
				"else if (op_moves) steps_q", "else if (1'b1) steps_q"}},
		{check: 4, skip: 11, says: "every event is counted once, under its reason",
			fault: fault{"one that comes with an access is lost",
				qpCtlFile, "r_counts_q <= in_a ? r_counts_q : comes & s_event.counts;", "r_counts_q <= comes & s_event.counts;"}},
		{check: 5, skip: 11,
			says: "a QP is drained when as many packets have left as had entered when it was closed, not before",
			fault: fault{"the one that enters with the mark does not count", qpCtlFile, "mark_q   <= entered_d;",
				"mark_q   <= entered_q;"}},
	}})
