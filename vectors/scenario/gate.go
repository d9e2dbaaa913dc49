package scenario

import (
	"hcacosim/model/hca"
)

// makeGate makes frames with a verdict for icrc_gate: those of mix with the one that they call for, every fourth time
// with another; and in turn frames as long as may pass, one beat or byte less or more, called good. The first is as
// long as may pass: what a reset left of a frame counts for none behind it. Now and then come frames of a beat, one
// behind the other: more records than have room, and more frames than the store has beats.
func makeGate(g *Generator, index uint64, r *Rand, c *Case) {
	if index == 0 {
		g.gateLength(c, r, gateMost, 1)
		return
	}
	switch index / gateBurst % 16 {
	case 3:
		g.gateLength(c, r, 1+r.Below(gateLeast), uint32(r.Below(2)))
		return
	case 4, 5: // nearly all of them pass: as many as the store has beats at the greatest widths
		g.gateLength(c, r, 1+r.Below(gateLeast), uint32(min(1, r.Below(32))))
		return
	}
	if index%64 == 54 { // behind one that is too long, which counts for none
		g.gateLength(c, r, gateMost, 1)
		return
	}
	if index%64 == 53 {
		g.gateLength(c, r, gateEdges[len(gateEdges)-1-r.Below(gateTooLong)], 1)
		return
	}
	if index%8 == 5 {
		makeGateLength(g, index/8, r, c)
		return
	}
	makeMix(g, index, r, c)
	c.seal()
	c.setUser(hca.Sideband(12, c.Link, c.Frame))
	if r.OneIn(4) {
		c.spoilVerdict(r)
	}
}

// spoilVerdict says something else of the frame: in one field, or in all twelve bits and one that is reserved.
func (c *Case) spoilVerdict(r *Rand) {
	user := c.User
	switch r.Below(6) {
	case 0, 1: // called good
		user = user&^0xF03 | 1
	case 2:
		user = user&^3 | uint32(r.Below(4))
	case 3:
		user = user&^0x70 | uint32(r.Below(8))<<4
	case 4:
		user = user&^0xF00 | uint32(r.Below(16))<<8
	default:
		user = uint32(r.Below(1 << 12))
	}
	c.setUser(user)
	c.say("; called ").sayInt(int(user))
}

// How many frames of a beat come in a row, and how many bytes each has at most.
const (
	gateBurst = 64
	gateLeast = 8
)

// gateMost is how long a frame may be, in bytes.
const gateMost = 4352

// gateEdges are lengths of frames around 4352 bytes and the store's 8 KiB, and of as many beats as any width has there.
var gateEdges = [...]int{4344, 4345, 4351, 4352, 4353, 4360, 4361, 4416, 4480, 8128, 8184, 8192, 8193, 12000, 20000}

// gateTooLong are how many of them, the last ones, are longer than may pass at each width.
const gateTooLong = 7

// makeGateLength makes frames of such lengths between short ones, called good, bad, none of RoCE, or malformed.
func makeGateLength(g *Generator, walk uint64, r *Rand, c *Case) {
	n := gateEdges[scatter(walk/2, len(gateEdges))]
	if walk%2 == 0 {
		n = 1 + r.Below(300)
	}
	verdict := [...]uint32{2, 0, 3, 1 | uint32(r.Between(1, 15))<<8}[r.Below(4)]
	if !r.OneIn(4) {
		verdict = 1
	}
	g.gateLength(c, r, n, verdict)
}

// gateLength makes a frame of n bytes of which a verdict is said, with an encapsulation unless it is none.
func (g *Generator) gateLength(c *Case, r *Rand, n int, verdict uint32) {
	c.Truth = Truth{}
	c.isOpen = false
	c.Frame = append(c.Frame[:0], g.random[r.Below(len(g.random)-n):][:n]...)
	if encap := uint32(r.Between(1, 5)); verdict != 0 {
		verdict |= encap << 4
	}
	c.setUser(verdict)
	c.Link = hca.SidebandLink(12, c.User)
	c.start("length").sayInt(n).say(" bytes, called ").sayInt(int(c.User))
}
