package main

const reqDecideFile = "psn/req_decide.sv"

// reqDecide is what is decided of a record, by itself: of the whole of req_ack_check there was no verdict in half an
// hour. That a record finds the word that the last one left, and what is said of it without one, is req_ack_check's.
var _ = register(proof{block: "req_decide", depth: 6, properties: eachApart([]property{
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
	{check: 14, says: "what is told of an open QP is what its word has then", fault: fault{"una as it was", reqDecideFile,
		"result_o.una        = next.una;", "result_o.una        = ctx.una;"}},
})})

// eachApart has each proved in a run of its own: verdicts come in seconds or minutes, and one that does not come keeps
// no other back.
func eachApart(all []property) []property {
	for i := range all {
		all[i].apart = true
	}
	return all
}
