package main

const lookupFile = "ctx/mr_lookup.sv"

// mrLookup is how record_pipe, qp_context and mr_decide stand together; what the latter two give may be anything.
var _ = register(proof{block: "mr_lookup", depth: 20, gone: []string{"gen_plain.u_context", "u_decide"},
	properties: append(pipeProperties("u_pipe.u_queue", "records", "eight",
		fault{"a record comes a second time", recordPipeFile,
			"<= {f_valid_q, r_valid_q, accept};", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, accept};"},
		fault{"removes are not counted", recordPipeFile,
			".claim_i  (accept),", ".claim_i  (accept & s_data_i[2:0] != 3'd2),"},
		fault{"address and length are changed over", lookupFile, "s_length_i, s_va_i,", "s_va_i, s_length_i,"},
	), []property{
		{check: 6, says: "a record in R looks up the word of its key", fault: fault{"by the owner's byte of it", lookupFile,
			".r_qpn_i(r_rec.rkey[IndexLow+:IndexWidth]),", ".r_qpn_i(r_rec.rkey[0+:IndexWidth]),"}},
		{check: 7, says: "X decides by that word and the record's sums, and writes what is decided",
			fault: fault{"the sums of the record behind", lookupFile, "    x_sums_q <= f_sums_q;", "    x_sums_q <= r_sums;"}},
		{check: 7, says: "the same, where a sum has a carry", fault: fault{"it is lost", lookupFile,
			"r_sums.past  = {1'b0, r_rec.va} + {1'b0, r_rec.len};", "r_sums.past  = {1'b0, r_rec.va + r_rec.len};"}},
		{check: 7, says: "the same, and only for a record", fault: fault{"a bubble writes", lookupFile,
			".x_we_i (x_valid)", ".x_we_i (1'b1)"}},
		{check: 8, says: "what leaves is laid out as the document says", fault: fault{"why and op are changed over",
			lookupFile, "assign {m_why_o, m_ok_o, m_op_o,", "assign {m_op_o, m_ok_o, m_why_o,"}},
	}...)})
