package main

const arbiterFile = "lib/rr_arbiter.sv"

var _ = register(proof{block: "rr_arbiter", depth: 12, properties: []property{
	{check: 1, says: "grants exactly one of the requests, none without one", fault: fault{"two at once when it turns over",
		arbiterFile,
		"req_i & (~req_i + 1'b1)", "req_i & (~req_i + 2'd2)"}},
	{check: 2, says: "a grant stays until it is taken", fault: fault{"a request that comes takes the grant away",
		arbiterFile,
		"assign grant     = locked_q ? held_q : pick", "assign grant     = pick"}},
	{check: 3, says: "a request waits for at most one turn of every other", fault: fault{"the turn is off by one",
		arbiterFile,
		"~(grant | (grant - 1'b1))", "~(grant - 1'b1)"}},
}})
