package main

const rateFile = "tx/rate_limiter.sv"

// rateLimiter is how record_pipe, qp_context, rate_decide and the visits stand together; what the context gives
// and what is decided may be anything.
var _ = register(proof{block: "rate_limiter", depth: 20, gone: []string{"u_context", "u_decide"},
	properties: append(pipeProperties("u_pipe.u_queue", "records", "eight",
		fault{"a record comes a second time", recordPipeFile,
			"<= {f_valid_q, r_valid_q, accept};", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, accept};"},
		fault{"operations are not counted", recordPipeFile,
			".claim_i  (accept),", ".claim_i  (accept & s_data_i[2:0] == 3'd0),"},
		fault{"period and forget are changed over", rateFile, "s_forget_i, s_period_i,", "s_period_i, s_forget_i,"},
	), []property{
		{check: 6, says: "a record in R looks up the word of its QP", fault: fault{"that of the record in X", rateFile,
			"r_turn : r_rec.qpn[QpnWidth-1:0]),", "r_turn : x_rec.qpn[QpnWidth-1:0]),"}},
		{check: 7, says: "X decides by that word and writes what is decided", fault: fault{"whatever is decided", rateFile,
			".x_we_i (x_we)", ".x_we_i (x_we | x_valid)"}},
		{check: 8, says: "what leaves is laid out as the document says",
			fault: fault{"why and operation are changed over",
				rateFile, "m_why_o, m_op_o,", "m_op_o, m_why_o,"}},
		{check: 9, says: "X finds the law as the operations before it left it", fault: fault{"that of any record", rateFile,
			"end else if (law_we) begin", "end else if (law_we | x_valid) begin"}},
	}...)})

// rateWrap is that time stamps that wrap never mislead, at 4 QPs and 5 bits, for any time. What the memory of QPs
// gives of the QP that is watched is what was last written to it: qp_context's.
var _ = register(proof{block: "rate_limiter", harness: "rate_wrap", depth: 50, gone: []string{"u_context",
	"u_pipe.u_queue", "u_decide.u_product"}, properties: []property{
	{check: 1, skip: 34,
		says: "an ask hears not yet exactly while its QP's time is ahead, however often the time has wrapped",
		fault: fault{"half of the QPs are never visited", visitFile,
			"r_turn_q <= now_q[EveryWidth+:QpnWidth];", "r_turn_q <= {1'b0, now_q[EveryWidth+:QpnWidth-1]};"}},
	{check: 2, skip: 38, says: "a change counts exactly while it is less than forget ago", fault: fault{
		"only a stamp about to wrap is forgotten", rateDecideFile, "ctx_i.changed && age[StampWidth-1];",
		"ctx_i.changed && age[StampWidth-1-:3] == '1;"}},
	{check: 2, says: "that holds with a record at the input in every clock", fault: fault{
		"the input is open in the clock of a visit", visitFile,
		"open_q <= ready_i & (now_q[EveryWidth-1:0] != '1);", "open_q <= ready_i;"}},
}})
