package falconflow

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon/psp"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Finding is what a packet's sender did wrong. It is certain where the packet is authentic, so that nothing on the way
// changed it, and the rule is no reading of ours.
type Finding struct {
	Packet  uint64 // from 1
	Certain bool
	Flow    string // source, destination, and the connection if that is known
	AtNs    int64  // when the packet was captured
	// Folded counts packets in which something is wrong that follows from it.
	Folded uint64
	sim.Verdict
}

// Flow counts the packets to one connection.
type Flow struct {
	Src     string            `json:"src"`
	Dst     string            `json:"dst"`
	CID     uint32            `json:"cid"`
	Packets uint64            `json:"packets"` // that name the connection, those not judged among them
	Types   map[string]uint64 `json:"types"`   // of those that were read
}

// Report is what was found in a capture.
type Report struct {
	Packets   uint64            `json:"packets"`    // Falcon, or PSP that may be
	Read      uint64            `json:"read"`       // judged whole
	OtherPSP  uint64            `json:"other_psp"`  // PSP that carries something else
	NotJudged map[string]uint64 `json:"not_judged"` // by reason
	ICVBad    uint64            `json:"icv_bad"`    // changed on the way, or sealed with another key: nobody is blamed
	Malformed uint64            `json:"malformed"`
	Certain   uint64            `json:"certain"`
	Possible  uint64            `json:"possible"`
	// Findings are 1000 at most, by packet: the certain ones before the others, the first of each rule and way before the
	// rest.
	Findings []Finding   `json:"-"`
	ByRule   []RuleCount `json:"by_rule"` // of all
	Flows    []Flow      `json:"flows"`   // the first 4096, the busiest first
	More     uint64      `json:"more"`    // packets of further flows
	// Unpaired counts ways of connections of which there are several between two hosts: which belong together no packet
	// tells, so that one is not held against the other.
	Unpaired uint64 `json:"unpaired"`
	// Unfollowed are packets of connections for which there was no room: each was judged by itself only.
	Unfollowed uint64   `json:"unfollowed"`
	Unsure     []Unsure `json:"unsure,omitempty"`
	// AtOwn tells that some are from or to the end at which the capture was taken.
	AtOwn bool `json:"-"`
}

// Judged counts the packets of which something could be said: those that were read, and those whose form forbids it.
func (r *Report) Judged() uint64 { return r.Read + r.Malformed }

const (
	maxFindings = 1000
	maxFlows    = 4096
)

type flowKey struct {
	src, dst netip.Addr
	cid      uint32
}

// Checker judges the packets of a capture, one after the other.
type Checker struct {
	d     *Decoder
	p     Packet
	nowNs int64 // when p was captured
	r     Report
	flows map[flowKey]*Flow
	f     follower

	ledger ledger
	fresh  []*held // about the packet that is looked at, or that it tells of
	claims []claim // of the packet that is looked at
	blames map[uint64]blame
}

// NewChecker returns a checker.
func NewChecker(opt Options) *Checker {
	c := &Checker{d: New(opt), flows: map[flowKey]*Flow{}, blames: map[uint64]blame{},
		r: Report{NotJudged: map[string]uint64{}}}
	c.f.opt = &c.d.opt
	return c
}

// Take judges a frame that was captured at a time, ns; where no times are known 0. It returns the verdict in words, ""
// where the frame is neither Falcon nor PSP.
func (c *Checker) Take(number uint64, timeNs int64, link wire.Link, frame []byte, origLen int) string {
	c.d.Decode(link, frame, origLen, &c.p)
	return c.judge(number, timeNs)
}

// judge judges the packet that was read.
func (c *Checker) judge(number uint64, timeNs int64) string {
	p := &c.p
	c.nowNs, c.fresh = timeNs, c.fresh[:0]
	if own := c.d.opt.Own; p.State != NotFalcon && own.IsValid() {
		c.r.AtOwn = c.r.AtOwn || p.Src == own || p.Dst == own
	}
	switch p.State {
	case NotFalcon:
		return ""
	case OtherPSP:
		c.r.OtherPSP++
		return "PSP without Falcon"
	}
	c.r.Packets++
	c.count()
	switch p.State {
	case NotJudged:
		c.r.NotJudged[p.Why.Error()]++
		c.f.pass(p, number, p.Why.Error(), false)
		return "not judged: " + p.Why.Error()
	case Unauthentic:
		c.r.ICVBad++
		c.f.pass(p, number, "its ICV is bad", false)
		return "bad ICV"
	case Malformed:
		c.f.pass(p, number, "it cannot be read", false)
		return c.malformed(number)
	}
	c.r.Read++
	verdict := ""
	for f := range p.Falcon.Flaws.All {
		if f != falconwire.Cut {
			verdict = cmp.Or(verdict, c.found(number, sim.Rule(f.Rule()), describe(p, f), settled(p, f)).verdict())
		}
	}
	if p.PSPAt != 0 && !p.Inner && p.PSP.Clear() != p.PSP.Bytes()+4 {
		text := fmt.Sprintf("crypt offset %d leaves %d bytes of Falcon in clear, not 4", p.PSP.CryptOffset,
			p.PSP.Clear()-p.PSP.Bytes())
		verdict = cmp.Or(verdict, c.found(number, "FAL-S3", text, !p.PSP.HasCookie).verdict())
	}
	verdict = cmp.Or(verdict, c.follow(number, timeNs))
	return cmp.Or(verdict, expected[p.Falcon.Type])
}

// expected are the verdicts of packets that have nothing wrong, by type.
var expected = func() (words [16]string) {
	for i := range words {
		words[i] = "expected: " + falconwire.Type(i).String()
	}
	return words
}()

// describe is a flaw with the values that show it.
func describe(p *Packet, f falconwire.Flaw) string {
	k := &p.Falcon
	switch f {
	case falconwire.BadProtocol:
		return fmt.Sprintf("%v: %v is reserved", k.Type, k.Protocol)
	case falconwire.BadLength:
		return fmt.Sprintf("%v: Request Length is %d, and the payload has another length", k.Type, k.RequestLength)
	case falconwire.BadCode:
		if k.Type == falconwire.NACK {
			return fmt.Sprintf("NACK: code %d is reserved", uint8(k.NackCode))
		}
		return fmt.Sprintf("Resync: code %d is reserved", uint8(k.ResyncCode))
	case falconwire.BadResync:
		return fmt.Sprintf("Resync: it takes the place of a packet of type %d (%v), which has no PSN", uint8(k.ResyncType),
			k.ResyncType)
	}
	return fmt.Sprintf("%v: %v", k.Type, f)
}

// malformed counts a packet that cannot be read. Its sender is blamed by a rule where there is one.
func (c *Checker) malformed(number uint64) string {
	p := &c.p
	c.r.Malformed++
	var ours falconwire.Flaw
	var header psp.Flaw
	switch {
	case errors.As(p.Why, &ours):
		text := ours.Error()
		switch ours {
		case falconwire.BadVersion:
			text = fmt.Sprintf("version %d", p.Falcon.Version)
		case falconwire.BadType:
			text = fmt.Sprintf("packet type %d is reserved", uint8(p.Falcon.Type))
		}
		return c.found(number, sim.Rule(ours.Rule()), text, true).verdict()
	case errors.As(p.Why, &header):
		return c.found(number, sim.Rule(header.Rule()), header.Error(), true).verdict()
	}
	return "malformed: " + p.Why.Error()
}

// settled reports whether the rule that the flaw breaks is the text's and no reading of it: FAL-W4 and FAL-W6 are ours
// in what they say of types and bitmaps, and how wide RUE info is the text says in two ways.
func settled(p *Packet, f falconwire.Flaw) bool {
	switch f {
	case falconwire.BadResync, falconwire.BadBitmap:
		return false
	case falconwire.BadReserved:
		return !p.otherReading
	}
	return true
}

// found notes a finding. It is certain if the packet is authentic and the rule is settled.
func (c *Checker) found(number uint64, rule sim.Rule, text string, settled bool) *held {
	f := &held{Finding: Finding{Packet: number, Certain: c.p.Authentic && settled, Flow: c.p.flow(), AtNs: c.nowNs,
		Verdict: sim.Verdict{Rule: rule, Text: text}}}
	if !f.Certain {
		f.Certainty = sim.Possible
	}
	c.ledger.add(f)
	c.fresh = append(c.fresh, f)
	return f
}

// Last is the last packet, as it was read. It is good until the next call of Take.
func (c *Checker) Last() *Packet { return &c.p }

// Fresh are the findings that the last packet brought, as sure as they are by then.
func (c *Checker) Fresh() (list []Finding) {
	for _, f := range c.fresh {
		list = append(list, f.Finding)
	}
	return list
}

// flow names the way of a packet.
func (p *Packet) flow() string {
	if !p.HasCID {
		return fmt.Sprintf("%v to %v", p.Src, p.Dst)
	}
	return FlowName(p.Src.String(), p.Dst.String(), p.Falcon.CID)
}

// FlowName names one way of a connection.
func FlowName(src, dst string, cid uint32) string {
	return fmt.Sprintf("%s to %s CID %06Xh", src, dst, cid)
}

// count notes the packet with its connection.
func (c *Checker) count() {
	p := &c.p
	if !p.HasCID || p.State == Unauthentic {
		return
	}
	key := flowKey{p.Src, p.Dst, p.Falcon.CID}
	f := c.flows[key]
	if f == nil {
		if len(c.flows) == maxFlows {
			c.r.More++
			return
		}
		f = &Flow{Src: key.src.String(), Dst: key.dst.String(), CID: key.cid, Types: map[string]uint64{}}
		c.flows[key] = f
	}
	f.Packets++
	if p.State == Read {
		f.Types[p.Falcon.Type.String()]++
	}
}

// Finish ends the capture and sums up.
func (c *Checker) Finish() *Report {
	c.r.Findings, c.r.ByRule = c.ledger.settle()
	c.r.Certain, c.r.Possible = 0, 0
	for _, n := range c.r.ByRule {
		c.r.Certain, c.r.Possible = c.r.Certain+n.Certain, c.r.Possible+n.Possible
	}
	c.r.Unpaired, c.r.Unfollowed, c.r.Unsure = c.f.unpaired(), c.f.more, c.f.unsure()
	c.r.Flows = []Flow{}
	for _, f := range c.flows {
		c.r.Flows = append(c.r.Flows, *f)
	}
	slices.SortFunc(c.r.Flows, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst),
			cmp.Compare(a.CID, b.CID))
	})
	return &c.r
}
