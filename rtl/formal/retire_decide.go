package main

const retireFile = "tx/retire_decide.sv"

// retireDecide is which WQEs a record ends; that it is given the right words is qp_context's, and that as many slots
// are gone through sq_retire's.
var _ = register(proof{block: "retire_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "words stay well-formed: at most Depth WQEs, no more begun than there are, none of a " +
		"QP that has failed", fault: fault{"a failure leaves what was not begun", retireFile,
		"      count_d  = '0;\n", "      count_d  = fails ? count - begun : '0;\n"}},
	{check: 2, plain: true, says: "a QP that is closed, that has failed or is none is changed by clear alone; looks " +
		"change nothing", fault: fault{"a failed QP takes una", retireFile,
		"assign judges     = is_open &&", "assign judges     = (is_open || has_failed) &&"}},
	{check: 3, plain: true, says: "a post goes behind the newest, to a slot that is free", fault: fault{
		"to the oldest's", retireFile, "if (stores) decision_o.slot = 6'(tail);", "if (stores) decision_o.slot = 6'(head);"}},
	{check: 4, plain: true, says: "WQEs begin in their order, each once", fault: fault{"any that is there", retireFile,
		"begun != count && place == begun[S-1:0] && !spoilt;", "{1'b0, place} < count && !spoilt;"}},
	{check: 5, plain: true, says: "una ends those that it acknowledges, by distance, up to the first that it does not " +
		"(REQ-1, REQ-2, PSN-7)", fault: fault{"one PSN early", retireFile,
		"assign acked[i] = far <= moved;", "assign acked[i] = far <= moved + 1'b1;"}},
	{check: 6, plain: true, says: "each WQE ends once: what is there and comes is what ends and stays, in its order",
		fault: fault{"the head stays behind one", retireFile,
			"S'(spoilt) : at[S-1:0];", "S'(spoilt) : at[S-1:0] & S'(2);"}},
	{check: 7, plain: true, says: "a QP fails by a verdict that says so, or as the turn of local work comes that could " +
		"not be done; all end, the first that is left with the status (REQ-11, RSP-15)", fault: fault{
		"with the verdict's", retireFile, "reached && !at_once ? spoilt_status : rec_i.status;", "rec_i.status;"}},
	{check: 8, plain: true, says: "local work that is done ends with the WQE before it, or at once", fault: fault{
		"at once", retireFile,
		"assign at_once = begins && is_local && begun == '0;", "assign at_once = begins && is_local;"}},
	{check: 9, plain: true, says: "una moves by progress and clear alone; clear leaves an open QP without WQEs",
		fault: fault{"by every verdict", retireFile,
			"assign moves      = judges && rec_i.progress;", "assign moves      = judges;"}},
	{check: 10, plain: true, says: "a look shows what stands in its slot, if it was begun or its turn has come " +
		"(REQ-14); each reason is said where the document says it",
		fault: fault{"behind local work too", retireFile,
			"is_begun | (looks & turn);", "looks && {1'b0, place} < count;"}},
}})
