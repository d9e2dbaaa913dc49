package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// txSearch is what tx_packetizer knows and no requester does: where it looks for the WQE of what goes out again
// (docs/blocks/tx_packetizer.md, State).
type txSearch struct {
	slot         uint8
	oldest, back bool
	// left: an acknowledgement came between an order to go back and what went out for it, of a requester that goes back to
	// the first of its message. The machine has chosen that first by then, tx_packetizer has not: from here on there is
	// nothing to hold it to.
	left bool
}

// txView is what tx_packetizer knows of a requester: nothing of a closed one.
type txView struct {
	cfg             *roce.RequesterConfig
	una, next, high psn.PSN
	top             uint8
	search          txSearch
	ssn, lsn        uint32
	reads           uint8

	unlimited, probed, waiting bool
}

func (x *explorer) txKey(q *roce.Requester, search txSearch) txView {
	v := txView{cfg: q.Config()}
	if q.State == roce.Error {
		return v
	}
	s, _, reads := q.Standing()
	v.una, v.next, v.high = q.PSNs()
	v.lsn, v.unlimited, v.probed, v.waiting, v.reads, v.search = s.LSN, s.Unlimited, s.Probed, s.Waiting, reads, search
	all, _ := q.Queue()
	top := x.topOf(q)
	if v.top, v.ssn = search.slot, q.NextSSN(); top < len(all) {
		v.top, v.ssn = slotOf(all[top].ID), all[top].SSN
	} else if len(all) > 0 {
		v.top = slotOf(all[len(all)-1].ID + 1)
	}
	if search.back && x.behindHigh(q, v.next) > x.behindHigh(q, v.una) {
		v.next = v.una // the machine stands at the first of the message already (REQ-5)
	}
	return v
}

// behindHigh is how far a PSN lies behind what was sent.
func (x *explorer) behindHigh(q *roce.Requester, p psn.PSN) int32 {
	_, _, high := q.PSNs()
	return x.between(high, p)
}

// topOf is the WQE that high belongs to, from the oldest: unfinished, or the next one to begin.
func (x *explorer) topOf(q *roce.Requester) (i int) {
	all, _ := q.Queue()
	for i = range all {
		w := &all[i]
		if !w.Begun || !w.Verb.Local() && x.behindHigh(q, w.First) <= x.between(w.Last, w.First) {
			return i
		}
	}
	return len(all)
}

// txTour makes records of tx_packetizer of what requesters do.
type txTour struct {
	t *testing.T
	x *explorer
	p *replay
}

// packetizerReplay adds what tx_packetizer sees of the requesters of a world: turns, with the WQEs that it asks for,
// and the verdicts that follow from responses and expiries. What goes out is the machine's packet.
func (x *explorer) packetizerReplay(t *testing.T, p *replay) {
	r := &txTour{t, x, p}
	walkRequesters(x, r)
	for _, b := range beginnings(x) {
		x.q.load(b.id)
		p.first[p.state(x.txKey(x.q.machine, txSearch{}))] = r.opening(x.q.machine.Config())
	}
}

func (r *txTour) begin(int, int) txSearch { return txSearch{} }

func (r *txTour) opening(cfg *roce.RequesterConfig) setup {
	closing := hca.TxRecord{QPN: replayQPN, Op: hca.TxClose}
	opening := hca.TxRecord{QPN: replayQPN, Op: hca.TxConfigure, Una: cfg.StartPSN, Unlimited: !cfg.Limited ||
		cfg.Profile.CreditsIgnored, PMTU: 1, MaxReads: cfg.MaxReads, Window: cfg.Window,
		Restart: cfg.Profile.MessageRestart, WholeRead: cfg.Profile.WholeRead}
	if cfg.Service == ib.UC {
		opening.Service = hca.TxUC
	}
	return setup{closing.Append(nil), opening.Append(nil)}
}

// txStep is a move of a requester as tx_packetizer sees it, record by record.
type txStep struct {
	*txTour
	edge   edge
	q      *roce.Requester // before
	all    []roce.Queued
	search txSearch
}

func (r *txTour) from(q *roce.Requester, search txSearch) *txStep {
	all, _ := q.Queue()
	return &txStep{txTour: r, edge: edge{from: r.p.state(r.x.txKey(q, search))}, q: q, all: all, search: search}
}

// to ends a move.
func (s *txStep) to(q *roce.Requester) txSearch {
	if q.State == roce.Error {
		s.search = txSearch{}
	}
	s.edge.to = s.p.state(s.x.txKey(q, s.search))
	s.p.add(s.t, s.edge)
	return s.search
}

// give adds a record and the answer that it must have; where the QP is behind it, a has.
func (s *txStep) give(rec hca.TxRecord, a hca.TxAnswer) {
	rec.QPN, a.QPN, a.Op = replayQPN, replayQPN, rec.Op
	s.edge.vectors = append(s.edge.vectors, vector{in: rec.Append(nil), want: a.Append(nil)})
}

// standing is what an answer shows of a requester.
func (s *txStep) standing(q *roce.Requester) (a hca.TxAnswer) {
	v := s.x.txKey(q, s.search)
	return hca.TxAnswer{Slot: s.search.slot, Oldest: s.search.oldest, Una: v.una, Next: v.next, High: v.high,
		Reads: v.reads, Waiting: v.waiting}
}

// asked is the packet record with the WQE that the block asks for, as sq_retire shows it, and which that is.
func (s *txStep) asked() (rec hca.TxRecord, w *roce.Queued) {
	rec = hca.TxRecord{Op: hca.TxPacket, Slot: s.search.slot, Oldest: s.search.oldest}
	at := 0
	if !s.search.oldest {
		for at < len(s.all) && slotOf(s.all[at].ID) != s.search.slot {
			at++
		}
	}
	if at >= len(s.all) || !shown(s.all, at) {
		return rec, nil
	}
	w = &s.all[at]
	rec.Slot, rec.Begun, rec.Verb, rec.Length = slotOf(w.ID), hca.TxNew, w.Verb, w.Len
	rec.Immediate, rec.Invalidate, rec.Solicited = w.WithImm, w.Invalidate, w.Solicited
	if w.Begun && (w.Done || !w.Verb.Local()) {
		rec.Begun, rec.First = hca.TxBegan, w.First
	}
	return rec, w
}

// find asks for WQEs until it has the one of what goes out next, and returns the record that has it.
func (s *txStep) find() hca.TxRecord {
	_, next, high := s.q.PSNs()
	for range replaySlots {
		rec, w := s.asked()
		if next == high || w != nil && !w.Verb.Local() && s.x.between(next, w.First) <= s.x.between(w.Last, w.First) {
			return rec
		}
		if w == nil { // it has ended: the oldest one is asked for
			require.False(s.t, s.search.oldest, "what goes out again is of no WQE")
			s.search.oldest = true
		} else {
			s.search.slot, s.search.oldest = (rec.Slot+1)%replaySlots, false
		}
		a := s.standing(s.q)
		a.What = hca.TxSearches
		s.give(rec, a)
	}
	require.Fail(s.t, "what goes out again is of no WQE")
	return hca.TxRecord{}
}

// at asks in a turn where nothing goes out, and in one whose question a verdict crossed: another slot was named then.
func (r *txTour) at(search txSearch, q *roce.Requester) {
	if search.left {
		return
	}
	s := r.from(q, search)
	if q.State == roce.Error {
		s.give(hca.TxRecord{Op: hca.TxPacket, Begun: hca.TxNew, Verb: ib.VerbSend}, hca.TxAnswer{Why: hca.TxNoQP})
		s.to(q)
		return
	}
	if rec, _ := s.asked(); !s.q.Waiting() {
		crossed := *s
		rec.Oldest = !rec.Oldest
		a := s.standing(q)
		a.What = hca.TxSearches
		crossed.give(rec, a)
		crossed.to(q)
	}
	if q.Ready() {
		return
	}
	rec, _ := s.asked()
	a := s.standing(q)
	a.Why = map[roce.Rule]hca.TxWhy{"": hca.TxNothing, "TMR-5": hca.TxWaits, "PSN-5": hca.TxWindow, "REQ-9": hca.TxReads,
		"CRD-2": hca.TxCredit}[q.Held()]
	s.give(rec, a)
	s.to(q)
}

// step is what a move of a requester is to tx_packetizer.
func (r *txTour) step(search txSearch, k move, before, after *roce.Requester, out roce.Batch) txSearch {
	if search.left {
		return search
	}
	s := r.from(before, search)
	if before.State == roce.Error {
		return s.to(after)
	}
	switch k.in {
	case inNext:
		if before.Ready() {
			s.turn(after, out)
		}
	case inStep:
		d, then := before.Decided(&r.x.packets[k.arg].packet)
		if f := &before.Config().Profile; search.back && d.Progress() && (f.MessageRestart || f.WholeRead) {
			r.p.moves++
			r.p.unknown++
			return txSearch{left: true}
		}
		order := retryStep{before: retryKey(before), after: retryKey(after), out: out}
		s.verdict(after, hca.TxRecord{Op: hca.TxVerdict, Una: d.Una, Order: order.told(d.Action).Order,
			Progress: d.Progress(), LSN: then.LSN, Unlimited: then.Unlimited, Ended: d.Ended, Told: true})
	case inTimeout, inRNR:
		if k.in == inTimeout && !before.Timing() || k.in == inRNR && !before.Waiting() {
			break
		}
		order := retryStep{before: retryKey(before), after: retryKey(after), out: out}
		rec := hca.TxRecord{Op: hca.TxVerdict, Una: retryKey(before).una, Order: hca.RetryGoOn}
		if k.in == inTimeout {
			rec.Order = order.told(roce.ReqTimer).Order
		}
		s.verdict(after, rec)
	case inSetError:
		a := s.standing(before)
		a.Waiting = false
		s.give(hca.TxRecord{Op: hca.TxClose}, a)
	}
	return s.to(after)
}

// verdict adds a verdict. Where it closes the QP, the machine has forgotten where it stood.
func (s *txStep) verdict(after *roce.Requester, rec hca.TxRecord) {
	was := s.x.txKey(s.q, s.search)
	next := was.next
	moved := rec.Progress && s.x.behindHigh(s.q, next) > s.x.behindHigh(s.q, rec.Una)
	if back := rec.Order == hca.RetryGoBack || rec.Order == hca.RetryWait; back {
		s.search.back, moved = true, true
	}
	if moved {
		next = rec.Una
		s.search.oldest = next != was.high
		if !s.search.oldest {
			s.search.slot = was.top
		}
	}
	if after.State != roce.Error {
		s.give(rec, s.standing(after))
		return
	}
	a := hca.TxAnswer{Slot: s.search.slot, Oldest: s.search.oldest, Una: was.una, Next: next, High: was.high,
		Reads: was.reads}
	if rec.Progress {
		a.Una = rec.Una
	}
	if rec.Ended {
		a.Reads--
	}
	s.give(rec, a)
}

// turn is a turn in which a packet goes out, or local work begins.
func (s *txStep) turn(after *roce.Requester, out roce.Batch) {
	rec := s.find()
	all, cur := s.q.Queue()
	w := all[cur]
	if begins, is := s.q.Beginning(); is {
		w = begins
	}
	e := &out[0]
	if w.Verb.Local() {
		_, next, _ := s.q.PSNs()
		s.search.slot = (rec.Slot + 1) % replaySlots
		a := s.standing(after)
		a.What, a.Begins, a.First, a.Last = hca.TxBeginsLocal, true, next, psn.New(uint32(next)-uint32(s.x.width))
		s.give(rec, a)
		return
	}
	kind, count, ssn, tail, _ := s.q.Coming()
	_, next, high := s.q.PSNs()
	last := e.Packet.PSN == w.Last || w.Verb == ib.VerbRead
	s.search = txSearch{slot: rec.Slot}
	if last {
		s.search.slot = (rec.Slot + 1) % replaySlots
	}
	if _, n, h := after.PSNs(); n == h {
		if t := s.x.topOf(s.q); next != high && t < len(all) { // it has come to where it was before
			s.search.slot = slotOf(all[t].ID)
		} else if next != high {
			s.search.slot = slotOf(all[len(all)-1].ID + 1)
		}
	}
	a := s.standing(after)
	a.What, a.Begins, a.Again = hca.TxSends, !all[cur].Begun, next != high
	a.Opcode, a.PSN, a.Count, a.Offset, a.Kind = e.Packet.Op, e.Packet.PSN, count, e.Off, kind
	a.AckReq, a.Solicited, a.First, a.Last = e.Packet.AckReq, e.Packet.SE, w.First, w.Last
	if finished := s.x.behindHigh(s.q, w.First) > s.x.between(w.Last, w.First); finished && !last {
		a.AckReq = s.fills(e.Packet.PSN) // the machine asks where credits are short too: who has sent all needs none
	}
	switch a.Bytes = e.Len; {
	case w.Verb == ib.VerbRead:
		a.Bytes, a.Payload = e.Packet.DMALen, uint16(tail)
	case !w.Verb.Replayed():
		a.Payload = uint16(e.Len)
	}
	if next == high {
		a.Number = ssn
	}
	s.give(rec, a)
}

// fills reports whether a packet makes the window full, counted from the oldest unacknowledged one.
func (s *txStep) fills(p psn.PSN) bool {
	window := int32(s.q.Config().Window)
	if window == 0 {
		window = 1 << (s.x.plan.bits - 1)
	}
	una, _, _ := s.q.PSNs()
	return s.x.between(p, una)+1 == window
}
