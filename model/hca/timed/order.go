package timed

import "hcacosim/model/hca"

// ordering is hca_rx_order: what leaves next.
type ordering struct {
	ended, outcomes queue
	dead            []bool // QPs whose memory failed
	anyDead         bool
	deadIn          queue  // the question whether the head's QP is dead
	given           uint32 // responses of the READ at the head that went on
	plan            turnPlan
}

// turnPlan is what happens to the head of the turns in a clock.
type turnPlan struct {
	asks, relays, ends  bool
	dead, naks, answers bool
}

// qpn is that of an answer that is due.
func (t *token) qpn() uint32 {
	if t.made {
		return t.memory.QPN
	}
	return t.frame.Class.QPN
}

func (t *token) isRead() bool { return t.asks && !t.due.Silent && !t.due.IsAtomic }

func (t *token) isAtomic() bool { return t.asks && !t.due.Silent && t.due.IsAtomic }

// beginsAnew is the operation at the head, if it lets a QP begin anew in this clock.
func (p *Pipeline) beginsAnew() bool {
	if !p.opWaits(hca.ToReplay) || !p.engines.replayIn.room() || p.now < p.openAt {
		return false
	}
	_, begins := hca.HcaRxBegins(p.ops.first().what.op)
	return begins
}

func (p *Pipeline) readOrder() bool {
	o := &p.order
	o.plan = turnPlan{}
	if !p.engines.turns.offers(p.now) {
		return false
	}
	t, alive := p.engines.turns.first().what, p.beginsAnew()
	if o.anyDead && !o.deadIn.offers(p.now) {
		o.plan.asks = o.deadIn.room() && !alive
		return o.plan.asks
	}
	o.planTurn(p, t, alive)
	return p.movesTo(partOrder, o.plan.relays || o.plan.ends)
}

// planTurn says what happens to a turn of which it is known whether its QP is dead.
func (o *ordering) planTurn(p *Pipeline, t *token, alive bool) {
	w := &o.plan
	w.dead = o.anyDead && o.dead[t.qpn()%uint32(len(o.dead))]
	takes := p.toldOrAsked(hca.ToAnswers)
	over := false
	if t.isRead() {
		r := &p.reads
		over = r.records.offers(p.now) && o.given == r.records.first().what.count
		if !over {
			w.relays = r.headers.offers(p.now) && takes
			return
		}
	}
	w.naks = !w.dead && (t.isRead() && t.status == hca.AtomicNotRead || t.isAtomic() && t.due.End == hca.HcaRxFailed)
	w.answers = w.naks || !w.dead && t.isAtomic() || !t.asks && (!w.dead || t.made)
	w.ends = o.ended.room() && o.outcomes.room() && !alive && (!w.answers || takes)
}

func (p *Pipeline) commitOrder() {
	o := &p.order
	w := o.plan
	t := p.engines.turns.first().what
	switch {
	case w.asks:
		o.deadIn.put(p, t, true)
		return
	case w.relays:
		p.relay(w.dead)
		return
	}
	p.engines.turns.take(p)
	if o.anyDead {
		o.deadIn.take(p)
	}
	if t.isRead() {
		p.reads.records.take(p)
	}
	if !t.asks {
		if w.answers {
			p.ackIn.put(p, t, true)
		} else {
			p.leave(t)
		}
		return
	}
	p.end(t, w)
}

// relay hands a READ response on. The payload of one that nobody gets is taken and thrown away.
func (p *Pipeline) relay(dead bool) {
	h := p.reads.headers.first().what
	p.reads.headers.take(p)
	p.order.given++
	if dead {
		h.reply.Way.Encap = 0
	}
	h.payFirst, h.payBeats = 0, (uint32(h.reply.Bytes)+p.beatBytes-1)/p.beatBytes
	if !dead {
		h.payFirst = uint32(p.headBytes(&h.reply)) / p.beatBytes
	}
	p.ackIn.put(p, h, true)
}

// headBytes is how much of a response stands before its payload. It is known for each way.
func (p *Pipeline) headBytes(q *hca.AckRecord) int {
	place := &p.responseHeads[q.Way.Encap&7][q.Way.Tags&3][q.Opcode&3]
	if *place == 0 {
		*place = p.blocks.HeadBytes(q)
	}
	return *place
}

// end ends the turn of a READ or atomic: what leaves last, what is told of it and to resp_psn_check.
func (p *Pipeline) end(t *token, w turnPlan) {
	o, d := &p.order, &t.due
	count, end := o.given, d.End
	o.given = 0
	if t.isRead() && t.status == hca.AtomicNotRead {
		end = hca.HcaRxFailed
	}
	if t.isAtomic() && end == hca.HcaRxAnswered {
		count = 1
	}
	if w.answers {
		n := p.follows(t)
		if n.reply = d.AtomicReply(); w.naks {
			n.reply = d.NAK(count)
		}
		p.ackIn.put(p, n, true)
	}
	if !w.dead && (w.naks || !d.Duplicate && !d.Silent) {
		n := p.follows(t)
		n.memory.QPN, n.frees = d.QPN, !w.naks
		o.outcomes.put(p, n, true)
		p.serving++
	}
	if w.naks {
		o.dead[d.QPN%uint32(len(o.dead))], o.anyDead = true, true
	}
	if w.dead {
		count, end = 0, hca.HcaRxDead
	}
	t.count, d.End = count, end
	o.ended.put(p, t, true)
}

// follows makes a token of what a request leads to beside its record.
func (p *Pipeline) follows(t *token) *token {
	n := p.newToken()
	n.in, n.op, n.refs, n.dataStart, n.answerStart = t.in, nil, 1, 0, 0
	n.answer, n.turns, n.made, n.asks, n.replies, n.payBeats = n.answer[:0], 1, false, false, true, 0
	n.payload = n.payload[:0]
	return n
}

func (p *Pipeline) readEnd() bool {
	return p.order.ended.offers(p.now) && p.movesTo(partEnd, !p.held(Ends))
}

func (p *Pipeline) commitEnd() {
	t := p.order.ended.first().what
	p.order.ended.take(p)
	at := len(p.bytes)
	p.bytes = t.due.AppendEnd(p.bytes, t.due.End, t.count)
	p.emit(Ends, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	p.serving--
	p.leave(t)
}

// A write that failed goes to resp_psn_check first.
func (p *Pipeline) readOutcome() bool {
	return p.order.outcomes.offers(p.now) &&
		p.movesTo(partOutcome, !p.failing.offers(p.now) && p.toldOrAsked(hca.ToVerdict))
}

func (p *Pipeline) commitOutcome() {
	t := p.order.outcomes.first().what
	p.order.outcomes.take(p)
	p.serving--
	p.verdictIn.tell(p, t)
}
