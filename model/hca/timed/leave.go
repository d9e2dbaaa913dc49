package timed

func (p *Pipeline) readAckIn() bool {
	return p.ackIn.offers(p.now) && p.movesTo(partAckIn, p.ackEdge.room() && p.now >= p.openAt)
}

func (p *Pipeline) commitAckIn() {
	t := p.ackIn.first().what
	p.ackIn.take(p)
	p.ackEdge.put(p, t, true)
}

// ack_gen sends a beat down its pipeline while its queue of beats has room for those that can still come.
func (p *Pipeline) readAck() bool {
	return p.ackEdge.offers(p.now) && p.movesTo(partAck, p.ackBeats.arrived(p.now) <= p.ackLimit &&
		(!p.takesPayload() || p.ackPayload.offers(p.now)))
}

// takesPayload reports whether the beat at the head of ack_gen needs one of payload.
func (p *Pipeline) takesPayload() bool {
	t := p.ackEdge.first().what
	return t.replies && uint32(p.ackTurn)-t.payFirst < t.payBeats // wraps before the payload
}

func (p *Pipeline) commitAck() {
	t := p.ackEdge.first().what
	if p.takesPayload() {
		p.ackPayload.take(p)
	}
	if p.ackTurn == 0 {
		p.answer(t)
	}
	p.ackTurn++
	last := p.ackTurn == t.turns
	if len(t.answer) > 0 {
		p.ackBeats.put(p, t, last)
	}
	if last {
		p.ackEdge.take(p)
		p.ackTurn = 0
		if len(t.answer) == 0 {
			p.leave(t)
		}
	}
}

// answer asks ack_gen for the frame of an answer, or gives it its operation.
func (p *Pipeline) answer(t *token) {
	if t.made {
		return
	}
	if t.op != nil {
		p.blocks.Operate(t.op)
		t.answer, t.turns = t.answer[:0], 1
		return
	}
	if t.replies {
		t.answer, t.user, t.turns = p.blocks.AppendReply(&t.reply, t.payload, t.answer[:0])
		return
	}
	t.answer, t.user, t.turns = p.blocks.AppendAnswer(&t.frame, t.answer[:0])
}

func (p *Pipeline) readInsert() bool {
	return p.ackBeats.offers(p.now) && p.movesTo(partInsert, p.sent.room())
}

// icrc_insert keeps a beat that is not a last one until the one behind it has come.
func (p *Pipeline) commitInsert() {
	e := *p.ackBeats.first()
	p.ackBeats.take(p)
	if p.insertWaits {
		p.sent.at(p.sent.tail - 1).at = p.now + p.sent.latency - insertJoin
	}
	p.insertWaits = !e.last
	p.sent.put(p, e.what, e.last)
	if !e.last {
		p.sent.at(p.sent.tail - 1).at = never
	}
}

func (p *Pipeline) readSent() bool {
	return p.sent.offers(p.now) && p.movesTo(partSent, !p.held(Answers))
}

func (p *Pipeline) commitSent() {
	e := *p.sent.first()
	p.sent.take(p)
	p.begins(&e.what.answerStart)
	if e.last {
		at := len(p.bytes)
		p.bytes = append(p.bytes, e.what.answer...)
		p.emit(Answers, e.what, e.what.answerStart-1, p.bytes[at:len(p.bytes):len(p.bytes)], e.what.user)
		p.leave(e.what)
	}
}
