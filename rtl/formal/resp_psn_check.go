package main

const (
	responderFile = "psn/resp_psn_check.sv"
	decideFile    = "psn/resp_decide.sv"
)

var _ = register(proof{block: "resp_psn_check", depth: 20,
	properties: wordsApart(append(numbered(pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", responderFile,
			"<= {f_valid_q, r_valid_q, in_valid_q}", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, in_valid_q}"},
		fault{"resets are not counted", responderFile,
			".claim_i (accept),", ".claim_i (accept & s_op_i != resp_pkg::OpReset),"},
		fault{"a stage takes the next record's PSN", responderFile,
			"    f_q       <= r_q;", "    f_q       <= {r_q[188:48], in_q.psn, r_q[23:0]};"},
	), 1, 2, 3, 4, 16), []property{
		{check: 6, skip: 8, says: "X knows of a record what it says: its opcode, its QP, what set asks, the next PSN by " +
			"path MTU",
			fault: fault{"a READ of whole PMTUs takes one more", responderFile,
				"in_q.dma_length + 32'((256 << i) - 1);", "in_q.dma_length + 32'(256 << i);"}},
		{check: 5, skip: 9, says: "a record finds what the latest one of its QP left, or nothing",
			fault: fault{"the word of another QP is forwarded",
				contextFile, "r_qpn_i == qpn_q[n*QpnWidth+:QpnWidth];", "r_qpn_i[QpnWidth-2:0] == qpn_q[n*QpnWidth+:QpnWidth-1];"}},
	}...))})

// wordsApart proves by itself that the memory gives the right words, whatever is decided, and the rest whatever it
// gives.
func wordsApart(all []property) []property {
	for i := range all {
		switch {
		case all[i].plain:
		case all[i].check == 5:
			all[i].free = []string{"x_ctx_d"}
		default:
			all[i].free = []string{"x_ctx"}
		}
	}
	return all
}
