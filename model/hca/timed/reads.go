package timed

import "hcacosim/model/hca"

// reads is read_engine: docs/blocks/read_engine.md, Time and order. In hca_rx no command interrupts or clears.
type reads struct {
	commands, wanted, headers, records queue
	beats                              queue // of payload

	data, taken queue                  // beats that memory gave: before they were asked for, and being looked at
	askedFrom   [hca.ReadPieces]uint64 // by tag: memory was asked, which counts from this clock on; never: it was not

	// READs under way, by number: the oldest, one behind the youngest, the first that is not asked whole.
	under             [hca.ReadsUnderWay]readOp
	head, tail, whole uint64
	position          uint32 // bytes of that one which are asked for
	asks              bool   // a piece is, in this clock

	// Pieces, by number: the one that is asked for, seen, freed, and asked of memory next.
	pieces                [hca.ReadPieces]piece
	ask, seen, free, sent uint64
	freed                 piece // the last one

	answerSide
}

// answerSide is what read_engine does with the oldest READ.
type answerSide struct {
	state    readState
	failed   bool
	count    uint32 // its responses that began
	base     uint64 // number of its first piece
	answered uint32 // its bytes that are in these
	finished bool
	beat     uint64 // of memory, by address / bytes of a beat, that moves next
	slots    uint32 // clocks that the response that moves still needs
	primes   bool   // in the first of which nothing leaves
	lastOne  bool   // of its READ
	what     *token // the response
	plan     readPlan
}

// readOp is a READ that is under way.
type readOp struct {
	what    *token
	cmd     hca.ReadCommand
	end     uint64 // number of the piece behind its last one, when it is asked whole
	stopped bool
}

// piece is one that is under way.
type piece struct {
	hca.ReadPiece
	there, bad bool
	data       []byte
}

type readState uint8

const (
	readIdle readState = iota
	readLoaded
	readResponds
	readRests
)

// readPlan is what the answer side does in a clock.
type readPlan struct {
	loads, begins, retires, moves, frees, rests, sees bool
	tail                                              uint64 // READs that are under way
}

func newReads() reads {
	var r reads
	for i := range r.askedFrom {
		r.askedFrom[i] = never
	}
	return r
}

func (r *reads) at(i uint64) *readOp { return &r.under[i%hca.ReadsUnderWay] }

func (r *reads) piece(i uint64) *piece { return &r.pieces[i%hca.ReadPieces] }

func (p *Pipeline) readReadBegin() bool {
	r := &p.reads
	return r.commands.offers(p.now) && p.movesTo(partReadBegin, r.tail-r.head < hca.ReadsUnderWay)
}

func (p *Pipeline) commitReadBegin() {
	r := &p.reads
	t := r.commands.first().what
	r.commands.take(p)
	*r.at(r.tail) = readOp{what: t, cmd: p.blocks.ReadOf(&t.due)}
	r.tail++
}

// The oldest READ that is not asked whole has its turn.
func (p *Pipeline) readReadAsk() bool {
	r := &p.reads
	if r.whole == r.tail {
		return false
	}
	op := r.at(r.whole)
	r.asks = !op.stopped && op.cmd.Bytes > 0
	return !r.asks || p.movesTo(partReadAsk, r.wanted.room() && r.ask-r.free < hca.ReadPieces)
}

// commitReadAsk asks for a piece, or finds that none is left.
func (p *Pipeline) commitReadAsk() {
	r := &p.reads
	op := r.at(r.whole)
	if r.asks {
		address := op.cmd.Address + uint64(r.position)
		n := min(hca.ReadPieceBytes-uint32(address%hca.ReadPieceBytes), op.cmd.Bytes-r.position)
		*r.piece(r.ask) = piece{ReadPiece: hca.ReadPiece{Tag: uint8(r.ask % hca.ReadPieces), Bytes: uint16(n),
			Address: address}}
		r.wanted.put(p, op.what, true)
		r.ask++
		if r.position += n; r.position < op.cmd.Bytes {
			return
		}
	}
	op.end, r.position = r.ask, 0
	r.whole++
}

func (p *Pipeline) readReadOut() bool {
	return p.reads.wanted.offers(p.now) && p.movesTo(partReadOut, !p.held(ReadAsks))
}

func (p *Pipeline) commitReadOut() {
	r := &p.reads
	t := r.wanted.first().what
	r.wanted.take(p)
	q := &r.piece(r.sent).ReadPiece
	r.sent++
	r.askedFrom[q.Tag] = p.now + 1
	at := len(p.bytes)
	p.bytes = q.Append(p.bytes)
	p.emit(ReadAsks, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
}

func (p *Pipeline) readReadData() bool {
	s := &p.sources[ReadData]
	return s.offers(p) && p.movesTo(partReadData, p.reads.data.room())
}

func (p *Pipeline) commitReadData() {
	t, last := p.sources[ReadData].accept(p)
	p.reads.data.put(p, t, last)
}

// What memory gives waits until it was asked for.
func (p *Pipeline) readReadTake() bool {
	r := &p.reads
	return r.data.offers(p.now) &&
		p.movesTo(partReadTake, r.askedFrom[r.data.first().what.in.User%hca.ReadPieces] <= p.now && r.taken.room())
}

func (p *Pipeline) commitReadTake() {
	r := &p.reads
	e := *r.data.first()
	r.data.take(p)
	r.taken.put(p, e.what, e.last)
	if e.last {
		r.askedFrom[e.what.in.User%hca.ReadPieces] = never
	}
}

func (p *Pipeline) readReadLook() bool { return p.reads.taken.offers(p.now) }

func (p *Pipeline) commitReadLook() {
	r := &p.reads
	e := *r.taken.first()
	r.taken.take(p)
	if !e.last {
		return
	}
	t := e.what
	q := &r.pieces[t.in.User%hca.ReadPieces]
	q.there, q.data = true, t.op
	q.bad = t.in.User&hca.ReadPieces != 0 || len(t.op) < q.Lead()+int(q.Bytes)
	p.serving--
	p.leave(t)
}
