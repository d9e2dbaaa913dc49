package main

const frameFile = "tx/tx_frame.sv"

const (
	frameEntryFile = "tx/frame_entry.sv"
	frameSizeFile  = "tx/frame_size.sv"
)

var _ = register(proof{block: "frame_entry", depth: 3, properties: []property{
	{check: 1, plain: true, says: "host memory is read for a packet's payload, 4096 bytes at most, and for nothing else",
		fault: fault{"for operations too", frameEntryFile,
			"= is_packet & op.payload &", "= op.payload &"}},
	{check: 2, plain: true, says: "a record keeps its number, an operation its way; the payload begins at its offset",
		fault: fault{"at its message's", frameEntryFile,
			"rec_i.address + {32'h0, rec_i.offset};", "rec_i.address;"}},
}})

var _ = register(proof{block: "frame_size", depth: 3, parts: "frame_parts.sv", properties: []property{
	{check: 1, plain: true, says: "a frame has its headers, its payload with its pad, and the ICRC (END-1)",
		fault: fault{"without its pad", frameSizeFile, "({1'b0, rec_i.packet.bytes} + 14'd3) & 14'h3FFC;",
			"{1'b0, rec_i.packet.bytes};"}},
}})

// txFrame: what waits before R is record_pipe's, what is known of a QP qp_context's, what memory gives that of
// read_engine's parts. What headers hold, and what comes as payload, may be anything.
var _ = register(proof{block: "tx_frame", depth: 24, parts: "frame_parts.sv",
	gone:   []string{"u_entry", "u_pipe", "u_size", "u_head", "u_ways", "u_flags", "u_gather"},
	forget: []string{"ram_1r1w", "read_ask", "read_take"},
	properties: append(pipeProperties("u_records", "records", "eight",
		fault{"a record with every beat", frameFile,
			".valid_i  (x_valid_q & x_slot_q.last),", ".valid_i  (x_valid_q),"},
		fault{"operations are not counted", frameFile,
			".claim_i  (r_take),", ".claim_i  (r_take & r_sizes.is_frame),"},
		fault{"X takes the record behind", frameFile, "    x_rec_q  <= f_rec_q;", "    x_rec_q  <= r_rec;"},
	), []property{
		{check: 6, says: "there is a place for every beat", fault: fault{"five too many are under way", frameFile,
			"localparam int unsigned UnderWay = 4;", "localparam int unsigned UnderWay = 0;"}},
		{check: 7, says: "every beat of a frame goes down once, in order, up to the one with its last byte",
			fault: fault{"a last beat of two bytes is lost", frameFile,
				"BeatWidth'((r_sizes.total - 1'b1) >> OffsetWidth)", "BeatWidth'((r_sizes.total - 2'd3) >> OffsetWidth)"}},
		{check: 8, says: "X has the record and the beat that R had two clocks before",
			fault: fault{"the beat behind", frameFile, "    x_slot_q <= f_slot_q;", "    x_slot_q <= r_slot;"}},
		{check: 9, says: "a beat has the bytes of the frame that lie in it, TLAST if it is the last, and its link",
			fault: fault{"the frame's last byte is lost", frameFile,
				"x_beat.keep[b] = (OffsetWidth + 1)'(b) <", "x_beat.keep[b] = (OffsetWidth + 1)'(b + 1) <"}},
		{check: 9, says: "of a QP that failed, or whose payload could not be read, none goes down",
			fault: fault{"of one that failed before", frameFile,
				"if (x_failed) x_why = frame_pkg::WhyFailed;", "if (x_failed & x_slot_q.bad) x_why = frame_pkg::WhyFailed;"}},
		{check: 10, says: "a packet takes its payload, beat by beat, as much as it has; nothing else takes any",
			plain: true, fault: fault{"a last beat of one byte stays", frameFile,
				"frame_pkg::SizeWidth'(BeatBytes - 1)) >>", "frame_pkg::SizeWidth'(BeatBytes - 2)) >>"}},
		{check: 11, says: "every byte of the payload stands in the frame once, in order, behind the headers", plain: true,
			fault: fault{"what goes around is kept for one clock", "rx/ack_shift.sv",
				"if (x_keep_i) before_q <= x_data;", "before_q <= x_data;"}},
		{check: 12, says: "before the payload stand the headers, behind it zeros", plain: true,
			fault: fault{"payload over the headers", frameFile,
				"r_slot.start = r_beat_q == r_head_beat ? {1'b0, r_offset} : '0;", "r_slot.start = '0;"}},
		{check: 13, says: "nothing of a frame leaves before all of its payload is there", fault: fault{
			"its headers do", frameFile, "(~r_takes_payload & r_beat_q != '0)", "~r_takes_payload"}},
	}...)})
