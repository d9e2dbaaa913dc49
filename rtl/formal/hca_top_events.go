package main

const eventsFile = "top/hca_top_events.sv"

var _ = register(proof{block: "hca_top_events", depth: 10, properties: []property{
	{check: 1, says: "every frame that the gate lets in is told as entered, once, and nothing else is", fault: fault{
		"one that it drops enters too", eventsFile,
		"gate_takes && s_gate_why_i == '0;", "gate_takes;"}},
	{check: 2, says: "every record that is taken is told as one that leaves, once, and nothing else is", fault: fault{
		"one that comes while an event waits is lost", eventsFile,
		"assign s_rec_ready_o  = moves & ~(rec_counts & gate_counts);",
		"assign s_rec_ready_o  = ~(rec_counts & gate_counts);"}},
	{check: 3, says: "every drop is counted once, under its own reason", fault: fault{
		"one of the gate covers that of the same clock", eventsFile,
		"assign s_rec_ready_o  = moves & ~(rec_counts & gate_counts);", "assign s_rec_ready_o  = moves;"}},
	{check: 3, says: "the same, of verdicts", fault: fault{"those that answer count too", eventsFile,
		" & s_rec_verdict_i == resp_pkg::VerdictDropped;", ";"}},
	{check: 4, says: "a remove is told once, with or behind what was taken before it", fault: fault{
		"one that comes while an event waits is lost", eventsFile, "closed_q <= closes & ~moves;", "closed_q <= 1'b0;"}},
	{check: 5, says: "an event stays as it is until it is taken", fault: fault{"the next one covers it", eventsFile,
		"if (moves) event_q <= event_d;", "event_q <= event_d;"}},
}})
