package roce_test

// What devices have forgotten to look at before a packet moves a queue pair.
func init() {
	const file, area = "admission.go", "admission"
	faults = append(faults,
		fault{area, "the peer is not looked at", file, "(h.Src != qp.Peer || qp.Global", "(qp.Global"},
		fault{area, "a GRH is not asked for", file, "|| qp.Global && !h.Global)", ")"},
		fault{area, "limited members meet", file, " && (own|sent)&PKeyFull != 0", ""},
		fault{area, "membership is part of the key", file, "own&^PKeyFull == sent&^PKeyFull", "own == sent"},
		fault{area, "an empty entry of the P_Key table matches", file, "own&^PKeyFull != 0 && ", ""},
		fault{area, "the P_Key at index 0 for every queue pair", file, "p.PKeys[qp.PKeyIndex], h.PKey", "p.PKeys[0], h.PKey"},
		fault{area, "TVer is not looked at", file, "case h.TVer != 0 || !h.WellFormed:", "case !h.WellFormed:"},
		fault{area, "a queue pair receives in INIT", file, "s != Reset && s != Init &&", "s != Reset &&"},
		fault{area, "P_Key before the peer", file, "\tcase qp.connected() &&",
			"\tcase !samePartition(p.PKeys[qp.PKeyIndex%MaxPKeys], h.PKey):\n\t\treturn \"ADM-5\"\n\tcase qp.connected() &&"},
		fault{area, "the ICRC first", file, "\tcase !p.addressed(qp, h):",
			"\tcase !h.ICRCGood:\n\t\treturn \"ADM-6\"\n\tcase !p.addressed(qp, h):"},
		fault{area, "any group is taken", file, " && slices.Contains(d.Groups[:], group)", ""},
		fault{area, "a group's packet under the queue pair's own number", file, "number = MulticastQP", "_ = MulticastQP"},
	)
}
