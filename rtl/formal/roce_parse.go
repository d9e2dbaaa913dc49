package main

const (
	parseFile   = "rx/roce_parse.sv"
	fieldsFile  = "rx/roce_fields.sv"
	payloadFile = "rx/roce_payload.sv"
)

// The records leave by the rules of formal/pipe_rules.sv. What is in them, and whether the store is full, may be
// anything.
var _ = register(proof{block: "roce_parse", depth: 30, gone: []string{"u_fields", "u_payload", "u_headers", "u_store"},
	free: []string{"found6"},
	properties: pipeProperties("u_records", "records", "sixteen",
		fault{"a record for every beat", parseFile,
			"assign packet_end = leave12 & last12_q;", "assign packet_end = leave12;"},
		fault{"a packet with a whole last beat is not counted", parseFile,
			".claim_i  (accept & s_axis_tlast_i)", ".claim_i  (accept & s_axis_tlast_i & ~s_axis_tkeep_i[7])"},
		fault{"a packet of one beat has no record", parseFile,
			"{valid_q[3:0], valid6}", "{valid_q[3:0], valid6 & ~valid_q[0]}"},
	)})

const opcodeFile = "rx/roce_opcode.sv"

// The pairs of records and payloads are what a consumer of both outputs lives on: the payloads are those of the records
// that have one, in their order.
var _ = register(proof{block: "roce_parse", harness: "roce_parse_pairs", depth: 14, properties: []property{
	{check: 1, says: "of an opcode without payload (OPC-2) no beat is kept",
		fault: fault{"a READ request's payload is kept", opcodeFile,
			"5'h0C, 5'h11, 5'h12,", "5'h11, 5'h12,"}},
	{check: 2, says: "a packet whose record has no payload to pass on leaves none",
		fault: fault{"what is malformed is kept", fieldsFile,
			"bth_there10 & (hdr11_d.reason == hca_pkg::ReasonNone);", "bth_there10;"}},
	{check: 3, says: "one whose record has is kept, in ceil(payload_bytes / 8) beats",
		fault: fault{"a last beat of one byte is lost", payloadFile,
			"turn10_q.has & (left10 > 0)", "turn10_q.has & (left10 > 1)"}},
	{check: 4, says: "with TLAST on the last of them and on no other", fault: fault{"a whole last beat is none",
		payloadFile,
		"assign more10 = left10 > BeatRel;", "assign more10 = left10 >= BeatRel;"}},
	{check: 5, says: "at every packet's end what was stored is kept or taken back",
		fault: fault{"nothing is, behind a beat not stored", parseFile,
			".drop_i   (packet_end & ~good12_q)", ".drop_i   (packet_end & ~good12_q & store12)"}},
}, gone: []string{"u_locate", "u_headers", "u_store"}})
