package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/sim"
)

// RQHeadLatencyCycles is how many cycles after it went in a record is answered.
const RQHeadLatencyCycles = 7

// RQOp is what a record on s_rec of rq_head is.
type RQOp uint8

// A question ahead of the verdict, a receive WQE of the host, what was executed, and what ends queues.
const (
	RQLookUp RQOp = iota
	RQPost
	RQTake
	RQClear
	RQRelease
)

// Operations of memories with a code.
const (
	RQInject RQOp = 6
	RQCounts RQOp = 7
)

// RQMemory is a memory of rq_head, as inject and counts name it in the two low bits of WQE. Of inject the next six are
// the slot.
type RQMemory uint8

// Where a queue begins and how many are in it, whether a QP holds a WQE, the WQEs of a queue, those that QPs hold.
const (
	RQOfQueue RQMemory = iota
	RQOfQP
	RQOfSlot
	RQOfHeld
	rqMemories
)

// RQQuery is a record on s_rec of rq_head. docs/blocks/rq_head.md says which op uses what.
type RQQuery struct {
	Op               RQOp
	QPN, Queue       uint32 // 24 bits
	Shared, Complete bool
	ReceiveWQE
}

// ReceiveWQE is how many bytes there is room for, and what the host knows that room by.
type ReceiveWQE struct {
	Bytes uint32
	WQE   uint32
}

// RQQueryBytes is the size of a record on s_rec of rq_head.
const RQQueryBytes = 15

func (q *RQQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.Queue, 24)
	l.Flag(&q.Shared)
	l.Flag(&q.Complete)
	sim.Field(l, &q.Bytes, 32)
	sim.Field(l, &q.WQE, 32)
}

var rqQueryForm = sim.FormOf((*RQQuery).layout)

// Append appends the record as it goes over the port.
func (q *RQQuery) Append(b []byte) []byte {
	return rqQueryForm.Append(b, q)
}

// ParseRQQuery reads a record of RQQueryBytes.
func ParseRQQuery(b []byte) RQQuery { return rqQueryForm.Parse(b) }

// RQResult is a record on m_rec of rq_head.
type RQResult struct {
	QPN     uint32
	Op      RQOp
	Present bool
	ReceiveWQE
	Credits uint8 // a code
}

func (r *RQResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	l.Flag(&r.Present)
	sim.Field(l, &r.Bytes, 32)
	sim.Field(l, &r.WQE, 32)
	sim.Field(l, &r.Credits, 5)
}

var rqResultForm = sim.FormOf((*RQResult).layout)

// ParseRQResult reads a record on m_rec of rq_head.
func ParseRQResult(b []byte) RQResult { return rqResultForm.Parse(b) }

var rqHeadSpec = sim.StageSpec{
	Name:    "rq_head",
	Summary: "keeps the receive queues of QPs and of those who share one, and says which WQE comes next",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 117},
		{Name: "m_rec", Kind: sim.Fields, Bits: 97},
	},
	New: func(s sim.Settings) sim.Stage {
		return &rqHead{pass: pass{latencyCycles: RQHeadLatencyCycles},
			queues: newReceiveQueues(s, uint32(s.Get("NumQps", 4096)), int(s.Get("Depth", 8)))}
	},
}

// rqHead is the stage of docs/blocks/rq_head.md.
type rqHead struct {
	pass
	queues  ReceiveQueues
	records []byte // of one Advance; its outputs share it until the next
}

func (s *rqHead) Reset() {
	s.pass.Reset()
	s.queues.reset()
}

func (s *rqHead) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		q := ParseRQQuery(in[i].Data)
		r := s.queues.Step(&q)
		at := len(s.records)
		s.records = rqResultForm.Append(s.records, &r)
		out = s.through(out, &in[i], s.records[at:len(s.records):len(s.records)], 0)
	}
	return out
}

// ReceiveQueues is what rq_head knows: the WQEs of each queue, oldest first, and the one that a QP took out of a shared
// queue for a message that is not at its end.
type ReceiveQueues struct {
	numQPs uint32
	depth  int
	posted byIndex[[]ReceiveWQE]
	held   byIndex[ReceiveWQE]

	ecc   [rqMemories]*eccMemory // nil without
	heads byIndex[int]           // with ecc: where a queue begins
}

// newReceiveQueues are those of a build with these settings.
func newReceiveQueues(s sim.Settings, numQPs uint32, depth int) ReceiveQueues {
	q := ReceiveQueues{numQPs: numQPs, depth: depth}
	for i, bits := range rqWordBits(depth) {
		q.ecc[i] = eccOf(s, bits)
	}
	return q
}

func (s *ReceiveQueues) reset() {
	for _, m := range s.ecc {
		m.reset()
	}
	*s = ReceiveQueues{numQPs: s.numQPs, depth: s.depth, ecc: s.ecc}
}

// Step makes one record of one.
func (s *ReceiveQueues) Step(q *RQQuery) (r RQResult) {
	r.QPN, r.Op = q.QPN, q.Op
	isQP, isQueue := q.QPN < s.numQPs, q.Queue < s.numQPs
	if s.ecc[0] != nil {
		if q.Op == RQInject || q.Op == RQCounts {
			return s.maintain(q)
		}
		if s.lost(q, isQP, isQueue) {
			r.Bytes = 1 // and not present
			if q.Op == RQLookUp && q.Shared {
				r.Credits = ib.CreditsUnlimited
			}
			return r
		}
	}
	switch {
	case q.Op == RQLookUp && isQP && isQueue:
		r.ReceiveWQE, r.Present, _ = s.next(q)
		r.Credits = s.credits(q)
	case q.Op == RQTake && isQP && isQueue:
		r.ReceiveWQE, r.Present = s.take(q)
	case q.Op == RQPost && isQueue:
		r.Present = s.post(q)
	case q.Op == RQClear && isQueue:
		s.posted.delete(q.Queue)
		r.Present = true
	case q.Op == RQRelease && isQP:
		if w := s.held.get(q.QPN); w != nil {
			r.ReceiveWQE, r.Present = *w, true
		}
		s.held.delete(q.QPN)
	}
	return r
}

// next is the WQE that a QP's message would use, whether there is one, and whether the QP holds it already.
func (s *ReceiveQueues) next(q *RQQuery) (w ReceiveWQE, ok, held bool) {
	if q.Shared {
		if w := s.held.get(q.QPN); w != nil {
			return *w, true, true
		}
	}
	if at := s.posted.get(q.Queue); at != nil && len(*at) > 0 {
		return (*at)[0], true, false
	}
	return ReceiveWQE{}, false, false
}

// credits are those that an answer brings; an answer to what uses a WQE up tells of what is left behind it (CRD-2).
func (s *ReceiveQueues) credits(q *RQQuery) uint8 {
	if q.Shared {
		return ib.CreditsUnlimited
	}
	n := s.waiting(q.Queue)
	if q.Complete && n > 0 {
		n--
	}
	return ib.CreditCode(uint32(n))
}

// waiting is how many WQEs there are in a queue.
func (s *ReceiveQueues) waiting(queue uint32) int {
	if at := s.posted.get(queue); at != nil {
		return len(*at)
	}
	return 0
}

func (s *ReceiveQueues) post(q *RQQuery) bool {
	if s.posted.get(q.Queue) == nil {
		s.posted.set(q.Queue, make([]ReceiveWQE, 0, s.depth))
	}
	at := s.posted.get(q.Queue)
	if len(*at) == s.depth {
		return false
	}
	s.stored(q)
	*at = append(*at, q.ReceiveWQE)
	return true
}

// take goes on with a WQE, and ends it where the message ends.
func (s *ReceiveQueues) take(q *RQQuery) (ReceiveWQE, bool) {
	w, ok, held := s.next(q)
	switch {
	case !ok:
		return w, false
	case held && q.Complete:
		s.held.delete(q.QPN)
	case held || !q.Shared && !q.Complete:
	default:
		at := s.posted.get(q.Queue)
		*at = (*at)[:copy(*at, (*at)[1:])] // in place: nothing is allocated for the next post
		if !q.Complete {
			s.held.set(q.QPN, w)
		}
	}
	return w, true
}
