package falconflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hcacosim/model/sim"
)

// One cause is one finding: of what a packet breaks in what it means the surest is told, the first where several are as
// sure. What rests on a packet that was wrong in just that follows from it, and is folded under its finding.

// aspect is what of a packet a later one may be held against.
type aspect uint8

const (
	itsPSN aspect = 1 << iota
	itsRSN
	itsResync
	itsACK // bases and bitmaps
)

// aspects are what of a packet is wrong that breaks a rule, for certain or by our reading.
var aspects = map[sim.Rule][2]aspect{"FAL-D2": {itsACK}, "FAL-D3": {itsACK}, "FAL-D4": {itsACK}, "FAL-T15": {itsACK},
	"FAL-D10": {itsPSN}, "FAL-D11": {itsPSN}, "FAL-D15": {itsPSN}, "FAL-D20": {itsPSN | itsRSN},
	"FAL-D22": {itsResync | itsPSN, itsResync | itsPSN}, "FAL-T1": {itsRSN, itsRSN}, "FAL-T10": {itsRSN, itsRSN}}

// claim is something wrong in what a packet means, with what must be known for it to be certain.
type claim struct {
	rule  sim.Rule
	text  string
	alone bool // the packet shows it by itself
	ours  bool // the rule is our reading, an option of the device may allow it, or what came may not have been taken
	way   *way
	// packet is the one that is wrong, and when it was captured; 0: the one that is looked at.
	packet uint64
	atNs   int64
	// since is a packet that this one is held against, and what of it; 0: none.
	since uint64
	of    aspect
}

// rank is how sure a claim can become: 0 is the surest.
func (x *claim) rank() int {
	switch {
	case x.ours:
		return 2
	case x.alone:
		return 0
	}
	return 1
}

// wrongAbout is what of its packet is wrong.
func (x *claim) wrongAbout() aspect {
	both := aspects[x.rule]
	if x.ours {
		return both[1]
	}
	return both[0]
}

// blame is what is wrong in a packet, and the finding that tells of it.
type blame struct {
	of aspect
	by *held
}

// maxBlames bounds the packets whose consequences are folded.
const maxBlames = 1 << 16

// blamed reports whether a packet was wrong in an aspect.
func (c *Checker) blamed(packet uint64, of aspect) bool { return c.blames[packet].of&of != 0 }

// follow judges what a packet means, and returns its verdict, "" if nothing is wrong.
func (c *Checker) follow(number uint64, nowNs int64) (verdict string) {
	p, o := &c.p, &c.d.opt
	c.claims = c.claims[:0]
	c.f.take(p, number, nowNs, c.blamed, func(x claim) { c.claims = append(c.claims, x) })
	var of aspect
	var cause *held
	var left []claim
	for _, x := range c.claims {
		switch {
		case x.packet != 0:
			c.found(x.packet, x.rule, x.text, false).AtNs = x.atNs
		case x.since != 0 && c.blamed(x.since, x.of):
			of |= x.wrongAbout()
			cause = c.blames[x.since].by
			c.follows(cause, &x, number)
		default:
			of |= x.wrongAbout()
			left = append(left, x)
		}
	}
	if cause != nil {
		cause.Folded++
		verdict = fmt.Sprintf("follows from packet %d: %s", cause.Packet, cause.Rule)
	}
	if len(left) > 0 {
		slices.SortStableFunc(left, func(a, b claim) int { return cmp.Compare(a.rank(), b.rank()) })
		cause = c.foundFirst(number, left)
		verdict = cause.verdict()
	}
	c.blame(number, of, cause)
	for _, x := range left {
		c.blame(x.since, x.of, cause) // either may be the wrong one
	}
	if p.Damaged {
		c.f.pass(p, number, "its UDP checksum is wrong", p.Dst != o.Own)
	}
	return verdict
}

// blame keeps what is wrong in a packet; the first finding stays.
func (c *Checker) blame(packet uint64, of aspect, by *held) {
	b, known := c.blames[packet]
	if of == 0 || packet == 0 || !known && len(c.blames) == maxBlames {
		return
	}
	if !known {
		b.by = by
	}
	b.of |= of
	c.blames[packet] = b
}

// foundFirst notes the first of several claims about a packet.
func (c *Checker) foundFirst(number uint64, list []claim) *held {
	x := &list[0]
	var more []string
	for _, y := range list[1:] {
		if rule := string(y.rule); y.rule != x.rule && !slices.Contains(more, rule) {
			more = append(more, rule)
		}
	}
	text := x.text
	if len(more) > 0 {
		text += " (breaks " + strings.Join(more, ", ") + " too)"
	}
	f := c.found(number, x.rule, text, x.rank() == 0)
	f.way = x.way
	if x.rank() == 1 && c.mayBeCertain(x.way) {
		c.hope(f, x.way)
	}
	return f
}

// mayBeCertain reports whether a finding in the packet that is looked at may become certain.
func (c *Checker) mayBeCertain(w *way) bool {
	p, o := &c.p, &c.d.opt
	return w != nil && p.Authentic && o.Complete && o.Own == p.Src && w.certain()
}

// hope lets a finding wait for what would make it certain.
func (c *Checker) hope(f *held, w *way) { f.waits = append(f.waits, waits{w, w.inDoubt()}) }

// follows lets what follows from a cause make it sure: a rule of the text that is broken for want of any other excuse.
func (c *Checker) follows(cause *held, x *claim, number uint64) {
	if cause.Certain || len(cause.waits) > 0 || x.rank() != 1 || cause.way != x.way || !c.mayBeCertain(x.way) {
		return
	}
	cause.Text += fmt.Sprintf("; packet %d: %s", number, x.text)
	c.hope(cause, x.way)
}

// waits is what makes a finding certain: its connection stays the only one between its hosts, and goes on if it was in
// doubt.
type waits struct {
	way   *way
	doubt *doubt // that must be settled for it; nil: none
}

// fulfilled reports whether everything is known that the finding needs.
func (x *waits) fulfilled() bool {
	return x.way.back() != nil && x.way.pair.mixed.packet == 0 && (x.doubt == nil || x.doubt.same)
}
