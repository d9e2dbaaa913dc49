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
	}...)})
