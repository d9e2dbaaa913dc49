package main

const endsFile = "top/hca_tx_ends.sv"

// hcaTxEnds is what becomes of the packet that was given first; that it stands first is sync_fifo's.
var _ = register(proof{block: "hca_tx_ends", depth: 6, gone: []string{"u_given"}, properties: []property{
	{check: 1, says: "a verdict is of the packet at the head, that has left and ends its WQE (REQ-13), and of no other",
		fault: fault{"one that did not leave ends it", endsFile, "head.ends & s_left_good_i;", "head.ends;"}},
	{check: 2, says: "an answer takes its packet from the head, one for one", fault: fault{"before the packet is there",
		endsFile, "assign s_left_ready_o = head_valid & (", "assign s_left_ready_o = (s_end_valid_i | head_valid) & ("}},
	{check: 2, says: "and one that ends a WQE only with its verdict, once", fault: fault{"without", endsFile,
		"(goes & m_verdict_ready_i)", "goes"}},
	{check: 3, says: "none ends while a QP is to be closed, and none is lost by that", fault: fault{"it goes on", endsFile,
		"ends & ~failing_i;", "ends;"}},
	{check: 4, says: "what is offered stays until it is taken, but for a QP that fails", fault: fault{
		"it is offered while another packet is given", endsFile, "head_valid & s_left_valid_i & goes;",
		"head_valid & s_left_valid_i & goes & s_end_valid_i;"}},
}})
