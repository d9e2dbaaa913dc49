package timed

import "hcacosim/model/hca"

// inputOf is the queue in front of a block that takes operations.
func (p *Pipeline) inputOf(target hca.HcaRxTarget) *queue {
	switch target {
	case hca.ToClassify:
		return &p.classIn
	case hca.ToVerdict:
		return &p.verdictIn
	case hca.ToKeys:
		return &p.keysIn
	}
	return &p.ackIn
}

// opWaits reports whether the operation at the head is for a block: its input is not a packet's then, whether there is
// room or not.
func (p *Pipeline) opWaits(target hca.HcaRxTarget) bool {
	return p.ops.offers(p.now) && hca.HcaRxTargetOf(p.ops.first().what.op) == target
}

func (p *Pipeline) readOperation() bool {
	return p.ops.offers(p.now) &&
		p.movesTo(partOperation, p.inputOf(hca.HcaRxTargetOf(p.ops.first().what.op)).room())
}

func (p *Pipeline) commitOperation() {
	t := p.ops.first().what
	p.ops.take()
	p.inputOf(hca.HcaRxTargetOf(t.op)).put(p.now, t, true)
}

func (p *Pipeline) readHeader() bool {
	return p.headers.offers(p.now) &&
		p.movesTo(partHeader, p.classIn.room() && p.headerQ.room() && !p.opWaits(hca.ToClassify))
}

func (p *Pipeline) commitHeader() {
	t := p.headers.first().what
	p.headers.take()
	p.classIn.put(p.now, t, true)
	p.headerQ.put(p.now, t, true)
}

func (p *Pipeline) readClassify() bool {
	return p.classIn.offers(p.now) && p.movesTo(partClassify, p.class.room() && p.now >= p.openAt)
}

func (p *Pipeline) commitClassify() {
	t := p.classIn.first().what
	p.classIn.take()
	p.class.put(p.now, t, true)
	if t.op != nil {
		p.blocks.Operate(t.op)
	} else {
		p.blocks.Classify(&t.frame)
	}
}

// A packet that is classified moves on when there is room in every queue behind it, whichever of them it needs.
func (p *Pipeline) readClassified() bool {
	if !p.class.offers(p.now) || p.class.first().what.op != nil {
		return p.class.offers(p.now)
	}
	return p.movesTo(partClassified, p.headerQ.offers(p.now) && p.ways.room() && p.asks.room() && p.keysIn.room() &&
		!p.opWaits(hca.ToKeys))
}

func (p *Pipeline) commitClassified() {
	t := p.class.first().what
	p.class.take()
	if t.op != nil {
		p.leave(t)
		return
	}
	p.headerQ.take()
	p.ways.put(p.now, t, true)
	if t.frame.Class.Class == hca.ClassRequest {
		p.asks.put(p.now, t, true)
		p.keysIn.put(p.now, t, true)
	}
}

func (p *Pipeline) readKeys() bool {
	return p.keysIn.offers(p.now) && p.movesTo(partKeys, p.keys.room() && p.now >= p.openAt && p.translated())
}

// translated reports whether the key of the record at the head is on chip, or its miss served.
func (p *Pipeline) translated() bool {
	t := p.keysIn.first().what
	if t.op != nil || p.translations.tags == nil {
		return true
	}
	key, has := t.frame.Key()
	return !has || p.served(&p.translations, key>>8)
}

// served reports whether what a record needs is on chip. A miss is begun in the clock in which it is seen: what the
// cache then has is asked for by the same part alone.
func (p *Pipeline) served(c *cache, index uint32) bool {
	if c.ready == 0 {
		if c.has(index) {
			return true
		}
		c.fetch(p.now, index)
	}
	return p.now >= c.ready
}

func (p *Pipeline) commitKeys() {
	t := p.keysIn.first().what
	p.keysIn.take()
	p.translations.ready = 0
	p.keys.put(p.now, t, true)
	if t.op != nil {
		p.blocks.Operate(t.op)
	} else {
		p.blocks.Translate(&t.frame)
	}
}

func (p *Pipeline) readAsk() bool {
	if !p.keys.offers(p.now) || p.keys.first().what.op != nil {
		return p.keys.offers(p.now)
	}
	return p.movesTo(partAsk, p.asks.offers(p.now) && p.verdictIn.room() && !p.opWaits(hca.ToVerdict))
}

func (p *Pipeline) commitAsk() {
	t := p.keys.first().what
	p.keys.take()
	if t.op != nil {
		p.leave(t)
		return
	}
	p.asks.take()
	p.verdictIn.put(p.now, t, true)
}

func (p *Pipeline) readVerdict() bool {
	if !p.verdictIn.offers(p.now) {
		return false
	}
	t := p.verdictIn.first().what
	there := t.op != nil || p.contexts.tags == nil || p.served(&p.contexts, t.frame.Class.QPN)
	return p.movesTo(partVerdict, p.verdicts.room() && p.now >= p.openAt && there)
}

func (p *Pipeline) commitVerdict() {
	t := p.verdictIn.first().what
	p.verdictIn.take()
	p.contexts.ready = 0
	p.verdicts.put(p.now, t, true)
	if t.op != nil {
		p.blocks.Operate(t.op)
	} else {
		p.blocks.Judge(&t.frame)
	}
}

// The result of an operation is taken at once and forgotten.
func (p *Pipeline) readVerdictOp() bool {
	return p.verdicts.offers(p.now) && p.verdicts.first().what.op != nil
}

func (p *Pipeline) commitVerdictOp() {
	p.leave(p.verdicts.first().what)
	p.verdicts.take()
}

// A packet is committed when its verdict is there, if it is a request, and there is room in every queue behind.
func (p *Pipeline) readCommit() bool {
	if !p.ways.offers(p.now) {
		return false
	}
	t := p.ways.first().what
	if t.frame.Class.Class == hca.ClassRequest && !(p.verdicts.offers(p.now) && p.verdicts.first().what == t) {
		return false
	}
	return p.movesTo(partCommit, p.told.room() && p.places.room() && p.ackIn.room() && !p.opWaits(hca.ToAnswers))
}

func (p *Pipeline) commitCommit() {
	t := p.ways.first().what
	p.ways.take()
	if t.frame.Class.Class == hca.ClassRequest {
		p.verdicts.take()
	}
	p.told.put(p.now, t, true)
	if t.paid {
		p.places.put(p.now, t, true)
	}
	if t.frame.Answers() {
		t.refs++
		p.ackIn.put(p.now, t, true)
	}
}

func (p *Pipeline) readTold() bool {
	return p.told.offers(p.now) && p.movesTo(partTold, !p.held(Records))
}

func (p *Pipeline) commitTold() {
	t := p.told.first().what
	p.told.take()
	at := len(p.bytes)
	p.bytes = t.frame.AppendRecord(p.bytes)
	p.emit(Records, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	p.leave(t)
}
