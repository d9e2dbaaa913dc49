package main

const (
	readAskFile    = "rx/read_ask.sv"
	readTakeFile   = "rx/read_take.sv"
	readAnswerFile = "rx/read_answer.sv"
)

var _ = register(proof{block: "read_ask", depth: 10, gone: []string{"u_cmds", "u_pieces"}, properties: []property{
	{check: 1, says: "READs are answered in their order, each as it came", fault: fault{"the place of the one behind",
		readAskFile, "assign head           = cmds[head_slot];", "assign head           = cmds[ask_slot];"}},
	{check: 2, says: "one is stopped if, and only if, a later one of its QP interrupts or clears, or a read fails (RSP-7)",
		fault: fault{"a duplicate stops itself", readAskFile, "stopped_q[begin_slot] <= 1'b0;",
			"stopped_q[begin_slot] <= breaks;"}},
	{check: 3, says: "never more pieces than places are under way", fault: fault{"one more", readAskFile,
		"mem_room & ask_q != {~free_i[PlaceWidth], free_i[PlaceWidth-1:0]};", "mem_room;"}},
	{check: 4, says: "a piece is of a READ that is not stopped, has 1 to 256 bytes and crosses no multiple of 256",
		fault: fault{"a stopped one is asked on", readAskFile, "closed   = stopped_q[ask_slot] |",
			"closed   = (stopped_q[ask_slot] & ~started_q) |"}},
	{check: 5, says: "it begins where the one before it ended, and does not pass the end of its READ", fault: fault{
		"the address counts with the pieces", readAskFile, "{address[63:8] + 1'b1, 8'd0};", "address + 64'd256;"}},
	{check: 6, says: "a READ that is not stopped is asked to its last byte", fault: fault{"the last piece left out",
		readAskFile, "assign closed   = stopped_q[ask_slot] | asked.clear | left == '0;",
		"assign closed   = stopped_q[ask_slot] | asked.clear | left <= 32'd1;"}},
	{check: 7, says: "its end is the number behind its last piece", fault: fault{"its last one", readAskFile,
		"if (passes) ends[ask_slot] <= ask_q + (PlaceWidth + 1)'(asks_o);", "if (passes) ends[ask_slot] <= ask_q;"}},
}})

var _ = register(proof{block: "read_take", depth: 10, gone: []string{"u_places"},
	forget: []string{"ram_1r1w"}, properties: []property{
		{check: 1, says: "nothing is written to a place but of a piece that was under way when its frame began", fault: fault{
			"what comes", readTakeFile, "first_q ? open_q[place] : took_q);", "first_q ? ~there_q[place] : took_q);"}},
		{check: 2, says: "a piece is there when such a frame ends, and by no other", fault: fault{
			"every beat decides anew", readTakeFile, "(first_q ? open_q[place] : took_q);", "open_q[place];"}},
		{check: 3, says: "what is seen is there, and good (DMA-7)", fault: fault{"another one is there", readTakeFile,
			"assign is_next_there  = seen_q != ask_i & there_q[seen_place];",
			"assign is_next_there  = seen_q != ask_i & there_q != '0;"}},
		{check: 4, says: "what is freed is there", fault: fault{"as soon as it is asked for", readTakeFile,
			"assign oldest_there_o = there_q[free_place];",
			"assign oldest_there_o = there_q[free_place] | open_q[free_place];"}},
		{check: 5, says: "the next one is seen at once, an error when it is thrown away", fault: fault{
			"when any is thrown away", readTakeFile, "(frees_i & seen_q == free_i));", "frees_i);"}},
	}})

// readAnswer has beats of 128 bytes, so that a piece is two.
var _ = register(proof{block: "read_answer", depth: 12,
	gone:   []string{"u_hdrs", "u_recs", "u_shift", "u_drop", "u_data"},
	forget: []string{"sync_fifo", "credit_queue"}, properties: []property{
		{check: 1, says: "a response begins when every piece with a byte of it is seen", fault: fault{
			"where it begins in a piece is left out", readAnswerFile, "{5'd0, cmd_q.address[7:0]} + len_d + 13'd255;",
			"len_d + 13'd255;"}},
		{check: 2, says: "and behind the last beat of the one before, of a READ that is not stopped (RSP-7)", fault: fault{
			"stopped ones as well", readAnswerFile, "& ~finished_q & ~head_stopped_i &\n", "& ~finished_q &\n"}},
		{check: 3, says: "a READ is given up, or ends in an error, between two responses only", fault: fault{
			"a beat before", readAnswerFile, "state_q == read_pkg::Respond & ~moving_q & ~finished_q & head_stopped_i;",
			"state_q == read_pkg::Respond & (~moving_q | is_final) & ~finished_q & head_stopped_i;"}},
		{check: 4, says: "headers have the READ's number, PSNs that count up, LEN-1's bytes, and the last one says so",
			fault: fault{"the PSN of the READ", readAnswerFile, "cmd_q.psn + psn_pkg::steps(count_q);",
				"cmd_q.psn;"}},
		{check: 5, says: "its record counts what left, all of it where it is done", fault: fault{
			"done with its first one", readAnswerFile, "finished_q <= is_last_q;", "finished_q <= is_last_q | first_q;"}},
		{check: 6, says: "what ended early is asked whole, and awaited, before the next one is answered", fault: fault{
			"asked whole is enough", readAnswerFile, "head_asked_i & free_q == head_end_i;", "head_asked_i;"}},
		{check: 7, says: "a piece of it is freed when it is there, and none of the next READ", fault: fault{
			"whether it is there or not", readAnswerFile, "read_pkg::Rest & oldest_there_i & ~is_through;",
			"read_pkg::Rest & ~is_through;"}},
	}})
