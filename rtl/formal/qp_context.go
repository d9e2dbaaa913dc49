package main

const contextFile = "ctx/qp_context.sv"

// qp_context is proved with both read latencies of its memory; the second one is the same harness with ReadLatency 2.
var (
	_ = register(proof{block: "qp_context", depth: 14, properties: contextProperties("")})
	_ = register(proof{block: "qp_context", parameters: "-set ReadLatency 2", depth: 16,
		properties: contextProperties(", read latency 2")})
)

const (
	newestWins = "if (f_same[0] & x_we_i) x_ctx_d"
	olderWins  = "if (f_same[n+1] & late_we_q[n]) x_ctx_d"
)

func contextProperties(latency string) []property {
	return []property{
		{check: 1, says: "execute sees what the latest earlier write to its QP left, or zero" + latency,
			fault: fault{"the write of the record before is missed",
				contextFile, newestWins, "if (f_same[0] & x_we_i & ~f_same[1]) x_ctx_d"}},
		{check: 1, says: "the same, written before that" + latency, fault: fault{"the oldest write of those is missed",
			contextFile,
			olderWins, "if (f_same[n+1] & late_we_q[n] & n != L - 1) x_ctx_d"}},
		{check: 1, says: "the same, of two writes the younger one" + latency, fault: fault{"the older one wins", contextFile,
			newestWins, "if (f_same[0] & x_we_i & ~(f_same[1] & late_we_q[0])) x_ctx_d"}},
		{check: 2, says: "ready NumQps clocks after reset, and then for ever" + latency,
			fault: fault{"the scrub stops half way", contextFile,
				"assign ready_o = scrub_q[QpnWidth];", "assign ready_o = scrub_q[QpnWidth] | scrub_q[QpnWidth-1];"}},
	}
}
