package main

const steerFile = "top/hca_rx_steer.sv"

var _ = register(proof{block: "hca_rx_steer", depth: 14, gone: []string{"u_heard"}, properties: []property{
	{check: 1, says: "a beat that is taken goes to one of the two, and to one only", fault: fault{"rx_dma has all of them",
		steerFile, "s_axis_tvalid_i & known & ~heard;", "s_axis_tvalid_i & known;"}},
	{check: 1, says: "the same, where one of them is stalled", fault: fault{"the other one's ready counts",
		steerFile, "(heard ? m_heard_tready_i : m_memory_tready_i)", "(heard ? m_memory_tready_i : m_heard_tready_i)"}},
	{check: 2, says: "each frame goes, all of it, where the word says that came as many frames before", fault: fault{
		"every beat takes a word", steerFile,
		"ready & s_axis_tvalid_i & s_axis_tlast_i", "ready & s_axis_tvalid_i"}},
	{check: 3, says: "no beat is taken before the word of its frame is there", fault: fault{
		"a beat of no frame that is known goes to the requester", steerFile,
		"assign ready             = known & (", "assign ready             = (known | s_heard_valid_i) & ("}},
	{check: 4, says: "what is offered stays until it is taken", fault: fault{"it is offered while the other one is ready",
		steerFile,
		"s_axis_tvalid_i & known & heard;", "s_axis_tvalid_i & known & heard & m_memory_tready_i;"}},
}})
