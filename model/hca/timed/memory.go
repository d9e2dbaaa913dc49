package timed

import "hcacosim/model/hca"

// memory is what rx_dma has beside its queues.
type memory struct {
	busy      bool // the record at the head has begun
	spilling  bool // of the write that began last a beat is left that the shift pushes out
	begins    bool // in this clock, and so the next two
	moves     bool
	spills    bool
	begun     uint64 // writes
	retired   uint64
	entries   []entry // a ring: records that write, complete or clear
	head      uint64
	tail      uint64
	depth     uint64
	latency   uint64
	tags      [hca.DMATags]acknowledged
	failures  hca.DMAFailures
	spillOver *token
}

// acknowledged is what memory said of a write, from a clock on.
type acknowledged struct {
	came, failed bool
	from         uint64
}

func newMemory(of Size, numQPs uint32) memory {
	size := 1
	for size < of.Depth {
		size *= 2
	}
	return memory{entries: make([]entry, size), depth: uint64(of.Depth), latency: uint64(of.Latency),
		failures: hca.DMAFailures{NumQPs: numQPs}}
}

func (m *memory) at(i uint64) *entry { return &m.entries[i&uint64(len(m.entries)-1)] }

// isEntry reports whether a record of rx_dma leaves something behind.
func isEntry(c *hca.DMACommand) bool { return writes(c) || c.Complete || c.Clear }

func writes(c *hca.DMACommand) bool { return c.Place && c.Bytes > 0 }

func (p *Pipeline) readCommand() bool {
	return p.places.offers(p.now) && p.movesTo(partCommand, p.commands.room() && p.now >= p.openAt)
}

func (p *Pipeline) commitCommand() {
	t := p.places.first().what
	p.places.take(p)
	p.commands.put(p, t, true)
}

// heard reports whether the payload of a packet is the requester's: nobody writes it here.
func (t *token) heard() bool { return t.frame.Class.Class == hca.ClassResponse }

// A payload waits for its commit, which says whose it is. The requester takes it at once.
func (p *Pipeline) readPay() bool {
	return p.payload.offers(p.now) && p.movesTo(partPay,
		p.steer.offers(p.now) && (p.steer.first().what.heard() || p.payIn.room()))
}

func (p *Pipeline) commitPay() {
	e := *p.payload.first()
	p.payload.take()
	if e.last {
		p.steer.take(p)
	}
	switch {
	case !e.what.heard():
		p.payIn.put(p, e.what, e.last)
	case e.last:
		p.leave(e.what)
	}
}

func (p *Pipeline) readBeat() bool { return p.payIn.offers(p.now) && p.pay.room() }

func (p *Pipeline) commitBeat() {
	e := *p.payIn.first()
	p.payIn.take(p)
	p.pay.put(p, e.what, e.last)
}

// readMove sees what rx_dma does: a record begins, a beat of its frame moves, or what the shift has left of the one
// before.
func (p *Pipeline) readMove() bool {
	m := &p.memory
	m.begins, m.moves, m.spills = false, false, false
	if m.spilling {
		m.spills = p.data.room()
		return p.movesTo(partMove, m.spills)
	}
	if !p.commands.offers(p.now) {
		return false
	}
	c := &p.commands.first().what.memory
	if !m.busy {
		m.begins = (!isEntry(c) || m.tail-m.head < m.depth) && (!writes(c) || p.writes.room())
	}
	if c.Bytes > 0 && (m.busy || m.begins) {
		m.moves = p.pay.offers(p.now) && (!writes(c) || p.data.room())
	}
	return p.movesTo(partMove, m.begins || m.moves)
}

func (p *Pipeline) commitMove() {
	m := &p.memory
	if m.spills {
		m.spilling = false
		p.data.put(p, m.spillOver, true)
		return
	}
	t := p.commands.first().what
	c := &t.memory
	if m.begins {
		p.beginRecord(t)
	}
	done := m.begins && c.Bytes == 0
	if m.moves {
		last := p.pay.first().last
		p.pay.take(p)
		if done = last; writes(c) {
			m.spilling, m.spillOver = last && p.spillsOver(c), t
			p.data.put(p, t, last && !m.spilling)
		}
	}
	if m.busy = !done; done {
		p.commands.take(p)
		if !isEntry(c) {
			p.leave(t)
		}
	}
}

// spillsOver reports whether the last beat of a write's frame goes into two of memory's.
func (p *Pipeline) spillsOver(c *hca.DMACommand) bool {
	beat := uint64(p.beatBytes)
	return c.Address%beat+(uint64(c.Bytes)-1)%beat >= beat
}

func (p *Pipeline) beginRecord(t *token) {
	m, c := &p.memory, &t.memory
	if !isEntry(c) {
		return
	}
	*m.at(m.tail) = entry{at: p.now + m.latency, what: t}
	m.tail++
	if t.handed = 0; !writes(c) {
		t.handed = 2
		return
	}
	t.tag = uint8(m.begun)
	m.begun++
	p.writes.put(p, t, true)
}

func (p *Pipeline) readAcks() bool {
	s := &p.sources[Acks]
	return s.offers(p) && p.movesTo(partAcks, p.acks.room())
}

func (p *Pipeline) commitAcks() {
	t, _ := p.sources[Acks].accept(p)
	p.acks.put(p, t, true)
	p.engines.acked.from[hca.ParseDMAAck(t.op).Tag] = p.now + 1
}

// An acknowledgement waits while another one of its tag is noted.
func (p *Pipeline) readNote() bool {
	if !p.acks.offers(p.now) {
		return false
	}
	a := hca.ParseDMAAck(p.acks.first().what.op)
	return p.movesTo(partNote, !p.memory.tags[a.Tag].came)
}

func (p *Pipeline) commitNote() {
	t := p.acks.first().what
	p.acks.take(p)
	a := hca.ParseDMAAck(t.op)
	p.memory.tags[a.Tag] = acknowledged{came: true, failed: a.Error, from: p.now + 1}
	p.leave(t)
}

// The oldest entry is retired when its write was handed over and is acknowledged.
func (p *Pipeline) readRetire() bool {
	m := &p.memory
	if m.head == m.tail {
		return false
	}
	e := m.at(m.head)
	if e.at > p.now || e.what.handed < 2 {
		return false
	}
	c := &e.what.memory
	failed := false
	if writes(c) {
		tag := &m.tags[m.retired%hca.DMATags]
		if !tag.came || tag.from > p.now {
			return false
		}
		failed = tag.failed
	}
	return p.movesTo(partRetire, !(c.Clear || c.Complete || failed) || p.cqes.room())
}

func (p *Pipeline) commitRetire() {
	m := &p.memory
	t := m.at(m.head).what
	m.head++
	c := &t.memory
	t.failed = false
	if writes(c) {
		tag := &m.tags[m.retired%hca.DMATags]
		t.failed = tag.failed
		*tag = acknowledged{}
		m.retired++
	}
	if !c.Clear && !c.Complete && !t.failed {
		p.leave(t)
		return
	}
	c.Status = m.failures.Status(c, t.failed)
	p.cqes.put(p, t, true)
}

func (p *Pipeline) readWrite() bool {
	return p.writes.offers(p.now) && p.movesTo(partWrite, !p.held(Writes))
}

func (p *Pipeline) commitWrite() {
	t := p.writes.first().what
	p.writes.take(p)
	w := hca.DMAWrite{Tag: t.tag, Bytes: t.memory.Bytes, Address: t.memory.Address}
	at := len(p.bytes)
	p.bytes = w.Append(p.bytes)
	p.emit(Writes, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	t.handed++
}

func (p *Pipeline) readData() bool {
	return p.data.offers(p.now) && p.movesTo(partData, !p.held(Data))
}

func (p *Pipeline) commitData() {
	e := *p.data.first()
	p.data.take(p)
	t := e.what
	p.begins(&t.dataStart)
	if !e.last {
		return
	}
	at := len(p.bytes)
	for range t.memory.Address % uint64(p.beatBytes) {
		p.bytes = append(p.bytes, 0)
	}
	payload, _ := t.frame.Payload()
	p.bytes = append(p.bytes, payload...)
	p.emit(Data, t, t.dataStart-1, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	t.handed++
}

// A record leaves when there is room for what it may lead to.
func (p *Pipeline) readCQE() bool {
	return p.cqes.offers(p.now) && p.movesTo(partCQE, !p.held(Completions) && p.failing.room())
}

func (p *Pipeline) commitCQE() {
	t := p.cqes.first().what
	p.cqes.take(p)
	c := &t.memory
	r := hca.DMARecord{Cleared: c.Clear, Complete: c.Complete, Failed: t.failed, DMACompletion: c.DMACompletion}
	at := len(p.bytes)
	p.bytes = r.Append(p.bytes)
	p.emit(Completions, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	if t.failed {
		p.failing.put(p, t, true)
		return
	}
	p.leave(t)
}

func (p *Pipeline) readFailing() bool {
	return p.failing.offers(p.now) && p.movesTo(partFailing, p.toldOrAsked(hca.ToVerdict))
}

func (p *Pipeline) commitFailing() {
	t := p.failing.first().what
	p.failing.take(p)
	p.verdictIn.tell(p, t)
}

// wakes is the first clock from now on in which an entry can be retired.
func (m *memory) wakes(now uint64) uint64 {
	if m.head == m.tail {
		return never
	}
	e := m.at(m.head)
	t := e.at
	if writes(&e.what.memory) {
		tag := &m.tags[m.retired%hca.DMATags]
		if !tag.came {
			return never
		}
		t = max(t, tag.from)
	}
	if e.what.handed < 2 {
		return never
	}
	return max(now, t)
}
