package main

// What requester, responder and timer are together. A property that breaks with one of them names which.
var _ = register(proof{block: "joint", depth: 34, macros: "-DHCA_PSN_BITS=4", parts: "joint_parts.sv",
	modules: []string{"req_decide", "retry_decide", "resp_opcode", "resp_facts", "resp_decide"},
	properties: []property{
		{check: 1, skip: 3, says: "what the harness keeps of a QP is all that moves", fault: fault{
			"both: PSN + 1 is that of 24 bits", psnFile,
			"Step = 24'd1 << StepShift;", "Step = 24'd1;"}},
		{check: 2, skip: 3, says: "every request is executed once and in order", fault: fault{
			"responder: the request two PSNs behind counts as new", psnFile,
			"if (psn == expected)", "if (psn == expected || psn + psn_pkg::steps(24'd2) == expected)"}},
		{check: 3, skip: 3, says: "una never lies beyond what was executed", fault: fault{
			"requester: a NAK acknowledges its own PSN", reqDecideFile,
			"if (up_to_due) next.una = head.due;", "if (up_to_due) next.una = facts_i.next;"}},
		{check: 4, skip: 3, says: "no completion before its execution, none of a READ without its data", fault: fault{
			"requester: the first response of a READ ends it", reqDecideFile,
			"if (past) next.una = facts_i.next;",
			"if (past) next.una = taken ? head.last + psn_pkg::Step : facts_i.next;"}},
		{check: 5, skip: 3, says: "an open QP with something unacked has a timer that runs", fault: fault{
			"retry: only what goes out again starts one", retryFile,
			"(state_i.state == timer_pkg::StateIdle) & ~off;",
			"(state_i.state == timer_pkg::StateIdle) & ~off & state_i.retrying;"}},
		{check: 6, skip: 3, says: "what goes out again begins at una, at most retry_cnt times without progress",
			fault: fault{"retry: its una stays behind", retryFile,
				"if (progress) state_o.una = rec_i.una;", "if (progress & ~rec_i.idle) state_o.una = state_i.una;"}},
		{check: 7, skip: 3, says: "what they say to each other is never refused as bad", fault: fault{
			"requester: it forgets that a READ has begun", reqDecideFile,
			"if (taken) next.begun = ~is_last;", "if (taken) next.begun = 1'b0;"}},
		{check: 8, skip: 27, covered: true, says: "both messages complete, with the first packet lost", fault: fault{
			"retry: nothing goes out again", retryFile, "assign retry       = nak | expired;",
			"assign retry       = 1'b0;"}},
	}})
