package hca

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// ReplayFIFOLatencyCycles is how many cycles after it went in a record is answered.
const ReplayFIFOLatencyCycles = 9

// ReplayOp is what a record on s_rec of replay_fifo is.
type ReplayOp uint8

// What was executed, a duplicate, what memory held, and a QP that is set up.
const (
	ReplayKeep ReplayOp = iota
	ReplayLookUp
	ReplayResult
	ReplaySet
)

// Operations of memories with a code.
const (
	ReplayInject ReplayOp = 6
	ReplayCounts ReplayOp = 7
)

// ReplayKind is the kind of request that is kept.
type ReplayKind uint8

// The kinds.
const (
	ReplayRead ReplayKind = iota
	ReplayAtomic
	ReplayAtomicWrite
	ReplayFlush
)

// ReplayQuery is a record on s_rec of replay_fifo. docs/blocks/replay_fifo.md says which op uses what.
type ReplayQuery struct {
	Op       ReplayOp
	QPN      uint32 // 24 bits
	PSN      psn.PSN
	Kind     ReplayKind
	Last     psn.PSN
	VA       uint64
	RKey     uint32
	Bytes    uint32
	Original uint64
	PMTU     uint8
	Depth    uint8
}

// ReplayQueryBytes is the size of a record on s_rec of replay_fifo.
const ReplayQueryBytes = 35

func (q *ReplayQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.PSN, psn.Bits)
	sim.Field(l, &q.Kind, 2)
	sim.Field(l, &q.Last, psn.Bits)
	l.Wide(&q.VA)
	sim.Field(l, &q.RKey, 32)
	sim.Field(l, &q.Bytes, 32)
	l.Wide(&q.Original)
	sim.Field(l, &q.PMTU, 3)
	sim.Field(l, &q.Depth, 5)
}

var replayQueryForm = sim.FormOf((*ReplayQuery).layout)

// Append appends the record as it goes over the port.
func (q *ReplayQuery) Append(b []byte) []byte {
	return replayQueryForm.Append(b, q)
}

// ParseReplayQuery reads a record of ReplayQueryBytes.
func ParseReplayQuery(b []byte) ReplayQuery { return replayQueryForm.Parse(b) }

// ReplayAnswer is a record on m_rec of replay_fifo.
type ReplayAnswer struct {
	QPN      uint32
	Op       ReplayOp
	Found    bool
	Slot     uint8
	Known    bool
	Original uint64
}

func (r *ReplayAnswer) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	l.Flag(&r.Found)
	sim.Field(l, &r.Slot, 5)
	l.Flag(&r.Known)
	l.Wide(&r.Original)
}

var replayAnswerForm = sim.FormOf((*ReplayAnswer).layout)

// ParseReplayAnswer reads a record on m_rec of replay_fifo.
func ParseReplayAnswer(b []byte) ReplayAnswer { return replayAnswerForm.Parse(b) }

var replayFIFOSpec = sim.StageSpec{
	Name:    "replay_fifo",
	Summary: "keeps READs and atomics of each QP, and says whether a duplicate is one of them",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 277},
		{Name: "m_rec", Kind: sim.Fields, Bits: 98},
	},
	New: func(s sim.Settings) sim.Stage {
		return &replayFIFO{pass: pass{latencyCycles: ReplayFIFOLatencyCycles},
			replays: newReplays(s, uint32(s.Get("NumQps", 4096)), uint8(s.Get("Slots", 4)))}
	},
}

// replayFIFO is the stage of docs/blocks/replay_fifo.md.
type replayFIFO struct {
	pass
	replays Replays
	records []byte // of one Advance; its outputs share it until the next
}

func (s *replayFIFO) Reset() {
	s.pass.Reset()
	s.replays.reset()
}

func (s *replayFIFO) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		q := ParseReplayQuery(in[i].Data)
		r := s.replays.Step(&q)
		at := len(s.records)
		s.records = replayAnswerForm.Append(s.records, &r)
		out = s.through(out, &in[i], s.records[at:len(s.records):len(s.records)], 0)
	}
	return out
}

// Replays is what replay_fifo knows, by QP.
type Replays struct {
	numQPs uint32
	slots  uint8
	width  roce.Width
	qps    byIndex[replayQP]

	words, kept *eccMemory // of the QPs' words and of the slots; nil without
}

func newReplays(s sim.Settings, numQPs uint32, slots uint8) Replays {
	return Replays{numQPs: numQPs, slots: slots, words: eccOf(s, int(slots)*replayEntryBits+replayQPBits),
		kept: eccOf(s, replaySlotBits)}
}

func (s *Replays) reset() {
	s.words.reset()
	s.kept.reset()
	*s = Replays{numQPs: s.numQPs, slots: s.slots, width: s.width, words: s.words, kept: s.kept}
}

// replayQP is a QP that was set. What is kept in a slot goes when its turn comes again.
type replayQP struct {
	pmtuBytes uint64
	width     roce.Width
	kept      []replayEntry // as many as the agreed number
	next      int
}

type replayEntry struct {
	there, known bool
	request      ReplayQuery
	original     uint64
}

// Step makes one record of one.
func (s *Replays) Step(q *ReplayQuery) (r ReplayAnswer) {
	r.QPN, r.Op = q.QPN, q.Op
	if s.words != nil {
		if q.Op == ReplayInject || q.Op == ReplayCounts {
			return s.maintain(q)
		}
		if r.Known = s.lost(q); r.Known {
			return r // known and not found: the word was lost
		}
	}
	if q.Op == ReplaySet {
		r.Found = s.set(q)
		return r
	}
	qp := s.qps.get(q.QPN)
	if qp == nil || len(qp.kept) == 0 {
		return r
	}
	switch q.Op {
	case ReplayKeep:
		r.Found, r.Slot = true, uint8(qp.next)
		s.kept.anew(s.slot(q.QPN, qp.next))
		qp.kept[qp.next] = replayEntry{there: true, request: *q}
		qp.next = (qp.next + 1) % len(qp.kept)
	case ReplayLookUp:
		e, slot := qp.find(q)
		switch {
		case e == nil:
		case s.kept.peek(s.slot(q.QPN, slot)):
			r.Known = true
		case qp.answers(e, q):
			r.Found, r.Slot, r.Known, r.Original = true, uint8(slot), e.known, e.original
		}
	case ReplayResult:
		if q.Kind == ReplayRead {
			return r
		}
		e, slot := qp.find(q)
		switch {
		case e == nil:
		case s.kept.stays(s.slot(q.QPN, slot)):
			r.Known = true
		default:
			r.Found, r.Slot = true, uint8(slot)
			e.known, e.original = true, q.Original
		}
	}
	return r
}

// sets reports whether a set is done.
func (s *Replays) sets(q *ReplayQuery) bool {
	return q.Op == ReplaySet && q.QPN < s.numQPs && q.PMTU >= 1 && q.PMTU <= 5
}

func (s *Replays) set(q *ReplayQuery) bool {
	if !s.sets(q) {
		return false
	}
	s.qps.set(q.QPN, replayQP{pmtuBytes: 128 << q.PMTU, width: s.width, kept: make([]replayEntry, min(q.Depth, s.slots))})
	return true
}

// find is the entry that has a request's PSN and kind, and its slot; nil where there is none.
func (qp *replayQP) find(q *ReplayQuery) (*replayEntry, int) {
	for i := range qp.kept {
		e := &qp.kept[i]
		if !e.there || e.request.Kind != q.Kind {
			continue
		}
		if q.Kind != ReplayRead {
			if e.request.PSN == q.PSN {
				return e, i
			}
			continue
		}
		if _, ok := q.PSN.Among(e.request.PSN, e.request.Last); ok {
			return e, i
		}
	}
	return nil, 0
}

// answers reports whether a request repeats the entry that was found: a READ asks for a part of it.
func (qp *replayQP) answers(e *replayEntry, q *ReplayQuery) bool {
	return q.Kind != ReplayRead ||
		e.request.asked().Holds(q.asked(), uint64(qp.width.Between(q.PSN, e.request.PSN))*qp.pmtuBytes)
}

func (q *ReplayQuery) asked() roce.ReadRange {
	return roce.ReadRange{VA: q.VA, RKey: q.RKey, Bytes: q.Bytes}
}
