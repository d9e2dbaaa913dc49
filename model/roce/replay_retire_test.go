package roce_test

import (
	"testing"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// retireView is what sq_retire knows of a requester.
type retireView struct {
	start  psn.PSN
	una    psn.PSN
	failed bool
	posted retirePosted
	left   int
	wqes   [replaySlots]retireWQE // the oldest first
}

// retirePosted is what was posted: the work of a channel in one of its connections.
type retirePosted struct{ channel, epoch int }

// retireWQE is a WQE that has not ended. Of local work sq_retire hears when it is done.
type retireWQE struct {
	id          uint64
	begun       bool
	first, last psn.PSN
}

func retireKey(q *roce.Requester, posted retirePosted) retireView {
	v := retireView{start: q.Config().StartPSN, posted: posted, failed: q.State == roce.Error}
	if v.failed {
		return v
	}
	v.una, _, _ = q.PSNs()
	all, _ := q.Queue()
	for i := range all {
		w := &all[i]
		v.wqes[i].id = w.ID
		if v.wqes[i].begun = w.Begun && (w.Done || !w.Verb.Local()); v.wqes[i].begun {
			v.wqes[i].first, v.wqes[i].last = w.First, w.Last
		}
	}
	if v.left = len(all); v.left > 0 && v.wqes[0].begun && q.Config().Service == ib.UC {
		v.una = v.wqes[0].first // it hears of a WQE when its last packet has left (REQ-13)
	}
	return v
}

// retireTour makes records of sq_retire of what requesters do.
type retireTour struct {
	t *testing.T
	x *explorer
	p *replay
}

// retireReplay adds what sq_retire sees of the requesters of a world: what was posted, begun, acknowledged, done, and
// how a QP fails. What ends, and the completions, are the machine's effects.
func (x *explorer) retireReplay(t *testing.T, p *replay) {
	r := &retireTour{t, x, p}
	walkRequesters(x, r)
	for _, b := range beginnings(x) {
		posted := retirePosted{b.channel, b.epoch}
		x.q.load(b.id)
		p.first[p.state(retireKey(x.q.machine, posted))] = r.posts(posted, b.start)
	}
}

func (r *retireTour) begin(c, epoch int) retirePosted { return retirePosted{c, epoch} }

// port is a PSN as it goes over a port of sq_retire: without what its bits leave of 24.
func (r *retireTour) port(p psn.PSN) psn.PSN { return psn.New(uint32(p) / uint32(r.x.width)) }

// posts brings a QP from reset to everything posted.
func (r *retireTour) posts(of retirePosted, start psn.PSN) (s setup) {
	clear := hca.SQRecord{QPN: replayQPN, Op: hca.SQClear, Una: r.port(start)}
	s = append(s, clear.Append(nil))
	for i := range r.x.work[of.channel][of.epoch] {
		post := hca.SQRecord{QPN: replayQPN, Op: hca.SQPost, SendWQE: sendWQE(&r.x.work[of.channel][of.epoch][i])}
		s = append(s, post.Append(nil))
	}
	return s
}

// sendWQE is work as it is posted to sq_retire. Where its bytes lie the worlds do not say.
func sendWQE(w *roce.Work) hca.SendWQE {
	s := hca.SendWQE{WQE: uint32(w.ID), Verb: w.Verb, Length: w.Len, VA: w.VA, RKey: w.RKey, Imm: w.Imm,
		SwapAdd: w.SwapAdd, Compare: w.Compare, QKey: w.QKey, List: w.ID << 12, Entries: 1}
	if w.Verb == roce.Flush {
		s.Imm = uint32(w.FETH)
	}
	for flag, has := range map[hca.SQFlags]bool{hca.SQSignaled: w.Signaled, hca.SQSolicited: w.Solicited,
		hca.SQImmediate: w.WithImm, hca.SQInvalidate: w.Invalidate} {
		if has {
			s.Flags |= flag
		}
	}
	return s
}

// at shows every slot, and what is posted to a QP that has failed (RSP-15).
func (r *retireTour) at(posted retirePosted, q *roce.Requester) {
	id := r.p.state(retireKey(q, posted))
	all, _ := q.Queue()
	stay := func(rec hca.SQRecord, a hca.SQAnswer, ends [][]byte) {
		e := edge{from: id, to: id}
		a.Count = uint8(len(all))
		e.give(rec, a, ends)
		r.p.add(r.t, e)
	}
	for slot := range uint8(replaySlots) {
		stay(hca.SQRecord{Op: hca.SQLook, Slot: slot}, lookAnswer(r, all, slot), nil)
	}
	if len(all) > 0 { // of a queue that is empty the machine does not know where its next WQE would stand
		stay(hca.SQRecord{Op: hca.SQLook, Progress: true}, lookAnswer(r, all, slotOf(all[0].ID)), nil)
	}
	if q.State == roce.Error {
		w := r.x.work[posted.channel][posted.epoch][0]
		var out roce.Batch
		at := *q
		at.Post(w, &out)
		failed := hca.SQAnswer{Why: hca.SQHasFailed}
		stay(hca.SQRecord{Op: hca.SQPost, SendWQE: sendWQE(&w)}, failed, r.completions(posted, out))
		stay(hca.SQRecord{Op: hca.SQVerdict, Progress: true, Una: 1, Fail: true}, failed, nil)
	}
}

// lookAnswer is what a look at a slot has to find.
func lookAnswer(r *retireTour, all []roce.Queued, slot uint8) (a hca.SQAnswer) {
	a.Slot = slot
	for i := range all {
		w := &all[i]
		if slotOf(w.ID) != slot || !shown(all, i) {
			continue
		}
		a.Present, a.SendWQE = true, sendWQE(&w.Work)
		if a.Begun = w.Begun && (w.Done || !w.Verb.Local()); a.Begun {
			a.First, a.Last = r.port(w.First), r.port(w.Last)
		}
	}
	return a
}

// completions are the records of m_cqe that a machine's effects are.
func (r *retireTour) completions(posted retirePosted, out roce.Batch) (all [][]byte) {
	for i := range out {
		e := &out[i]
		if e.Kind != roce.Complete {
			continue
		}
		c := hca.SQCQE{QPN: replayQPN, WQE: uint32(e.ID), Status: e.Status}
		for _, w := range r.x.work[posted.channel][posted.epoch] {
			if w.ID == e.ID {
				c.Verb, c.Length = w.Verb, w.Len
			}
		}
		all = append(all, c.Append(nil))
	}
	return all
}

// give adds a record of sq_retire, its answer and the completions.
func (e *edge) give(rec hca.SQRecord, a hca.SQAnswer, ends [][]byte) {
	rec.QPN, a.QPN, a.Op = replayQPN, replayQPN, rec.Op
	e.vectors = append(e.vectors, vector{in: rec.Append(nil), want: a.Append(nil), ends: ends})
}

// step is what a move of a requester is to sq_retire.
func (r *retireTour) step(posted retirePosted, k move, before, after *roce.Requester, out roce.Batch) retirePosted {
	e := edge{from: r.p.state(retireKey(before, posted)), to: r.p.state(retireKey(after, posted))}
	if before.State == roce.Error {
		r.p.add(r.t, e)
		return posted
	}
	were, _ := before.Queue()
	are, _ := after.Queue()
	ended := uint8(len(were) - len(are))
	fails := after.State == roce.Error
	verdict := hca.SQRecord{Op: hca.SQVerdict, Fail: fails}
	a := hca.SQAnswer{Ended: ended, Count: uint8(len(are)), Failed: fails}
	switch k.in {
	case inNext:
		if w, is := before.Beginning(); is {
			slot := slotOf(w.ID)
			e.give(hca.SQRecord{Op: hca.SQBegun, Slot: slot, First: r.port(w.First), Last: r.port(w.Last)},
				hca.SQAnswer{Slot: slot, Count: uint8(len(were))}, nil)
		}
		una, _, _ := after.PSNs()
		verdict.Progress, verdict.Una = ended > 0, r.port(una)
	case inStep:
		d, _ := before.Decided(&r.x.packets[k.arg].packet)
		verdict.Progress, verdict.Una = d.Progress(), r.port(d.Una)
	case inDone:
		for i := range were {
			if w := &were[i]; w.Begun && !w.Done {
				a.Slot = slotOf(w.ID)
			}
		}
		e.give(hca.SQRecord{Op: hca.SQLocalDone, Slot: a.Slot}, a, r.completions(posted, out))
	}
	if verdict.Progress || fails {
		if fails {
			verdict.Status = failure(out)
		}
		e.give(verdict, a, r.completions(posted, out))
	}
	r.p.add(r.t, e)
	return posted
}

// failure is how a batch ends the WQE that a QP fails by: flushed, where none is left.
func failure(out roce.Batch) roce.Status {
	for i := range out {
		if e := &out[i]; e.Kind == roce.Complete && e.Status != roce.Success {
			return e.Status
		}
	}
	return roce.Flushed
}
