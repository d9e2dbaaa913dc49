package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheets of what is asked ahead of a verdict: msg_tracker, rq_head and rx_issue.
func init() {
	declarations["msg_tracker"] = declareMessages
	declarations["rq_head"] = declareQueues
	declarations["rx_issue"] = declareIssue
}

var (
	noYes      = Axis{"no", "yes"}
	messageOps = Axis{"look up", "commit", "clear", "3", "4", "5", "6", "7"}
	queueOps   = Axis{"look up", "post", "take", "clear", "release", "5", "6", "7"}
	// howMuch are amounts of bytes, by where a count in fewer bits would turn.
	howMuch = Axis{"0", "1", "below 2^12", "below 2^16", "below 2^24", "more"}
)

func amount(n uint64) int {
	switch {
	case n < 2:
		return int(n)
	case n < 1<<12:
		return 2
	case n < 1<<16:
		return 3
	case n < 1<<24:
		return 4
	}
	return 5
}

// declareMessages: what a packet finds of its message, and how far messages come.
func declareMessages(o *Observer, s sim.Settings) {
	coded := s.Get("Ecc", 0) != 0
	finds := o.cross("rule: operation x verb x first x found", func(at []int, b *Bin) {
		op, verb, isFirst, found := at[0], at[1], at[2], at[3]
		asks := op < 2
		if asks && (verb == 1 || verb == 2) {
			b.Rules = []string{"RSP-1", "RSP-3"}
		}
		switch {
		case found == 1 && coded && op > 5: // an order that is taken, and the counts
		case found == 1 && (op > 2 || asks && verb != 1 && verb != 2):
			b.Illegal = "there is nothing to find"
		case op >= 2 && (verb > 0 || isFirst > 0):
			b.Ignored = "the operation does not look at it"
		}
	}, messageOps, Axis{"none", "SEND", "WRITE", "3"}, Axis{"not first", "first"}, noYes)
	far := o.cross("rule: of a message that goes on: verb x bytes before", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-3"}
	}, Axis{"SEND", "WRITE"}, howMuch)
	left := o.cross("rule: of a WRITE: first x bytes that are left", func(_ []int, b *Bin) {
		b.Rules = []string{"RSP-1"}
	}, Axis{"not first", "first"}, howMuch)
	steps := o.cross("commit: last x payload", nil, Axis{"goes on", "last"}, howMuch[:4])
	near := o.newSince("QP")
	o.blame = func(*sim.Record, []byte) string { return "RSP-3" }
	o.pair = func(in, out *sim.Record) {
		op, verb := int(number(in.Data, 0, 2)), int(number(in.Data, 27, 28))
		isFirst, found := int(number(in.Data, 29, 29)), int(number(out.Data, 27, 27))
		near.count(in, number(in.Data, 3, 26))
		if op >= 2 {
			o.hit(finds, op, 0, 0, found)
			return
		}
		o.hit(finds, op, verb, isFirst, found)
		if op == 1 {
			o.hit(steps, int(number(in.Data, 30, 30)), amount(number(in.Data, 31, 46)))
		}
		if found == 0 {
			return
		}
		if isFirst == 0 {
			o.hit(far, verb-1, amount(number(out.Data, 124, 155)))
		}
		if verb == 2 {
			o.hit(left, isFirst, amount(number(out.Data, 156, 187)))
		}
	}
}

// declareQueues: what each operation finds of a queue that is shared or not, and the credits that it tells.
func declareQueues(o *Observer, s sim.Settings) {
	coded := s.Get("Ecc", 0) != 0
	finds := o.cross("rule: operation x shared x complete x present", func(at []int, b *Bin) {
		op, plain := at[0], at[1] == 0 && at[2] == 0
		switch op {
		case 0:
			b.Rules = []string{"RSP-1", "RSP-9"}
		case 2:
			b.Rules = []string{"RSP-3"}
		case 4:
			b.Rules = []string{"RSP-15"}
		}
		switch {
		case op > 4 && at[3] == 1 && !(coded && op > 5): // of these two an order that is taken, and the counts
			b.Illegal = "there is no such operation"
		case op != 0 && op != 2 && !plain:
			b.Ignored = "the operation does not look at it"
		}
	}, queueOps, Axis{"own", "shared"}, Axis{"goes on", "complete"}, noYes)
	credits := o.cross("rule: look up: credit code x shared", func(at []int, b *Bin) {
		b.Rules = []string{"CRD-1", "CRD-2"}
		switch {
		case at[1] == 1 && at[0] != 31 && at[0] != 0:
			b.Illegal = "a shared queue has no limit; 0 is that of a number that is none"
		case at[1] == 0 && at[0] > 12:
			b.Illegal = "64 WQEs at most"
		case at[1] == 0 && at[0] > 6:
			b.Ignored = "deeper queues: at Depth 64 only"
		}
	}, numbers(32), Axis{"own", "shared"})
	room := o.cross("rule: bytes of the WQE that is found", func(_ []int, b *Bin) {
		b.Rules = []string{"RSP-1"}
	}, howMuch)
	same := o.cross("look up or take: shared x the queue has the QP's number", nil, Axis{"own", "shared"}, noYes)
	lost := o.lost(coded, queueOps[:5], func(op int) bool { return hca.RQOp(op) == hca.RQClear })
	near := o.newSince("queue")
	o.blame = func(*sim.Record, []byte) string { return "RSP-1" }
	o.pair = func(in, out *sim.Record) {
		op, shared, complete := int(number(in.Data, 0, 2)), int(number(in.Data, 51, 51)), int(number(in.Data, 52, 52))
		present := int(number(out.Data, 27, 27))
		near.count(in, number(in.Data, 27, 50))
		if lost(op, hca.ParseRQResult(out.Data).Lost()) {
			return
		}
		if op != 0 && op != 2 {
			o.hit(finds, op, 0, 0, present)
			return
		}
		o.hit(finds, op, shared, complete, present)
		o.hit(same, shared, bit(number(in.Data, 3, 26) == number(in.Data, 27, 50)))
		if op == 0 {
			o.hit(credits, int(number(out.Data, 92, 96)), shared)
		}
		if present == 1 {
			o.hit(room, amount(number(out.Data, 28, 59)))
		}
	}
}

// lost counts which operations of a block with several memories found a word that was lost, where there is a code;
// never says which do not. The function reports whether one did.
func (o *Observer) lost(coded bool, ops Axis, never func(op int) bool) func(op int, lost bool) bool {
	if !coded {
		return func(int, bool) bool { return false }
	}
	found := o.cross("rule: operation x a word of its was lost", func(at []int, b *Bin) {
		if b.Rules = []string{"ECC-7"}; at[1] == 1 && never(at[0]) {
			b.Illegal = "it writes it anew"
		}
	}, ops, noYes)
	return func(op int, lost bool) bool {
		if op < len(ops) {
			o.hit(found, op, bit(lost))
		}
		return lost
	}
}

// declareIssue: what a request has against the one before it, and how long it waits.
func declareIssue(o *Observer, _ sim.Settings) {
	o.silent = 1 // s_done
	flags := Axis{"neither", "WQE", "message", "both"}
	after := o.cross("rule: needs x what the request before it does x same QP x same queue", func(at []int, b *Bin) {
		if at[0] > 0 && at[1] > 0 && at[2]+at[3] > 0 {
			b.Rules = []string{"RSP-1", "RSP-3"}
		}
	}, flags, Axis{"neither", "uses a WQE", "invalidates", "both"}, Axis{"other QP", "same QP"},
		Axis{"other queue", "same queue"})
	waits := o.cross("clocks that a request waits x needs", func(at []int, b *Bin) {
		if at[0] == 0 {
			b.Illegal = "two clocks at least"
		}
	}, distancesInTime, flags)
	var before *sim.Record
	o.restart = append(o.restart, func() { before = nil })
	o.pair = func(in, out *sim.Record) {
		needs := int(number(in.Data, 49, 49) | number(in.Data, 48, 48)<<1)
		o.hit(waits, gapOf(out.Start-in.End-1), needs)
		if before != nil {
			o.hit(after, needs, int(number(before.Data, 50, 51)),
				bit(number(before.Data, 0, 23) == number(in.Data, 0, 23)),
				bit(number(before.Data, 24, 47) == number(in.Data, 24, 47)))
		}
		kept := *in
		kept.Data = append([]byte(nil), in.Data...)
		before = &kept
	}
}
