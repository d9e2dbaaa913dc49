package timed

import "hcacosim/model/hca"

// atomics is atomic_engine. In hca_rx one atomic is under way at most: the engines wait for its result.
type atomics struct {
	commands, asked, decided, results queue
	answers, acks                     queue
	values, written                   notes
	valueNoted, writeNoted            bool   // in this clock
	head                              *token // begun and not retired
	began                             uint64 // the clock in which it began
	decidedAt                         uint64 // in which it decided; never before
	begun                             uint64 // how many
}

// notes are what memory answered, by tag.
type notes struct {
	there [hca.AtomicTags]bool
	from  [hca.AtomicTags]uint64
	said  [hca.AtomicTags]hca.AtomicAnswer
}

// has reports whether a tag's answer counts.
func (n *notes) has(tag uint8, now uint64) bool { return n.there[tag] && n.from[tag] <= now }

// takes reports whether an answer can be noted: none of its tag is.
func (n *notes) takes(q *queue, now uint64) bool {
	return q.offers(now) && !n.there[q.first().what.in.Data[0]%hca.AtomicTags]
}

func (p *Pipeline) note(n *notes, q *queue) {
	t := q.first().what
	q.take(p)
	a := hca.ParseAtomicAnswer(t.op)
	n.there[a.Tag], n.from[a.Tag], n.said[a.Tag] = true, p.now+1, a
	p.serving--
	p.leave(t)
}

func (p *Pipeline) readAtomic() bool {
	a := &p.atomics
	return a.commands.offers(p.now) && p.movesTo(partAtomic, a.head == nil && a.asked.room())
}

func (p *Pipeline) commitAtomic() {
	a := &p.atomics
	t := a.commands.first().what
	a.commands.take(p)
	t.atomic = t.due.AtomicOf()
	t.tag = uint8(a.begun % hca.AtomicTags)
	a.begun++
	a.head, a.began, a.decidedAt = t, p.now, never
	a.asked.put(p, t, true)
	t.refs++
	p.serving++
}

func (p *Pipeline) readAtomicRead() bool {
	return p.atomics.asked.offers(p.now) && p.movesTo(partAtomicRead, !p.held(AtomicReads))
}

func (p *Pipeline) commitAtomicRead() {
	t := p.atomics.asked.first().what
	p.atomics.asked.take(p)
	r := hca.AtomicAccess{Tag: t.tag, Address: t.atomic.Address}
	at := len(p.bytes)
	p.bytes = r.AppendRead(p.bytes)
	p.emit(AtomicReads, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	p.serving--
	p.leave(t)
}

func (p *Pipeline) readAtomicData() bool {
	s := &p.sources[AtomicData]
	return s.offers(p) && p.movesTo(partAtomicData, p.atomics.answers.room())
}

func (p *Pipeline) commitAtomicData() {
	t, _ := p.sources[AtomicData].accept(p)
	p.atomics.answers.put(p, t, true)
}

func (p *Pipeline) readAtomicAcks() bool {
	s := &p.sources[AtomicAcks]
	return s.offers(p) && p.movesTo(partAtomicAcks, p.atomics.acks.room())
}

func (p *Pipeline) commitAtomicAcks() {
	t, _ := p.sources[AtomicAcks].accept(p)
	p.atomics.acks.put(p, t, true)
}

func (p *Pipeline) readNoted() bool {
	a := &p.atomics
	a.valueNoted, a.writeNoted = a.values.takes(&a.answers, p.now), a.written.takes(&a.acks, p.now)
	return a.valueNoted || a.writeNoted
}

func (p *Pipeline) commitNoted() {
	a := &p.atomics
	if a.valueNoted {
		p.note(&a.values, &a.answers)
	}
	if a.writeNoted {
		p.note(&a.written, &a.acks)
	}
}

// An atomic decides when memory's answer was noted, from the clock behind its begin on.
func (p *Pipeline) readDecide() bool {
	a := &p.atomics
	return a.head != nil && a.decidedAt == never && p.now > a.began && a.values.has(a.head.tag, p.now) &&
		p.movesTo(partDecide, a.decided.room())
}

func (p *Pipeline) commitDecide() {
	a := &p.atomics
	t := a.head
	said := a.values.said[t.tag]
	a.values.there[t.tag] = false
	a.decidedAt, t.status, t.value, t.writesValue = p.now, hca.AtomicNotRead, 0, false
	if said.Error {
		t.due.Done(t.status, 0)
		return
	}
	t.status = hca.AtomicDone
	t.due.Done(t.status, said.Data)
	if t.value, t.writesValue = t.atomic.Value(said.Data); t.writesValue {
		a.decided.put(p, t, true)
		t.refs++
		p.serving++
	}
}

func (p *Pipeline) readAtomicWrite() bool {
	return p.atomics.decided.offers(p.now) && p.movesTo(partAtomicWrite, !p.held(AtomicWrites))
}

func (p *Pipeline) commitAtomicWrite() {
	t := p.atomics.decided.first().what
	p.atomics.decided.take(p)
	w := hca.AtomicAccess{Tag: t.tag, Address: t.atomic.Address, Data: t.value}
	at := len(p.bytes)
	p.bytes = w.AppendWrite(p.bytes)
	p.emit(AtomicWrites, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	p.serving--
	p.leave(t)
}

// It is retired when its write, if it has one, was acknowledged.
func (p *Pipeline) readAtomicRetire() bool {
	a := &p.atomics
	if a.head == nil || a.decidedAt == never || p.now < a.decidedAt+hca.AtomicRetireCycles {
		return false
	}
	if a.head.writesValue && !a.written.has(a.head.tag, p.now) {
		return false
	}
	return p.movesTo(partAtomicRetire, a.results.room())
}

func (p *Pipeline) commitAtomicRetire() {
	a := &p.atomics
	t := a.head
	if t.writesValue {
		if a.written.said[t.tag].Error {
			t.due.Done(hca.AtomicNotWritten, t.due.Original)
		}
		a.written.there[t.tag] = false
	}
	a.head = nil
	a.results.put(p, t, true)
}

// wakes is the first clock from now on in which the atomic that decided may be retired.
func (a *atomics) wakes(now uint64) uint64 {
	if a.head == nil {
		return never
	}
	if a.decidedAt == never {
		return never
	}
	return max(now, a.decidedAt+hca.AtomicRetireCycles)
}
