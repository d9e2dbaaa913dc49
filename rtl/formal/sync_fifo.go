package main

const fifoFile = "lib/sync_fifo.sv"

var _ = register(proof{block: "sync_fifo", depth: 12, properties: []property{
	{check: 1, says: "no entry is lost, doubled, changed or overtaken", fault: fault{"an entry passes those in the memory",
		fifoFile,
		"out_q <= mem_empty ? s_data_i", "out_q <= push ? s_data_i"}},
	{check: 2, says: "ready in every cycle with room, never without", fault: fault{"a place too few", fifoFile,
		"count_d != CountWidth'(Depth)", "count_d < CountWidth'(Depth - 1)"}},
	{check: 3, says: "valid stays until ready", fault: fault{"valid lasts a cycle only", fifoFile,
		"if (move) out_valid_q <= ~mem_empty | push", "out_valid_q <= ~mem_empty | push"}},
	{check: 4, says: "data is stable while stalled", fault: fault{"the output follows the memory", fifoFile,
		"if (move) out_q <=", "if (move | push) out_q <="}},
	{check: 5, says: "something is offered in the cycle after an entry was taken",
		fault: fault{"an entry waits in an empty queue", fifoFile,
			"if (move) out_valid_q <= ~mem_empty | push", "if (move) out_valid_q <= ~mem_empty"}},
	{check: 6, says: "count_o is the number of entries inside",
		fault: fault{"what is in the output register is not counted", fifoFile,
			"assign count_o   = count_q", "assign count_o   = count_q - CountWidth'(out_valid_q)"}},
}})
