package main

const (
	rqEccFile     = "ctx/rq_ecc.sv"
	replayEccFile = "ctx/replay_ecc.sv"
	ordersFile    = "ctx/ecc_orders.sv"
)

// rqEcc and replayEcc are what leaves of a record for which a word was lost.
var _ = register(proof{block: "rq_ecc", depth: 4, properties: []property{
	{check: 1, plain: true, says: "of a word that was lost nothing leaves: present 0, bytes 1 (ECC-7)", fault: fault{
		"the WQE does, if it was in a slot", rqEccFile, "decision_i.is_held ? held_lost_i : slot_lost_i",
		"decision_i.is_held & held_lost_i"}},
	{check: 2, plain: true, says: "and of no other record that; those leave as they came", fault: fault{
		"a WQE that is held is lost with the head", rqEccFile, "decision_i.is_held ? held_lost_i : slot_lost_i",
		"held_lost_i | slot_lost_i"}},
}})

var _ = register(proof{block: "replay_ecc", depth: 4, properties: []property{
	{check: 1, plain: true, says: "of a word that was lost nothing leaves: found 0, known 1 (ECC-7)", fault: fault{
		"what was found does", replayEccFile, "    if (lost_i) begin", "    if (lost_i & ~result_i.found) begin"}},
	{check: 2, plain: true, says: "and of no other record that; those leave as they came", fault: fault{
		"a result that is not there is lost", replayEccFile, "      result_o.known    = 1'b1;\n",
		"      result_o.known    = 1'b1;\n    end\n    if (lost_i || !result_i.found) begin\n" +
			"      result_o.known    = 1'b1;\n"}},
}})

// eccOrders is ECC-4 and ECC-5, of one word that is picked.
var _ = register(proof{block: "ecc_orders", depth: 12, properties: []property{
	{check: 1, says: "the next write of a word has the bits turned that were ordered last, and no other write has (ECC-4)",
		fault: fault{"every write from then on", ordersFile, "inject_q & ~flip_o;", "inject_q;"}},
	{check: 1, says: "the same, with a second order", fault: fault{"the first one stays", ordersFile,
		"if (inject_i & inject_ok_o) begin", "if (inject_i & inject_ok_o & ~inject_q) begin"}},
	{check: 1, says: "the same, of two words", fault: fault{"whose numbers differ in the highest bit", ordersFile,
		"inject_q & index_i == inject_at_q;",
		"inject_q & index_i[IndexWidth-2:0] == inject_at_q[IndexWidth-2:0];"}},
	{check: 2, says: "an order names bits that there are, or is none", fault: fault{"one bit more", ordersFile,
		"32'(bit_b_i) < CodeBits;", "32'(bit_b_i) <= CodeBits;"}},
	{check: 3, says: "every look-up counts by what it found, and the word of the latest is kept (ECC-5)", fault: fault{
		"a write counts", ordersFile, "if (looks_i & failed_i) begin", "if ((looks_i | writes_i) & failed_i) begin"}},
}})
