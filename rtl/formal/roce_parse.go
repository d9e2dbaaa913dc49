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
