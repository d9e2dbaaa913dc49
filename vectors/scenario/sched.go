package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

const (
	// schedLength is how many records an episode of sq-scheduler has.
	schedLength = 400
	// schedStrays are those of them, at the end, that end no turn.
	schedStrays = 12
)

// makeSQScheduler makes QPs that are woken at any time, their turns' ends in the order in which the turns come, and
// ends of turns that there are not.
func makeSQScheduler(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, schedLength, func(r *Rand, e *Episode) {
		n := [...]int{1, 2, 4, 8, 24, 24}[r.Below(6)]
		h := schedHost{r: r, e: e, order: hca.NewSendOrder(1 << 24), busy: 3 + r.Below(6)}
		for range n {
			qpn := drawQPN(r)
			if r.OneIn(2) { // one that is there in the smallest device
				qpn %= 4
			}
			h.qpns = append(h.qpns, qpn)
		}
		for e.Len()+h.order.Awake()+n+schedStrays < schedLength {
			h.step()
		}
		h.settle()
	})
}

// schedHost is an episode's QPs as their records leave them.
type schedHost struct {
	r     *Rand
	e     *Episode
	qpns  []uint32
	order hca.SendOrder
	busy  int // of ten steps, those that wake
}

// give gives a record; what its op does not look at is random.
func (h *schedHost) give(q hca.SchedRecord, why string) {
	h.e.scratch = q.Append(h.e.scratch[:0])
	h.e.Add(sim.Port(0), 0, h.e.scratch, why)
	h.order.Step(&q)
}

func (h *schedHost) record(op hca.SchedOp) hca.SchedRecord {
	r := h.r
	return hca.SchedRecord{QPN: h.qpns[r.Below(len(h.qpns))], Op: op, Why: hca.SchedWhy(r.Below(8)),
		Weight: uint8(r.Below(16))}
}

func (h *schedHost) step() {
	r := h.r
	switch {
	case r.OneIn(40):
		q := h.record(hca.SchedOp(r.Between(4, 7)))
		h.give(q, "no such operation")
	case r.OneIn(30):
		q := h.record(hca.SchedOp(r.Below(4)))
		q.QPN = near(r, q.QPN, 24)
		h.odd(q)
	case r.OneIn(14):
		h.give(h.record(hca.SchedRemove), "remove")
	case r.OneIn(10) || h.e.Len() < len(h.qpns):
		h.give(h.record(hca.SchedSet), "set")
	case r.Below(10) < h.busy:
		h.give(h.record(hca.SchedWake), "wake")
	default:
		h.done()
	}
}

// odd gives a record of another QP, which so is set and woken no longer than this episode.
func (h *schedHost) odd(q hca.SchedRecord) {
	if q.Op == hca.SchedSet || q.Op == hca.SchedWake {
		q.Op = hca.SchedRemove
	}
	h.give(q, "another QP")
}

// done ends the oldest turn, or one that there is not. More often than not the QP goes on.
func (h *schedHost) done() {
	r := h.r
	q := h.record(hca.SchedDone)
	if qpn, ok := h.order.Oldest(); ok && !r.OneIn(6) {
		q.QPN = qpn
	} else if ok && r.OneIn(2) {
		if q.QPN = near(r, qpn, 24); r.OneIn(2) {
			q.QPN = qpn ^ uint32(twoBits(r, 24))
		}
	}
	if r.OneIn(3) {
		q.Why = hca.SchedMore
	}
	h.give(q, "done")
}

// settle ends all turns and leaves no QP set.
func (h *schedHost) settle() {
	for _, qpn := range h.qpns {
		q := h.record(hca.SchedRemove)
		q.QPN = qpn
		h.give(q, "remove, to the end")
	}
	for range schedStrays - 2 {
		q := h.record(hca.SchedDone)
		if qpn, ok := h.order.Oldest(); ok && qpn == q.QPN {
			q.QPN ^= 1 << 23
		}
		h.give(q, "done, of another")
	}
	for qpn, ok := h.order.Oldest(); ok; qpn, ok = h.order.Oldest() {
		q := h.record(hca.SchedDone)
		q.QPN = qpn
		h.give(q, "done, to the end")
	}
	for h.e.Len() < schedLength {
		h.give(h.record(hca.SchedDone), "done, of nobody")
	}
}
