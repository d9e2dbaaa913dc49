package main

const (
	atomicFile      = "ctx/atomic_engine.sv"
	atomicNotesFile = "ctx/atomic_notes.sv"
	atomicALUFile   = "ctx/atomic_alu.sv"
)

var _ = register(proof{block: "atomic_alu", depth: 4, properties: []property{
	{check: 1, plain: true, says: "nothing is written where memory could not be read; else what it held is shown",
		fault: fault{"written unread", atomicALUFile, "assign writes_o   = ~failed_i & ", "assign writes_o   = "}},
	{check: 2, plain: true, says: "FETCH & ADD always writes, the sum modulo 2^64 (RSP-12)", fault: fault{
		"without a carry into bit 32", atomicALUFile, "is_add_i ? data_i + swap_add_i :",
		"is_add_i ? {data_i[63:32] + swap_add_i[63:32], data_i[31:0] + swap_add_i[31:0]} :"}},
	{check: 3, plain: true, says: "CMP & SWAP writes where memory holds what was compared, and nowhere else (DMA-6)",
		fault: fault{"half of it is compared", atomicALUFile, "data_i == compare_i", "data_i[31:0] == compare_i[31:0]"}},
	{check: 4, plain: true, says: "it writes what it was given", fault: fault{"what was compared", atomicALUFile,
		"data_i + swap_add_i : swap_add_i;", "data_i + swap_add_i : compare_i;"}},
}})

var _ = register(proof{block: "atomic_notes", depth: 8, gone: []string{"u_in"}, properties: []property{
	{check: 1, says: "an answer is there from its note until it is used up, whatever other tags do", fault: fault{
		"any answer", atomicNotesFile, "assign there_o = there_q[tag_i];", "assign there_o = there_q != '0;"}},
	{check: 2, says: "it is what came first of its tag", fault: fault{"the last one", atomicNotesFile,
		"if (note) mem[head_tag]", "if (head_valid) mem[head_tag]"}},
	{check: 3, says: "one of a tag without a note is noted at once, and none takes another's place", fault: fault{
		"it takes the place", atomicNotesFile, "head_valid & ~there_q[head_tag];", "head_valid;"}},
}})

// atomicEngine is held against a list of what is under way. What memory answers, and what waits at the queues of four
// sides, may be anything; the value is atomic_alu's.
var _ = register(proof{block: "atomic_engine", depth: 28,
	gone:   []string{"u_in", "u_reads", "u_results", "u_answers", "u_acks", "u_alu"},
	forget: []string{"sync_fifo", "atomic_notes"}, properties: []property{
		{check: 1, says: "none begins while one of its eight bytes is under way, for all addresses (DMA-6)", fault: fault{
			"only of those of its QP", atomicFile, "== words_q[61*i+:61] |", "== words_q[61*i+:61] &"}},
		{check: 2, says: "nor while one of its QP is (DMA-6)", fault: fault{"of 128 QPs", atomicFile,
			"id.qpn == qpns_q[24*i+:24]);", "id.qpn == {17'd0, qpns_q[24*i+:7]});"}},
		{check: 3, says: "one that waits for none begins, with a slot and room: no starvation", fault: fault{
			"what was retired still holds", atomicFile, "assign holds[i] = valid_q[i] &", "assign holds[i] ="}},
		{check: 4, says: "never more than Slots under way", fault: fault{"one more", atomicFile,
			"place_q <= count_d != CountWidth'(Slots);", "place_q <= 1'b1;"}},
		{check: 5, says: "each decides once, behind its begin, with its own tag", fault: fault{"before it", atomicFile,
			"assign decides = step_q != begin_q & ", "assign decides = "}},
		{check: 6, says: "a write has tag and address of its own command, its value their operands and its answer",
			fault: fault{"the operands of the one before", atomicFile, "y_op_q     <= ops[x_slot];",
				"y_op_q     <= ops[x_slot ^ 1'b1];"}},
		{check: 7, says: "what wrote is retired with its own acknowledgement, and not before", fault: fault{
			"without one", atomicFile, "& (~r_decided.writes | r_there) & result_room;", "& result_room;"}},
		{check: 8, says: "results leave in order, each with qpn and psn of its own command, and what it decided",
			fault: fault{"decided a clock too soon", atomicFile, "decided_q <= step_q;",
				"decided_q <= step_q + (TagWidth + 1)'(decides);"}},
		{check: 9, skip: 16, says: "a write always finds its place in the queue", fault: fault{
			"nothing waits for one", atomicFile, "& x_there & write_count < 4'd7;", "& x_there;"}},
	}})
