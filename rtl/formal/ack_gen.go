package main

const ackFile = "rx/ack_gen.sv"

// ackGen: what waits at the inputs is sync_fifo's, what is known of a QP qp_context's. What headers hold, and what
// comes as payload, may be anything.
var _ = register(proof{block: "ack_gen", depth: 24, gone: []string{"u_edge", "u_frame", "u_context", "u_payload"},
	properties: append(pipeProperties("u_records", "records", "eight",
		fault{"a record with every beat", ackFile,
			".valid_i  (x_valid_q & x_slot_q.last),", ".valid_i  (x_valid_q),"},
		fault{"operations are not counted", ackFile,
			".claim_i  (r_take),", ".claim_i  (r_take & r_size.is_frame),"},
		fault{"X takes the record behind", ackFile, "    x_rec_q  <= f_rec_q;", "    x_rec_q  <= r_rec;"},
	), []property{
		{check: 6, says: "there is a place for every beat", fault: fault{"five too many are under way", ackFile,
			"localparam int unsigned UnderWay = 4;", "localparam int unsigned UnderWay = 0;"}},
		{check: 7, says: "every beat of a frame goes down once, in order, up to the one with its last byte",
			fault: fault{"a last beat of two bytes is lost", ackFile,
				"BeatWidth'((r_size.total - 1'b1) >> OffsetWidth)", "BeatWidth'((r_size.total - 2'd3) >> OffsetWidth)"}},
		{check: 8, says: "X has the record and the beat that R had two clocks before",
			fault: fault{"the beat behind", ackFile, "    x_slot_q <= f_slot_q;",
				"    x_slot_q <= r_slot;"}},
		{check: 9, says: "a beat has the bytes of the frame that lie in it, TLAST if it is the last, and its link",
			fault: fault{"the frame's last byte is lost", ackFile,
				"x_beat.keep[b] = (OffsetWidth + 1)'(b) <", "x_beat.keep[b] = (OffsetWidth + 1)'(b + 1) <"}},
		{check: 9, says: "of a QP that is not there, or another one with its index, none goes down",
			fault: fault{"another one's", ackFile,
				"|| x_ctx.number != x_rec_q.way.qpn) x_why", "|| x_ctx.number[22:0] != x_rec_q.way.qpn[22:0]) x_why"}},
		{check: 10, says: "a READ response takes its payload, beat by beat, as much as it has; nothing else takes any",
			plain: true, fault: fault{"a last beat of one byte stays", ackFile,
				"ack_pkg::SizeWidth'(BeatBytes - 1)) >> OffsetWidth", "ack_pkg::SizeWidth'(BeatBytes - 2)) >> OffsetWidth"}},
		{check: 11, says: "every byte of the payload stands in the frame once, in order, behind the headers", plain: true,
			fault: fault{"what goes around is kept for one clock", "rx/ack_shift.sv",
				"if (x_keep_i) before_q <= x_data;", "before_q <= x_data;"}},
		{check: 12, says: "before the payload stand the headers, behind it zeros", plain: true,
			fault: fault{"payload over the headers", ackFile,
				"r_slot.start = r_beat_q == r_head_beat ? {1'b0, r_offset} : '0;", "r_slot.start = '0;"}},
	}...)})
