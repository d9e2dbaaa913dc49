package scenario

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

const (
	maxTrailerBytes  = 46 // END-1
	leastEthernet    = 60 // without FCS
	longTrailerBytes = 200
)

// makePadding puts bytes behind the packet: END-1. Every second packet is a short one padded to 60, the rest walk
// through the trailer lengths, with a detour above the limit.
func makePadding(g *Generator, index uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	if index%2 == 0 {
		s.payload, s.optionWords, s.vlans = min(s.payload, 8), 0, 0
	}
	g.build(c, r, s)
	c.start("padding")
	n := int(index / 2 % (maxTrailerBytes + 1))
	switch {
	case index%2 == 0 && len(c.Frame) < leastEthernet:
		n = leastEthernet - len(c.Frame)
	case index%16 == 1:
		n = r.Between(maxTrailerBytes+1, longTrailerBytes)
	}
	c.trail(g, r, n)
	c.say("trailer ").sayInt(n).say("; ").sayShape()
}

// trail appends n bytes: zeros as a MAC does, random ones, or the ICRC again and again for who looks at the frame's
// end.
func (c *Case) trail(g *Generator, r *Rand, n int) {
	switch r.Below(3) {
	case 0:
		c.Frame = append(c.Frame, g.zeros[:n]...)
	case 1:
		c.Frame = append(c.Frame, g.random[r.Below(len(g.random)-n):][:n]...)
	default:
		for i := range n {
			c.Frame = append(c.Frame, c.Frame[c.layout.end-ib.ICRCBytes+i%ib.ICRCBytes])
		}
	}
	if len(c.Frame)-c.layout.end > maxTrailerBytes { // on IB the VCRC counts too
		c.reason(wire.Trailer)
	}
}

// makeMinimum makes the smallest packet of an opcode, or one with a payload of a few bytes.
func makeMinimum(g *Generator, index uint64, r *Rand, c *Case) {
	s := shape{op: smallest[scatter(index/uint64(len(encaps)), len(smallest))], encap: encaps[index%uint64(len(encaps))]}
	switch s.op.Length {
	case ib.SomePMTU:
		s.payload = 1
	case ib.AnyPMTU:
		s.payload = r.Below(2) * r.Below(5)
	default:
		s.payload = drawPayload(r, s.op.Length)
	}
	g.build(c, r, s)
	c.start("minimum")
	if r.OneIn(8) {
		c.flipCovered(r, 1)
	}
	c.sayShape()
}

// smallest are the opcodes that can go without a full PMTU.
var smallest = func() (out []*ib.Info) {
	for _, op := range opcodes {
		if op.Length != ib.WholePMTU {
			out = append(out, op)
		}
	}
	return out
}()
