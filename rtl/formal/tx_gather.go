package main

const gatherFile = "tx/tx_gather.sv"

// Only how a frame from memory waits for its piece: what asks, takes and answers are read_engine's parts.
var _ = register(proof{block: "tx_gather", depth: 14, gone: []string{"u_ask", "u_mem", "u_take", "u_answer"},
	forget: []string{"ram_1r1w", "sync_fifo"}, properties: []property{
		{check: 1, says: "nothing is passed on but of a piece that memory was asked for and has not given",
			fault: fault{"whatever comes is", gatherFile,
				"assign passes = beat_there & (inside_q | asked_q[beat.user[PlaceWidth-1:0]]);", "assign passes = beat_there;"}},
		{check: 1, says: "the same, while the question waits at the port", fault: fault{"it counts as asked", gatherFile,
			"if (m_mem_valid_o && m_mem_ready_i) asked_q", "if (m_mem_valid_o) asked_q"}},
		{check: 1, says: "the same, behind a frame of that piece", fault: fault{"it stays asked for", gatherFile,
			"if (beat.last) asked_q[beat.user[PlaceWidth-1:0]] <= 1'b0;", ""}},
		{check: 2, says: "what comes of a piece that was asked for is passed on at once, whatever others wait for",
			fault: fault{"a frame ends the wait for all", gatherFile,
				"if (beat.last) asked_q[beat.user[PlaceWidth-1:0]] <= 1'b0;", "if (beat.last) asked_q <= '0;"}},
		{check: 2, says: "the same, inside of a frame", fault: fault{"its first beat alone", gatherFile,
			"if (beat.last) asked_q[beat.user[PlaceWidth-1:0]] <= 1'b0;\n",
			"asked_q[beat.user[PlaceWidth-1:0]] <= 1'b0; inside_q <= 1'b0;\n"}},
		{check: 3, says: "a beat leaves the queue as it is passed on, and then only", fault: fault{"one that waits is lost",
			gatherFile, ".m_ready_i(passes & take_ready),", ".m_ready_i(take_ready),"}},
	}})
