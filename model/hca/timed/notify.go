package timed

// cnp_gen takes nothing in the clocks in which it visits a QP.
func (p *Pipeline) readMark() bool {
	return p.markIn.offers(p.now) &&
		p.movesTo(partMark, p.marks.room() && p.now >= p.openAt && p.now%p.visitEvery != 0)
}

func (p *Pipeline) commitMark() {
	t := p.markIn.first().what
	p.markIn.take(p)
	p.marks.put(p, t, true)
	if t.op != nil {
		p.blocks.Operate(t.op)
	} else {
		p.blocks.Notify(&t.frame, p.now)
	}
}

// What cnp_gen says of a packet waits for its commit.
func (p *Pipeline) readMarked() bool {
	if !p.marks.offers(p.now) || p.marks.first().what.op != nil {
		return p.marks.offers(p.now)
	}
	return p.movesTo(partMarked, p.notices.room())
}

func (p *Pipeline) commitMarked() {
	t := p.marks.first().what
	p.marks.take(p)
	if t.op != nil {
		p.leave(t)
		return
	}
	p.notices.put(p, t, true)
}

// notified reports whether cnp_gen holds the commit of the oldest packet up no more: it has spoken, and its CNP left.
func (p *Pipeline) notified(t *token) bool {
	return !t.frame.Admitted() || p.notices.offers(p.now) && (t.notified || !t.frame.Notifies())
}

// A CNP leaves in a clock of its own, before the answer to its packet.
func (p *Pipeline) readNotify() bool {
	if !p.ways.offers(p.now) || !p.notices.offers(p.now) {
		return false
	}
	t := p.ways.first().what
	if !t.frame.Admitted() || t.notified || !t.frame.Notifies() {
		return false
	}
	return p.movesTo(partNotify, p.engines.works.room())
}

func (p *Pipeline) commitNotify() {
	t := p.ways.first().what
	t.notified = true
	n := p.follows(t)
	n.answer, n.user, n.turns = p.blocks.AppendCNP(&t.frame, n.answer)
	n.made, n.memory.QPN = true, t.frame.Class.QPN
	p.engines.works.put(p, n, true)
}
