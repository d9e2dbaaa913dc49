package hca

import (
	"slices"

	"hcacosim/model/sim"
)

// hcaRxServe is what answers in hca_rx, in the order of the commits: READs and atomics with what memory gives, and all
// that waits behind them. It knows no clocks: memory's answers are taken in the order in which they come.
type hcaRxServe struct {
	blocks  *HcaRxBlocks
	works   []hcaRxWork // that nobody has looked at
	head    hcaRxTurn   // that an engine does next; idle: none
	turns   []hcaRxTurn // that have not left
	dead    map[uint32]bool
	passing AckRecord // the answer that leaves

	acks         [DMATags]bool
	acked, wrote uint64 // writes: so many of the first ones are acknowledged, and were decided

	asks  hcaRxAsks
	given []hcaReply // by memory, and not asked for yet

	atomics *atomicEngine
	busy    bool // an atomic is under way
	results []AtomicResult

	bytes chunks // of frames that memory gave, and of records
}

// hcaReply is a frame at s_rd.
type hcaReply struct {
	tag    uint8
	failed bool
	frame  []byte
}

// hcaRxTurn is what leaves next.
type hcaRxTurn struct {
	work     hcaRxWork
	end      HcaRxEnd
	silent   bool
	original uint64
	read     ReadCommand
	what     hcaRxEngine
	pieces   []*hcaRxPiece
	left     uint32 // responses that have
}

// hcaRxEngine is who does a READ or atomic.
type hcaRxEngine uint8

const (
	hcaRxIdle hcaRxEngine = iota
	hcaRxRead
	hcaRxAtomic
)

// hcaRxGiver takes what comes of it.
type hcaRxGiver interface {
	port(port sim.Port, data []byte)     // a record
	leave(q *AckRecord, payload []byte)  // a frame of ack_gen
	atomic(data []byte, e *atomicEngine) // what atomic_engine makes of a command
	fail(qpn uint32)
}

func newHcaRxServe(b *HcaRxBlocks) *hcaRxServe {
	return &hcaRxServe{blocks: b, dead: map[uint32]bool{}, atomics: &atomicEngine{slots: hcaRxAtomicSlots}}
}

// hcaRxAtomicSlots is Slots of atomic_engine in hca_rx: one is under way at most.
const hcaRxAtomicSlots = 16

// operate gives replay_fifo its operation.
func (s *hcaRxServe) operate(q *ReplayQuery) {
	if s.blocks.setReplays(q) {
		delete(s.dead, q.QPN)
	}
}

// acknowledge takes the acknowledgement of a write.
func (s *hcaRxServe) acknowledge(tag uint8) { s.acks[tag] = true }

// give takes what memory gives for a READ.
func (s *hcaRxServe) give(in *sim.Record) {
	s.given = append(s.given, hcaReply{uint8(in.User % ReadPieces), in.User&ReadPieces != 0, s.bytes.clone(in.Data)})
}

// run does all that can be done.
func (s *hcaRxServe) run(out hcaRxGiver) {
	for s.count() || s.begin(out) || s.asks.ask(s, out) || s.take() || s.turn(out) {
	}
}

// count counts the first acknowledgement that was not.
func (s *hcaRxServe) count() bool {
	there := &s.acks[s.acked%DMATags]
	if s.acked == s.wrote || !*there {
		return false
	}
	*there = false
	s.acked++
	return true
}

// begin asks for the first work that waits; an atomic holds those behind it until its result is kept.
func (s *hcaRxServe) begin(out hcaRxGiver) bool {
	switch {
	case s.busy:
		return s.keepResult()
	case s.head.what == hcaRxIdle:
		return s.look()
	case s.acked < s.head.work.writes: // it stands behind every write of a packet before it
		return false
	case s.head.what == hcaRxAtomic:
		s.busy = true
		c := s.head.work.command()
		out.atomic(c.Append(nil), s.atomics)
		return true
	}
	s.read(out)
	return true
}

// look takes the first work, and asks replay_fifo about it. What asks no engine goes on at once.
func (s *hcaRxServe) look() bool {
	if len(s.works) == 0 {
		return false
	}
	t := hcaRxTurn{work: s.works[0]}
	w := &t.work
	s.works = slices.Delete(s.works, 0, 1) // in place: nothing is allocated for the next one
	if w.passes {
		s.turns = append(s.turns, t)
		return true
	}
	t.end, t.silent, t.original = s.blocks.keep(w)
	switch isAtomic := w.kept.Kind == ReplayAtomic; {
	case t.silent || isAtomic && w.duplicate:
		s.turns = append(s.turns, t)
		return true
	case isAtomic:
		t.what = hcaRxAtomic
	default:
		t.what = hcaRxRead
	}
	s.head = t
	return true
}

// read asks memory for a READ.
func (s *hcaRxServe) read(out hcaRxGiver) {
	t := s.head
	s.head = hcaRxTurn{}
	t.read = s.blocks.read(&t.work)
	for _, p := range t.read.Pieces(0) {
		t.pieces = append(t.pieces, &hcaRxPiece{ReadPiece: p})
	}
	s.asks.waiting = append(s.asks.waiting, t.pieces...)
	s.turns = append(s.turns, t)
}

// keepResult has the result of the atomic kept that is under way, if it is there.
func (s *hcaRxServe) keepResult() bool {
	if len(s.results) == 0 {
		return false
	}
	r, t := s.results[0], s.head
	s.results, s.busy, s.head = s.results[1:], false, hcaRxTurn{}
	s.blocks.keepResult(&t.work, r.Original)
	if t.original = r.Original; r.Status != AtomicDone {
		t.end = HcaRxFailed
	}
	s.turns = append(s.turns, t)
	return true
}

// take gives the first frame of memory that waits to its piece, if that was asked for.
func (s *hcaRxServe) take() bool {
	if len(s.given) == 0 {
		return false
	}
	g := &s.given[0]
	p := s.asks.take(g.tag)
	if p == nil {
		return false
	}
	from := p.lead()
	p.bad = g.failed || len(g.frame) < from+int(p.Bytes)
	if !p.bad {
		p.bytes = g.frame[from : from+int(p.Bytes)]
	}
	s.given = s.given[1:]
	return true
}

// turn has the first answer leave, as far as it is there.
func (s *hcaRxServe) turn(out hcaRxGiver) bool {
	if len(s.turns) == 0 {
		return false
	}
	t := &s.turns[0]
	dead := s.dead[t.work.answer.QPN]
	switch {
	case t.work.passes:
		if !dead || t.work.answer.Op == AckCNP {
			s.passing = AckRecord{AckQuery: t.work.answer}
			out.leave(&s.passing, nil)
		}
		s.turns = slices.Delete(s.turns, 0, 1)
		return true
	case t.what == hcaRxRead && t.end == HcaRxAnswered && t.left < t.read.responses():
		return s.respond(t, dead, out)
	}
	s.end(t, dead, out)
	s.turns = slices.Delete(s.turns, 0, 1)
	return true
}

// respond has the next response of a READ leave, if it is there.
func (s *hcaRxServe) respond(t *hcaRxTurn, dead bool, out hcaRxGiver) bool {
	h := t.read.response(t.left)
	from := t.left * t.read.MTU()
	var payload []byte
	at := uint32(0)
	for i := range t.pieces {
		p := t.pieces[i]
		to := at + uint32(p.Bytes)
		if low, high := max(at, from), min(to, from+uint32(h.Bytes)); low < high {
			switch {
			case !p.there:
				return false
			case p.bad:
				t.end = HcaRxFailed
				return true
			}
			payload = append(payload, p.bytes[low-at:high-at]...)
		}
		at = to
	}
	if t.left++; !dead {
		q := t.work.response(&h)
		out.leave(&q, payload)
	}
	return true
}

// end says what became of a READ or atomic, and gives what leaves last of it.
func (s *hcaRxServe) end(t *hcaRxTurn, dead bool, out hcaRxGiver) {
	qpn, count, end := t.work.answer.QPN, t.left, t.end
	for _, p := range t.pieces {
		p.unwanted = true
	}
	switch {
	case dead:
		count, end = 0, HcaRxDead
	case end == HcaRxLost:
		s.dead[qpn] = true
		out.fail(qpn)
	case end == HcaRxFailed:
		q := t.work.nak(count)
		out.leave(&q, nil)
		s.dead[qpn] = true
		out.fail(qpn)
	case !t.silent && t.what != hcaRxRead:
		q := t.work.atomicReply(t.original)
		count = 1
		out.leave(&q, nil)
	}
	if !dead && end == HcaRxAnswered && !t.work.duplicate {
		s.blocks.free(qpn)
	}
	out.port(hcaRxEnds, t.work.appendEnd(s.bytes.room(readRoom), end, count))
}
