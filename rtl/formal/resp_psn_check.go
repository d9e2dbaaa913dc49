package main

const responderFile = "psn/resp_psn_check.sv"

var respPSNCheck = proof{block: "resp_psn_check", depth: 20, properties: streamProperties("six",
	fault{"valid falls without ready", responderFile,
		"assign m_valid_o = out_valid_q", "assign m_valid_o = out_valid_q & (m_ready_i | ~in_valid)"},
	fault{"a flag follows what comes in", responderFile,
		"    if (en) begin\n      m_qpn_o         <= x_q.qpn;", "    if (in_valid) m_first_o <= 1'b1;\n    if (en) begin\n      m_qpn_o         <= x_q.qpn;"},
	fault{"a record comes a second time", responderFile,
		"<= {x_valid_q, f_valid_q, r_valid_q, in_valid}", "<= {x_valid_q, f_valid_q | (x_valid_q & ~out_valid_q), r_valid_q, in_valid}"},
	fault{"a record is lost in a stage", responderFile,
		"<= {x_valid_q, f_valid_q, r_valid_q, in_valid}", "<= {x_valid_q, f_valid_q & ~r_valid_q, r_valid_q, in_valid}"},
)}
