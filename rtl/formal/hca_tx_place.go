package main

const txPlaceFile = "top/hca_tx_place.sv"

// The joints around read_place: what it and the queues give may be anything that the harness does not assume away.
var _ = register(proof{block: "hca_tx_place", depth: 24, gone: []string{"u_told", "u_in", "u_place", "u_failed"},
	forget: []string{"sync_fifo", "ram_1r1w", "credit_queue"}, properties: []property{
		{check: 1, says: "what is told goes to retry_ctl and, with payload or a list, to read_place: to each once or neither",
			fault: fault{"read_place has it in every clock in which retry_ctl is not ready", txPlaceFile,
				".s_valid_i(s_told_valid_i & s_told_ready_o & places),", ".s_valid_i(s_told_valid_i & places),"}},
		{check: 1, says: "the same, where its queue is full", fault: fault{"retry_ctl alone", txPlaceFile,
			"assign s_told_ready_o = m_told_ready_i & told_may;",
			"assign s_told_ready_o = m_told_ready_i & (told_may | ~told_room);"}},
		{check: 1, says: "the same, of the end of a READ", fault: fault{"what has no bytes stays out", txPlaceFile,
			"s_note_i.joins || s_note_i.bytes != '0 || s_told_i.data;", "s_note_i.bytes != '0 || s_told_i.data;"}},
		{check: 2, says: "an operation that empties a list asks once, and goes on with the answer to that", fault: fault{
			"that it asked is enough", txPlaceFile,
			"assign passed       = asked_q & out_valid & out.op == place_pkg::OpClear;", "assign passed       = asked_q;"}},
		{check: 2, says: "the same, while it waits", fault: fault{"it asks in every clock", txPlaceFile,
			"op_valid_i & fences & ~asked_q;", "op_valid_i & fences;"}},
		{check: 2, says: "the same, behind a turn of another", fault: fault{"a verdict in front of it counts as its own turn",
			txPlaceFile,
			"else asked_q <= fence_valid & ready[2];", "else asked_q <= fence_valid & ready[1];"}},
		{check: 3, says: "other operations go on as they come, and all of them while sq_retire takes them only",
			fault: fault{
				"one is taken that sq_retire did not take", txPlaceFile,
				"assign op_ready_o   = m_op_ready_i & (~fences | passed);",
				"assign op_ready_o   = ~fences | (m_op_ready_i & passed);"}},
		{check: 4, says: "each answer of read_place goes to the one that it is for, once", fault: fault{
			"the answer to a clear is used up while sq_retire is not ready", txPlaceFile,
			"is_clear ? op_valid_i & fences & passed & m_op_ready_i :", "is_clear ? op_valid_i & fences & passed :"}},
		{check: 4, says: "the same, of a verdict", fault: fault{"whether it fails is lost", txPlaceFile,
			"m_verdict_o.fail     = out.fail;", "m_verdict_o.fail     = 1'b0;"}},
		{check: 5, says: "a write that failed is told once, with its verdict, to who closes its QP, and finds room",
			fault: fault{
				"with half the room", txPlaceFile,
				"failed_count <= ($bits(failed_count))'(FailedMost);", "failed_count <= ($bits(failed_count))'(FailedMost + 3);"}},
		{check: 5, says: "the same, of those alone", fault: fault{"every verdict is taken for one", txPlaceFile,
			"m_verdict_ready_i & out.op == place_pkg::OpTold;", "m_verdict_ready_i;"}},
		{check: 6, says: "what is offered stays until it is taken: what is told too, however many fail meanwhile",
			fault: fault{"it is withdrawn", txPlaceFile, "(failed_few | offered_q)", "failed_few"}},
		{check: 6, says: "the same, of a verdict",
			fault: fault{
				"a verdict is offered while no operation waits", txPlaceFile,
				"assign m_verdict_valid_o = out_valid & ~is_clear;",
				"assign m_verdict_valid_o = out_valid & ~is_clear & ~op_valid_i;"}},
	}})
