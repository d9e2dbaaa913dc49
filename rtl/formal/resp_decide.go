package main

// respDecide is what is decided of a record, by itself: behind the memory and its forwarding the faults of sequence
// NAKs had no verdict. That a record finds the word that the last one left, and what is said of it without one, is
// resp_psn_check's.
var _ = register(proof{block: "resp_decide", modules: []string{"resp_decide", "resp_opcode"}, depth: 4,
	properties: []property{
		{check: 1, says: "words stay well-formed: of a QP in reset zero, of others a service and a path MTU that there are",
			fault: fault{"set with a path MTU that is none", decideFile,
				"    else if (req_i.op == resp_pkg::OpSet && facts_i.bad_set) op_why = resp_pkg::WhyNoSuch;\n", ""}},
		{check: 2, says: "a record leaves the state, READs in flight and open message that it and its verdict come to, and " +
			"tells the word's PSNs", fault: fault{"what is freed stays in flight", decideFile,
			"resp_pkg::OpFreed: ctx.in_flight = ctx_i.in_flight - 5'd1;",
			"resp_pkg::OpFreed: ctx.in_flight = ctx_i.in_flight;"}},
		{check: 3, says: "RC: an answered duplicate ends the silence behind a NAK (RSP-2)", fault: fault{
			"a duplicate keeps the silence", decideFile, "rc_new | rc_again & ~profile.dup_keeps_nak;", "rc_new;"}},
		{check: 3, says: "the same: a silent one does not, nor by profile an answered one", fault: fault{
			"a silent duplicate ends it", decideFile, "rc_again & ~profile.dup_keeps_nak;",
			"rc_dup & ~profile.dup_keeps_nak;"}},
		{check: 6, says: "RC: executed at PSN = ePSN only", fault: fault{"what is 2^23 ahead is executed", decideFile,
			"assign rc_new   = rc & expected;", "assign rc_new   = rc & req_i.psn[22:0] == ctx_i.epsn[22:0];"}},
		{check: 7, says: "RC: ePSN and MSN change by execute, set and reset only",
			fault: fault{"an RNR NAK advances ePSN", decideFile,
				"if (rc_go | uc_new) ctx.epsn", "if (rc_go | rc_rnr | uc_new) ctx.epsn"}},
		{check: 8, says: "RC: MSN by one with a last packet, ePSN as PSN-4 has it", fault: fault{"MSN counts packets",
			decideFile, "assign counts  = (rc_go | uc_go) & dec_i.last;", "assign counts  = rc_go | uc_go;"}},
		{check: 8, says: "the same, of a READ", fault: fault{"whatever the path MTU as with 256 bytes", decideFile,
			"next_epsn = facts_i.next_epsn[24*i+:24];", "next_epsn = facts_i.next_epsn[23:0];"}},
		{check: 9, says: "RC: a sequence NAK for a gap, one until RSP-2 ends the silence",
			fault: fault{"a NAK for every packet behind the gap", decideFile,
				"rc_gap & ~ctx_i.nak_sent & ", "rc_gap & "}},
		{check: 10, says: "RC: there is that one, behind an RNR NAK by profile (RSP-9)",
			fault: fault{"behind an RNR NAK never", decideFile,
				"rc_gap & ~ctx_i.nak_sent & (~ctx_i.rnr_sent | profile.nak_while_rnr);",
				"rc_gap & ~ctx_i.nak_sent & ~ctx_i.rnr_sent;"}},
		{check: 11, says: "RC: 1 to 2^23 behind ePSN never a NAK, answered by RSP-5",
			fault: fault{"-2^23 is out of sequence", psnFile,
				"if (psn_pkg::is_behind(psn, expected))", "if (psn_pkg::is_behind(psn, expected) && psn_pkg::distance(psn, " +
					"expected) != 24'h80_0000)"}},
		{check: 15, says: "an answer waits for the READs in flight as RSP-5 says",
			fault: fault{"the ACK of a duplicate waits for none", decideFile,
				"if (!(rc_dup & dec_i.replayed)) result.behind", "if (!rc_dup) result.behind"}},
		{check: 12, says: "UC: ePSN moves by First, Only and what is expected; no answer",
			fault: fault{"a First that is refused leaves ePSN", decideFile,
				"if (rc_go | uc_new) ctx.epsn", "if (rc_go | uc_go) ctx.epsn"}},
		{check: 13, says: "UD: ePSN and MSN stay; no answer", fault: fault{"a datagram counts", decideFile,
			"assign counts  = (rc_go | uc_go) & dec_i.last;", "assign counts  = go & dec_i.last;"}},
		{check: 14, says: "silence in reset, init and error; ePSN and MSN stay",
			fault: fault{"a QP in error goes on", decideFile,
				"there & ctx_i.state == resp_pkg::StateReady;", "there & ctx_i.state != resp_pkg::StateInit;"}},
	}})
