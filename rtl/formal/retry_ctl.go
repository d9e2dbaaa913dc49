package main

const retryCtlFile = "ctx/retry_ctl.sv"

// retryCtl is the way of a record through retry_ctl. Its memory is taken out: what it gives may be anything.
var _ = register(proof{block: "retry_ctl", depth: 20, gone: []string{"u_context"},
	properties: append(pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", retryCtlFile,
			"else valid_q <= {valid_q[2:0], accept};", "else valid_q <= {valid_q[2:0], accept | (valid_q[3] & ~m_valid_o)};"},
		fault{"configures are not counted", retryCtlFile,
			".claim_i (accept),", ".claim_i (accept & s_op_i != retry_pkg::OpConfigure),"},
		fault{"X takes the number of the record behind", retryCtlFile,
			"    x_q       <= f_q;", "    x_q       <= {f_q[91:24], r_q.qpn};"},
	), []property{
		{check: 6, says: "X judges a record as it came, of a QP that is there, and writes its word only then",
			fault: fault{"a number is cut", retryCtlFile,
				"    f_known_q <= (r_q.qpn >> QpnWidth) == '0;", "    f_known_q <= 1'b1;"}},
		{check: 7, says: "what was decided of a record goes to the queue, all of it",
			fault: fault{"the order of the record behind", retryCtlFile,
				"    .data_i  (y_q),", "    .data_i  ({y_q[104:54], x_result.order, y_q[50:0]}),"}},
	}...)})
