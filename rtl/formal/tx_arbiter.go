package main

const txArbiterFile = "tx/tx_arbiter.sv"

// txArbiter: queues at the inputs and the output are sync_fifo's. What they hold, and when, may be anything.
var _ = register(proof{block: "tx_arbiter", depth: 16,
	gone: []string{"u_queue0", "u_queue1", "gen_queue2.u_queue2", "gen_queue3.u_queue3", "u_out"},
	properties: []property{
		{check: 1, says: "a beat goes to the output when it leaves its queue, as it is, with the number of its input",
			fault: fault{"the beat of another input", txArbiterFile,
				"4'b0100: {from, beat} = {2'd2, head2};", "4'b0100: {from, beat} = {2'd2, head1};"}},
		{check: 2, says: "no beat of another frame goes between those of one", fault: fault{"a turn a beat", txArbiterFile,
			".ready_i(move & last),", ".ready_i(move),"}},
		{check: 3, says: "while a beat stands at the head of its queue, each other input begins one frame at most",
			fault: fault{"the lowest number first", "lib/rr_arbiter.sv",
				"later_q <= ~(grant | (grant - 1'b1));", "later_q <= '0;"}},
		{check: 4, says: "where a beat may leave and the output has room, one leaves", fault: fault{
			"an input asks behind its last beat", txArbiterFile, "busy_q <= last ? '0 : grant_some;", "busy_q <= grant_some;"}},
	}})
