package main

const cnpDecideFile = "rx/cnp_decide.sv"

// cnpDecide is what cnp_gen decides of a record, or of a visit, by a word and the time; that it is given the right word
// is qp_context's, and that a stamp tells the true time is cnp_wrap's.
var _ = register(proof{block: "cnp_decide", depth: 4, properties: []property{
	{check: 1, plain: true,
		says: "of marked RoCEv2 packets of a QP that is there, and that are no CNPs, and of no others " +
			"(CNP-1, CNP-4)", fault: fault{"one bit of ECN will do", cnpDecideFile,
			"if (rec_i.way.tclass[1:0] != cnp_pkg::Congestion) why", "if (!rec_i.way.tclass[0]) why"}},
	{check: 2, plain: true, says: "none where the stamp is less than the period ago, one where it is not (CNP-2)",
		fault: fault{"one clock more", cnpDecideFile, "age < {1'b0, period_i};", "age <= {1'b0, period_i};"}},
	{check: 3, plain: true, says: "it goes to the QP's peer, of UD to the sender (CNP-3)",
		fault: fault{"always to the peer",
			cnpDecideFile, "rec_i.service == cnp_pkg::ServiceUd ? rec_i.peer_qpn : ctx_i.peer_qpn;", "ctx_i.peer_qpn;"}},
	{check: 4, plain: true, says: "a packet that gives a CNP has the time put down, and changes no more; others change " +
		"nothing (CNP-2)", fault: fault{"each mark puts the next CNP off", cnpDecideFile,
		"== cnp_pkg::OpPacket && why == cnp_pkg::WhyGood;",
		"== cnp_pkg::OpPacket && (why == cnp_pkg::WhyGood || why == cnp_pkg::WhySoon);"}},
	{check: 5, plain: true, says: "a QP that is set has given none; one is removed by its own number only", fault: fault{
		"it has what the last one had", cnpDecideFile, "ctx_o.recent   = 1'b0;", "ctx_o.recent   = ctx_i.recent;"}},
	{check: 6, plain: true, says: "a visit clears the flag of a stamp of half the range or more, and does no more",
		fault: fault{"of a quarter", cnpDecideFile, "visit_i && age[StampWidth-1];",
			"visit_i && age[StampWidth-1:StampWidth-2] != '0;"}},
	{check: 7, plain: true, says: "a period of half the range or more is refused", fault: fault{"taken, cut",
		cnpDecideFile,
		"rec_i.op == cnp_pkg::OpPeriod && fits;", "rec_i.op == cnp_pkg::OpPeriod;"}},
	{check: 8, plain: true, says: "a bubble writes nothing", fault: fault{"it does", cnpDecideFile,
		"forgets || (valid_i && (sends || sets || removes));", "forgets || sends || sets || removes;"}},
}})
