package main

const recordPipeFile = "lib/record_pipe.sv"

// recordPipe is order and identity of every block that stands on it: rx_classify, mr_lookup, msg_tracker.
var _ = register(proof{block: "record_pipe", depth: 20, properties: append(pipeProperties("u_queue", "records", "eight",
	fault{"a record comes a second time", recordPipeFile,
		"<= {f_valid_q, r_valid_q, accept};", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, accept};"},
	fault{"one without a place is not counted", recordPipeFile,
		".claim_i  (accept),", ".claim_i  (accept & s_data_i != '0),"},
	fault{"X takes the record behind", recordPipeFile, "    x_q <= f_q;", "    x_q <= r_q;"},
), property{check: 6, says: "R holds the record that was accepted a clock before; none while it is closed",
	fault: fault{"it is not closed", recordPipeFile, "assign s_ready_o = room & open_i;", "assign s_ready_o = room;"}})})
