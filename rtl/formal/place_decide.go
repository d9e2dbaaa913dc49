package main

const placeDecideFile = "tx/place_decide.sv"

// placeDecide is what read_place decides; its order is record_pipe's, that it decides by the right list qp_context's.
var _ = register(proof{block: "place_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "without data, a QP or a READ nothing is placed, and the list stays (REQ-15, DMA-3)",
		fault: fault{"a duplicate is placed", placeDecideFile,
			"in_range_i & told & rec_i.data & (state.reads != '0);", "in_range_i & told & (state.reads != '0);"}},
	{check: 2, plain: true,
		says: "a READ's bytes go as far behind the head's address as their PSN lies behind the first one",
		fault: fault{"a bit of the distance is lost", placeDecideFile,
			"psn_pkg::count_of(psn_pkg::distance(rec_i.psn, head.first));",
			"24'(23'(psn_pkg::distance(rec_i.psn, head.first)));"}},
	{check: 3, plain: true,
		says: "an atomic's value, 8 bytes, goes to the head's address; what brings nothing goes nowhere",
		fault: fault{"it goes where a READ's bytes would", placeDecideFile,
			"    else result_o.reach = psn_pkg", "    result_o.reach = psn_pkg"}},
	{check: 4, plain: true, says: "what was sent joins at the end, and not a full list (REQ-9)",
		fault: fault{"one more than there is room for is counted", placeDecideFile,
			"(state.reads < 5'(Reads));", "(state.reads <= 5'(Reads));"}},
	{check: 5, plain: true, says: "the head leaves with its last response, those behind it move up, and with no other",
		fault: fault{"with any that says ended", placeDecideFile,
			"assign ends     = taken & rec_i.ended;",
			"assign ends     = told & in_range_i & rec_i.ended & (state.reads != '0);"}},
	{check: 6, plain: true, says: "a clear empties the list and takes the PMTU, of a QP that is there",
		fault: fault{"a verdict clears too", placeDecideFile,
			"in_range_i & (rec_i.op == place_pkg::OpClear);", "in_range_i & rec_i.op[1];"}},
	{check: 7, plain: true, says: "a record keeps its number, PSN, progress, fail and status",
		fault: fault{"progress and fail are changed over", placeDecideFile,
			"result_o.progress = rec_i.progress;", "result_o.progress = rec_i.fail;"}},
}})
