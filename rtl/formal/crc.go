package main

const (
	icrcCheckFile  = "icrc/icrc_check.sv"
	icrcInsertFile = "icrc/icrc_insert.sv"
	icrcLocateFile = "icrc/icrc_locate.sv"
	vcrcCheckFile  = "vcrc/vcrc_check.sv"
)

// What the packets hold has no say in the stream rules: verdicts, and where an ICRC is written, may be anything.
var (
	_ = register(proof{block: "icrc_check", depth: 30, free: []string{"found6", "good9"},
		properties: crcProperties(icrcCheckFile, 16, "sixteen", "{valid_q[1:0], valid6",
			fault{"a stage takes the data of the beat behind", icrcLocateFile,
				"beat4_q        <= beat3_q;", "beat4_q <= {beat3_q.first, beat3_q.last, beat3_q.keep, beat2_q.data};"})})
	_ = register(proof{block: "icrc_insert", depth: 40, free: []string{"found6", "known6", "rel6", "state_b"},
		properties: crcProperties(icrcInsertFile, 36, "thirty-two", "{valid_q[1+Back:0], valid6",
			fault{"a beat goes on with another's keep", icrcInsertFile,
				"if (in_valid_q) ahead_q <= in_q;", "if (in_valid_q) ahead_q <= {in_q.last, in_q.ib, held_q ? ahead_q.keep : " +
					"in_q.keep, in_q.data};"})})
	_ = register(proof{block: "vcrc_check", depth: 30, free: []string{"good7", "encap7", "reason7"},
		properties: crcProperties(vcrcCheckFile, 16, "sixteen", "{valid_q[5:0], in_valid_q",
			fault{"a stage takes the keep of the beat behind", vcrcCheckFile,
				"beat3_q   <= beat2_q;", "beat3_q <= {beat2_q.last, beat1_q.keep, beat2_q.data};"})})
)

// crcProperties takes what goes into the block's row of valid bits, and how many cycles fill its queue at least.
func crcProperties(file string, fill int, most, row string, order fault) []property {
	return filling(pipeProperties("u_output.u_queue", "beats", most,
		fault{"a beat comes a second time", file, "<= " + row + "};", "<= " + row + " | (valid_q[0] & ~valid_q[1])};"},
		fault{"the last beat of a packet only is counted", file,
			".claim_i        (s_axis_tvalid_i & s_axis_tready_o)",
			".claim_i        (s_axis_tvalid_i & s_axis_tready_o & s_axis_tlast_i)"},
		order), fill)
}
