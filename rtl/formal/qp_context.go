package main

const contextFile = "ctx/qp_context.sv"

var qpContext = proof{block: "qp_context", depth: 14, properties: []property{
	{check: 1, says: "execute sees what the latest earlier write to its QP left, or zero", fault: fault{"the write of the record before is missed",
		contextFile, "if (f_same_x_q & x_we_i) x_ctx_q", "if (f_same_x_q & x_we_i & ~f_same_late_q) x_ctx_q"}},
	{check: 1, says: "the same, written two records before", fault: fault{"the write of two records before is missed", contextFile,
		"else if (f_same_late_q & late_we_q)", "else if (f_same_late_q & late_we_q & f_same_x_q)"}},
	{check: 1, says: "the same, of two writes the younger one", fault: fault{"the older one wins", contextFile,
		"if (f_same_x_q & x_we_i) x_ctx_q", "if (f_same_x_q & x_we_i & ~(f_same_late_q & late_we_q)) x_ctx_q"}},
	{check: 1, says: "the same, also after a stall", fault: fault{"the late write goes on while the pipeline stands", contextFile,
		"      late_we_q     <= x_we_i;\n", "    end\n    late_we_q <= x_we_i & en_i;\n    if (en_i) begin\n"}},
	{check: 2, says: "ready NumQps clocks after reset, and then for ever", fault: fault{"the scrub stops half way", contextFile,
		"assign ready_o = scrub_q[QpnWidth];", "assign ready_o = scrub_q[QpnWidth] | scrub_q[QpnWidth-1];"}},
}}
