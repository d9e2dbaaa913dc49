package main

const gateFile = "icrc/icrc_gate.sv"

// icrcGate: what goes into the store and out of it. That a store keeps what it is told to keep is packet_store's; the
// two together, and the links beside them, are proved for a number of cycles.
var _ = register(proof{block: "icrc_gate", depth: 24, properties: append(pipeProperties("u_records", "records",
	"sixteen",
	fault{"a record for every beat", gateFile,
		"assign frame_end = in_valid_q & in_q.last;", "assign frame_end = in_valid_q;"},
	fault{"a frame whose verdict is bad is not counted", gateFile,
		".claim_i  (accept & s_axis_tlast_i)", ".claim_i  (accept & s_axis_tlast_i & ~s_axis_tuser_i[1])"},
	fault{"the reason of the frame behind", gateFile,
		".data_i   ({verdict.reason,", ".data_i   ({s_axis_tuser_i[11:8],"},
), []property{
	{check: 6, says: "every beat up to the longest frame is stored as it was, a clock later",
		fault: fault{"one beat too many", gateFile,
			"assign too_long  = beats_q == CountWidth'(MaxBeats);", "assign too_long  = beats_q > CountWidth'(MaxBeats);"}},
	{check: 7, says: "a frame is kept at its end if its verdict is good, and then only (ADM-2, ADM-6)",
		fault: fault{"one that has no ICRC is kept", gateFile,
			"else if (verdict.crc == hca_pkg::CrcNone) why = hca_pkg::GateNotRoce;",
			"else if (verdict.crc == hca_pkg::CrcNone) why = hca_pkg::GatePassed;"}},
}...)})

// icrcGateFrames is what leaves of them.
var _ = register(proof{block: "icrc_gate", depth: 12, parameters: "-set CountWidth 4", properties: []property{
	{check: 8, bounded: true, says: "what leaves is the beats of the good frames, in order, with their link",
		fault: fault{"the link is also that of the frame behind", gateFile,
			"    .s_data_i (is_ib),", "    .s_data_i (is_ib | s_axis_tuser_i[6]),"}},
	{check: 9, says: "m_axis is stable while stalled", bounded: true,
		fault: fault{"the next link is taken with the first beat", gateFile,
			"m_axis_tvalid_o & m_axis_tready_i & m_axis_tlast_o", "m_axis_tvalid_o & m_axis_tlast_o"}},
}})
