package timed

import "hcacosim/model/hca"

// ring is what rx_issue holds the next request against: those under way, oldest first.
type ring struct {
	requests   []hca.IssueRequest // a power of two
	head, tail uint64
	depth      uint64
}

func newRing(depth int) ring {
	size := 1
	for size < depth {
		size *= 2
	}
	return ring{requests: make([]hca.IssueRequest, size), depth: uint64(depth)}
}

func (r *ring) at(i uint64) *hca.IssueRequest { return &r.requests[i&uint64(len(r.requests)-1)] }

// holds reports whether a request has to wait.
func (r *ring) holds(q *hca.IssueRequest) bool {
	for i := r.head; i != r.tail; i++ {
		if q.DependsOn(r.at(i)) {
			return true
		}
	}
	return r.tail-r.head >= r.depth
}

func (r *ring) put(q hca.IssueRequest) {
	*r.at(r.tail) = q
	r.tail++
}

func (r *ring) take() { r.head++ }

// rx_issue lets the oldest request go when nothing that is under way holds it.
func (p *Pipeline) readIssue() bool {
	if !p.issueIn.offers(p.now) {
		return false
	}
	return p.movesTo(partIssue, p.issued.room() && !p.underWay.holds(&p.issueIn.first().what.issue))
}

func (p *Pipeline) commitIssue() {
	t := p.issueIn.first().what
	p.issueIn.take(p)
	p.issued.put(p, t, true)
	p.underWay.put(t.issue)
}

// A request is put to msg_tracker and to rq_head in the same clock: operations and commits go before it at each.
func (p *Pipeline) readIssued() bool {
	if !p.issued.offers(p.now) || !p.issueQ.offers(p.now) {
		return false
	}
	can := p.messageQ.room() && p.toldOrAsked(hca.ToMessages) && p.toldOrAsked(hca.ToReceiveQueues)
	if t := p.committing(); can && t != nil {
		can = !t.frame.CommitsMessage() && !t.frame.TakesWQE()
	}
	return p.movesTo(partIssued, can)
}

func (p *Pipeline) commitIssued() {
	t := p.issued.first().what
	p.issued.take(p)
	p.issueQ.take(p)
	p.messageQ.put(p, t, true)
	p.messageIn.put(p, t, true)
	p.headIn.put(p, t, true)
}

func (p *Pipeline) readMessage() bool {
	return p.messageIn.offers(p.now) && p.movesTo(partMessage, p.messages.room() && p.now >= p.openAt)
}

func (p *Pipeline) commitMessage() {
	e := *p.messageIn.first()
	p.messageIn.take(p)
	p.messages.pass(p, &e)
	switch {
	case e.what.op != nil:
		p.blocks.Operate(e.what.op)
	case e.commit:
		p.blocks.CommitMessage(&e.what.frame)
	default:
		p.blocks.LookUpMessage(&e.what.frame)
	}
}

// mr_lookup is asked with what msg_tracker says.
func (p *Pipeline) readPlaceOf() bool {
	if !p.messages.offers(p.now) || p.messages.first().isTold() {
		return p.messages.offers(p.now)
	}
	can := p.messageQ.offers(p.now) && p.keyQ.room() && p.toldOrAsked(hca.ToKeys)
	if t := p.committing(); can && t != nil {
		can = !t.frame.Invalidates()
	}
	return p.movesTo(partPlaceOf, can)
}

func (p *Pipeline) commitPlaceOf() {
	e := *p.messages.first()
	p.messages.take(p)
	if e.isTold() {
		p.leave(e.what)
		return
	}
	p.messageQ.take(p)
	p.keyQ.put(p, e.what, true)
	p.keysIn.put(p, e.what, true)
}

func (p *Pipeline) readHead() bool {
	return p.headIn.offers(p.now) && p.movesTo(partHead, p.heads.room() && p.now >= p.headAt)
}

func (p *Pipeline) commitHead() {
	e := *p.headIn.first()
	p.headIn.take(p)
	p.heads.pass(p, &e)
	switch {
	case e.what.op != nil:
		p.blocks.Operate(e.what.op)
	case e.commit:
		p.blocks.TakeWQE(&e.what.frame)
	default:
		p.blocks.LookUpWQE(&e.what.frame)
	}
}

// WQEs wait for the key beside them.
func (p *Pipeline) readWQE() bool {
	if !p.heads.offers(p.now) || p.heads.first().isTold() {
		return p.heads.offers(p.now)
	}
	return p.movesTo(partWQE, p.wqes.room())
}

func (p *Pipeline) commitWQE() {
	e := *p.heads.first()
	p.heads.take(p)
	if e.isTold() {
		p.leave(e.what)
		return
	}
	p.wqes.put(p, e.what, true)
}
