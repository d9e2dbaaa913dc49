package forecast

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

// host posts a receive WQE anew some clocks behind the record that says that one was used up. Peers know how many there
// are: one sends what needs a WQE only when it knows of one. When that is, a model says that runs beside the traffic,
// as far as it is made: so the same operations and frames, at the same clocks, come to the same in any run of it.
type host struct {
	model   *timed.Pipeline
	fed     int // frames that the model was given
	fedOps  int
	wqes    uint32
	posts   map[uint64]*sender // by the number of their operation
	senders map[uint32]*sender // by QP number
	out     []sim.Record
}

const (
	repost  = 32 // clocks, from the record to the operation
	replies = 64 // clocks, from what m_end says of a READ or atomic to when its peer knows
	advance = 16 // clocks that the model goes on at a time: fewer than repost
)

// sends reports whether a workload has SENDs.
func (w *Workload) sends() bool {
	for i := range w.Mix {
		if w.Mix[i].Op == "send" {
			return true
		}
	}
	return false
}

// asks reports whether a workload has READs or atomics.
func (w *Workload) asks() bool {
	for i := range w.Mix {
		if w.Mix[i].asks() {
			return true
		}
	}
	return false
}

// fill posts as many WQEs to a QP's queue as it holds.
func (t *traffic) fill(s *sender) {
	for range hca.HcaRxQueueDepth {
		t.post(s, t.w.opens()+settling)
		s.credits++
	}
}

// post adds the operation that posts a WQE.
func (t *traffic) post(s *sender, at uint64) {
	t.host.wqes++
	q := hca.RQQuery{Op: hca.RQPost, Queue: s.spec.DestQP,
		ReceiveWQE: hca.ReceiveWQE{Bytes: regionSize, WQE: t.host.wqes}}
	t.op(hca.ToReceiveQueues, q.Append(nil))
	ops := t.out.Inputs[timed.Ops]
	ops[len(ops)-1].NotBefore = at
}

// credit waits until a sender knows of a receive WQE, and takes it.
func (t *traffic) credit(s *sender) {
	for s.credits == 0 && t.hear() {
		t.knows(t.host.model.Clock())
	}
	s.credits--
}

// place waits until a sender may have one more READ or atomic under way.
func (t *traffic) place(s *sender) {
	for s.asked >= t.w.Reads && t.hear() {
		t.knows(t.host.model.Clock() + replies)
	}
	s.asked++
}

// knows says that what comes next waited for a clock.
func (t *traffic) knows(clock uint64) {
	t.heard = float64(clock)
	t.due = max(t.due, t.heard)
}

// hear lets the model go on for some clocks with what there is so far, and the host and the peers hear of it. It is
// false when nothing is to come any more.
func (t *traffic) hear() bool {
	h := &t.host
	if h.model == nil {
		cfg := t.w.model()
		cfg.Memory = newMemory(t.w).answer
		h.model, h.posts, h.senders = timed.New(cfg), map[uint64]*sender{}, map[uint32]*sender{}
		for i := range t.senders {
			h.senders[t.senders[i].spec.DestQP] = &t.senders[i]
		}
	}
	now := h.model.Clock()
	ops, frames := t.out.Inputs[timed.Ops], t.out.Inputs[timed.Frames]
	in := slices.Concat(ops[h.fedOps:], frames[h.fed:])
	h.fedOps, h.fed = len(ops), len(frames)
	h.out = h.model.Advance(now+advance, in, h.out[:0])
	for i := range h.out {
		r := &h.out[i]
		switch {
		case r.Port == timed.Ops && h.posts[r.Seq] != nil:
			h.posts[r.Seq].credits++
		case r.Port == timed.Records && hca.HcaRxCompletes(r.Data):
			if s := h.senders[hca.HcaRxQPN(r.Data)]; s != nil {
				h.posts[uint64(len(t.out.Inputs[timed.Ops]))] = s
				t.post(s, r.End+repost)
			}
		case r.Port == timed.Ends:
			h.senders[hca.HcaRxQPN(r.Data)].asked--
		}
	}
	return h.model.Clock() > now || len(t.out.Inputs[timed.Ops]) > h.fedOps
}
