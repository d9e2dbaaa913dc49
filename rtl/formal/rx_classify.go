package main

const classifyFile = "rx/rx_classify.sv"

// rxClassify is how record_pipe, qp_context, rx_admit and the port's tables stand together; what the context gives and
// what is decided may be anything.
var _ = register(proof{block: "rx_classify", depth: 20, gone: []string{"gen_plain.u_context", "u_admit"},
	properties: append(pipeProperties("u_pipe.u_queue", "records", "eight",
		fault{"a record comes a second time", recordPipeFile,
			"<= {f_valid_q, r_valid_q, accept};", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, accept};"},
		fault{"operations are not counted", recordPipeFile,
			".claim_i  (accept),", ".claim_i  (accept & s_data_i[2:0] == 3'd0),"},
		fault{"the LIDs are changed over", classifyFile, "s_dlid_i, s_slid_i,", "s_slid_i, s_dlid_i,"},
	), []property{
		{check: 6, says: "a record in R looks up the word of its QP", fault: fault{"that of the record in X", classifyFile,
			".r_qpn_i(r_rec.dest_qp[QpnWidth-1:0]),", ".r_qpn_i(x_rec.dest_qp[QpnWidth-1:0]),"}},
		{check: 7, says: "X decides by that word and writes what is decided, and only for a record",
			fault: fault{"a bubble writes", classifyFile, ".x_we_i (x_valid)", ".x_we_i (1'b1)"}},
		{check: 8, says: "what leaves is laid out as the document says", fault: fault{"class and why are changed over",
			classifyFile, "m_why_o, m_class_o, m_pkey_o,", "m_class_o, m_why_o, m_pkey_o,"}},
		{check: 9, says: "X finds the port's addresses as the operations before it left them",
			fault: fault{"a bubble sets one", classifyFile, "if (x_valid && own_we &&", "if (own_we &&"}},
		{check: 9, says: "and its P_Keys", fault: fault{"the upper half stands for the lower", classifyFile,
			"x_rec.entry == 4'(i)) pkeys_q", "x_rec.entry[2:0] == 3'(i)) pkeys_q"}},
	}...)})
