package main

const axilBusFile = "lib/axil_bus.sv"

// axilBus is the way of an access from its channels to the registers, and of its response back.
var _ = register(proof{block: "axil_bus", depth: 12, properties: []property{
	{check: 1, says: "every write and every read that was accepted goes to the registers once, whole and unchanged",
		fault: fault{"half a write is given away by a read", axilBusFile,
			"w_valid_q  <= takes_w | (w_valid_q & ~(done & ~ar_valid_q));", "w_valid_q  <= takes_w | (w_valid_q & ~done);"}},
	{check: 2, says: "accesses go in the order in which they were there, no two are there at once",
		fault: fault{"reads are taken at any time", axilBusFile,
			"assign s_axil_arready_o = is_free & turn_q;", "assign s_axil_arready_o = m_bus_ready_i & ~ar_valid_q;"}},
	{check: 3, says: "a response comes behind its access, once, on its channel, and stays until it is taken",
		fault: fault{"a read is answered on both channels", axilBusFile,
			"assign s_axil_bvalid_o = s_bus_valid_i & s_bus_write_i;", "assign s_axil_bvalid_o = s_bus_valid_i;"}},
	{check: 4, says: "what is free for long is taken: neither reads nor writes wait for the others",
		fault: fault{"writes have every turn", axilBusFile,
			"turn_q     <= turn_q ^ is_free;", "turn_q     <= turn_q & ~is_free;"}},
}})
