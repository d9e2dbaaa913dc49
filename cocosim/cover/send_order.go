package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of whose turn it is: sq_scheduler.
func init() { declarations["sq_scheduler"] = declareOrder }

// What a QP can be when a record comes.
const (
	orderNone = iota
	orderRemoved
	orderAsleep
	orderAwake
	orderWoken
	orderRemovedAwake
)

// orderTrack is a QP as the records leave it, by the words of docs/blocks/sq_scheduler.md.
type orderTrack struct{ known, set, awake, woken bool }

func (t *orderTrack) phase() int {
	switch {
	case !t.known:
		return orderNone
	case !t.set && t.awake:
		return orderRemovedAwake
	case !t.set:
		return orderRemoved
	case t.woken:
		return orderWoken
	case t.awake:
		return orderAwake
	}
	return orderAsleep
}

// declareOrder: what each operation meets of its QP, why turns end, how many are awake. A turn answers no record by
// itself, so the sheet follows the records.
func declareOrder(o *Observer, s sim.Settings) {
	phases := Axis{"never set", "removed", "asleep", "awake", "awake and woken", "awake and removed"}
	meets := o.cross("rule: operation x the QP before", func(at []int, b *Bin) {
		if at[0] == int(hca.SchedRemove) || at[1] == orderRemoved || at[1] == orderRemovedAwake {
			b.Rules = []string{"RSP-15"}
		}
	}, Axis{"wake", "done", "set", "remove", "4", "5", "6", "7"}, phases)
	dones := o.cross("rule: done: why x of the oldest turn x the QP before", func(at []int, b *Bin) {
		if at[1] == 1 && (at[2] == orderNone || at[2] == orderRemoved || at[2] == orderAsleep) {
			b.Illegal = "it has no turn"
		}
	}, Axis{"more", "nothing", "RNR", "window", "READs", "credit", "rate", "closed"}, noYes, phases)
	awake := o.cross("QPs awake", nil, howMany)
	packets := o.cross("turn: packets", func(at []int, b *Bin) {
		if at[0] == 0 {
			b.Illegal = "one at least"
		}
	}, numbers(16))
	near := o.newSince("QP")
	order := hca.NewSendOrder(s.Get("NumQps", 4096))
	qps := map[uint32]*orderTrack{}
	o.restart = append(o.restart, func() {
		order = hca.NewSendOrder(s.Get("NumQps", 4096))
		clear(qps)
	})
	o.asks = func(in *sim.Record) bool {
		q := hca.ParseSchedRecord(in.Data)
		near.count(in, uint64(q.QPN))
		t := qps[q.QPN]
		if t == nil {
			t = &orderTrack{}
			qps[q.QPN] = t
		}
		o.hit(meets, int(q.Op), t.phase())
		oldest, ok := order.Oldest()
		if q.Op == hca.SchedDone {
			o.hit(dones, int(q.Why), bit(ok && oldest == q.QPN), t.phase())
		}
		_, stands, ended := order.Step(&q)
		t.follow(&q, stands, ended)
		o.hit(awake, manyOf(uint8(min(order.Awake(), 255))))
		return stands
	}
	o.pair = func(_, out *sim.Record) {
		turn := hca.ParseSchedTurn(out.Data)
		o.hit(packets, int(turn.Packets))
	}
}

func (t *orderTrack) follow(q *hca.SchedRecord, stands, ended bool) {
	switch q.Op {
	case hca.SchedSet:
		t.known, t.set = true, true
	case hca.SchedRemove:
		t.set, t.woken = false, false
	case hca.SchedWake:
		t.woken = t.set && t.awake
	}
	if ended {
		t.awake, t.woken = false, false
	}
	t.awake = t.awake || stands
}
