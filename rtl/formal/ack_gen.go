package main

const ackFile = "rx/ack_gen.sv"

// ackGen: what waits at the input is sync_fifo's, what is known of a QP qp_context's. What a frame holds may be
// anything.
var _ = register(proof{block: "ack_gen", depth: 24, gone: []string{"u_edge", "u_frame", "u_context"},
	properties: append(pipeProperties("u_records", "records", "eight",
		fault{"a record with every beat", ackFile,
			".valid_i  (x_valid_q & x_slot_q.last),", ".valid_i  (x_valid_q),"},
		fault{"operations are not counted", ackFile,
			".claim_i  (r_take),", ".claim_i  (r_take & r_is_frame),"},
		fault{"X takes the record behind", ackFile, "    x_rec_q  <= f_rec_q;", "    x_rec_q  <= r_rec;"},
	), []property{
		{check: 6, says: "there is a place for every beat", fault: fault{"five too many are under way", ackFile,
			"localparam int unsigned UnderWay = 4;", "localparam int unsigned UnderWay = 0;"}},
		{check: 7, says: "every beat of a frame goes down once, in order, up to the one with its last byte",
			fault: fault{"a last beat of two bytes is lost", ackFile, // no frame has whole beats only, at any width
				"if (r_is_frame && r_bytes > 7'(i * BeatBytes))",
				"if (r_is_frame && r_bytes > 7'(i * BeatBytes + 2))"}},
		{check: 8, says: "X has the record and the beat that R had two clocks before",
			fault: fault{"the beat behind", ackFile, "    x_slot_q <= f_slot_q;",
				"    x_slot_q <= {r_is_frame, r_last, r_beat_q, r_bytes, r_sum};"}},
		{check: 9, says: "a beat has the bytes of the frame that lie in it, TLAST if it is the last, and its link",
			fault: fault{"the frame's last byte is lost", ackFile,
				"x_slot_q.bytes > 7'(i * BeatBytes + b);", "x_slot_q.bytes > 7'(i * BeatBytes + b + 1);"}},
		{check: 9, says: "of a QP that is not there, or another one with its index, none goes down",
			fault: fault{"another one's", ackFile,
				"|| x_ctx.number != x_rec_q.qpn) x_why", "|| x_ctx.number[22:0] != x_rec_q.qpn[22:0]) x_why"}},
	}...)})
