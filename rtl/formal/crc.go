package main

const (
	icrcCheckFile  = "icrc/icrc_check.sv"
	icrcInsertFile = "icrc/icrc_insert.sv"
	vcrcCheckFile  = "vcrc/vcrc_check.sv"
)

// What the packets hold has no say in the stream rules: what goes into the output register may be anything.
var (
	icrcCheck = proof{block: "icrc_check", depth: 30, properties: crcProperties(icrcCheckFile, "twelve", "valid6"),
		free: []string{"data9", "keep9", "last9", "covered9", "bad9", "encap9", "reason9", "good9"}}
	icrcInsert = proof{block: "icrc_insert", depth: 36, properties: crcProperties(icrcInsertFile, "seventeen", "valid6"),
		free: []string{"patched", "keep_b", "last_b", "written", "encap_b", "reason_b"}}
	vcrcCheck = proof{block: "vcrc_check", depth: 26, properties: crcProperties(vcrcCheckFile, "ten", "in_valid"),
		free: []string{"data7", "keep7", "last7", "runt7", "bad7", "encap7", "reason7", "good7"}}
)

// crcProperties takes what goes into the block's row of valid bits.
func crcProperties(file, most, valid string) []property {
	row := "<= {valid_q, " + valid + "};"
	return []property{
		{check: 1, says: "valid stays until ready", fault: fault{"valid falls without ready", file,
			"assign m_axis_tvalid_o = out_valid_q;", "assign m_axis_tvalid_o = out_valid_q & (m_axis_tready_i | ~in_valid);"}},
		{check: 2, says: "the beat is stable while stalled", fault: fault{"last follows what comes in", file,
			"assign m_axis_tlast_o  = out_last_q;", "assign m_axis_tlast_o  = out_last_q | s_axis_tvalid_i;"}},
		{check: 3, says: "nothing comes out that did not go in", fault: fault{"a beat comes a second time", file,
			row, "<= {valid_q, " + valid + " | (valid_q[0] & ~valid_q[1])};"}},
		{check: 4, says: "never more than " + most + " beats inside", fault: fault{"a beat is lost in a stage", file,
			row, "<= {valid_q, " + valid + " & ~valid_q[0]};"}},
	}
}
