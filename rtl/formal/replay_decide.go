package main

const (
	replayFile = "ctx/replay_decide.sv"
	rangeFile  = "ctx/replay_range.sv"
)

// replayDecide is what replay_fifo decides of a QP; that it is given the right word is qp_context's.
var _ = register(proof{block: "replay_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "look-ups and results change no PSN, nor does a number that is no QP",
		fault: fault{"a look-up is kept", replayFile, "rec_i.op == replay_pkg::OpKeep && depth",
			"(rec_i.op == replay_pkg::OpKeep || rec_i.op == replay_pkg::OpLookUp) && depth"}},
	{check: 2, plain: true, says: "what is kept stands in its slot, and no other slot changes", fault: fault{
		"it takes the first slot", replayFile, "if (next == 5'(i)) ctx_o", "if (i == 0) ctx_o"}},
	{check: 3, plain: true, says: "the slots are used in turn, as many as were agreed (RSP-8)", fault: fault{"one more",
		replayFile, "next + 5'd1 >= depth ? 5'd0", "next >= depth ? 5'd0"}},
	{check: 4, plain: true, says: "READs are found by any PSN of theirs, others by theirs; of the same kind", fault: fault{
		"by the one behind too", replayFile, "ahead <= span :", "ahead <= span + 24'd1 :"}},
	{check: 5, plain: true, says: "what one of the slots has is found, in the lowest", fault: fault{"in the highest",
		replayFile, "for (int i = Slots - 1; i >= 0; i--) begin", "for (int i = 0; i < Slots; i++) begin"}},
	{check: 6, plain: true, says: "behind set nothing is kept", fault: fault{"all is", replayFile,
		"      ctx_o = '0;\n", ""}},
	{check: 7, plain: true,
		says: "of a QP whose word was lost nothing is found, kept or changed, and that is told, until a set (ECC-7)",
		fault: fault{"not of a set that is not done", replayFile, "looks_o && lost_i && !sets;",
			"looks_o && lost_i && rec_i.op != replay_pkg::OpSet;"}},
}})

// replayRange is RSP-7 itself.
var _ = register(proof{block: "replay_range", depth: 6, properties: []property{
	{check: 1, says: "no byte outside of the original, by its key, for all numbers (RSP-7)", fault: fault{
		"what was skipped does not count", rangeFile, "37'(skipped) + 37'(asked_i.bytes);", "37'(asked_i.bytes);"}},
	{check: 2, says: "a byte has the address that it had at that PSN (RSP-7)", fault: fault{"the start's", rangeFile,
		"kept_i.va + 64'(skipped);", "kept_i.va;"}},
	{check: 3, says: "the original itself is within, and every part behind whole packets", fault: fault{
		"not up to its end", rangeFile, "end_q <= 37'(bytes_q);", "end_q < 37'(bytes_q);"}},
}})
