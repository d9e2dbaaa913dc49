package main

const packetFile = "tx/pkt_decide.sv"

// pktDecide is what tx_packetizer decides of a QP; that it is given the right word is qp_context's.
var _ = register(proof{block: "pkt_decide", depth: 4, properties: eachApart([]property{
	{check: 1, plain: true, says: "a QP that is closed or not there: only configure changes it; what is no packet " +
		"and no verdict moves nothing", fault: fault{"closed ones hear verdicts", packetFile,
		"assign verdict = live & (", "assign verdict = known_i & ("}},
	{check: 2, plain: true, says: "at most window packets and 2^23 PSNs are unacknowledged (PSN-5)",
		fault: fault{"one more", packetFile,
			"high_ahead + Wide'(Unit) > limit);", "high_ahead > limit);"}},
	{check: 3, plain: true, says: "READs and atomics: counted once, at most max_reads, none behind a fence (REQ-9)",
		fault: fault{"a retry counts again", packetFile,
			"if (first_time & shape.kind[1]) state_o.reads", "if (sends & shape.kind[1]) state_o.reads"}},
	{check: 4, plain: true, says: "una to high stays within 2^23, next between them; where high is next its WQE is " +
		"known (PSN-7)", fault: fault{"a retry that reaches high goes on in its slot", packetFile,
		"if (sends) at_high = fresh | reaches;", "if (sends) at_high = fresh;"}},
	{check: 5, plain: true, says: "what is new stands at high and moves it; a retry changes no number, count or credit " +
		"(PSN-7)", fault: fault{"a retry costs a credit", packetFile,
		"if (first_time & last) state_o.ssn", "if (sends & last) state_o.ssn"}},
	{check: 6, plain: true, says: "a packet lies in its WQE, a READ goes to its end (PSN-4, REQ-7)",
		fault: fault{"a READ has its PSNs again", packetFile,
			"24'(shape.packets - 25'(index)) : 24'd1;", "24'(shape.packets) : 24'd1;"}},
	{check: 7, plain: true, says: "next goes where a verdict says, or over what was acknowledged, nowhere else (REQ-5, " +
		"REQ-6)", fault: fault{"one packet off", packetFile,
		"assign next_d = moved ? rec_i.una :", "assign next_d = moved ? rec_i.una + Unit :"}},
	{check: 8, plain: true, says: "with a credit, or as the one probe, or behind one that was answered (CRD-2)",
		fault: fault{"a probe is not remembered", packetFile,
			"if (first_time & rc & shape.limited & probe) state_o.probed = 1'b1;", ""}},
	{check: 9, plain: true, says: "a turn of which nothing comes changes nothing, and says why", fault: fault{
		"a post in the slot of an ended WQE begins in a retry", packetFile,
		"(lies_in | (begun_new & fresh_next));", "(lies_in | begun_new);"}},
	{check: 10, plain: true, says: "AckReq: ends, READs and atomics, the packet that fills the window (RC alone)",
		fault: fault{"not where the window fills", packetFile,
			"rc & (last | fills | (", "rc & (last | ("}},
})})
