package main

const (
	responderFile = "psn/resp_psn_check.sv"
	decideFile    = "psn/resp_decide.sv"
)

var respPSNCheck = proof{block: "resp_psn_check", depth: 20, properties: append(numbered(pipeProperties("u_queue", "records", "eight",
	fault{"a record comes a second time", responderFile,
		"<= {f_valid_q, r_valid_q, in_valid_q}", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, in_valid_q}"},
	fault{"resets are not counted", responderFile,
		".claim_i (accept),", ".claim_i (accept & s_op_i != resp_pkg::OpReset),"},
	fault{"a stage takes the next record's PSN", responderFile,
		"    f_q       <= r_q;", "    f_q       <= {r_q[188:48], in_q.psn, r_q[23:0]};"},
), 1, 2, 3, 4, 16), []property{
	{check: 5, skip: 9, says: "a record finds what the latest one of its QP left, or nothing", fault: fault{"the word of another QP is forwarded",
		contextFile, "r_qpn_i == qpn_q[n*QpnWidth+:QpnWidth];", "r_qpn_i[QpnWidth-2:0] == qpn_q[n*QpnWidth+:QpnWidth-1];"}},
	{check: 6, skip: 11, says: "RC: executed at PSN = ePSN only", fault: fault{"what is 2^23 ahead is executed", decideFile,
		"assign rc_new   = rc & expected;", "assign rc_new   = rc & req_i.psn[22:0] == ctx_i.epsn[22:0];"}},
	{check: 7, skip: 11, says: "RC: ePSN and MSN change by execute, set and reset only", fault: fault{"an RNR NAK advances ePSN", decideFile,
		"if (rc_go | uc_new) ctx.epsn", "if (rc_go | rc_rnr | uc_new) ctx.epsn"}},
	{check: 8, skip: 11, says: "RC: MSN by one with a last packet, ePSN as PSN-4 has it", fault: fault{"MSN counts packets", decideFile,
		"assign counts  = (rc_go | uc_go) & dec_i.last;", "assign counts  = rc_go | uc_go;"}},
	{check: 8, skip: 10, says: "the same, of a READ", fault: fault{"a READ of whole PMTUs takes one more", responderFile,
		"in_q.dma_length + 32'((256 << i) - 1);", "in_q.dma_length + 32'(256 << i);"}},
	{check: 9, skip: 14, says: "RC: a sequence NAK for a gap, one until RSP-2 ends the silence", fault: fault{"a NAK for every packet behind the gap", decideFile,
		"rc_gap & ~ctx_i.nak_sent & ", "rc_gap & "}},
	{check: 10, skip: 15, says: "RC: there is that one, an answered duplicate ends the silence", fault: fault{"a duplicate keeps the silence", decideFile,
		"rc_new | rc_again & ~profile.dup_keeps_nak;", "rc_new;"}},
	{check: 9, skip: 15, says: "RC: that NAK, not again behind a silent duplicate", fault: fault{"a silent duplicate ends it", decideFile,
		"rc_again & ~profile.dup_keeps_nak;", "rc_dup & ~profile.dup_keeps_nak;"}},
	{check: 11, skip: 11, says: "RC: 1 to 2^23 behind ePSN never a NAK, answered by RSP-5", fault: fault{"-2^23 is out of sequence", psnFile,
		"if (psn_pkg::is_behind(psn, expected))", "if (psn_pkg::is_behind(psn, expected) && psn_pkg::distance(psn, expected) != 24'h80_0000)"}},
	{check: 15, skip: 12, says: "an answer waits for the READs in flight as RSP-5 says", fault: fault{"the ACK of a duplicate waits for none", decideFile,
		"if (!(rc_dup & dec_i.replayed)) result.behind", "if (!rc_dup) result.behind"}},
	{check: 12, skip: 11, says: "UC: ePSN moves by First, Only and what is expected; no answer", fault: fault{"a First that is refused leaves ePSN", decideFile,
		"if (rc_go | uc_new) ctx.epsn", "if (rc_go | uc_go) ctx.epsn"}},
	{check: 13, skip: 11, says: "UD: ePSN and MSN stay; no answer", fault: fault{"a datagram counts", decideFile,
		"assign counts  = (rc_go | uc_go) & dec_i.last;", "assign counts  = go & dec_i.last;"}},
	{check: 14, skip: 11, says: "silence in reset, init and error; ePSN and MSN stay", fault: fault{"a QP in error goes on", decideFile,
		"there & ctx_i.state == resp_pkg::StateReady;", "there & ctx_i.state != resp_pkg::StateInit;"}},
}...)}
