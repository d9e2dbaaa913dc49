package main

const (
	timerOpsFile  = "timer/retx_ops.sv"
	timerScanFile = "timer/retx_scan.sv"
	timerFile     = "timer/retx_timer.sv"
)

var _ = register(proof{block: "retx_timer", depth: 26, properties: []property{
	{check: 1, says: "no timer expires early (TMR-6)", skip: 12, fault: fault{"the tick that has begun counts",
		timerOpsFile,
		"op1_tick_q + op1_ticks + TickWidth'(1);", "op1_tick_q + op1_ticks;"}},
	{check: 2, says: "none expires twice, or unarmed", skip: 12, fault: fault{"a delivered timer stays armed",
		timerScanFile,
		".wdata_i (~scrub_i & done_mark_o),", ".wdata_i (~scrub_i & done_mark_o & m_exp_rnr_o),"}},
	{check: 3, says: "an expiry has generation, kind and retries of what armed it", skip: 12,
		fault: fault{"the generation of the lane before", timerScanFile,
			"turn_info = turn_info | w_infos_q[lane*InfoWidth+:InfoWidth];", "turn_info = w_infos_q[0+:InfoWidth];"}},
	{check: 4, says: "none expires after an operation that ended it was accepted", skip: 12,
		fault: fault{"the operation of the same clock is missed",
			timerScanFile, "w_ending[lane] = (op_valid_i & (op_qpn_i == qpn) &",
			"w_ending[lane] = (1'b0 & op_valid_i & (op_qpn_i == qpn) &"}},
	{check: 4, says: "the same, while the port is stalled", skip: 12, fault: fault{"it is offered on", timerScanFile,
		"else if (frozen) x_valid_q <= ~x_ended;", "else if (frozen) x_valid_q <= 1'b1 | x_ended;"}},
	{check: 4, says: "the same, while it waits for its turn", skip: 12, fault: fault{"what was ended is not taken out",
		timerScanFile,
		"assign w_live = w_hits_q & ~(op4_word_q == w_word_q ? op4_lane_q : '0);", "assign w_live = w_hits_q;"}},
	{check: 5, says: "none is lost: given in NumQps / Lanes + 2 clocks and others' turns", skip: 15,
		fault: fault{"an RNR timer is not armed", timerOpsFile,
			"op2_done ^ (state_d != timer_pkg::StateIdle);", "op2_done ^ (state_d == timer_pkg::StateTransport);"}},
	{check: 5, says: "the same, of two in a word", skip: 18, fault: fault{"the second waits for the next round",
		timerScanFile,
		"else if (hold) w_hits_q <= w_more;", "else if (hold) w_hits_q <= '0;"}},
	{check: 6, says: "an expiry is withdrawn only after an operation on its QP", skip: 12,
		fault: fault{"any operation withdraws it", timerScanFile,
			"assign x_ended = op_valid_i & (op_qpn_i == x_qpn_q) &", "assign x_ended = op_valid_i &"}},
	{check: 7, says: "it does not change while it waits", skip: 12, fault: fault{"the next takes its place", timerScanFile,
		"    if (!frozen) begin\n      {x_mark_q,", "    if (!frozen || w_turn != '0) begin\n      {x_mark_q,"}},
	{check: 8, says: "an operation a clock, answered after 3, from NumQps / Lanes clocks on",
		fault: fault{"a bubble behind every operation", timerFile,
			"assign s_op_ready_o = ~scrub;", "assign s_op_ready_o = ~scrub & ~op1_valid;"}},
	{check: 9, says: "a number that no QP has is answered so, and changes nothing", skip: 6,
		fault: fault{"it is taken modulo NumQps", timerFile,
			"assign op_no_qp          = op_high != '0;", "assign op_no_qp          = 1'b0 & (op_high != '0);"}},
	{check: 9, says: "the same, whatever it is answered", skip: 6, fault: fault{"answered so, and done all the same",
		timerOpsFile,
		".wlanes_i(scrub_i | write),", ".wlanes_i(scrub_i | write | (op3_no_qp_q & (op3_qpn_q[LaneWidth-1:0] == " +
			"LaneWidth'(lane)))),"}},
	{check: 6, says: "the same, of an expiry that is offered", skip: 12, fault: fault{"it withdraws it", timerFile,
		"    .op_valid_i    (op_valid),", "    .op_valid_i    (op_accept),"}},
	{check: 10, says: "timeout and resume act behind the expiry of the armed timer, and then only", skip: 6, fault: fault{
		"a stale timeout with a lucky generation is taken", timerOpsFile,
		"(state == timer_pkg::StateTransport) & current & given;",
		"(state == timer_pkg::StateTransport) & current;"}},
	{check: 10, says: "the same, of a resume", skip: 6, fault: fault{"a stale resume with a lucky generation is taken",
		timerOpsFile,
		"changed = waiting & current & given;", "changed = waiting & current;"}},
	{check: 10, says: "the same, of an expiry in the operation's clock", skip: 12, fault: fault{"it is seen a clock late",
		timerOpsFile,
		"assign given    = mark == op2_done;", "logic [1:0] late_q; always_ff @(posedge clk_i) late_q <= {late_q[0], " +
			"done_we_i & (done_qpn_i == op_qpn_i)};" +
			" assign given = (mark == op2_done) & ~late_q[1];"}},
	{check: 11, says: "progress leaves no RNR wait (TMR-5)", skip: 6, fault: fault{"the wait goes on", timerOpsFile,
		"        changed       = 1'b1;\n        state_d       = off",
		"        changed       = ~waiting;\n        if (~waiting) state_d = off"}},
}})
