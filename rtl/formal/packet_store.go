package main

const storeFile = "lib/packet_store.sv"

var _ = register(proof{block: "packet_store", depth: 12, properties: []property{
	{check: 1, says: "what is kept comes out once, in order; nothing else does",
		fault: fault{"what was dropped comes with the next packet", storeFile,
			"assign write_d = drop_i ? kept_q : pushed", "assign write_d = pushed"}},
	{check: 2, says: "full with no more than Spare places left, and for a cycle at most with more",
		fault: fault{"a place too many", storeFile,
			"level_d >= (AddrWidth + 1)'(Depth - Spare)", "level_d > (AddrWidth + 1)'(Depth - Spare)"}},
	{check: 3, says: "what is kept is offered in the cycle after the output is free",
		fault: fault{"an entry waits for the next packet", storeFile,
			"if (keep_i) kept_q <= pushed", "if (keep_i) kept_q <= write_q"}},
	{check: 4, says: "valid stays until ready", fault: fault{"valid lasts a cycle only", storeFile,
		"if (m_ready_i || !valid_q) valid_q <= read", "valid_q <= read"}},
	{check: 5, says: "data is stable while stalled", fault: fault{"the memory is read while stalled", storeFile,
		"if (read) data_q <=", "if (read_q != kept_q) data_q <="}},
	{check: 6, says: "an entry a clock while there are kept ones", fault: fault{"a bubble behind every entry", storeFile,
		"assign read    = (m_ready_i | ~valid_q)", "assign read    = ~valid_q"}},
}})
