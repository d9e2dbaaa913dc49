package timed

import "hcacosim/model/hca"

// readAnswers says what the answer side of read_engine does in this clock (DMA-7: a response begins when all of it is
// there, and good).
func (p *Pipeline) readAnswers() bool {
	r := &p.reads
	a := readPlan{tail: r.tail, moves: r.slots > 0 && r.beats.room()}
	switch r.state {
	case readIdle:
		a.loads = r.head != r.tail
	case readLoaded:
	case readRests:
		through := r.whole != r.head && r.free == r.at(r.head).end
		a.frees = !through && r.free != r.ask && r.piece(r.free).there
		a.retires = through && r.records.room()
	case readResponds:
		r.planResponse(&a)
	}
	if a.moves {
		a.frees = (r.beat+1)*uint64(p.beatBytes)%hca.ReadPieceBytes == 0
	}
	if a.moves && r.slots == 1 && r.lastOne {
		a.frees = r.free != r.at(r.head).end
	}
	if n := r.next(); n != nil {
		a.sees = !n.bad || a.frees && r.seen == r.free
	}
	r.plan = a
	does := a.loads || a.begins || a.retires || a.moves || a.frees || a.rests || a.sees || r.state == readLoaded
	return does || r.state != readIdle && p.movesTo(partAnswers, false)
}

// next is the oldest piece that is not seen, if it is there.
func (r *reads) next() *piece {
	if n := r.piece(r.seen); r.seen != r.ask && n.there {
		return n
	}
	return nil
}

// length is that of the payload of the next response (LEN-1).
func (r *reads) length(op *readOp) uint32 { return min(op.cmd.MTU(), op.cmd.Bytes-r.answered) }

// planResponse decides about the next response of the oldest READ.
func (r *reads) planResponse(a *readPlan) {
	op := r.at(r.head)
	quiet := r.slots == 0
	if !quiet && !(a.moves && r.slots == 1) {
		return
	}
	end, n := r.base, r.length(op) // of the pieces that the response needs
	if n > 0 {
		end += (op.cmd.Address%hca.ReadPieceBytes + uint64(r.answered) + uint64(n) + hca.ReadPieceBytes - 1) /
			hca.ReadPieceBytes
	}
	next := r.next()
	switch {
	case r.finished:
		a.retires = quiet && r.records.room()
	case op.stopped:
		a.rests = quiet
	case n == 0 || r.seen >= end:
		a.begins = r.headers.room()
	case next != nil && next.bad: // DMA-7
		a.rests = quiet
	}
}

func (p *Pipeline) commitAnswers() {
	r := &p.reads
	a := &r.plan
	if a.sees {
		r.seen++
	}
	if a.moves {
		p.moveBeat()
	}
	if a.frees {
		f := r.piece(r.free)
		r.freed, f.there = *f, false
		r.free++
	}
	switch {
	case a.loads:
		op := r.at(r.head)
		r.state, r.failed, r.count, r.answered, r.finished = readLoaded, false, 0, 0, false
		r.base, r.beat = r.free, op.cmd.Address/uint64(p.beatBytes)
	case r.state == readLoaded:
		r.state = readResponds
	case a.rests:
		r.rest()
	case a.begins:
		p.beginResponse()
	case a.retires:
		t := r.at(r.head).what
		if t.count, t.status = r.count, hca.AtomicDone; r.failed {
			t.status = hca.AtomicNotRead
		}
		r.records.put(p, t, true)
		r.state = readIdle
		r.head++
	}
}

// rest ends a READ early: memory failed it, and with it those of its QP that have begun.
func (r *reads) rest() {
	r.state = readRests
	op := r.at(r.head)
	if op.stopped {
		return
	}
	r.failed = true
	for i := r.head; i != r.plan.tail; i++ {
		if o := r.at(i); o.cmd.QPN == op.cmd.QPN {
			o.stopped = true
		}
	}
}

// beginResponse begins the next response of the oldest READ (OPC-1, OPC-2).
func (p *Pipeline) beginResponse() {
	r := &p.reads
	op := r.at(r.head)
	n := r.length(op)
	t := p.follows(op.what)
	t.reply = op.what.due.Response(&op.cmd, r.count)
	t.payload = r.appendPayload(t.payload, op, n)
	r.headers.put(p, t, true)
	if n > 0 {
		p.serving++
	}
	lane := op.cmd.Address % uint64(p.beatBytes)
	r.slots, r.what = (n+p.beatBytes-1)/p.beatBytes, t
	if r.primes = r.answered == 0 && lane != 0 && n > 0; r.primes {
		r.slots++
	}
	r.count++
	r.answered += n
	r.finished = r.answered == op.cmd.Bytes
	r.lastOne = r.finished
}

// appendPayload appends what memory gave for the next n bytes of a READ.
func (r *reads) appendPayload(b []byte, op *readOp, n uint32) []byte {
	for at, to := r.answered, r.answered+n; at < to; {
		address := op.cmd.Address + uint64(at)
		number := r.base + (op.cmd.Address%hca.ReadPieceBytes+uint64(at))/hca.ReadPieceBytes
		q := r.piece(number)
		if number < r.free { // its last beat has moved, with bytes of this response at its end
			q = &r.freed
		}
		take := min(to-at, uint32(q.Bytes)-uint32(address-q.Address))
		start := q.Lead() + int(address-q.Address)
		b = append(b, q.data[start:start+int(take)]...)
		at += take
	}
	return b
}

// moveBeat moves a beat of the response.
func (p *Pipeline) moveBeat() {
	r := &p.reads
	r.beat++ // one too many where the last bytes are there already, but then the READ is through
	r.slots--
	if r.primes {
		r.primes = false
		return
	}
	r.beats.put(p, r.what, r.slots == 0)
}

func (p *Pipeline) readPayloadIn() bool {
	return p.reads.beats.offers(p.now) && p.movesTo(partPayloadIn, p.ackPayload.room())
}

func (p *Pipeline) commitPayloadIn() {
	e := *p.reads.beats.first()
	p.reads.beats.take(p)
	p.ackPayload.put(p, e.what, e.last)
	if e.last {
		p.serving--
	}
}
