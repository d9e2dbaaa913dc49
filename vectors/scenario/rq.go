package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// rqLength is how many records an episode of rq-head has: receive queues that fill, run empty, and are shared.
const rqLength = 400

// makeRQHead makes what a host posts, and what the packets of a few QPs take of it.
func makeRQHead(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, rqLength, func(r *Rand, e *Episode) {
		h := rqHost{r: r, e: e, posts: 2 + r.Below(3), draw: drawLowQPN}
		h.live()
	})
}

// live fills the episode.
func (h *rqHost) live() {
	r := h.r
	shared := h.draw(r)
	for range 1 + r.Below(4) {
		qp := rqUser{qpn: h.draw(r)}
		if n := len(h.qps); n > 0 && h.before == nil && r.OneIn(3) {
			qp.qpn = beside(r, h.qps[n-1].qpn)
		}
		qp.queue = qp.qpn
		if r.OneIn(2) {
			qp.queue, qp.shared = shared, true
		}
		h.qps = append(h.qps, qp)
	}
	for h.e.Len() < rqLength {
		h.step()
	}
}

// rqHost is who posts, and whose QPs receive.
type rqHost struct {
	r     *Rand
	e     *Episode
	posts int // of ten steps
	qps   []rqUser
	wqes  uint32

	draw   func(r *Rand) uint32 // the number of a QP
	before func(q hca.RQQuery)  // where something may come in front of any record
}

// rqUser is a QP with where it takes its WQEs from.
type rqUser struct {
	qpn, queue uint32
	shared     bool
}

func (h *rqHost) give(q hca.RQQuery, why string) {
	if h.before != nil {
		h.before(q)
	}
	h.add(q, why)
}

func (h *rqHost) add(q hca.RQQuery, why string) {
	if h.e.Len() < rqLength {
		h.e.scratch = q.Append(h.e.scratch[:0])
		h.e.Add(sim.Port(0), 0, h.e.scratch, why)
	}
}

// query is a record of a QP; what an operation does not look at is random.
func (h *rqHost) query(qp *rqUser, op hca.RQOp) hca.RQQuery {
	r := h.r
	return hca.RQQuery{Op: op, QPN: qp.qpn, Queue: qp.queue, Shared: qp.shared, Complete: r.OneIn(2),
		ReceiveWQE: hca.ReceiveWQE{Bytes: uint32(r.Uint64()), WQE: uint32(r.Uint64())}}
}

func (h *rqHost) step() {
	r := h.r
	qp := &h.qps[r.Below(len(h.qps))]
	switch {
	case r.Below(10) < h.posts:
		h.post(qp)
	case r.OneIn(60):
		q := h.query(qp, hca.RQClear)
		q.QPN = h.draw(r)
		h.give(q, "clear")
	case r.OneIn(30):
		q := h.query(qp, hca.RQRelease)
		q.Queue = uint32(r.Below(1 << 24))
		h.give(q, "release")
	case r.OneIn(60):
		h.give(h.query(qp, hca.RQOp(r.Between(5, 7))), "no such operation")
	case r.OneIn(60):
		h.holds(qp)
	case h.before == nil && r.OneIn(100): // what wears a memory out goes by what is written
		h.apart(qp)
	case r.OneIn(10):
		h.strange(qp)
	case r.OneIn(3):
		h.message(qp)
	default:
		h.give(h.query(qp, hca.RQLookUp), "look up")
	}
}

// holds has a QP hold a WQE while operations that are none come for it, each in turn: it holds it behind them.
func (h *rqHost) holds(qp *rqUser) {
	h.give(h.query(qp, hca.RQPost), "post: to be held")
	q := h.query(qp, hca.RQTake)
	q.Complete = false
	h.give(q, "take: and hold")
	for op := hca.RQOp(5); op < 8; op++ {
		h.give(h.query(qp, op), "no such operation, while one is held")
		h.give(h.query(qp, hca.RQLookUp), "look up: what is held")
	}
}

// strange names a QP or queue of another number, or a queue that is shared as one that is not.
func (h *rqHost) strange(qp *rqUser) {
	r := h.r
	q := h.query(qp, hca.RQOp(r.Below(5)))
	switch r.Below(3) {
	case 0:
		q.QPN = near(r, q.QPN, 24)
	case 1:
		q.Queue, q.Shared = near(r, q.Queue, 24), true
	default:
		q.Shared = !q.Shared
	}
	h.give(q, "another number or kind")
}

// apart looks up with every third bit of the QP's and of the queue's number turned, another third each time, while
// there is a WQE.
func (h *rqHost) apart(qp *rqUser) {
	h.give(h.query(qp, hca.RQPost), "post: before others look it up")
	for bit := h.r.Below(3); bit < 24; bit += 3 {
		q := h.query(qp, hca.RQLookUp)
		q.QPN ^= 1 << bit
		h.give(q, "look up: a QP one bit apart")
		q = h.query(qp, hca.RQLookUp)
		q.Queue, q.Shared = q.Queue^1<<bit, true
		h.give(q, "look up: a queue one bit apart")
	}
}

// post posts one WQE, a few, or more than a queue holds.
func (h *rqHost) post(qp *rqUser) {
	n := [...]int{1, 1, 1, 1, 2, 3, 4, 9, 20, 70}[h.r.Below(10)]
	if n == 70 && !h.r.OneIn(4) {
		n = 1
	}
	for range n {
		q := h.query(qp, hca.RQPost)
		q.QPN, q.Shared = h.draw(h.r), h.r.OneIn(2)
		if h.wqes++; h.r.OneIn(2) {
			q.WQE = h.wqes
		}
		if h.r.OneIn(3) {
			q.Bytes &= 1<<[...]int{0, 1, 2, 12, 16, 24}[h.r.Below(6)] - 1
		}
		h.give(q, "post")
	}
}

// message is a SEND of one packet to four: each is looked up, and taken right behind that.
func (h *rqHost) message(qp *rqUser) {
	n := [...]int{1, 1, 2, 3, 4}[h.r.Below(5)]
	for i := range n {
		q := h.query(qp, hca.RQLookUp)
		q.Complete = i == n-1
		h.give(q, "look up: message")
		if h.r.OneIn(12) { // it was not executed, and nothing behind it is
			return
		}
		q.Op = hca.RQTake
		h.give(q, "take")
		if h.r.OneIn(4) { // others between
			other := &h.qps[h.r.Below(len(h.qps))]
			h.give(h.query(other, hca.RQTake), "take: another")
		}
	}
}
