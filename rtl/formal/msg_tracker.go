package main

const trackerFile = "ctx/msg_tracker.sv"

// msgTracker is how record_pipe, qp_context and msg_decide stand together; what the latter two give may be anything.
var _ = register(proof{block: "msg_tracker", depth: 20, gone: []string{"gen_plain.u_context", "u_decide"},
	properties: append(pipeProperties("u_pipe.u_queue", "records", "eight",
		fault{"a record comes a second time", recordPipeFile,
			"<= {f_valid_q, r_valid_q, accept};", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, accept};"},
		fault{"clears are not counted", recordPipeFile,
			".claim_i  (accept),", ".claim_i  (accept & s_data_i[2:0] != 3'd2),"},
		fault{"First and Last are changed over", trackerFile, "s_last_i, s_first_i,", "s_first_i, s_last_i,"},
	), []property{
		{check: 6, says: "a record in R looks up the word of its QP", fault: fault{"that of the record in X", trackerFile,
			".r_qpn_i(r_rec.qpn[QpnWidth-1:0]),", ".r_qpn_i(x_rec.qpn[QpnWidth-1:0]),"}},
		{check: 7, says: "X decides by that word, whether there is such a QP, and writes what is decided",
			fault: fault{"the range of the record behind", trackerFile,
				"x_in_range_q <= f_in_range_q;", "x_in_range_q <= r_rec.qpn[23:QpnWidth] == '0;"}},
		{check: 7, says: "the same, and only for a record", fault: fault{"a bubble writes", trackerFile,
			".x_we_i (x_valid)", ".x_we_i (1'b1)"}},
		{check: 8, says: "what leaves is laid out as the document says",
			fault: fault{"offset and left are changed over", trackerFile,
				"assign {m_left_o, m_offset_o,", "assign {m_offset_o, m_left_o,"}},
	}...)})
