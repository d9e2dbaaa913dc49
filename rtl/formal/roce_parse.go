package main

const parseFile = "rx/roce_parse.sv"

var roceParse = proof{block: "roce_parse", depth: 24, properties: []property{
	{check: 1, says: "m_hdr: valid stays until ready", fault: fault{"valid falls without ready", parseFile,
		"assign m_hdr_valid_o         = out_valid_q", "assign m_hdr_valid_o         = out_valid_q & (m_hdr_ready_i | ~in_valid)"}},
	{check: 2, says: "m_hdr: the record is stable while stalled", fault: fault{"the record follows the next packet", parseFile,
		"if (packet_end) out_hdr_q <= hdr12_q", "if (leave12 & last12_q) out_hdr_q <= hdr12_q"}},
	{check: 3, says: "m_hdr: no record without a packet", fault: fault{"a record for every beat", parseFile,
		"assign packet_end = en & leave12 & last12_q", "assign packet_end = en & leave12"}},
	{check: 4, says: "m_hdr: never more than fifteen packets of it inside", fault: fault{"a packet of one beat has no record", parseFile,
		"{valid6, valid7_q,", "{valid6 & ~valid7_q, valid7_q,"}},
	{check: 5, says: "m_axis: valid stays until ready", fault: fault{"valid lasts a cycle only", storeFile,
		"if (m_ready_i || !valid_q) valid_q <= read", "valid_q <= read"}},
	{check: 6, says: "m_axis: the beat is stable while stalled", fault: fault{"the memory is read while stalled", storeFile,
		"if (read) data_q <=", "if (read_q != kept_q) data_q <="}},
}, free: []string{"store_full", "hdr12_q", "good12_q", "store12_q", "ends12_q", "keep12_q", "joined"}}

const opcodeFile = "rx/roce_opcode.sv"

// roceParsePairs is what a consumer of both outputs lives on: the payloads are those of the records that have one, in their order.
var roceParsePairs = proof{block: "roce_parse", harness: "roce_parse_pairs", depth: 14, properties: []property{
	{check: 1, says: "of an opcode without payload (OPC-2) no beat is kept", fault: fault{"a READ request's payload is kept", opcodeFile,
		"5'h0C, 5'h11, 5'h12,", "5'h11, 5'h12,"}},
	{check: 2, says: "a packet whose record has no payload to pass on leaves none", fault: fault{"what is malformed is kept", parseFile,
		"bth_there10_q & (hdr11_d.reason == hca_pkg::ReasonNone);", "bth_there10_q;"}},
	{check: 3, says: "one whose record has is kept, in ceil(payload_bytes / 8) beats", fault: fault{"a last beat of one byte is lost", parseFile,
		"payload10_q & (left10_q > 0)", "payload10_q & (left10_q > 1)"}},
	{check: 4, says: "with TLAST on the last of them and on no other", fault: fault{"a whole last beat is none", parseFile,
		"assign more10      = left10_q > BeatRel;", "assign more10      = left10_q >= BeatRel;"}},
	{check: 5, says: "at every packet's end what was stored is kept or taken back", fault: fault{"nothing is, behind a beat not stored", parseFile,
		".drop_i   (packet_end & ~good12_q)", ".drop_i   (packet_end & ~good12_q & store12_q)"}},
}, gone: []string{"u_locate", "u_headers", "u_store"}}
