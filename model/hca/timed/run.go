package timed

import (
	"math/bits"

	"hcacosim/model/sim"
)

// Reset returns the pipeline to its state behind reset, clock 0; what was on its way is lost.
func (p *Pipeline) Reset() {
	free := p.free
	*p = *New(p.cfg)
	p.free = free
}

// Advance takes arrivals, each port's in their order, and goes on to clock `to`, or, where that comes first, until
// nothing is on its way any more. It appends what came out to out, sorted by End, then by port: records that left, with
// the clocks of their first and last beat, and for each arrival that was accepted in full a record without Data. Data
// of what came out is valid until the next call, a payload's as long as its arrival's.
func (p *Pipeline) Advance(to uint64, in []Arrival, out []sim.Record) []sim.Record {
	p.bytes = p.bytes[:0]
	for i := range in {
		p.sources[in[i].Port].add(in[i])
	}
	for p.now < to && p.busy() {
		moved := p.clock()
		out = p.collect(out)
		p.now++
		if !moved {
			p.now = min(to, p.wakes())
		}
	}
	return out
}

// busy reports whether something is on its way or to come.
func (p *Pipeline) busy() bool {
	for i := range p.sources {
		if s := &p.sources[i]; s.next < len(s.arrivals) {
			return true
		}
	}
	return p.inFlight > 0
}

// clock does one clock and reports whether anything moved.
func (p *Pipeline) clock() bool {
	if p.cfg.Order == nil {
		return p.clockInOrder()
	}
	var moves uint64
	for _, i := range p.turn {
		if parts[i].read(p) {
			moves |= 1 << i
		}
	}
	for _, i := range p.turn {
		if moves>>i&1 != 0 {
			parts[i].commit(p)
		}
	}
	return moves != 0
}

// clockInOrder is clock in the parts' own order, without a call through a table for each part that does not move.
func (p *Pipeline) clockInOrder() bool {
	var moves uint64
	for i, moved := range [...]bool{
		p.readOps(), p.readFrames(), p.readGate(), p.readGateStore(), p.readGateRecord(), p.readParse(),
		p.readPayloadStore(), p.readOperation(), p.readHeader(), p.readClassify(), p.readClassified(),
		p.readIssue(), p.readIssued(), p.readMessage(), p.readPlaceOf(), p.readHead(), p.readWQE(), p.readKeys(),
		p.readAsk(), p.readVerdict(), p.readJudged(), p.readMark(), p.readMarked(),
		p.readNotify(), p.readCommit(), p.readTold(), p.readCommand(), p.readPay(), p.readBeat(),
		p.readMove(), p.readAcks(), p.readNote(), p.readRetire(), p.readWrite(), p.readData(), p.readCQE(), p.readFailing(),
		p.readAckIn(), p.readAck(), p.readInsert(), p.readSent(), p.readEngines(), p.readOrder(), p.readAcked(),
	} {
		if moved {
			moves |= 1 << i
		}
	}
	if p.serves() {
		moves |= p.readServing() << partReplay
	}
	for m := moves; m != 0; m &= m - 1 {
		parts[bits.TrailingZeros64(m)].commit(p)
	}
	return moves != 0
}

// serves reports whether a READ or atomic, or what belongs to one, is inside or to come. Else the parts from partReplay
// on have nothing to do.
func (p *Pipeline) serves() bool {
	return p.serving > 0 || p.sources[ReadData].hasMore() || p.sources[AtomicData].hasMore() ||
		p.sources[AtomicAcks].hasMore()
}

// readServing says which of the parts from partReplay on move.
func (p *Pipeline) readServing() (moves uint64) {
	for i, moved := range [NumParts - partReplay]bool{
		p.readReplay(), p.readReplayed(), p.readReadBegin(), p.readReadAsk(), p.readReadOut(), p.readReadData(),
		p.readReadTake(), p.readReadLook(), p.readAnswers(), p.readPayloadIn(), p.readEnd(), p.readOutcome(),
		p.readAtomic(), p.readAtomicRead(), p.readAtomicData(), p.readNoted(), p.readDecide(), p.readAtomicWrite(),
		p.readAtomicAcks(), p.readAtomicRetire(),
	} {
		if moved {
			moves |= 1 << i
		}
	}
	return moves
}

// wakes is the first clock from now on in which something can move. What waits for something else than time waits for
// what moves first.
func (p *Pipeline) wakes() uint64 {
	t := min(p.gate.next(p.now), p.payload.next(p.now), p.memory.wakes(p.now), p.atomics.wakes(p.now))
	for i := range p.sources {
		t = min(t, p.sources[i].wakes(p.now))
	}
	for _, q := range [...]*queue{&p.check, &p.gateRecords, &p.headers, &p.ops, &p.classIn, &p.headerQ, &p.class, &p.ways,
		&p.issueIn, &p.issueQ, &p.issued, &p.messageIn, &p.messageQ, &p.messages, &p.headIn, &p.heads, &p.wqes, &p.keysIn,
		&p.keyQ, &p.keys, &p.verdictIn, &p.verdicts, &p.judged, &p.told, &p.places, &p.commands, &p.payIn, &p.pay, &p.writes,
		&p.data, &p.cqes, &p.failing, &p.steer, &p.acks, &p.markIn, &p.marks, &p.notices, &p.ackIn, &p.ackEdge,
		&p.ackBeats, &p.sent, &p.engines.works, &p.engines.turns, &p.engines.replayIn, &p.engines.replays, &p.engines.mtu,
		&p.reads.commands, &p.reads.wanted, &p.reads.headers, &p.reads.records, &p.reads.data, &p.reads.taken,
		&p.reads.beats, &p.atomics.commands, &p.atomics.asked, &p.atomics.decided, &p.atomics.results,
		&p.atomics.answers, &p.atomics.acks, &p.order.ended, &p.order.outcomes, &p.order.deadIn, &p.ackPayload} {
		t = min(t, q.next(p.now))
	}
	return t
}

func (p *Pipeline) held(port sim.Port) bool { return p.cfg.Held != nil && p.cfg.Held(port, p.now) }

// begin makes the token of an arrival whose first beat is accepted.
func (p *Pipeline) begin(port sim.Port, a *Arrival) *token {
	if port == Frames {
		return p.receive(a)
	}
	t := p.newToken()
	t.from(a)
	t.op = a.Data
	if port > Answers {
		p.serving++
	}
	return t
}

// begins notes the first clock in which a record is at a port. It is kept with 1 added: 0 is not yet.
func (p *Pipeline) begins(port sim.Port, t *token) {
	if t.start[port] == 0 {
		t.start[port] = p.now + 1
	}
}

// emit gives the record of a port that left in this clock.
func (p *Pipeline) emit(port sim.Port, t *token, start uint64, data []byte, user uint32) {
	p.emits |= 1 << port
	r := &p.emitted[port]
	r.Start, r.End, r.Seq, r.Cause, r.Key = start, p.now, p.seq[port], t.in.Seq, t.in.Key
	r.Port, r.User, r.Data = port, user, data
	p.seq[port]++
}

// echo gives the record of an arrival that was accepted in full in this clock.
func (p *Pipeline) echo(t *token) {
	p.emits |= 1 << t.in.Port
	p.emitted[t.in.Port] = t.in
	p.emitted[t.in.Port].Data = nil
}

// collect appends what left in this clock, in the order of the ports.
func (p *Pipeline) collect(out []sim.Record) []sim.Record {
	for ; p.emits != 0; p.emits &= p.emits - 1 {
		r := &p.emitted[bits.TrailingZeros16(p.emits)]
		out = append(out, *r)
		if p.cfg.Memory == nil {
			continue
		}
		if a, answers := p.cfg.Memory(r); answers {
			p.sources[a.Port].add(a)
		}
	}
	return out
}
