package main

const dmaOrderFile = "rx/dma_order.sv"

// dmaOrder follows one entry, one write and one number.
var _ = register(proof{block: "dma_order", depth: 14, properties: []property{
	{check: 1, bounded: true,
		says: "entries are retired in order, as they came, with a record of what completes, clears, fails",
		fault: fault{"a clear gives none", dmaOrderFile,
			"assign gives     = entry.clear | entry.complete | fails;", "assign gives     = entry.complete | fails;"}},
	{check: 2, bounded: true, says: "one that writes is not retired before its write was handed over whole (DMA-1)",
		fault: fault{"its address is enough", dmaOrderFile,
			"mem_left_q != done_q && data_left_q != done_q;", "mem_left_q != done_q;"}},
	{check: 3, bounded: true, says: "nor before that write was acknowledged, by its number (DMA-1)",
		fault: fault{"an acknowledgement counts twice", dmaOrderFile,
			"if (retires && entry.writes) came_q[tag] <= 1'b0;",
			"if (retires && entry.writes && entry.clear) came_q[tag] <= 1'b0;"}},
	{check: 4, bounded: true, says: "it failed if, and only if, that acknowledgement says so (DMA-5)",
		fault: fault{"errors add up", dmaOrderFile,
			"failed_q[ack_tag] <= ack.failed;", "failed_q[ack_tag] <= ack.failed | failed_q[ack_tag];"}},
	{check: 5, bounded: true, says: "an acknowledgement of what was handed over, and of nothing else, never waits",
		fault: fault{"the next one waits for the retirement", dmaOrderFile,
			"assign note       = ack_valid & ~came_q[ack_tag];", "assign note       = ack_valid & came_q == '0;"}},
	{check: 6, bounded: true, says: "a record stays, as it is, until it is taken",
		fault: fault{"an acknowledgement behind changes it", dmaOrderFile,
			"assign fails     = entry.writes & failed_q[tag];",
			"assign fails     = entry.writes & (failed_q[tag] | (ack_valid & ack.failed));"}},
}})
