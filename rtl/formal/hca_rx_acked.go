package main

const ackedFile = "top/hca_rx_acked.sv"

var _ = register(proof{block: "hca_rx_acked", depth: 12, properties: []property{
	{check: 1, says: "a write counts as acknowledged when it and all before it were, not before (DMA-1)", fault: fault{
		"any acknowledgement moves the count", ackedFile,
		"(acked_q != writes_i) & there_q[acked_q[7:0]];", "(acked_q != writes_i) & (there_q != '0);"}},
	{check: 2, says: "and then at once", fault: fault{"those that come while it moves are missed", ackedFile,
		"if (acks_i) there_q[tag_i] <= 1'b1;", "if (acks_i & ~moves) there_q[tag_i] <= 1'b1;"}},
	{check: 3, says: "it never passes what was decided", fault: fault{"it does", ackedFile,
		"assign moves   = (acked_q != writes_i) & there_q[acked_q[7:0]];",
		"assign moves   = there_q[acked_q[7:0]] | acks_i;"}},
}})
