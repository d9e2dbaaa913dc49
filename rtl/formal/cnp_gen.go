package main

const (
	cnpFile   = "rx/cnp_gen.sv"
	visitFile = "lib/visit_clock.sv"
)

// cnpGen is how record_pipe, qp_context, cnp_decide and the visits stand together; what the context gives and what is
// decided may be anything.
var _ = register(proof{block: "cnp_gen", depth: 20, gone: []string{"u_context", "u_decide"},
	properties: append(pipeProperties("u_pipe.u_queue", "records", "eight",
		fault{"a record comes a second time", recordPipeFile,
			"<= {f_valid_q, r_valid_q, accept};", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, accept};"},
		fault{"operations are not counted", recordPipeFile,
			".claim_i  (accept),", ".claim_i  (accept & s_data_i[2:0] == 3'd0),"},
		fault{"the VLAN tags are changed over", cnpFile, "s_vlan1_i,\n                  s_vlan0_i,",
			"s_vlan0_i,\n                  s_vlan1_i,"},
	), []property{
		{check: 6, says: "a record in R looks up the word of its QP", fault: fault{"that of the record in X", cnpFile,
			"r_turn : r_rec.qpn[QpnWidth-1:0]),", "r_turn : x_rec.qpn[QpnWidth-1:0]),"}},
		{check: 7, says: "X decides by that word and writes what is decided", fault: fault{"whatever is decided", cnpFile,
			".x_we_i (x_we)", ".x_we_i (x_we | x_valid)"}},
		{check: 8, says: "what leaves is laid out as the document says",
			fault: fault{"source and destination are changed over",
				cnpFile, "assign {m_pkey_o, m_dst_o, m_src_o,", "assign {m_pkey_o, m_src_o, m_dst_o,"}},
		{check: 9, says: "X finds the period as the operations before it left it", fault: fault{"that of any record", cnpFile,
			"else if (period_we) period_q", "else if (period_we | x_valid) period_q"}},
	}...)})

// cnpWrap is that a time stamp that wraps never misleads, at 4 QPs and 5 bits, for any time. What the memory of QPs
// gives of the QP that is watched is what was last written to it: qp_context's.
var _ = register(proof{block: "cnp_gen", harness: "cnp_wrap", depth: 50, gone: []string{"u_context",
	"u_pipe.u_queue"}, properties: []property{
	{check: 1, skip: 38,
		says: "a mark less than the period behind the last CNP of its QP gives none, any other one does, however " +
			"often the time has wrapped (CNP-2)", fault: fault{"half of the QPs are never visited", visitFile,
			"r_turn_q <= now_q[EveryWidth+:QpnWidth];", "r_turn_q <= {1'b0, now_q[EveryWidth+:QpnWidth-1]};"}},
	{check: 1, says: "that holds with a packet at the input in every clock", fault: fault{
		"the input is open in the clock of a visit", visitFile,
		"open_q <= ready_i & (now_q[EveryWidth-1:0] != '1);", "open_q <= ready_i;"}},
	{check: 2, skip: 38, says: "no stamp that counts is as old as the range of the time",
		fault: fault{"only a stamp about to wrap is " +
			"forgotten", cnpDecideFile, "visit_i && age[StampWidth-1];", "visit_i && age[StampWidth-1-:3] == '1;"}},
}})
