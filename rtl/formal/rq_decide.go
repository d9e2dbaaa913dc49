package main

const rqFile = "ctx/rq_decide.sv"

// rqDecide is what rq_head decides of a queue and a QP; that it is given the right words is qp_context's.
var _ = register(proof{block: "rq_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "look-ups change nothing, nor does a number that is none",
		fault: fault{"a look-up takes", rqFile,
			"assign takes      = asks && rec_i.op == rq_pkg::OpTake;", "assign takes      = asks;"}},
	{check: 2, plain: true, says: "never more than Depth in a queue; a post that has no room is not stored",
		fault: fault{"it is counted", rqFile, "if (posts && has_room) count_o", "if (posts) count_o"}},
	{check: 3, plain: true, says: "a post goes behind the last one, to a slot that is free", fault: fault{
		"to the head", rqFile, "posts ? head_i + count_i[SlotWidth-1:0] : head_i;", "head_i;"}},
	{check: 4, plain: true, says: "a queue of one QP: the head goes with complete, and then only (RSP-3)", fault: fault{
		"every SEND takes one", rqFile, "!is_held && (rec_i.complete || rec_i.is_shared);", "!is_held;"}},
	{check: 5, plain: true, says: "a shared queue: a message takes one WQE, with its first packet, and goes on with it",
		fault: fault{"one with every packet", rqFile,
			"assign pops     = takes && any && !is_held &&",
			"assign pops     = takes && any && (!is_held || !rec_i.complete) &&"}},
	{check: 6, plain: true, says: "a WQE that is held is let go by complete and release, and by nothing else",
		fault: fault{"by a take from a queue of its own", rqFile,
			"if (releases || (takes && is_held && rec_i.complete))", "if (releases || (takes && rec_i.complete))"}},
	{check: 7, plain: true, says: "credits: the largest value of the table that is not above what is left (CRD-1, CRD-2)",
		fault: fault{"the one that is used up counts", rqFile, "assign uses = rec_i.complete & any;", "assign uses = 1'b0;"}},
	{check: 8, plain: true, says: "a WQE is shown where there is one; held ones to those who share only", fault: fault{
		"to anyone", rqFile, "(releases || (asks && rec_i.is_shared));", "(releases || asks);"}},
	{check: 9, plain: true,
		says: "a record for which a word was lost tells so, shows and changes nothing; clear and release do (ECC-7)",
		fault: fault{"a QP that was lost takes", rqFile,
			"uses_both && !queue_lost_i && !qp_lost_i;", "uses_both && !queue_lost_i;"}},
}})
