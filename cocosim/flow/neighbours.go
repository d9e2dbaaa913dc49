package flow

import (
	"slices"
	"strings"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/vectors"
)

// The order of a file is no evidence of the order of sending: a capture of several queues has neighbours exchanged.
// Where identifications do not number what a device sent, a finding is possible only if a neighbour that the device
// sent in its place explains it.

// neighboursKept is how many of the last frames that a device sent are remembered, and nearPSNs how far the PSNs of
// exchanged ones may lie apart.
const (
	neighboursKept = 16
	nearPSNs       = 64
)

// sentFrame is what is remembered of a frame that the device sent.
type sentFrame struct {
	psn    psn.PSN
	op     ib.Opcode
	answer roce.AnswerKind
	msn    uint32
	number uint64
	timeNS int64
	asked  uint64 // the frame before it that asked for something again
}

// neighbours are the last frames of a machine's device, and the findings about them that may turn out to be the order.
type neighbours struct {
	list    [neighboursKept]sentFrame
	count   uint64
	watched []watched
	askedAt uint64 // when something was asked for again
}

// watched is a finding about a response, by its place in the list.
type watched struct {
	of   sentFrame
	list int
}

// near reports whether two frames lie so close together in the file that it may have exchanged them.
func (a *sentFrame) near(b *sentFrame) bool {
	return near(a.timeNS, b.timeNS) && a.number+holdArrivals >= b.number && b.number+holdArrivals >= a.number
}

// inverted reports whether two responses lie in the file as no device sends them: the lower PSN behind the higher, or
// two answers to one request.
func (a *sentFrame) inverted(b *sentFrame) bool {
	if a.number > b.number {
		a, b = b, a
	}
	d := b.psn.From(a.psn)
	if !a.near(b) || a.number == b.number || b.asked >= a.number {
		return false
	}
	return d < 0 && d >= -nearPSNs || d == 0 && a.answer != b.answer && a.op == b.op
}

func frameOf(t *step, p *roce.Packet, f *vectors.Frame) sentFrame {
	return sentFrame{p.PSN, p.Op, p.Answer(), p.MSN, f.Number, f.TimeNS, t.beside.askedAt}
}

// sentNow remembers a frame that the device sent, and looks whether it explains what was found shortly before.
func (c *Checker) sentNow(t *step, f *vectors.Frame) {
	n := &t.beside
	now := frameOf(t, &c.pkt, f)
	n.list[n.count%neighboursKept] = now
	n.count++
	kept := n.watched[:0]
	for _, x := range n.watched {
		switch {
		case x.of.inverted(&now):
			c.violations.list[x.list].basis.beside = true
		case x.of.near(&now):
			kept = append(kept, x)
		}
	}
	n.watched = kept
}

// sentBehindHeld looks whether a response is due that was sent behind those that wait: it was sent before them.
func (c *Checker) sentBehindHeld(m *machines, f *vectors.Frame, peer addr) {
	held := m.step.held
	if len(held) == 0 || !c.unnumbered(peer) || c.early(m) {
		return
	}
	now := frameOf(m.step, &c.pkt, f)
	for i := range held {
		x := &held[i]
		was := sentFrame{psn: x.pkt.PSN, op: x.pkt.Op, answer: x.pkt.Answer(), number: x.number, timeNS: x.timeNS}
		x.swapped = x.swapped || was.inverted(&now) && was.answer != roce.FatalAnswer
	}
}

// swappedHeld notes of what was just found about a response that waited that a neighbour lies in its place.
func (c *Checker) swappedHeld(x *held) {
	if n := len(c.violations.list); x.swapped && n > 0 && c.violations.list[n-1].Packet == x.number {
		c.mayBeClose()
	}
}

// last is the number of the frame that was sent last; 0: none.
func (n *neighbours) last() uint64 {
	if n.count == 0 {
		return 0
	}
	return n.list[(n.count-1)%neighboursKept].number
}

// each calls do with the frames that are remembered.
func (n *neighbours) each(do func(*sentFrame)) {
	for i := range min(n.count, neighboursKept) {
		do(&n.list[i])
	}
}

// inverts reports whether a response and one that is remembered lie as no device sends them.
func (n *neighbours) inverts(a sentFrame) (found bool) {
	n.each(func(x *sentFrame) { found = found || a.inverted(x) })
	return found
}

// counted reports whether one that is remembered, as no device sends them, has counted more messages: an MSN says how
// many there were when it was sent.
func (n *neighbours) counted(a sentFrame) (found bool) {
	n.each(func(x *sentFrame) { found = found || a.inverted(x) && psn.New(x.msn).From(psn.New(a.msn)) > 0 })
	return found
}

// unnumbered reports whether no identification tells in which order frames were sent to a peer.
func (c *Checker) unnumbered(peer addr) bool {
	l := c.ev.of(peer)
	return l == nil || !l.sent.counts()
}

// gotLate looks at a request that came behind one that was sent after it, as their identifications tell. The way may
// have exchanged them, or the capture has it late: what was found shortly before may be the answer to it.
func (c *Checker) gotLate(f *vectors.Frame) {
	for i := len(c.violations.list) - 1; i >= max(0, len(c.violations.list)-neighboursKept); i-- {
		x := &c.violations.list[i]
		if x.Packet+holdArrivals >= f.Number && f.TimeNS-x.basis.timeNS < lateNs {
			x.basis.close = true
		}
	}
}

// ofPlace reports whether a finding about a response is about its place among others, and not about what it says.
func ofPlace(x *sim.Verdict) bool {
	switch x.Rule {
	case "RSP-5", "RSP-13":
		return true
	case "RSP-7", "RSP-8":
		return strings.HasSuffix(x.Text, "waits for")
	case "RSP-2":
		return strings.Contains(x.Text, "is out of sequence")
	}
	return false
}

// responseOutOfOrder looks whether a neighbour explains the finding about a response that was just added: of requests a
// duplicate, of responses one that goes before it. None explains a fatal NAK, or a PSN that is far away.
func (c *Checker) responseOutOfOrder(t *step, f *vectors.Frame, q *half, x *sim.Verdict, foreseen bool) {
	at, away := len(c.violations.list)-1, c.pkt.PSN.From(q.top)
	switch {
	case c.violations.total != uint64(at+1) || c.pkt.Answer() == roce.FatalAnswer || away > nearPSNs ||
		away < -farPSNs:
		return
	case t.mingled && ofPlace(x) && !c.pkt.PSN.Before(t.mingledFrom):
		c.mayBeClose()
		return
	}
	of := frameOf(t, &c.pkt, f)
	place := ofPlace(x) || x.Rule == "RSP-11" && t.beside.counted(of)
	switch {
	case !c.unnumbered(q.src) || foreseen && !place && !c.pkt.Answer().NAK():
	case t.beside.inverts(of):
		c.mayBeClose()
	case len(t.beside.watched) < neighboursKept:
		t.beside.watched = append(t.beside.watched, watched{of, at})
	}
}

// gotNow remembers a response that came. Where no identification numbers them, the part of a READ that comes at once
// behind the next one may have come before it.
func (c *Checker) gotNow(t *step, f *vectors.Frame, peer addr, expected bool) {
	now := frameOf(t, &c.pkt, f)
	if l := c.ev.of(peer); l != nil && !l.received.has && c.pkt.Answer() == roce.DataAnswer && t.gotAny.inverted(&now) {
		l.received.back, l.received.backAt = true, f.Number
	}
	if t.gotAny = now; expected {
		t.got = now
	}
}

// mayBeClose: what was just found may be the order of two neighbours.
func (c *Checker) mayBeClose() {
	if n := len(c.violations.list); c.violations.total == uint64(n) {
		c.violations.list[n-1].basis.beside = true
	}
}

// shadow is how many frames behind a finding that the order of neighbours may explain others may be its consequence.
const shadow = 32

// inShadow makes findings doubtful that may be consequences of one that is.
func (c *Checker) inShadow() {
	for i := range c.violations.list {
		x := &c.violations.list[i]
		x.basis.shadowed = slices.ContainsFunc(c.violations.list, func(y Finding) bool {
			return y.basis.beside && y.Packet < x.Packet && x.Packet <= y.Packet+shadow
		})
	}
}

// requestOutOfOrder does so for a request that was sent again from another PSN than the oldest: that one was sent
// shortly before.
func (c *Checker) requestOutOfOrder(t *step, f *vectors.Frame, peer addr, oldest psn.PSN) {
	if !c.unnumbered(peer) {
		return
	}
	of := sentFrame{number: f.Number, timeNS: f.TimeNS}
	found := false
	t.beside.each(func(x *sentFrame) { found = found || x.psn == oldest && x.number != f.Number && x.near(&of) })
	if found {
		c.mayBeClose()
	}
}
