package main

const orderFile = "top/hca_rx_order.sv"

// hcaRxOrder is what leaves of the turn at the head, and what is told of it. Its queues and the memory of dead QPs are
// taken out.
var _ = register(proof{block: "hca_rx_order", depth: 10, gone: []string{"u_turns", "u_dead", "u_ended", "u_outcomes"},
	forget: []string{"sync_fifo", "ram_1r1w"}, properties: []property{
		{check: 1, says: "a READ is through when as many responses have left as it has, each once and in its turn",
			fault: fault{"one fewer", orderFile, "given_q == s_rec_i.count;", "given_q + 24'd1 == s_rec_i.count;"}},
		{check: 1, says: "and not the responses of another", fault: fault{"the next READ's", orderFile,
			"assign relays = settled & is_read & s_hdr_valid_i & ~over;", "assign relays = settled & is_read & s_hdr_valid_i;"}},
		{check: 2, says: "of a turn that is through one frame has left, or none where none is due", fault: fault{
			"it goes on without", orderFile, "assign through          = ends & (~frames | m_answer_ready_i);",
			"assign through          = ends;"}},
		{check: 3, says: "of a QP that is dead nothing leaves but CNPs, and responses that are thrown away", fault: fault{
			"ACKs do", orderFile, "is_pass ? (~dead | turn.answer.op == ack_pkg::OpCnp) :", "is_pass ? 1'b1 :"}},
		{check: 4, says: "nothing leaves while it is not known whether the QP is dead", fault: fault{
			"who is not asked about is alive", orderFile, "turn_valid & (~any_dead_q | looked_q);", "turn_valid & ~looking_q;"}},
		{check: 5, says: "each READ and atomic that is through is told once, with its own number", fault: fault{
			"an ACK is told too", orderFile, "    .s_valid_i(through & ~is_pass),", "    .s_valid_i(through),"}},
		{check: 6, says: "a QP goes to error with its NAK, or with what was lost, and is dead from then on", fault: fault{
			"not with what was lost", orderFile, "assign fails            = through & (naks | loses);",
			"assign fails            = through & naks;"}},
		{check: 6, says: "what was executed and answered is freed, once; a duplicate is not", fault: fault{"it is", orderFile,
			"(turn.frees & (is_read | is_atomic))", "(is_read | is_atomic)"}},
		{check: 7, says: "what leaves goes the way of its own turn: as it came, with a response's header, or a NAK behind it",
			fault: fault{"the MSN of the turn", orderFile, "m_answer_o.way.msn      = s_hdr_i.msn;",
				"m_answer_o.way.msn      = turn.answer.msn;"}},
		{check: 8, says: "resp_psn_check is told of a write that failed before the others, and of each once",
			fault: fault{"one is lost behind it", orderFile,
				"assign outcome_ready     = m_outcome_ready_i & ~s_failed_valid_i;",
				"assign outcome_ready     = m_outcome_ready_i;"}},
	}})
