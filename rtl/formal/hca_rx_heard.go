package main

const heardFile = "top/hca_rx_heard.sv"

// hcaRxHeard is what goes into the two queues of hca_rx_heard; that they give it out once and in order is sync_fifo's.
var _ = register(proof{block: "hca_rx_heard", depth: 6, gone: []string{"u_responses", "u_cnps"}, properties: []property{
	{check: 1, says: "a response goes to the queue of responses once, and to no other; a request to none", fault: fault{
		"CNPs go there too", heardFile, "go_i & class_i == classify_pkg::ClassResponse",
		"go_i & class_i >= classify_pkg::ClassResponse"}},
	{check: 1, says: "a CNP to the other one", fault: fault{"one that is not taken", heardFile,
		"go_i & class_i == classify_pkg::ClassCnp", "class_i == classify_pkg::ClassCnp"}},
	{check: 2, says: "with the fields of its header and the number of its QP, as hca_tx takes them", fault: fault{
		"its PSN stands for its MSN", heardFile, "hdr_i.msn;", "hdr_i.psn;"}},
	{check: 3, says: "there is room where there is for either, so that none is lost", fault: fault{
		"where there is for a response", heardFile, "resp_ready & cnp_ready;", "resp_ready;"}},
}})
