package main

const retryFile = "ctx/retry_decide.sv"

// retryDecide is what retry_ctl decides of a QP; that it is given the right word is qp_context's.
var _ = register(proof{block: "retry_decide", depth: 4, properties: []property{
	{check: 1, plain: true, says: "a QP that is closed or not there: only configure changes it, and nothing is said",
		fault: fault{"responses move it", retryFile, "assign live     = known_i & state_i.open;",
			"assign live     = known_i & (state_i.open | (rec_i.op == retry_pkg::OpResponse));"}},
	{check: 2, plain: true, says: "an expiry of another timer or generation does nothing (TMR-2)",
		fault: fault{"the generation is not looked at", retryFile,
			"assign expired     = expires & (rec_i.gen == state_i.gen) &", "assign expired     = expires &"}},
	{check: 3, plain: true, says: "no retry in a wait, nor a second one for the same una (TMR-3, TMR-5)",
		fault: fault{"each NAK of a gap starts one", retryFile,
			"assign nak         = again & ~waiting & ~retrying;", "assign nak         = again & ~waiting;"}},
	{check: 4, plain: true, says: "una moves with progress and configure only, to where they say", fault: fault{
		"with every response", retryFile,
		"if (progress) state_o.una = rec_i.una;", "if (responds) state_o.una = rec_i.una;"}},
	{check: 5, plain: true, says: "both counts, timer and generation are those of retx_timer behind what it is told",
		fault: fault{"rnr_retry 7 is counted", retryFile,
			"if (wait_asked & ~wait_fails & (state_i.rnr_retry != timer_pkg::Forever)) begin",
			"if (wait_asked & ~wait_fails) begin"}},
	{check: 6, plain: true, says: "it fails where no retry or wait is left, by a fatal NAK, a bad response, else never",
		fault: fault{"the last retry is not used", retryFile,
			"assign retry_fails = retry & (retries == 3'd0);", "assign retry_fails = retry & (retries <= 3'd1);"}},
	{check: 7, plain: true, says: "back, wait, go on: each with its cause, and what is asked and told with it",
		fault: fault{"progress ends a wait unsaid", retryFile,
			"if (ended | resumes) order = retry_pkg::OrderGoOn;", "if (resumes) order = retry_pkg::OrderGoOn;"}},
	{check: 8, plain: true, says: "an open QP with nothing unacked has no transport timer behind a response (TMR-2)",
		fault: fault{"the last ACK lets it run", retryFile,
			"& rec_i.idle ? 5'd0 :", "& rec_i.idle & ~rec_i.progress ? 5'd0 :"}},
}})
