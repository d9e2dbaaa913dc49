package scenario

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// A CRC-32 finds every error of one, two or three bits in up to 11,450 bytes, and every burst of up to 32 bits in any
// length; TestCRCFindsFewBits proves it. The bits count where the CRC sees them: on covered fields.

// maxBurstBits is the longest burst that a CRC-32 always finds.
const maxBurstBits = 32

func makeBitErrors(g *Generator, index uint64, r *Rand, c *Case) {
	g.build(c, r, g.drawShape(r))
	c.start("bit-errors")
	switch kind := index % 8; kind {
	case 0, 1, 2, 3:
		c.flipCovered(r, 1)
	case 4:
		c.flipCovered(r, 2)
	case 5:
		c.flipCovered(r, 3)
	case 6:
		c.burst(r)
	case 7:
		c.flipAnywhere(r)
	}
	c.sayShape()
}

// makeAllBitErrors is makeBitErrors, which mix has too, but for most of the bursts: there the register is wrong in one
// bit, or the ICRC is what somebody may take for a good one.
func makeAllBitErrors(g *Generator, index uint64, r *Rand, c *Case) {
	if index%16 != 14 && index%32 != 6 {
		makeBitErrors(g, index, r, c)
		return
	}
	g.build(c, r, g.drawShape(r))
	c.start("bit-errors")
	if index%16 == 14 {
		c.icrcLastBit(index / 16)
	} else {
		c.icrcLooksRight(index / 32)
	}
	c.sayShape()
}

// flipCovered inverts n different bits that the ICRC covers.
func (c *Case) flipCovered(r *Rand, n int) {
	var bits [3]int
	c.say("flipped")
	for i := 0; i < n; {
		f := c.pick(r, covered)
		bits[i] = f.bit + r.Below(f.bits)
		if i > 0 && bits[i] == bits[0] || i > 1 && bits[i] == bits[1] {
			continue
		}
		flip(c.Frame, bits[i])
		c.say(" ").say(f.name).say(" bit ").sayInt(bits[i] - f.bit)
		i++
	}
	c.say("; ")
	c.icrc(wire.ICRCBad)
}

// burst inverts the first and the last of up to 32 neighbouring bits and some between them, counted as the CRC takes
// them: low bit of each byte first. It lies behind BTH byte 4, where everything is covered.
func (c *Case) burst(r *Rand) {
	length := r.Between(2, maxBurstBits)
	low := 8 * (c.layout.transport + 5)
	at := r.Between(low, 8*c.layout.end-length)
	pattern := uint32(r.Uint64()) | 1 | 1<<(length-1)
	for i := range length {
		if pattern>>i&1 != 0 {
			c.Frame[(at+i)/8] ^= 1 << ((at + i) % 8)
		}
	}
	c.say("burst of ").sayInt(length).say(" bits at byte ").sayInt(at / 8).say("; ")
	c.icrc(wire.ICRCBad)
}

// flipAnywhere inverts 1 to 64 bits of the whole frame. What that does is not known: it may hit a length, a port, a
// masked field.
func (c *Case) flipAnywhere(r *Rand) {
	n := 1 << r.Below(7)
	for range n {
		flip(c.Frame, r.Below(8*len(c.Frame)))
	}
	c.forget(KnowsICRC | KnowsEncap | KnowsReason | KnowsVCRC)
	c.say("up to ").sayInt(n).say(" bits flipped anywhere; ")
}

func makeMaskedFields(g *Generator, index uint64, r *Rand, c *Case) {
	g.build(c, r, g.drawShape(r))
	c.start("masked-fields")
	n := 1
	if index%4 == 0 {
		n = r.Between(2, 6)
		c.seal() // so that the VCRC is stale: no matter for the ICRC
		c.forget(KnowsVCRC)
	}
	for i := range n {
		f := c.pick(r, ignored)
		f.change(r, c.Frame)
		if i > 0 {
			c.say(", ")
		}
		c.say(f.name)
	}
	c.say(" changed; ")
	c.sayShape()
}

func makeCoveredFields(g *Generator, index uint64, r *Rand, c *Case) {
	g.build(c, r, g.drawShape(r))
	c.start("covered-fields")
	if index%16 == 0 && c.changeLength(r) {
		c.sayShape()
		return
	}
	f := c.pick(r, covered)
	f.change(r, c.Frame)
	c.icrc(wire.ICRCBad)
	c.say(f.name).say(" changed; ").sayShape()
}

// changeLength changes a length field that does not say where the packet ends but must agree with the one that does: of
// UDP, which the ICRC covers, or of the GRH on IB.
func (c *Case) changeLength(r *Rand) bool {
	var f field
	switch c.shape.encap {
	case wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6:
		f = field{"UDP length", 8*(c.layout.transport-8) + 32, 16, covered}
	case wire.EncapIBGlobal:
		f = field{"GRH PayLen", 8*ib.LRHBytes + 32, 16, covered}
	default:
		return false
	}
	f.change(r, c.Frame)
	c.icrc(wire.ICRCBad)
	c.reason(wire.Length)
	c.say(f.name).say(" changed; ")
	return true
}
