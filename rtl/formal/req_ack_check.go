package main

const requesterFile = "psn/req_ack_check.sv"

var reqAckCheck = proof{block: "req_ack_check", depth: 20, properties: append(streamProperties("six",
	fault{"valid falls without ready", requesterFile,
		"assign m_valid_o = out_valid_q", "assign m_valid_o = out_valid_q & (m_ready_i | ~r_valid)"},
	fault{"a flag follows what comes in", requesterFile,
		"m_una_before_o, m_qpn_o} = out_q", "m_una_before_o, m_qpn_o} = {out_q[153] & ~r_valid, out_q[152:0]}"},
	fault{"a record comes a second time", requesterFile,
		"<= {y_valid_q, x_valid_q, f_valid_q, r_valid}", "<= {y_valid_q, x_valid_q, f_valid_q | (x_valid_q & ~y_valid_q), r_valid}"},
	fault{"a record is lost in a stage", requesterFile,
		"<= {y_valid_q, x_valid_q, f_valid_q, r_valid}", "<= {y_valid_q, x_valid_q, f_valid_q & ~r_valid, r_valid}"},
), []property{
	{check: 5, says: "at most 2^23 PSNs unacked, the head among them, after each record", fault: fault{"a window of more than 2^23 PSNs is let through",
		requesterFile, "assign fits      = ~from_una[W-1];", "assign fits      = 1'b1;"}},
	{check: 6, says: "unacked and acked are the runs of PSN-3, in every such state", fault: fault{"the acked run starts 2^23 before una", requesterFile,
		"assign acked    = from_una[W-1] & from_high[W-1];", "assign acked    = from_una[W-1];"}},
	{check: 7, says: "una never moves back, nor past what was sent", fault: fault{"a stale ACK releases", requesterFile,
		"assign answered  = response & unacked;", "assign answered  = response & (unacked | acked);"}},
}...)}
