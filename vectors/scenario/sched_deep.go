package scenario

import "hcacosim/model/hca"

const (
	// schedDeepLength is how many records an episode of sq-scheduler-deep has.
	schedDeepLength = 10000
	// schedDeepLeast and schedDeepMore are how many QPs stand in the queue at once: its number has bit 11 and none higher.
	schedDeepLeast = 2100
	schedDeepMore  = 300
)

// makeSQSchedulerDeep makes a queue in which thousands of QPs stand, each in its place, which empties to the last one.
// While it is deep QPs are woken again, removed, set with another weight, and stand at the end again behind a turn.
func makeSQSchedulerDeep(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, schedDeepLength, func(r *Rand, e *Episode) {
		h := schedHost{r: r, e: e, order: hca.NewSendOrder(1 << 24), busy: 5}
		h.fill(schedDeepLeast + r.Below(schedDeepMore))
		for e.Len()+h.order.Awake()+len(h.qpns) < schedDeepLength {
			h.stepDeep()
		}
		h.empty()
	})
}

// fill sets so many QPs and wakes them, most of them at once, some before the next one is set.
func (h *schedHost) fill(n int) {
	r := h.r
	first, step := uint32(r.Below(4096)), uint32(2*r.Below(2048)+1) // each of 4,096 numbers once
	asleep := 0
	for i := range uint32(n) {
		qpn := (first + i*step) & 4095
		h.qpns = append(h.qpns, qpn)
		q := h.record(hca.SchedSet)
		q.QPN = qpn
		h.give(q, "set, of many")
		if r.OneIn(4) {
			h.wake(qpn)
		} else {
			h.qpns[asleep], h.qpns[i] = h.qpns[i], h.qpns[asleep]
			asleep++
		}
	}
	for _, qpn := range h.qpns[:asleep] {
		h.wake(qpn)
	}
}

func (h *schedHost) wake(qpn uint32) {
	q := h.record(hca.SchedWake)
	q.QPN = qpn
	h.give(q, "wake, of many")
}

// stepDeep changes a QP somewhere in the queue, or ends a turn behind which its QP stands at the end again.
func (h *schedHost) stepDeep() {
	r := h.r
	switch r.Below(8) {
	case 0:
		h.give(h.record(hca.SchedWake), "wake while the queue is deep")
	case 1:
		h.give(h.record(hca.SchedRemove), "remove while the queue is deep")
	case 2:
		h.give(h.record(hca.SchedSet), "set while the queue is deep")
	default:
		h.done()
	}
}

// empty removes all QPs and ends every turn.
func (h *schedHost) empty() {
	for _, qpn := range h.qpns {
		q := h.record(hca.SchedRemove)
		q.QPN = qpn
		h.give(q, "remove, to the end")
	}
	for qpn, ok := h.order.Oldest(); ok; qpn, ok = h.order.Oldest() {
		q := h.record(hca.SchedDone)
		q.QPN = qpn
		h.give(q, "done, to the end")
	}
	for h.e.Len() < schedDeepLength {
		h.give(h.record(hca.SchedDone), "done, of nobody")
	}
}
