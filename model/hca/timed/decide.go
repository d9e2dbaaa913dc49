package timed

import "hcacosim/model/hca"

// inputOf is the queue in front of a block that takes operations; nil where there is none.
func (p *Pipeline) inputOf(target hca.HcaRxTarget) *queue {
	switch target {
	case hca.ToClassify:
		return &p.classIn
	case hca.ToVerdict:
		return &p.verdictIn
	case hca.ToKeys:
		return &p.keysIn
	case hca.ToMessages:
		return &p.messageIn
	case hca.ToReceiveQueues:
		return &p.headIn
	case hca.ToAnswers:
		return &p.ackIn
	case hca.ToMemory:
		return &p.places
	case hca.ToNotify:
		return &p.markIn
	case hca.ToReplay:
		return &p.engines.replayIn
	}
	return nil
}

// toldOrAsked reports whether a block's input queue takes a commit or a packet: no operation for it waits.
func (p *Pipeline) toldOrAsked(target hca.HcaRxTarget) bool {
	return p.inputOf(target).room() && !p.opWaits(target)
}

// opWaits reports whether the operation at the head is for a block: its input is not a packet's then, whether there is
// room or not.
func (p *Pipeline) opWaits(target hca.HcaRxTarget) bool {
	return p.ops.offers(p.now) && hca.HcaRxTargetOf(p.ops.first().what.op) == target
}

func (p *Pipeline) readOperation() bool {
	if !p.ops.offers(p.now) {
		return false
	}
	target := hca.HcaRxTargetOf(p.ops.first().what.op)
	q := p.inputOf(target)
	return p.movesTo(partOperation, q == nil || q.room() && (target != hca.ToReplay || p.now >= p.openAt))
}

func (p *Pipeline) commitOperation() {
	t := p.ops.first().what
	p.ops.take(p)
	switch hca.HcaRxTargetOf(t.op) {
	case hca.ToMemory:
		t.memory = hca.HcaRxClearOf(t.op)
	case hca.ToReplay:
		p.serving++
		if qpn, begins := hca.HcaRxBegins(t.op); begins && qpn < uint32(len(p.order.dead)) {
			p.order.dead[qpn] = false
		}
	}
	if q := p.inputOf(hca.HcaRxTargetOf(t.op)); q != nil {
		q.put(p, t, true)
	} else {
		p.leave(t)
	}
}

func (p *Pipeline) readHeader() bool {
	return p.headers.offers(p.now) &&
		p.movesTo(partHeader, p.classIn.room() && p.headerQ.room() && !p.opWaits(hca.ToClassify))
}

func (p *Pipeline) commitHeader() {
	t := p.headers.first().what
	p.headers.take(p)
	p.classIn.put(p, t, true)
	p.headerQ.put(p, t, true)
}

func (p *Pipeline) readClassify() bool {
	return p.classIn.offers(p.now) && p.movesTo(partClassify, p.class.room() && p.now >= p.openAt)
}

func (p *Pipeline) commitClassify() {
	t := p.classIn.first().what
	p.classIn.take(p)
	p.class.put(p, t, true)
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
	return p.movesTo(partClassified, p.headerQ.offers(p.now) && p.ways.room() && p.issueQ.room() && p.issueIn.room() &&
		p.toldOrAsked(hca.ToNotify))
}

func (p *Pipeline) commitClassified() {
	t := p.class.first().what
	p.class.take(p)
	if t.op != nil {
		p.leave(t)
		return
	}
	p.headerQ.take(p)
	p.ways.put(p, t, true)
	if t.frame.Admitted() {
		p.markIn.put(p, t, true)
	}
	if t.frame.IsRequest() {
		t.issue = t.frame.IssueRequest()
		p.issueQ.put(p, t, true)
		p.issueIn.put(p, t, true)
	}
}

func (p *Pipeline) readKeys() bool {
	return p.keysIn.offers(p.now) && p.movesTo(partKeys, p.keys.room() && p.now >= p.openAt && p.translated())
}

// translated reports whether the key of the record at the head is on chip, or its miss served.
func (p *Pipeline) translated() bool {
	e := p.keysIn.first()
	if e.what.op != nil || e.commit || p.translations.tags == nil {
		return true
	}
	key, has := e.what.frame.Key()
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
	e := *p.keysIn.first()
	p.keysIn.take(p)
	p.translations.ready = 0
	p.keys.pass(p, &e)
	switch {
	case e.what.op != nil:
		p.blocks.Operate(e.what.op)
	case e.commit:
		p.blocks.Invalidate(&e.what.frame)
	default:
		p.blocks.Translate(&e.what.frame)
	}
}

// What a block says of an operation or a commit is taken at once and forgotten.
func (p *Pipeline) readAsk() bool {
	if !p.keys.offers(p.now) || p.keys.first().isTold() {
		return p.keys.offers(p.now)
	}
	return p.movesTo(partAsk, p.keyQ.offers(p.now) && p.wqes.offers(p.now) && p.toldOrAsked(hca.ToVerdict) &&
		!p.failing.offers(p.now) && !p.order.outcomes.offers(p.now))
}

func (p *Pipeline) commitAsk() {
	e := *p.keys.first()
	p.keys.take(p)
	if e.isTold() {
		p.leave(e.what)
		return
	}
	p.keyQ.take(p)
	p.wqes.take(p)
	p.verdictIn.put(p, e.what, true)
}

func (p *Pipeline) readVerdict() bool {
	if !p.verdictIn.offers(p.now) {
		return false
	}
	t := p.verdictIn.first().what
	there := p.verdictIn.first().isTold() || p.contexts.tags == nil || p.served(&p.contexts, t.frame.Class.QPN)
	return p.movesTo(partVerdict, p.verdicts.room() && p.now >= p.openAt && there)
}

func (p *Pipeline) commitVerdict() {
	e := *p.verdictIn.first()
	p.verdictIn.take(p)
	p.contexts.ready = 0
	p.verdicts.pass(p, &e)
	switch t := e.what; {
	case e.commit && t.frees:
		p.blocks.Free(t.memory.QPN)
	case e.commit:
		p.blocks.Fail(t.memory.QPN)
	case t.op != nil:
		p.blocks.Operate(t.op)
	default:
		p.blocks.Judge(&t.frame)
	}
}

// Verdicts wait for their commit; the result of an operation is forgotten.
func (p *Pipeline) readJudged() bool {
	if !p.verdicts.offers(p.now) || p.verdicts.first().isTold() {
		return p.verdicts.offers(p.now)
	}
	return p.movesTo(partJudged, p.judged.room())
}

func (p *Pipeline) commitJudged() {
	e := *p.verdicts.first()
	p.verdicts.take(p)
	if e.isTold() {
		p.leave(e.what)
		return
	}
	p.judged.put(p, e.what, true)
}

// committing is the packet that is committed in this clock, nil without one: its verdict is there, if it is a request,
// and there is room in every queue behind that it may need. It depends on what the clock began with only.
func (p *Pipeline) committing() *token {
	if p.committed == p.now+1 {
		return p.commits
	}
	p.committed, p.commits = p.now+1, nil
	if t := p.decided(); t != nil && p.notified(t) &&
		p.told.room() && p.toldOrAsked(hca.ToMemory) && p.steer.room() && p.engines.works.room() &&
		(!t.frame.IsRequest() || p.toldOrAsked(hca.ToMessages) && p.toldOrAsked(hca.ToReceiveQueues) &&
			p.toldOrAsked(hca.ToKeys)) {
		p.commits = t
	}
	return p.commits
}

// decided is the oldest packet, if nothing but room is missing for its commit.
func (p *Pipeline) decided() *token {
	if !p.ways.offers(p.now) {
		return nil
	}
	t := p.ways.first().what
	if t.frame.IsRequest() && !(p.judged.offers(p.now) && p.judged.first().what == t) {
		return nil
	}
	return t
}

func (p *Pipeline) readCommit() bool {
	return p.decided() != nil && p.movesTo(partCommit, p.committing() != nil)
}

func (p *Pipeline) commitCommit() {
	t := p.ways.first().what
	p.ways.take(p)
	if t.frame.Admitted() {
		p.notices.take(p)
	}
	if t.frame.IsRequest() {
		p.judged.take(p)
		p.tell(t)
	}
	p.told.put(p, t, true)
	if t.paid {
		p.steer.put(p, t, true)
	}
	if t.memory = t.frame.Memory(); t.paid && !t.heard() || t.memory.Complete {
		if !t.paid {
			t.refs++
		}
		p.places.put(p, t, true)
	}
	if t.frame.Placed() {
		p.engines.wrote++
	}
	if t.asks = t.frame.Asks(); t.asks {
		t.due, t.writes = t.frame.Due(), p.engines.wrote
		p.serving++
	}
	if t.asks || t.frame.Answers() {
		t.refs++
		p.engines.works.put(p, t, true)
	}
}

// tell tells the blocks that were asked ahead of the verdict.
func (p *Pipeline) tell(t *token) {
	p.underWay.take()
	if t.frame.CommitsMessage() {
		t.refs++
		p.messageIn.tell(p, t)
	}
	if t.frame.TakesWQE() {
		t.refs++
		p.headIn.tell(p, t)
	}
	if t.frame.Invalidates() {
		t.refs++
		p.keysIn.tell(p, t)
	}
}

func (p *Pipeline) readTold() bool {
	return p.told.offers(p.now) && p.movesTo(partTold, !p.held(Records))
}

func (p *Pipeline) commitTold() {
	t := p.told.first().what
	p.told.take(p)
	at := len(p.bytes)
	p.bytes = t.frame.AppendRecord(p.bytes)
	p.emit(Records, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	p.leave(t)
}
