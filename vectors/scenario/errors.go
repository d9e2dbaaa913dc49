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
// bit, or the ICRC is what somebody may take for a good one; and for most of the flips anywhere, which go where the
// packet is found by.
func makeAllBitErrors(g *Generator, index uint64, r *Rand, c *Case) {
	if index%8 == 7 && index/8%8 != 7 {
		makeDecisive(g, index/8, r, c)
		c.sayShape()
		return
	}
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
	if index%16 == 0 && c.changeLength(r, 0) {
		c.sayShape()
		return
	}
	f := c.pick(r, covered)
	f.change(r, c.Frame)
	c.icrc(wire.ICRCBad)
	c.say(f.name).say(" changed; ").sayShape()
}

// changeLength changes a length field that does not say where the packet ends but must agree with the one that does: of
// UDP, which the ICRC covers, or of the GRH on IB. The pattern has the bits that become others; 0: any.
func (c *Case) changeLength(r *Rand, pattern uint64) bool {
	var f field
	switch c.shape.encap {
	case wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6:
		f = field{"UDP length", 8*(c.layout.transport-8) + 32, 16, covered}
	case wire.EncapIBGlobal:
		f = field{"GRH PayLen", 8*ib.LRHBytes + 32, 16, covered}
	default:
		return false
	}
	if pattern == 0 {
		f.change(r, c.Frame)
	}
	invert(c.Frame, f.bit, pattern)
	c.icrc(wire.ICRCBad)
	c.reason(wire.Length)
	c.say(f.name).say(" changed; ")
	return true
}

// decisiveEncaps are the encapsulations of makeDecisive, those with more bits to be found by more often.
var decisiveEncaps = [8]wire.Encap{wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6, wire.EncapRoCEv1, wire.EncapRoCEv2IPv4,
	wire.EncapRoCEv2IPv6, wire.EncapIBGlobal, wire.EncapRoCEv2IPv4, wire.EncapIBLocal}

// makeDecisive inverts one bit of what a packet is found by, each in turn in every encapsulation, and spoils now and
// then something else too: of two reasons the first one counts.
func makeDecisive(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = decisiveEncaps[walk%8]
	g.drawOptions(&s, r)
	if s.encap.Link() == wire.LinkEthernet && r.OneIn(3) {
		s.vlans = r.Between(1, 2)
	}
	if s.encap == wire.EncapRoCEv2IPv4 && r.OneIn(3) {
		s.optionWords = maxOptionWords
	}
	g.build(c, r, s)
	c.start("bit-errors")
	fields, bits := c.decisiveFields()
	n := scatter(walk/8*3+walk%8/3, bits)
	for _, f := range fields {
		if n >= f.bits {
			n -= f.bits
			continue
		}
		flip(c.Frame, f.bit+n)
		c.say("flipped ").say(f.name).say(" bit ").sayInt(n).say("; ")
		if f.bits == 8 && s.encap == wire.EncapRoCEv2IPv4 && r.OneIn(3) { // version or protocol
			c.Frame[c.layout.net] = c.Frame[c.layout.net]&0xF0 | byte(r.Below(5))
			c.say("IHL; ")
		}
		break
	}
	switch r.Below(12) {
	case 0:
		c.Frame = append(c.Frame, g.random[:r.Between(maxTrailerBytes+1, 2*maxTrailerBytes)]...)
		c.say("trailer; ")
	case 1:
		c.Frame = c.Frame[:len(c.Frame)-r.Between(1, 16)]
		c.say("cut; ")
	case 2, 3:
		c.shorten(r)
	}
	c.forget(KnowsICRC | KnowsEncap | KnowsReason | KnowsVCRC)
}

// shorten has the length field say less than the least, half of the time one less.
func (c *Case) shorten(r *Rand) {
	end := c.layout.transport + ib.BTHBytes + ib.ICRCBytes - 1
	if r.OneIn(2) {
		end = r.Between(c.lengthBase(), end)
	}
	if c.Link == wire.LinkIB {
		end &^= 3
	}
	c.moveEnd(end - c.layout.end)
	c.say("short; ")
}

// decisiveFields are those that say where the packet is and where it ends, and how many bits they have.
func (c *Case) decisiveFields() (fields []field, bits int) {
	l := &c.layout
	add := func(name string, at, bit, n int) {
		fields = append(fields, field{name, 8*at + bit, n, ignored})
		bits += n
	}
	ip := l.net
	if c.Link == wire.LinkIB {
		ip = ib.LRHBytes
		add("LNH", 1, 6, 2)
		add("PktLen", 4, 5, 11)
	} else {
		for at := 12; at < l.net; at += 4 { // of the tags, and the EtherType
			add("type", at, 0, 16)
		}
	}
	switch c.shape.encap {
	case wire.EncapIBLocal:
		return fields, bits
	case wire.EncapRoCEv2IPv4:
		add("version and IHL", ip, 0, 8)
		add("total length", ip+2, 0, 16)
		add("MF and offset", ip+6, 2, 14)
		add("protocol", ip+9, 0, 8)
	default:
		add("version", ip, 0, 4)
		add("payload length", ip+4, 0, 16)
		add("next header", ip+6, 0, 8)
	}
	if c.shape.encap == wire.EncapRoCEv2IPv4 || c.shape.encap == wire.EncapRoCEv2IPv6 {
		add("UDP port", l.transport-6, 0, 16)
		add("UDP length", l.transport-4, 0, 16)
	}
	return fields, bits
}
