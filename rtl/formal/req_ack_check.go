package main

const requesterFile = "psn/req_ack_check.sv"

var reqAckCheck = proof{block: "req_ack_check", depth: 20, properties: streamProperties("six",
	fault{"valid falls without ready", requesterFile,
		"assign m_valid_o = out_valid_q", "assign m_valid_o = out_valid_q & (m_ready_i | ~r_valid)"},
	fault{"a flag follows what comes in", requesterFile,
		"m_una_before_o, m_qpn_o} = out_q", "m_una_before_o, m_qpn_o} = {out_q[153] & ~r_valid, out_q[152:0]}"},
	fault{"a record comes a second time", requesterFile,
		"<= {y_valid_q, x_valid_q, f_valid_q, r_valid}", "<= {y_valid_q, x_valid_q, f_valid_q | (x_valid_q & ~y_valid_q), r_valid}"},
	fault{"a record is lost in a stage", requesterFile,
		"<= {y_valid_q, x_valid_q, f_valid_q, r_valid}", "<= {y_valid_q, x_valid_q, f_valid_q & ~r_valid, r_valid}"},
)}
