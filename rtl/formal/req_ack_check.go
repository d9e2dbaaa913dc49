package main

const requesterFile = "psn/req_ack_check.sv"

var (
	_ = register(proof{block: "req_ack_check", depth: 20,
		properties: apart(behindReset(append(append(reqPipe(), reqWords()...), reqStages()...)))})
	_ = register(proof{block: "req_ack_check", depth: 20, gone: []string{"u_context"},
		forget: []string{"ram_1r1w", "credit_queue"}, parameters: "-set Ecc 1",
		properties: says(apart(append(append(reqPipe()[4:], reqStages()...), reqWithCode()...)), ", with Ecc")})
)

func reqPipe() []property {
	return numbered(pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", requesterFile,
			"<= {x_valid_q, f_valid_q, r_valid_q, accept}",
			"<= {x_valid_q, f_valid_q | (x_valid_q & ~y_valid_q), r_valid_q, accept}"},
		fault{"configures are not counted", requesterFile,
			".claim_i (accept),", ".claim_i (accept & s_op_i != req_pkg::OpConfigure),"},
		fault{"a stage takes the number of the record behind", requesterFile,
			"x_q          <= f_q;", "x_q          <= {f_q[145:24], r_q.qpn};"},
	), 1, 2, 3, 4, 14)
}

func reqWords() []property {
	return []property{
		{check: 12, says: "a record finds what the last one of its QP left, whatever others do",
			fault: fault{"two QPs share a word", requesterFile,
				".r_qpn_i(r_q.qpn[QpnWidth-1:0])", ".r_qpn_i({1'b0, r_q.qpn[QpnWidth-2:0]})"}},
		{check: 12, says: "the same, also where there is no such QP", fault: fault{"a number is cut", requesterFile,
			"f_known_q    <= (r_q.qpn >> QpnWidth) == '0;", "f_known_q    <= 1'b1;"}},
	}
}

func reqStages() []property {
	return []property{
		{check: 5, says: "X knows of a record what it says: how far it reaches, which line of the table it is, how long",
			fault: fault{"the last NAK code is reserved", requesterFile,
				"(f_q.syndrome[4:0] <= req_pkg::NakLast);", "(f_q.syndrome[4:0] < req_pkg::NakLast);"}},
		{check: 6, says: "what was decided of a record goes to the queue, all of it; of a QP that is not there why alone",
			fault: fault{"of the record behind, whether there is one", requesterFile,
				"if (!y_shown_q) begin", "if (!x_shown) begin"}},
	}
}

func reqWithCode() []property {
	return []property{
		{check: 7, says: "the memory is asked by each record as ECC-1 and ECC-4 have it: by its own QP, an order or " +
			"a look-up",
			fault: fault{"what asks for counts looks up", requesterFile,
				"x_facts_q.known & ~inject & ~counts;", "x_facts_q.known & ~inject;"}},
		{check: 8, says: "a lost word, an order and the counts are told as the memory has them (ECC-4 to ECC-6)",
			fault: fault{"an order to a QP that is none is done", requesterFile,
				"        if (!x_facts_q.known) x_result.why = req_pkg::WhyNoQp;\n", ""}},
	}
}

// behindReset has no run searched in which no record has come through to where it is looked at: the context is cleared
// first.
func behindReset(all []property) []property {
	for i := range all {
		all[i].skip = 8
	}
	return all
}

// apart proves two things by themselves: that records come to the queue in order, whatever the memory of words gives,
// with what they say and what was decided of them, whatever that is; and that the memory gives the right words,
// whatever is decided.
func apart(all []property) []property {
	decided := []string{"x_ctx_d", "u_decide.next", "u_decide.why_d", "u_decide.action_d", "u_decide.region_d",
		"u_decide.moved", "u_decide.taken", "u_decide.lsn_moves"}
	for i := range all {
		switch {
		case all[i].plain:
		case all[i].check == 12:
			all[i].free = decided
		default:
			all[i].free = append([]string{"x_ctx"}, decided...)
		}
	}
	return all
}
