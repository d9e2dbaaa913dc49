package main

const txPacketizerFile = "tx/tx_packetizer.sv"

// txPacketizer is the way of a record through tx_packetizer. Its memory is taken out: what it gives may be anything.
var _ = register(proof{block: "tx_packetizer", depth: 20, gone: []string{"u_context"},
	properties: append(pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", txPacketizerFile,
			"else valid_q <= {valid_q[2:0], accept};", "else valid_q <= {valid_q[2:0], accept | (valid_q[3] & ~m_valid_o)};"},
		fault{"configures are not counted", txPacketizerFile,
			".claim_i (accept),", ".claim_i (accept & s_op_i != tx_pkg::OpConfigure),"},
		fault{"X takes the number of the record behind", txPacketizerFile,
			"    x_q       <= f_q;", "    x_q       <= {f_q[190:24], r_q.qpn};"},
	), []property{
		{check: 6, says: "X judges a record as it came, of a QP that is there, and writes its word only then",
			fault: fault{"a number is cut", txPacketizerFile,
				"    f_known_q <= (r_q.qpn >> QpnWidth) == '0;", "    f_known_q <= 1'b1;"}},
		{check: 7, says: "what was decided of a record goes to the queue, all of it",
			fault: fault{"the PSN of the record behind", txPacketizerFile,
				"    .data_i  (y_q),", "    .data_i  ({y_q[329:74], x_result.packet.psn, y_q[49:0]}),"}},
	}...)})
