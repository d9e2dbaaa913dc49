package scenario

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// A CRC-16 whose polynomial ends in 1 finds every single bit and every burst of up to 16 bits.
const maxVCRCBurstBits = 16

// makeVCRC makes IB native packets for vcrc_check, whose reasons its Truth uses.
func makeVCRC(g *Generator, index uint64, r *Rand, c *Case) {
	kind := inTurn(index, 8)
	far := kind == 5 && index/8%4 == 1
	if kind == 0 && index/8%8 == 0 || far {
		g.buildPktLen(c, r)
	} else {
		g.buildIB(c, r)
	}
	if r.OneIn(4) { // what is reserved counts for nothing
		c.Frame[4] |= byte(r.Below(1<<5)) << 3
	}
	c.seal()
	c.start("vcrc")
	end := c.layout.end
	switch kind {
	case 0, 1, 2:
	case 3:
		c.flipVCRC(r, 1)
	case 4:
		switch index / 8 % 4 {
		case 1, 3:
			c.vcrcLastBit(index / 16)
		case 2:
			c.vcrcLooksRight(index / 32)
		default:
			c.flipVCRC(r, r.Between(2, maxVCRCBurstBits))
		}
	case 5:
		n := end + r.Below(ib.VCRCBytes)
		if r.OneIn(4) {
			n = r.Between(ib.LRHBytes, end-1)
		}
		if far { // a power of two before its end
			n = max(ib.LRHBytes, end+ib.VCRCBytes-1<<r.Between(5, 12)+r.Between(-9, 9))
			n = min(n, end+ib.VCRCBytes-1)
		}
		c.Frame = c.Frame[:n]
		c.vcrc(wire.VCRCBad)
		c.reason(wire.Truncated)
		c.say("absent, cut to ").sayInt(n).say("; ")
	case 6:
		n := r.Between(1, 100)
		if index/8%8 == 5 {
			n = 1
		} else if index/8%64 == 7 {
			n = min(maxPayload, longBytes[scatter(index/8/64, len(longBytes))])
		} else if index/8%8 == 3 { // its last beat stands a power of two behind its first, and is as short as a runt
			n = max(n, 1<<r.Between(7, 14)+r.Between(1, ib.LRHBytes-1)-end)
		}
		c.Frame = append(c.Frame, g.random[r.Below(len(g.random)-n):][:n]...)
		c.reason(wire.Trailer)
		c.say("trailer ").sayInt(n).say("; ")
	case 7:
		c.breakLRH(index/8, r)
	}
	c.forget(KnowsICRC)
	c.sayShape()
}

func (g *Generator) buildIB(c *Case, r *Rand) {
	switch s := g.drawShape(r); r.Below(4) {
	case 0:
		g.buildRaw(c, r, shape{encap: wire.EncapRaw, payload: s.payload}, r.OneIn(2))
	case 1:
		s.encap, s.bare = wire.EncapIBGlobal, false
		g.build(c, r, s)
	default:
		s.encap, s.bare = wire.EncapIBLocal, false
		g.build(c, r, s)
	}
}

// buildPktLen makes a packet whose PktLen stands at a power of two: on either side of a carry, up to the greatest.
func (g *Generator) buildPktLen(c *Case, r *Rand) {
	ipv6 := r.OneIn(2)
	g.buildRaw(c, r, shape{encap: wire.EncapRaw}, ipv6)
	words := 1<<r.Between(5, 11) - r.Below(3)
	if ipv6 {
		words = max(words, 1<<6-2)
	}
	n := 4*min(words, maxIBBytes/4) - c.layout.end
	g.buildRaw(c, r, shape{encap: wire.EncapRaw, payload: n}, ipv6)
}

// flipVCRC inverts the first and the last of a run of bits behind the LRH, and some between them: low bit of each byte
// first, as the CRC takes them.
func (c *Case) flipVCRC(r *Rand, length int) {
	at := r.Between(8*ib.LRHBytes, 8*(c.layout.end+ib.VCRCBytes)-length)
	pattern := uint32(r.Uint64()) | 1 | 1<<(length-1)
	for i := range length {
		if pattern>>i&1 != 0 {
			c.Frame[(at+i)/8] ^= 1 << ((at + i) % 8)
		}
	}
	c.vcrc(wire.VCRCBad)
	c.say("burst of ").sayInt(length).say(" bits at byte ").sayInt(at / 8).say("; ")
}

// breakLRH makes runts of every size, packets that claim to be shorter than their LRH, and some that are no longer.
func (c *Case) breakLRH(walk uint64, r *Rand) {
	if walk%2 == 0 {
		n := 1 + int(walk/2%(ib.LRHBytes-1))
		c.Frame = c.Frame[:n]
		c.vcrc(wire.VCRCNone)
		c.encap(wire.EncapNone)
		c.reason(wire.Runt)
		c.say("runt, cut to ").sayInt(n).say("; ")
		return
	}
	words := r.Below(3)
	c.Frame[4], c.Frame[5] = c.Frame[4]&^7, byte(words)
	c.say("PktLen ").sayInt(words).say("; ")
	if words == ib.LRHBytes/4 {
		c.Frame = c.Frame[:ib.LRHBytes+ib.VCRCBytes]
		binary.LittleEndian.PutUint16(c.Frame[ib.LRHBytes:], wire.VCRC(c.Frame[:ib.LRHBytes]))
		c.vcrc(wire.VCRCGood)
		return
	}
	if walk/2%2 == 0 {
		c.shortVCRC(4*words, r)
		if words == 0 {
			c.encap(wire.EncapRaw)
		}
	}
	c.vcrc(wire.VCRCBad)
	c.reason(wire.Short)
}

// shortVCRC has the VCRC of the first n bytes stand behind them, in the LRH: 0 in its first bytes, or the bytes that
// have PktLen, by a DLID that brings that about.
func (c *Case) shortVCRC(n int, r *Rand) {
	for dlid := r.Below(1 << 16); ; dlid++ {
		binary.BigEndian.PutUint16(c.Frame[2:], uint16(dlid))
		if right := wire.VCRC(c.Frame[:n]); n == 0 || right&7 == 0 && right>>8 == 1 {
			binary.LittleEndian.PutUint16(c.Frame[n:], right)
			break
		}
	}
	c.say("its VCRC is right; ")
}
