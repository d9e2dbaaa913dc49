package flow

import (
	"strings"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// bracket holds the times of a capture against those of the sidecar: a message is on its way after its operation was
// posted and before its completion. Where it is not, one of the two clocks is off, or was set.
type bracket struct {
	side  string // whose operations
	list  []Op
	next  int
	op    *Op // of the message that was seen last
	first psn.PSN
	ended []ending // operations that no response has ended yet
	// the PSN that the next operation begins with, while their lengths tell
	begins psn.PSN
	told   bool
	pmtu   uint32
	behind psn.PSN // behind the highest that was answered with data
}

// ending is when an operation was complete: its first acknowledgement is on its way before.
type ending struct {
	psn    psn.PSN // of its last request packet
	doneNS int64
}

// maxEndings bounds the operations that wait for a response.
const maxEndings = 64

// bracketOf lists the operations of an end whose times the sidecar tells.
func (s *Sidecar) bracketOf(side string) *bracket {
	b := &bracket{side: side, list: s.Ops, told: true, pmtu: s.pmtu(),
		begins: psn.New(s.end(side).SQPSN), behind: psn.New(s.end(side).SQPSN)}
	b.skip()
	return b
}

// skip goes to the next operation of the end that was posted.
func (b *bracket) skip() {
	for b.next < len(b.list) && (b.list[b.next].Side != b.side || b.list[b.next].PostRC != 0) {
		b.next++
	}
}

// holds takes a request that is in its place and reports whether its time fits, and that it is of the operation that
// it is taken for.
func (b *bracket) holds(p *roce.Packet, timeNS int64, clock *skew) bool {
	fits := true
	if p.Op.Shape().First && (b.op == nil || p.PSN.After(b.first) && !(b.told && p.PSN.Before(b.begins))) {
		fits = b.begin(p.PSN)
	}
	if b.op == nil {
		return true
	}
	b.ends(p)
	if b.op.PostNS != 0 && b.told {
		clock.atMost(timeNS, timeNS-b.op.PostNS)
	}
	if b.op.DoneNS != 0 && b.told {
		clock.atLeast(timeNS, timeNS-b.op.DoneNS)
	}
	return fits && timeNS >= b.op.PostNS && (b.op.DoneNS == 0 || timeNS <= b.op.DoneNS)
}

// begin takes the operation that a message is of: the next, or behind those that the capture misses the one that
// begins there by the lengths of those before it. It reports whether there is one.
func (b *bracket) begin(p psn.PSN) bool {
	for b.op = nil; b.next < len(b.list); {
		op, begins := &b.list[b.next], b.begins
		b.next++
		b.skip()
		b.begins = begins.Add(int32(psn.OfRead(op.Len, b.pmtu)))
		if !b.told || !p.After(begins) {
			b.op, b.first = op, p
			fits := !b.told || p == begins
			b.told = b.told && fits && op.known()
			return fits
		}
		b.told = b.told && op.known()
	}
	return true
}

// ends notes the last request packet of an operation that completed.
func (b *bracket) ends(p *roce.Packet) {
	s := p.Op.Shape()
	if !(s.Last || s.Verb == roce.Read || s.Verb.Atomic()) || !b.op.succeeded() || b.op.DoneNS == 0 ||
		len(b.ended) >= maxEndings || p.PSN.Before(b.first) {
		return
	}
	if n := len(b.ended); n == 0 || p.PSN.After(b.ended[n-1].psn) {
		b.ended = append(b.ended, ending{p.PSN, b.op.DoneNS})
	}
}

// answered takes a response and reports whether its time fits: the first that acknowledges an operation is on its way
// before the completion.
func (b *bracket) answered(p *roce.Packet, timeNS int64, clock *skew) bool {
	kind := p.Answer()
	if kind != roce.AckAnswer && kind != roce.DataAnswer && kind != roce.FatalAnswer {
		return true
	}
	fits := true
	if b.op != nil && b.told && b.op.DoneNS != 0 && kind == roce.DataAnswer && !p.PSN.Before(b.behind) {
		b.behind = p.PSN.Add(1)
		clock.atLeast(timeNS, timeNS-b.op.DoneNS)
	}
	for len(b.ended) > 0 && !b.ended[0].psn.After(p.PSN) {
		// A NAK may stand where the ACK should: what comes behind it tells nothing.
		fits = fits && (timeNS <= b.ended[0].doneNS || kind == roce.FatalAnswer)
		if kind != roce.FatalAnswer {
			clock.atLeast(timeNS, timeNS-b.ended[0].doneNS)
		}
		b.ended = b.ended[1:]
	}
	return fits
}

// byClock reports whether a finding rests on the clock: what was posted by then, or how long a timer ran.
func byClock(x *Finding) bool {
	return x.Rule == "RSP-9" || x.Rule == "TMR-1" || x.Rule == "TMR-5" || strings.Contains(x.Text, "RNR NAK") ||
		x.Rule == "RSP-10" && strings.Contains(x.Text, "operational error")
}

// clocks notes where the capture's clock and the sidecar's do not go together.
func (c *Checker) clocks(m *machines, timeNS int64) {
	if m.times != nil && !m.times.holds(&c.pkt, timeNS, &c.skew) {
		c.clockOff = true
	}
}

// clockWaits notes a response with data that was waited for: its operation was not complete.
func (c *Checker) clockWaits(m *machines, timeNS int64) {
	if b := m.times; b != nil && b.op != nil && b.told && b.op.DoneNS != 0 && c.pkt.Answer() == roce.DataAnswer {
		c.skew.atLeast(timeNS, timeNS-b.op.DoneNS)
	}
}

// clocksAnswered does the same with a response.
func (c *Checker) clocksAnswered(m *machines, timeNS int64) {
	if m.times != nil && !m.times.answered(&c.pkt, timeNS, &c.skew) {
		c.clockOff = true
	}
}

// order follows how requests and responses lie to each other: those of one way may have stamps that are off by some
// time, and the file be in the order of the stamps.
type order struct {
	unsaid bool    // a gap was filled at once without a word from the device, and no identification tells the order
	naming uint64  // responses that name the request that they answer
	early  uint64  // of them those that lie before it
	ahead  []ahead // that may turn out to
	ways   [2]grain
	stepNS int64 // of the clock of the stamps, where the first look told
}

// grain counts the stamps of one way, and those that are whole tenths of a millisecond: where all are, frames of the
// other way may have been sorted to the wrong side of them.
type grain struct{ all, coarse uint64 }

const (
	grainNs  = 100_000
	coarseOf = 3 // stamps that must be coarse
)

// stamped counts a stamp of what the endpoint sent or received.
func (o *order) stamped(timeNS int64, sent bool) {
	g := &o.ways[boolInt(sent)]
	if g.all++; timeNS%grainNs == 0 {
		g.coarse++
	}
}

// coarse reports whether the stamps of either way are.
func (o *order) coarse() bool {
	if o.stepNS >= grainNs {
		return true
	}
	for _, g := range o.ways {
		if g.all == g.coarse && g.all >= coarseOf {
			return true
		}
	}
	return false
}

// ahead is a response to what has not come.
type ahead struct {
	of     *half
	psn    psn.PSN
	timeNS int64
}

// answers notes a response that names the request that it answers: an acknowledgement, and the first to a READ.
func (o *order) answers(timeNS int64, p *roce.Packet, q *half) {
	switch kind := p.Answer(); {
	case kind == roce.AckAnswer:
	case kind == roce.DataAnswer && (p.AnswersAtomic() || p.Op.Shape().First):
	default:
		return
	}
	if o.naming++; p.PSN.After(q.top) && len(o.ahead) < maxHeld {
		o.ahead = append(o.ahead, ahead{q, p.PSN, timeNS})
	}
}

// takeIn looks whether a request was acknowledged shortly before.
func (o *order) takeIn(timeNS int64, n psn.PSN, h *half) {
	kept := o.ahead[:0]
	for _, x := range o.ahead {
		switch {
		case timeNS-x.timeNS > holdNs:
		case x.of == h && x.psn == n:
			o.early++
		default:
			kept = append(kept, x)
		}
	}
	o.ahead = kept
}

// offset reports whether the capture may have frames in the wrong order throughout: a gap was filled that nobody spoke
// of, or so many responses lie before what they answer that one way must be off, and not a device wrong: three, and one
// in ten.
func (o *order) offset() bool {
	return o.unsaid || o.coarse() || o.early >= 3 && 10*o.early >= o.naming
}

// nearOrder notes of what was just found to be answered wrongly that a late stamp would explain it: the receive WQE was
// posted at about that time.
func (c *Checker) nearOrder(m *machines, rule roce.Rule, n psn.PSN) {
	at, read := int64(0), false
	m.step.kept(func(a *arrival) bool {
		if a.pkt.PSN == n {
			verb := a.pkt.Op.Shape().Verb
			at, read = a.timeNS, verb == roce.Read || verb.Atomic()
		}
		return true
	})
	last := len(c.violations.list) - 1
	if rule == "PSN-5" && c.violations.total == uint64(last+1) {
		c.violations.list[last].basis.close = true // the response that made room may have been sent before
		return
	}
	if at == 0 || c.violations.total != uint64(last+1) {
		return
	}
	if read {
		c.violations.list[last].basis.noWQE = true
		return
	}
	p := m.predict
	c.wqeNeeds(m, rule, at)
	switch x := &c.violations.list[last]; {
	case p == nil:
	case (rule == "RSP-9" || rule == "RSP-10") && len(p.recvs) > 0 && near(p.recvs[0].PostNS, at),
		strings.Contains(x.Text, "RNR NAK") && near(p.postNS, at):
		c.mayBeOrder()
	}
}

// near reports whether two times are no further apart than a stamp may be late.
func near(a, b int64) bool { return a-b <= lateNs && b-a <= lateNs }
