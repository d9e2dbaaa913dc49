package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// Clocks of read_engine, as docs/blocks/read_engine.md has them: from the acceptance of a frame's first or last beat to
// that in which it is looked at, and from the clock in which a beat moves to the first in which it may be taken.
const (
	ReadTakeCycles = 2
	ReadMoveCycles = 6
)

// readRoom is more than a record of read_engine has.
const readRoom = 16

// Depths of the queues of read_engine.
const (
	readQueueDepth = 4
	readBeatDepth  = 16
)

// readClock is read_engine clock by clock. In a clock everything is decided by what was there when it began, and then
// done.
type readClock struct {
	beatBytes uint64
	held      func(port sim.Port, cycle uint64) bool // nil: never
	now       uint64                                 // the clock that runs next

	commands readQueue[readOp]
	replies  readQueue[readReply] // not looked at
	reads    []readOp             // under way, oldest first
	asked    int                  // of those: how many are asked whole

	pieces               [ReadPieces]readPlace // by number modulo 64
	ask, seen, free      uint64                // numbers of the piece that is asked for, seen, freed next
	freed                readPlace             // the piece that was freed last
	position             uint32                // bytes of the READ that is asked which are asked for
	state                readState
	status               ReadStatus
	count                uint32 // responses of the first READ that began
	base                 uint64 // number of its first piece
	answered             uint32 // its bytes that are in these
	finished             bool   // and all of them are
	moving               readMove
	beat                 uint64 // of memory, by address / bytes of a beat, that moves next
	wanted, headers, ran readQueue[sim.Record]
	beats                readQueue[readBeat]
	begun                uint64 // the clock in which the first beat of the frame was taken
	seqs                 [readPortRecord + 1]uint64
	bytes                chunks
	spare                [][]byte // room for frames of memory
}

// readState is what the answer side does.
type readState uint8

const (
	readIdle readState = iota
	readLoaded
	readResponds
	readRests
)

// readOp is a command.
type readOp struct {
	ReadCommand
	seq     uint64
	came    uint64 // the clock in which it was accepted
	stopped bool
	end     uint64 // number of the piece behind its last one, when it is asked whole
}

// readPlace is a piece that is under way.
type readPlace struct {
	ReadPiece
	open  bool // waits for its frame
	asked uint64
	there bool
	bad   bool
	frame []byte
}

// readReply is a frame of memory that came.
type readReply struct {
	first, last uint64 // the clocks in which it is looked at
	tag         uint8
	failed      bool
	frame       []byte
}

// readMove is the response that moves.
type readMove struct {
	slots   int  // clocks that it still needs
	primes  bool // in the first of which nothing leaves
	last    bool // of its READ
	cause   uint64
	payload []byte
}

// readBeat is a beat of a payload that has moved.
type readBeat struct {
	from        uint64 // may be taken from this clock on
	first, last bool
	cause       uint64
	payload     []byte // of the frame
}

// readQueue is a queue that takes a record in a clock in which it began with room.
type readQueue[T any] struct {
	items []T // those before head have left
	head  int
	began int // how many there were when the clock began
	depth int
}

func (q *readQueue[T]) room() bool { return q.began < q.depth }

func (q *readQueue[T]) len() int { return len(q.items) - q.head }

func (q *readQueue[T]) first() *T { return &q.items[q.head] }

func (q *readQueue[T]) push(t T) {
	if q.head > q.len() && len(q.items) == cap(q.items) { // in place of more memory
		q.items, q.head = append(q.items[:0], q.items[q.head:]...), 0
	}
	q.items = append(q.items, t)
}

func (q *readQueue[T]) pop() T {
	t := *q.first()
	if q.head++; q.len() == 0 {
		q.items, q.head = q.items[:0], 0
	}
	return t
}

func newReadClock(beatBytes uint64) *readClock {
	c := &readClock{beatBytes: beatBytes}
	// That s_cmd takes no more than it has room for, the device shows.
	c.wanted.depth, c.headers.depth, c.ran.depth = readQueueDepth, readQueueDepth, readQueueDepth
	c.beats.depth = readBeatDepth
	return c
}

// take takes an input, when all clocks before its End have run.
func (c *readClock) take(r *sim.Record) {
	if r.Port == readPortCommand {
		c.commands.push(readOp{ReadCommand: ParseReadCommand(r.Data), seq: r.Seq, came: r.End})
		return
	}
	c.replies.push(readReply{first: r.Start + ReadTakeCycles, last: r.End + ReadTakeCycles,
		tag: uint8(r.User % ReadPieces), failed: r.User&ReadPieces != 0, frame: c.copy(r.Data)})
}

// copy is a copy of a frame of memory, in the room of one that nothing needs any more.
func (c *readClock) copy(frame []byte) []byte {
	var b []byte
	if n := len(c.spare); n > 0 {
		b, c.spare = c.spare[n-1], c.spare[:n-1]
	}
	return append(b, frame...)
}

// drop gives back the room of a frame.
func (c *readClock) drop(frame []byte) {
	if cap(frame) > 0 {
		c.spare = append(c.spare, frame[:0])
	}
}

// run runs all clocks before one. Where nothing moves, none will until memory's next frame is looked at.
func (c *readClock) run(to uint64, give func(sim.Record)) {
	for c.now < to {
		if moved := c.step(give); moved {
			c.now++
			continue
		}
		next := to
		if c.replies.len() > 0 {
			next = min(to, c.replies.first().last)
		}
		c.now = max(c.now+1, next)
	}
}

// step runs a clock, and reports whether anything moved in it, or waits for no more than time.
func (c *readClock) step(give func(sim.Record)) bool {
	c.commands.began, c.wanted.began = c.commands.len(), c.wanted.len()
	c.headers.began, c.ran.began, c.beats.began = c.headers.len(), c.ran.len(), c.beats.len()
	begins := c.commands.began > 0 && c.commands.first().came < c.now && len(c.reads) < ReadsUnderWay
	asks := c.mayAsk()
	answers := c.decide()
	sees := c.maySee(answers.frees)

	waits := c.commands.began > 0 && c.commands.first().came >= c.now
	leaves := c.wanted.began+c.headers.began+c.ran.began+c.beats.began > 0
	moved := waits || begins || asks || answers.does || sees || leaves
	if sees {
		c.seen++
	}
	if asks {
		c.askNext()
	}
	c.answer(&answers)
	if begins {
		c.begin()
	}
	if answers.retires {
		c.reads = append(c.reads[:0], c.reads[1:]...)
		c.asked--
	}
	moved = c.look() || moved
	c.leave(give)
	return moved
}

// begin puts the next command among the READs under way. One that interrupts, or clears, stops those of its QP before
// it (RSP-7).
func (c *readClock) begin() {
	op := c.commands.pop()
	if op.Resumed || op.Clear {
		c.stop(op.QPN)
	}
	c.reads = append(c.reads, op)
}

// stop stops the READs of a QP that are under way.
func (c *readClock) stop(qpn uint32) {
	for i := range c.reads {
		if c.reads[i].QPN == qpn {
			c.reads[i].stopped = true
		}
	}
}

// isWhole reports whether there is no piece of a READ to ask for.
func (c *readClock) isWhole(op *readOp) bool { return op.stopped || op.Clear || op.Bytes == 0 }

// mayAsk reports whether the oldest READ that is not asked whole has its turn.
func (c *readClock) mayAsk() bool {
	if c.asked == len(c.reads) {
		return false
	}
	return c.isWhole(&c.reads[c.asked]) || c.wanted.room() && c.ask-c.free < ReadPieces
}

// askNext asks for a piece, or finds that none is left. A piece ends where an address is a multiple of 256.
func (c *readClock) askNext() {
	op := &c.reads[c.asked]
	if !c.isWhole(op) {
		address := op.Address + uint64(c.position)
		n := min(ReadPieceBytes-uint32(address%ReadPieceBytes), op.Bytes-c.position)
		p := ReadPiece{Tag: uint8(c.ask % ReadPieces), Bytes: uint16(n), Address: address}
		c.pieces[p.Tag] = readPlace{ReadPiece: p, open: true, asked: c.now}
		c.wanted.push(c.record(readPortPiece, op.seq, p.Append(c.bytes.room(readRoom))))
		c.ask++
		if c.position += n; c.position < op.Bytes {
			return
		}
	}
	op.end, c.position = c.ask, 0
	c.asked++
}

// look takes a frame of memory to its piece, if that was under way when the frame began, and reports whether one came.
func (c *readClock) look() bool {
	if c.replies.len() == 0 || c.replies.first().last > c.now {
		return false
	}
	r := c.replies.pop()
	p := &c.pieces[r.tag]
	if !p.open || p.asked >= r.first {
		c.drop(r.frame)
		return true
	}
	p.open, p.there, p.frame = false, true, r.frame
	p.bad = r.failed || len(r.frame) < p.lead()+int(p.Bytes)
	return true
}

// next is the oldest piece that is not seen, if it is there.
func (c *readClock) next() *readPlace {
	if p := &c.pieces[c.seen%ReadPieces]; c.seen != c.ask && p.there {
		return p
	}
	return nil
}

func (c *readClock) maySee(frees bool) bool {
	p := c.next()
	return p != nil && (!p.bad || frees && c.seen == c.free)
}

// leave lets each output take what it may.
func (c *readClock) leave(give func(sim.Record)) {
	c.leaveOne(readPortPiece, &c.wanted, give)
	c.leaveOne(readPortHeader, &c.headers, give)
	c.leaveOne(readPortRecord, &c.ran, give)
	if c.beats.began == 0 || c.beats.first().from > c.now || !c.isOpen(readPortPayload) {
		return
	}
	b := c.beats.pop()
	if b.first {
		c.begun = c.now
	}
	if b.last {
		r := c.record(readPortPayload, b.cause, b.payload)
		r.Start, r.End = c.begun, c.now
		give(r)
	}
}

func (c *readClock) leaveOne(port sim.Port, q *readQueue[sim.Record], give func(sim.Record)) {
	if q.began > 0 && c.isOpen(port) {
		r := q.pop()
		r.Start, r.End = c.now, c.now
		give(r)
	}
}

func (c *readClock) isOpen(port sim.Port) bool { return c.held == nil || !c.held(port, c.now) }

// record makes the next record of a port.
func (c *readClock) record(port sim.Port, cause uint64, data []byte) sim.Record {
	seq := c.seqs[port]
	c.seqs[port]++
	return sim.Record{Seq: seq, Cause: cause, Port: port, Data: data}
}

// readAnswer is what the answer side does in a clock.
type readAnswer struct {
	does                   bool // anything
	loads, begins, retires bool
	moves, frees           bool
	rests                  bool // the READ ends early
	status                 ReadStatus
}

// decide says what the answer side does in this clock (DMA-7: a response begins when all of it is there, and good).
func (c *readClock) decide() (a readAnswer) {
	m := &c.moving
	a.moves = m.slots > 0 && c.beats.room()
	switch c.state {
	case readIdle:
		a.loads = len(c.reads) > 0
	case readLoaded:
		a.does = true
	case readRests:
		op := &c.reads[0]
		through := c.asked > 0 && c.free == op.end
		a.frees = !through && c.free != c.ask && c.pieces[c.free%ReadPieces].there
		a.retires = through && c.ran.room()
	case readResponds:
		c.respond(&a)
	}
	if a.moves {
		a.frees = (c.beat+1)*c.beatBytes%ReadPieceBytes == 0
	}
	if a.moves && m.slots == 1 && m.last {
		a.frees = c.free != c.reads[0].end
	}
	a.does = a.does || a.loads || a.begins || a.retires || a.moves || a.frees || a.rests
	return a
}

// respond decides about the next response of the first READ.
func (c *readClock) respond(a *readAnswer) {
	op := &c.reads[0]
	quiet := c.moving.slots == 0
	if !quiet && !(a.moves && c.moving.slots == 1) {
		return
	}
	end := c.base // of the pieces that the response needs
	if n := c.length(op); n > 0 {
		end += (op.Address%ReadPieceBytes + uint64(c.answered) + uint64(n) + ReadPieceBytes - 1) / ReadPieceBytes
	}
	enough := c.seen >= end || c.length(op) == 0
	p := c.next()
	switch {
	case c.finished:
		a.retires = quiet && c.ran.room()
	case op.stopped:
		a.rests, a.status = quiet, ReadGivenUp
	case enough:
		a.begins = c.headers.room()
	case p != nil && p.bad: // DMA-7
		a.rests, a.status = quiet, ReadError
	}
}

// length is that of the payload of the next response (LEN-1).
func (c *readClock) length(op *readOp) uint32 { return min(op.MTU(), op.Bytes-c.answered) }

// answer does what was decided.
func (c *readClock) answer(a *readAnswer) {
	if a.moves {
		c.move()
	}
	if a.frees {
		p := &c.pieces[c.free%ReadPieces]
		c.drop(c.freed.frame)
		c.freed = *p
		p.there, p.frame = false, nil
		c.free++
	}
	switch {
	case a.loads:
		op := &c.reads[0]
		c.state, c.status, c.count, c.answered, c.finished = readLoaded, ReadDone, 0, 0, false
		c.base, c.beat = c.free, op.Address/c.beatBytes
	case c.state == readLoaded:
		if c.state = readResponds; c.reads[0].Clear {
			c.state, c.status = readRests, ReadCleared
		}
	case a.rests:
		if c.state, c.status = readRests, a.status; a.status == ReadError {
			c.stop(c.reads[0].QPN)
		}
	case a.begins:
		c.respondNext()
	case a.retires:
		op := &c.reads[0]
		r := ReadRecord{QPN: op.QPN, PSN: op.PSN, Count: c.count & (1<<24 - 1), Status: c.status}
		c.ran.push(c.record(readPortRecord, op.seq, readRecordForm.Append(c.bytes.room(readRoom), &r)))
		c.state = readIdle
	}
}

// respondNext begins the next response of the first READ (OPC-1, OPC-2).
func (c *readClock) respondNext() {
	op, n := &c.reads[0], c.length(&c.reads[0])
	first, last := c.answered == 0, c.answered+n == op.Bytes
	h := ReadHeader{QPN: op.QPN, Opcode: uint8(ib.Join(ib.RC, roce.ReadOperation(first, last))),
		PSN: psn.PSN((uint32(op.PSN) + c.count) % (1 << psn.Bits)), MSN: op.MSN, Syndrome: op.Syndrome, Bytes: uint16(n),
		Last: last}
	if !first && !last {
		h.MSN, h.Syndrome = 0, 0
	}
	c.headers.push(c.record(readPortHeader, op.seq, readHeaderForm.Append(c.bytes.room(readRoom), &h)))
	beats, lane := (uint64(n)+c.beatBytes-1)/c.beatBytes, op.Address%c.beatBytes
	c.moving = readMove{slots: int(beats), last: last, cause: op.seq, payload: c.payload(op, c.answered, n)}
	if c.moving.primes = first && lane != 0 && n > 0; c.moving.primes {
		c.moving.slots++
	}
	c.count++
	c.answered += n
	c.finished = last
}

// payload is what memory gave for bytes of a READ.
func (c *readClock) payload(op *readOp, from, n uint32) []byte {
	b := c.bytes.room(int(n))
	for at := from; at < from+n; {
		address := op.Address + uint64(at)
		number := c.base + (op.Address%ReadPieceBytes+uint64(at))/ReadPieceBytes
		p := &c.pieces[number%ReadPieces]
		if number < c.free { // its last beat has moved, with bytes of this response at its end
			p = &c.freed
		}
		take := min(from+n-at, uint32(p.Bytes)-uint32(address-p.Address))
		start := p.lead() + int(address-p.Address)
		b = append(b, p.frame[start:start+int(take)]...)
		at += take
	}
	return b
}

// move moves a beat of the response.
func (c *readClock) move() {
	m := &c.moving
	c.beat++ // one too many where the last bytes are there already, but then the READ is through
	left := m.slots
	m.slots--
	if m.primes {
		m.primes = false
		return
	}
	beats := (len(m.payload) + int(c.beatBytes) - 1) / int(c.beatBytes)
	c.beats.push(readBeat{from: c.now + ReadMoveCycles, first: left == beats, last: left == 1, cause: m.cause,
		payload: m.payload})
}
