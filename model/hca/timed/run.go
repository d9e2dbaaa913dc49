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
	p.out = out
	for p.now < to && p.busy() {
		came := len(p.out)
		moved := p.clock()
		if len(p.out) > came {
			p.collect(p.out[came:])
		}
		p.now++
		if !moved {
			p.now = min(to, p.wakes())
		}
	}
	out, p.out = p.out, nil
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
	var moves partSet
	for _, i := range p.turn {
		if parts[i].read(p) {
			moves |= 1 << i
		}
	}
	for _, i := range p.turn {
		if moves.has(i) {
			parts[i].commit(p)
		}
	}
	return moves != 0
}

// clockInOrder is clock in the parts' own order. A part that has nothing in front of it is not asked.
func (p *Pipeline) clockInOrder() bool {
	moves := p.readFront() | p.readLookUps() | p.readBack()
	if p.serves() {
		moves |= p.readServing()
	}
	for m := moves; m != 0; m &= m - 1 {
		parts[bits.TrailingZeros64(uint64(m))].commit(p)
	}
	return moves != 0
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
func (p *Pipeline) begins(start *uint64) {
	if *start == 0 {
		*start = p.now + 1
	}
}

// emit gives the record of a port that left in this clock.
func (p *Pipeline) emit(port sim.Port, t *token, start uint64, data []byte, user uint32) {
	p.out = append(p.out, sim.Record{Start: start, End: p.now, Seq: p.seq[port], Cause: t.in.Seq, Key: t.in.Key,
		Port: port, User: user, Data: data})
	p.seq[port]++
}

// echo gives the record of an arrival that was accepted in full in this clock.
func (p *Pipeline) echo(t *token) {
	p.out = append(p.out, t.in)
	p.out[len(p.out)-1].Data = nil
}

// collect puts what left in this clock in the order of the ports, each of which has one record at most, and asks memory
// about it.
func (p *Pipeline) collect(came []sim.Record) {
	for i := 1; i < len(came); i++ {
		for k := i; k > 0 && came[k].Port < came[k-1].Port; k-- {
			came[k], came[k-1] = came[k-1], came[k]
		}
	}
	if p.cfg.Memory == nil {
		return
	}
	for i := range came {
		if a, answers := p.cfg.Memory(&came[i]); answers {
			p.sources[a.Port].add(a)
		}
	}
}
