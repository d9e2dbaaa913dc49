package main

const (
	requesterFile = "psn/req_ack_check.sv"
	reqDecideFile = "psn/req_decide.sv"
)

var _ = register(proof{block: "req_ack_check", depth: 20,
	properties: apart(behindReset(append(numbered(pipeProperties("u_queue", "records", "eight",
		fault{"a record comes a second time", requesterFile,
			"<= {x_valid_q, f_valid_q, r_valid_q, accept}",
			"<= {x_valid_q, f_valid_q | (x_valid_q & ~y_valid_q), r_valid_q, accept}"},
		fault{"configures are not counted", requesterFile,
			".claim_i (accept),", ".claim_i (accept & s_op_i != req_pkg::OpConfigure),"},
		fault{"a stage takes the number of the record behind", requesterFile,
			"x_q          <= f_q;", "x_q          <= {f_q[145:24], r_q.qpn};"},
	), 1, 2, 3, 4, 14), []property{
		{check: 12, says: "a record finds what the last one of its QP left, whatever others do",
			fault: fault{"two QPs share a word", requesterFile,
				".r_qpn_i(r_q.qpn[QpnWidth-1:0])", ".r_qpn_i({1'b0, r_q.qpn[QpnWidth-2:0]})"}},
		{check: 12, says: "the same, also where there is no such QP", fault: fault{"a number is cut", requesterFile,
			"f_known_q    <= (r_q.qpn >> QpnWidth) == '0;", "f_known_q    <= 1'b1;"}},
		{check: 5, says: "at most 2^23 PSNs unacked, the head among them, after each record", fault: fault{
			"a window of more than 2^23 PSNs is let through",
			reqDecideFile, "assign fits      = ~behind_una;", "assign fits      = 1'b1;"}},
		{check: 5, says: "a wait or a retry, not both, with something unacked",
			fault: fault{"a timeout during the wait starts a retry",
				reqDecideFile, "& outstanding & ~ctx.waiting;", "& outstanding;"}},
		{check: 6, says: "unacked and acked are the runs of PSN-3, in every such state",
			fault: fault{"the acked run starts 2^23 before una", reqDecideFile,
				"assign acked       = behind_una & behind_high;", "assign acked       = behind_una;"}},
		{check: 7, says: "una never moves back, nor past what was sent", fault: fault{"a stale ACK releases", reqDecideFile,
			"assign answered  = response & unacked;", "assign answered  = response & (unacked | acked);"}},
		{check: 8, says: "configure opens; close, a fatal NAK and a bad response close",
			fault: fault{"a bad response leaves the QP open", reqDecideFile,
				"assign closes  = close | act_fatal | act_bad |", "assign closes  = close | act_fatal |"}},
		{check: 8, says: "the same, the other way about", fault: fault{"an implied NAK closes", reqDecideFile,
			"assign closes  = close |", "assign closes  = close | act_implied |"}},
		{check: 9, says: "RNR starts the wait; progress, go on and the profile end it",
			fault: fault{"una moving leaves waiting set", reqDecideFile,
				"assign wait_ends = moved | (answered", "assign wait_ends = (answered"}},
		{check: 9, says: "the same, with any_answer_ends_rnr", fault: fault{"the profile bit is ignored", reqDecideFile,
			"assign wait_ends = moved | (answered & ctx.profile.any_answer_ends_rnr);", "assign wait_ends = moved;"}},
		{check: 9, says: "the same, where progress and the RNR NAK are one", fault: fault{"the wait of before hides it",
			reqDecideFile,
			"facts_i.line.rnr & ~waiting;", "facts_i.line.rnr & ~ctx.waiting;"}},
		{check: 10, says: "one retry between two moves of una, RNRs or configures",
			fault: fault{"each NAK of a gap starts one", reqDecideFile,
				"assign act_sequence = sequence_nak & ~waiting & ~retrying;", "assign act_sequence = sequence_nak & ~waiting;"}},
		{check: 11, says: "a bad response is what REQ-12 says and takes no data",
			fault: fault{"data of the wrong length is taken", reqDecideFile,
				"assign taken = data & right_kind & is_due & right_place & right_length;",
				"assign taken = data & right_kind & is_due & right_place;"}},
		{check: 13, says: "2^23 PSNs fit into the window, in integers", fault: fault{"2^23 are refused", reqDecideFile,
			"assign fits      = ~behind_una;",
			"assign fits      = ~behind_una & (psn_pkg::distance(facts_i.furthest, ctx.una) != 24'h7F_FFFF);"}},
		{check: 13, says: "and are outstanding", fault: fault{"2^23 are taken for none", reqDecideFile,
			"assign outstanding = ctx.una != ctx.high;",
			"assign outstanding = ctx.una != ctx.high & ~psn_pkg::is_behind(ctx.high, ctx.una);"}},
	}...)))})

// behindReset has no run searched in which no record has come through to where it is looked at: the context is cleared
// first.
func behindReset(all []property) []property {
	for i := range all {
		all[i].skip = 8
	}
	return all
}

// apart proves three things by themselves: that records come to the queue in order, whatever the memory of words gives;
// that it gives the right words, whatever is decided; and what is decided, whatever the memory gives, of which the
// harness assumes what was proved of it. All in one run had no verdict in half an hour of a shared machine.
func apart(all []property) []property {
	decided := []string{"x_ctx_d", "u_decide.next", "u_decide.why_d", "u_decide.action_d", "u_decide.region_d",
		"u_decide.moved", "u_decide.taken", "u_decide.lsn_moves"}
	for i := range all {
		switch {
		case all[i].plain:
		case all[i].check <= 4 || all[i].check == 14:
			all[i].free = append([]string{"x_ctx"}, decided...)
		case all[i].check == 12:
			all[i].free = decided
		default:
			all[i].free = []string{"x_ctx"}
		}
	}
	return all
}
