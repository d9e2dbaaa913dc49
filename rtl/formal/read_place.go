package main

const readPlaceFile = "tx/read_place.sv"

// readPlace is how record_pipe, qp_context and place_decide stand together, what goes on to dma_place and what comes
// from dma_order, whose proofs are their own: what they give may be anything.
var _ = register(proof{block: "read_place", depth: 20,
	gone:   []string{"u_context", "u_decide", "u_feed", "u_place", "u_order", "u_results"},
	forget: []string{"dma_place", "dma_order", "place_feed"},
	properties: append(pipeProperties("u_pipe.u_queue", "records", "eight",
		fault{"a record comes a second time", recordPipeFile,
			"<= {f_valid_q, r_valid_q, accept};", "<= {f_valid_q | (x_valid_q & ~m_valid_o), r_valid_q, accept};"},
		fault{"verdicts are not counted", recordPipeFile,
			".claim_i  (accept),", ".claim_i  (accept & s_data_i[1:0] != 2'd3),"},
		fault{"progress and fail are changed over", readPlaceFile,
			"s_fail_i, s_progress_i, s_pmtu_i", "s_progress_i, s_fail_i, s_pmtu_i"},
	), []property{
		{check: 6, says: "a record in R looks up the list of its QP", fault: fault{"that of the record in X", readPlaceFile,
			".r_qpn_i(r_rec.qpn[QpnWidth-1:0]),", ".r_qpn_i(x_rec.qpn[QpnWidth-1:0]),"}},
		{check: 7, says: "X decides by that list, whether there is such a QP, and writes what is decided, for a record only",
			fault: fault{"the range of the record behind", readPlaceFile,
				"x_in_range_q <= f_in_range_q;", "x_in_range_q <= r_rec.qpn[23:QpnWidth] == '0;"}},
		{check: 8, says: "dma_place is given what was decided, its address base and PSNs of the PMTU (REQ-15)",
			fault: fault{"the upper half of the distance is lost", readPlaceFile,
				"({40'd0, decided.reach} <<", "({52'd0, decided.reach[11:0]} <<"}},
		{check: 9, says: "place_feed is told of each record with payload, when it goes, and of no other",
			fault: fault{"while it waits too", readPlaceFile,
				".s_valid_i      (goes & decided.bytes", ".s_valid_i      (decided_valid & decided.bytes"}},
		{check: 10, says: "a write that failed is a verdict with its PSN; all else goes as it came (DMA-5)",
			fault: fault{"without progress the READ is not reached", readPlaceFile,
				"      result.progress = 1'b1;\n", ""}},
	}...)})
