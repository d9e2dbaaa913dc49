package main

const admitFile = "rx/rx_admit.sv"

// rxAdmit is what rx_classify decides; its order is record_pipe's, that it decides by the right word qp_context's.
var _ = register(proof{block: "rx_admit", depth: 4, properties: []property{
	{check: 1, plain: true, says: "what passes is to one of our addresses, and well formed (ADM-1, ADM-2)",
		fault: fault{"an address that is not set is ours", admitFile,
			"assign addressed   = dst != '0 && is_own != '0;", "assign addressed   = is_own != '0;"}},
	{check: 2, plain: true, says: "to a QP of that number and service that receives (ADM-3)",
		fault: fault{"another one with the index", admitFile,
			"assign ours        = ctx_i.there && ctx_i.number == rec_i.dest_qp;",
			"assign ours        = ctx_i.there && ctx_i.number[22:0] == rec_i.dest_qp[22:0];"}},
	{check: 3, plain: true, says: "from its peer, with a GRH where the path has one (ADM-4)",
		fault: fault{"UC has no peer", admitFile, "assign connected   = ctx_i.service != classify_pkg::ServiceUd;",
			"assign connected   = ctx_i.service == classify_pkg::ServiceRc;"}},
	{check: 4, plain: true, says: "with a P_Key that matches the QP's (ADM-5)", fault: fault{"two limited members talk",
		admitFile, " && (pkey[15] || rec_i.pkey[15]);", ";"}},
	{check: 5, plain: true, says: "what all of these let through passes, what is dropped has a reason",
		fault: fault{"a CNP is of RC only", admitFile,
			"assign serves = is_cnp ||", "assign serves = (is_cnp && ctx_i.service == classify_pkg::ServiceRc) ||"}},
	{check: 6, plain: true, says: "packets change nothing, operations what they name, if they are done",
		fault: fault{"a QP takes another's place", admitFile,
			"else if (ctx_i.there && !ours) refused", "else if (ctx_i.there && !ours && rec_i.live) refused"}},
	{check: 7, plain: true, says: "receive queue and protection domain are those that the QP was set with",
		fault: fault{"those of the record", admitFile,
			"result_o.receive = ctx_i.receive;", "result_o.receive = rec_i.receive;"}},
}})
