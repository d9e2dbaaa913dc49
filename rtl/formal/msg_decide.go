package main

const msgFile = "ctx/msg_decide.sv"

// msgDecide is what msg_tracker decides; its order is record_pipe's, that it decides by the right word qp_context's.
var _ = register(proof{block: "msg_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "look-ups change nothing, nor does a number that is no QP",
		fault: fault{"a First is looked up and taken", msgFile,
			"assign commits     = found && rec_i.op == msg_pkg::OpCommit;",
			"assign commits     = found && (rec_i.op == msg_pkg::OpCommit || rec_i.first);"}},
	{check: 2, plain: true, says: "a WRITE goes on where its last packet ended, by the same key; a SEND at its offset",
		fault: fault{"a carry is lost", msgFile, "behind.va = here.va + 64'(rec_i.payload);",
			"behind.va[31:0] = here.va[31:0] + 32'(rec_i.payload);"}},
	{check: 3, plain: true, says: "what is left goes down by the bytes that came, and never below 0",
		fault: fault{"it turns over", msgFile, "if (left_short) behind.left = '0;", "if (1'b0) behind.left = '0;"}},
	{check: 4, plain: true, says: "behind a Last, an Only or a clear no message is open",
		fault: fault{"an Only stays open", msgFile, "(commits && rec_i.last)) ctx_o",
			"(commits && rec_i.last && !rec_i.first)) ctx_o"}},
	{check: 5, plain: true, says: "a First begins at its RETH, whatever was open (RSP-3)", fault: fault{
		"the offset is kept", msgFile, "      here.offset = '0;\n", ""}},
	{check: 6, plain: true, says: "one that is not first goes on with its own kind only, else nothing is found",
		fault: fault{"with any", msgFile, "(rec_i.first || ctx_i.open == rec_i.verb) &&",
			"(rec_i.first || ctx_i.open != msg_pkg::VerbNone) &&"}},
	{check: 7, plain: true, says: "a record keeps its number and operation", fault: fault{"a number is cut", msgFile,
		"result_o.qpn   = rec_i.qpn;", "result_o.qpn   = 24'(rec_i.qpn[22:0]);"}},
}})
