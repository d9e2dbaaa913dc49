package main

var _ = register(proof{block: "credit_queue", depth: 12, properties: []property{
	{check: 1, says: "no record is lost, doubled, changed or overtaken",
		fault: fault{"a record passes those in the memory", queueFile,
			"out_q <= mem_empty ? data_i", "out_q <= valid_i ? data_i"}},
	{check: 2, says: "room while fewer than Depth are under way, and then only", fault: fault{"a place too many",
		queueFile,
		"room_q  <= count_d != CountWidth'(Depth)", "room_q  <= count_q != CountWidth'(Depth)"}},
	{check: 3, says: "valid stays until ready", fault: fault{"valid lasts a cycle only", queueFile,
		"if (move) out_valid_q <= ~mem_empty | valid_i", "out_valid_q <= ~mem_empty | valid_i"}},
	{check: 4, says: "data is stable while stalled", fault: fault{"the output follows what comes", queueFile,
		"if (move) out_q <=", "if (move | valid_i) out_q <="}},
	{check: 5, says: "something is offered in the cycle after a record came",
		fault: fault{"a record waits in an empty queue", queueFile,
			"if (move) out_valid_q <= ~mem_empty | valid_i", "if (move) out_valid_q <= ~mem_empty"}},
}})
