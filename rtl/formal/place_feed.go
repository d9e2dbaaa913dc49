package main

const placeFeedFile = "tx/place_feed.sv"

// placeFeed follows one beat of the frames, and one record.
var _ = register(proof{block: "place_feed", depth: 9, properties: []property{
	{check: 1, bounded: true, says: "the beats of frames leave once, in order, as they came",
		fault: fault{"a value takes one with it", placeFeedFile,
			"assign in_ready     = through & ~is_value;", "assign in_ready     = through;"}},
	{check: 2, bounded: true, says: "each value leaves as one beat of 8 bytes, in the place of its record",
		fault: fault{"the beat goes on with a frame's end", placeFeedFile,
			"assign m_axis_tlast_o  = is_value | in_last;", "assign m_axis_tlast_o  = in_last;"}},
	{check: 3, bounded: true,
		says: "nothing leaves before its record came, and a frame's record stays until its last beat",
		fault: fault{"a frame does not wait", placeFeedFile,
			"assign m_axis_tvalid_o = source_valid & (is_value | in_valid);",
			"assign m_axis_tvalid_o = (source_valid & is_value) | in_valid;"}},
	{check: 4, bounded: true, says: "a beat stays, as it is, until it is taken",
		fault: fault{"a value is taken back where a frame comes", placeFeedFile,
			"assign m_axis_tvalid_o = source_valid & (is_value | in_valid);",
			"assign m_axis_tvalid_o = source_valid & (is_value ^ in_valid);"}},
}})
