package scenario

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// malformedKinds take turns, so that each is met whatever the seed. `walk` counts the turns of a kind.
var malformedKinds = []func(g *Generator, walk uint64, r *Rand, c *Case){
	makeRunt, makeTruncated, makeShort, makeShorter, makeLonger, makeDisagreeing, makeFragment, makeBadIHL,
	makeOverLong, makeUnknownOpcode, makeTVer, makePadTooLong, makeNotRoCE, makeRaw, makeUnaligned, makeNoise,
}

func makeMalformed(g *Generator, index uint64, r *Rand, c *Case) {
	kinds := uint64(len(malformedKinds))
	malformedKinds[inTurn(index, kinds)](g, index/kinds, r, c)
	c.forget(KnowsVCRC) // the scenario vcrc has its own view of what is malformed
	c.sayShape()
}

// makeRunt cuts inside the headers before the BTH: at every byte in turn, the last one first, in every encapsulation.
// Half of those that end inside the IP header, or with it, have a version, length or protocol that would be wrong too:
// where the header is whole, that is what they are told by.
func makeRunt(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = encaps[walk%uint64(len(encaps))]
	g.drawOptions(&s, r)
	g.build(c, r, s)
	last := c.layout.transport - 1
	turn := int(walk / uint64(len(encaps)))
	n := last - turn%last
	if ip, bytes, _ := c.ipHeader(); ip > 0 && turn/128%2 == 1 && r.OneIn(2) { // every byte has had its turn
		n = min(last, ip+bytes-r.Below(4))
	}
	c.Frame = c.Frame[:n]
	c.notRoCE(wire.Runt)
	if at, whole := c.wrongInRunt(r, n); at > 0 {
		c.Frame[at] ^= byte(r.Between(1, 255))
		if whole {
			c.notRoCE(wire.WellFormed)
		}
	}
	c.start("runt").say("cut to ").sayInt(n).say(" bytes; ")
}

// ipHeader is where the IP header is, or GRH, how many bytes it has without options, and which of them says what
// follows; 0 for none.
func (c *Case) ipHeader() (ip, bytes, protocol int) {
	switch c.shape.encap {
	case wire.EncapIBLocal:
		return 0, 0, 0
	case wire.EncapIBGlobal:
		return ib.LRHBytes, 40, 6
	case wire.EncapRoCEv2IPv4:
		return c.layout.net, 20, 9
	}
	return c.layout.net, 40, 6
}

// wrongInRunt chooses a byte of the IP header, or GRH, by which a frame of n bytes that ends inside of it, or with it,
// would not be RoCE either; 0 for none. whole says that the header is.
func (c *Case) wrongInRunt(r *Rand, n int) (at int, whole bool) {
	ip, bytes, protocol := c.ipHeader()
	switch {
	case ip == 0 || n <= ip || n > ip+bytes || r.OneIn(2):
		return 0, false
	case n > ip+protocol && r.OneIn(2):
		return ip + protocol, n == ip+bytes
	}
	return ip, n == ip+bytes
}

// makeTruncated cuts between BTH and the end of the packet.
func makeTruncated(g *Generator, _ uint64, r *Rand, c *Case) {
	g.build(c, r, g.drawShape(r))
	n := r.Between(c.layout.transport, c.layout.end-1)
	if r.OneIn(2) {
		n = c.layout.end - r.Between(1, ib.ICRCBytes)
	}
	c.Frame = c.Frame[:n]
	c.icrc(wire.ICRCBad)
	c.reason(wire.Truncated)
	c.start("truncated").say("cut to ").sayInt(n).say(" of ").sayInt(c.layout.end).say(" bytes; ")
}

// makeShort puts less into the length field than BTH and ICRC take.
func makeShort(g *Generator, _ uint64, r *Rand, c *Case) {
	g.build(c, r, g.drawShape(r))
	least := c.layout.transport + ib.BTHBytes + ib.ICRCBytes
	end := r.Between(c.lengthBase(), least-1)
	if c.Link == wire.LinkIB {
		end &^= 3
	}
	c.moveEnd(end - c.layout.end)
	c.icrc(wire.ICRCBad)
	c.reason(wire.Short)
	c.start("short").say("length field ends the packet at byte ").sayInt(end).say("; ")
}

// makeShorter lets all length fields agree on an end before the real one.
func makeShorter(g *Generator, _ uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.payload = r.Between(64, 300)
	g.build(c, r, s)
	n := 4 * r.Between(1, 16)
	if c.Link == wire.LinkEthernet {
		n -= r.Below(4)
	}
	c.moveEnd(-n)
	c.forget(KnowsICRC)
	if len(c.Frame)-(c.layout.end-n) > maxTrailerBytes {
		c.reason(wire.Trailer)
	}
	c.start("length lies").say("end ").sayInt(n).say(" bytes early; ")
}

// makeLonger lets all length fields agree on an end behind the frame.
func makeLonger(g *Generator, _ uint64, r *Rand, c *Case) {
	g.build(c, r, g.drawShape(r))
	n := len(c.Frame) - c.layout.end + r.Between(1, 100)
	if c.Link == wire.LinkIB {
		n = pad4(n)
	}
	c.moveEnd(n)
	c.icrc(wire.ICRCBad)
	c.reason(wire.Truncated)
	c.start("length lies").say("end ").sayInt(n).say(" bytes late; ")
}

// makeDisagreeing gives the second length field another value, under an ICRC that fits.
func makeDisagreeing(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = []wire.Encap{wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6, wire.EncapIBGlobal}[walk%3]
	g.drawOptions(&s, r)
	g.build(c, r, s)
	c.changeLength(r, twoBits(r, 16)*(walk%2))
	c.refit()
	c.icrc(wire.ICRCGood)
	c.start("lengths disagree")
}

func makeFragment(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = wire.EncapRoCEv2IPv4
	g.drawOptions(&s, r)
	c.headers(r, &s)
	switch walk % 3 {
	case 0:
		c.spec.IPFrag = 0x2000 // more fragments
	case 1:
		c.spec.IPFrag = 1 << r.Below(13) // one bit of the offset
	default:
		c.spec.IPFrag = uint16(r.Uint64()) | 0x2001
	}
	g.assemble(c, r, s)
	c.reason(wire.Fragment)
	if c.start("fragment"); r.OneIn(4) {
		c.shortFragment(r)
	}
}

// shortFragment ends a fragment, by its length fields, before BTH and ICRC have room, and puts the ICRC there that
// would be right: it is bad.
func (c *Case) shortFragment(r *Rand) {
	l := &c.layout
	end := l.transport + ib.BTHBytes + r.Below(ib.ICRCBytes)
	c.moveEnd(end - l.end)
	covered := c.Frame[l.net : end-ib.ICRCBytes]
	masked := append(bytes.Repeat([]byte{0xFF}, 8), covered...)
	bth := l.transport - l.net
	for _, at := range [...]int{1, 8, 10, 11, bth - 2, bth - 1, bth + 4} { // ICRC-4
		masked[8+at] = 0xFF
	}
	binary.LittleEndian.PutUint32(c.Frame[end-ib.ICRCBytes:], crc32.ChecksumIEEE(masked))
	c.icrc(wire.ICRCBad)
	c.start("short fragment")
}

func makeBadIHL(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = wire.EncapRoCEv2IPv4
	g.drawOptions(&s, r)
	g.build(c, r, s)
	ihl := int(walk % 5)
	c.Frame[c.layout.net] = 0x40 | byte(ihl)
	c.notRoCE(wire.Header)
	c.start("bad IHL").sayInt(ihl).say("; ")
}

// Limits of the length fields: 16 bits of bytes, 11 bits of words.
const (
	maxIPBytes = 1<<16 - 1
	maxIBBytes = 4 * (1<<11 - 1)
)

// makeOverLong makes payloads above every PMTU, to 9 KB and now and then to the last byte that the length fields can
// count. How long a packet may be is not a question of this check.
func makeOverLong(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	limit := maxIPBytes
	if s.encap.Link() == wire.LinkIB {
		limit = maxIBBytes
	}
	empty := s.emptyBytes() - s.netOffset()
	if s.encap == wire.EncapRoCEv1 || s.encap == wire.EncapRoCEv2IPv6 {
		empty -= 40 // their length does not count the header itself
	}
	most := (limit - empty) &^ 3
	switch {
	case walk%64 == 0:
		s.payload = most
	case walk%256 == 32: // the last beat is as short as a runt, and far behind the first
		s.payload = min(1<<r.Between(13, 15)+r.Between(1, ib.BTHBytes+30)-s.emptyBytes(), most) &^ 3
	case walk%4 == 0:
		s.payload = min(r.Between(ib.MaxPMTU+1, 9600), most)
	default:
		s.payload = r.Between(ib.MaxPMTU+1, ib.MaxPMTU+256)
	}
	c.headers(r, &s)
	if s.encap == wire.EncapIBLocal && r.OneIn(2) {
		c.likeEthernet(r)
	}
	g.assemble(c, r, s)
	c.start("over-long")
}

// likeEthernet puts an EtherType where an Ethernet frame has one: into the reserved bits and DestQP of a packet of IB.
func (c *Case) likeEthernet(r *Rand) {
	kind := [...]uint16{0x0800, 0x86DD, 0x8915, 0x8100, 0x88A8}[r.Below(5)]
	p := &c.spec
	p.FECN, p.BECN, p.Resv6 = kind>>15 != 0, kind>>14&1 != 0, uint8(kind>>8&0x3F)
	p.DestQP = p.DestQP&0xFFFF | uint32(kind&0xFF)<<16
}

func makeUnknownOpcode(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.op = nil
	s.payload = r.Between(0, 300)
	c.headers(r, &s)
	c.spec.Opcode = unknownOpcodes[walk%uint64(len(unknownOpcodes))]
	g.assemble(c, r, s)
	c.start("unknown opcode").sayInt(int(c.spec.Opcode)).say("; ")
}

var unknownOpcodes = func() (out []ib.Opcode) {
	for op := range 256 {
		if ib.Lookup(ib.Opcode(op)) == nil {
			out = append(out, ib.Opcode(op))
		}
	}
	return out
}()

func makeTVer(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	c.headers(r, &s)
	c.spec.TVer = uint8(1 + walk%15)
	g.assemble(c, r, s)
	c.start("TVer").sayInt(int(c.spec.TVer)).say("; ")
}

// makePadTooLong claims pad in a packet that has no bytes to be pad, or not as many.
func makePadTooLong(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.payload = 0
	g.build(c, r, s)
	pad := byte(1 + walk%3)
	c.Frame[c.layout.transport+1] |= pad << 4
	if extra := r.Below(int(pad)); extra > 0 && s.encap < wire.EncapIBLocal { // IB counts words
		c.Frame = append(c.Frame, g.random[:extra]...)
		c.moveEnd(extra)
		c.layout.end += extra
	}
	c.refit()
	c.start("pad too long").sayInt(int(pad)).say("; ")
}

// makeNotRoCE changes one of the values by which RoCE is recognised.
func makeNotRoCE(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	if s.encap == wire.EncapIBLocal { // nothing to recognise but LNH: see makeRaw
		s.encap = wire.EncapIBGlobal
		g.drawOptions(&s, r)
	}
	if walk%8 == 0 && s.encap != wire.EncapIBGlobal {
		s.vlans = 3
		g.build(c, r, s)
		c.notRoCE(wire.WellFormed)
		c.start("not RoCE")
		return
	}
	g.build(c, r, s)
	c.start("not RoCE")
	f := c.Frame
	ip := c.layout.net
	if s.encap == wire.EncapIBGlobal {
		ip = ib.LRHBytes
	}
	switch kind := walk % 4; {
	case kind == 0 && s.encap != wire.EncapIBGlobal:
		at := ip - 2
		binary.BigEndian.PutUint16(f[at:], []uint16{0x0806, 0x88CC, 0x8914, 0x8916, 0x0000, 0xFFFF}[r.Below(6)])
		c.say("EtherType; ")
	case kind <= 1:
		f[ip] ^= byte(1+r.Below(15)) << 4
		c.say("IP version; ")
	case kind == 2 && (s.encap == wire.EncapRoCEv2IPv4 || s.encap == wire.EncapRoCEv2IPv6):
		f[c.layout.transport-6+r.Below(2)] ^= byte(r.Between(1, 255))
		c.say("UDP destination port; ")
	case s.encap == wire.EncapRoCEv2IPv4:
		f[ip+9] ^= byte(r.Between(1, 255))
		c.say("protocol; ")
	default:
		f[ip+6] ^= byte(r.Between(1, 255))
		c.say("next header; ")
	}
	c.notRoCE(wire.WellFormed)
}

// makeRaw makes IB raw packets: no ICRC to check.
func makeRaw(g *Generator, walk uint64, r *Rand, c *Case) {
	s := shape{encap: wire.EncapRaw, payload: r.Between(0, 300)}
	if walk%8 > 5 {
		s.payload = r.Between(300, 4000)
	}
	g.buildRaw(c, r, s, walk%2 == 1)
	c.start("raw")
}

func (g *Generator) buildRaw(c *Case, r *Rand, s shape, ipv6 bool) {
	c.shape, c.Link = s, wire.LinkIB
	c.spec = wire.Spec{Encap: wire.EncapRaw, RawIPv6: ipv6, RawType: uint16(r.Uint64()), RawNextHeader: uint8(r.Uint64())}
	c.lrh(r)
	c.addresses(r)
	c.Truth = Truth{}
	c.notRoCE(wire.WellFormed)
	c.encap(wire.EncapRaw)
	c.append(g.payload(r, s.payload))
	c.layout.end = len(c.Frame) - ib.VCRCBytes
}

// makeUnaligned lets the packet end at any byte: nothing says that lengths are multiples of four.
func makeUnaligned(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = encaps[walk%3] // IB counts words
	g.drawOptions(&s, r)
	g.build(c, r, s)
	extra := 1 + int(walk/3%3)
	c.Frame = append(c.Frame, g.random[:extra]...)
	c.moveEnd(extra)
	c.layout.end += extra
	c.refit()
	c.start("unaligned").say("ends ").sayInt(extra).say(" bytes after a word; ")
}

// makeLongRunt cuts inside the UDP header, or before it, behind the longest IP headers there are.
func makeLongRunt(g *Generator, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap, s.bare = wire.EncapRoCEv2IPv4, false
	s.optionWords, s.vlans = maxOptionWords-r.Below(2), r.Between(1, 2)
	g.build(c, r, s)
	n := c.layout.transport - r.Between(1, ib.BTHBytes)
	c.Frame = c.Frame[:n]
	c.notRoCE(wire.Runt)
	c.start("runt").say("cut to ").sayInt(n).say(" bytes, long headers; ")
}

// makeNoise is no packet at all, or hardly one.
func makeNoise(g *Generator, walk uint64, r *Rand, c *Case) {
	if walk%4 == 3 {
		makeLongRunt(g, r, c)
		return
	}
	n := r.Between(1, 200)
	c.shape = shape{payload: n}
	c.Link = wire.Link(walk % 2)
	c.Frame = append(c.Frame[:0], g.random[r.Below(len(g.random)-n):][:n]...)
	c.Truth, c.isOpen = Truth{}, false
	c.layout.end = n
	c.start("noise")
}

// lengthBase is where the packet would end if its length field were 0.
func (c *Case) lengthBase() int {
	switch c.shape.encap {
	case wire.EncapRoCEv1, wire.EncapRoCEv2IPv6:
		return c.layout.net + 40
	default:
		return c.layout.net
	}
}

// moveEnd adds to every length field.
func (c *Case) moveEnd(bytes int) {
	l := &c.layout
	switch c.shape.encap {
	case wire.EncapRoCEv1:
		c.add16(l.net+4, bytes)
	case wire.EncapRoCEv2IPv4:
		c.add16(l.net+2, bytes)
		c.add16(l.transport-4, bytes)
	case wire.EncapRoCEv2IPv6:
		c.add16(l.net+4, bytes)
		c.add16(l.transport-4, bytes)
	case wire.EncapIBGlobal:
		c.addWords(bytes / 4)
		c.add16(ib.LRHBytes+4, bytes)
	default:
		c.addWords(bytes / 4)
	}
}

func (c *Case) add16(at, n int) {
	binary.BigEndian.PutUint16(c.Frame[at:], binary.BigEndian.Uint16(c.Frame[at:])+uint16(n))
}

// addWords adds to LRH.PktLen and leaves the reserved bits above it.
func (c *Case) addWords(n int) {
	v := binary.BigEndian.Uint16(c.Frame[4:])
	binary.BigEndian.PutUint16(c.Frame[4:], v&^0x7FF|(v+uint16(n))&0x7FF)
}
