package scenario

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// makeParse makes packets for roce_parse: every second one of mix, the others at the bounds of headers, pad and
// payload. Now and then comes a run of payloads that belong to nobody, back to back and between good ones, or of frames
// of one beat at every width, more than there are places for records.
func makeParse(g *Generator, index uint64, r *Rand, c *Case) {
	if index/tinyRun%tinyEvery == tinyFrom {
		makeTiny(g, index, r, c)
		return
	}
	if run := index / strayRun; run%strayEvery == 1 {
		makeStray(g, run/strayEvery*strayRun+index%strayRun, r, c)
		c.sayShape()
		return
	}
	if index%2 == 0 {
		makeMix(g, index/2, r, c)
		return
	}
	kinds := uint64(len(parseKinds))
	parseKinds[index/2%kinds](g, index/2/kinds, r, c)
	c.sayShape()
}

var parseKinds = []func(g *Generator, walk uint64, r *Rand, c *Case){
	makeHeadersOnly, makeHeaderCut, makeAnyOpcode, makeAnyPad, makeHeadersOnly, makeEndsAnywhere, makeBeats, makeLongest,
	makeDecisive, makeTwoReasons,
}

// parses notes what roce_parse must say: a reason, and the payload that is left.
func (c *Case) parses(reason wire.Reason, payloadBytes int) {
	c.Truth.Knows |= KnowsParse
	c.Truth.Parse, c.Truth.PayloadBytes = reason, payloadBytes
}

// parseShape walks through opcodes and encapsulations and draws tags and options more often than drawShape.
func (g *Generator) parseShape(walk uint64, r *Rand, ops []*ib.Info) shape {
	s := shape{op: ops[scatter(walk/uint64(len(encaps)), len(ops))], encap: encaps[walk%uint64(len(encaps))]}
	g.drawOptions(&s, r)
	if s.encap.Link() == wire.LinkEthernet && r.OneIn(2) {
		s.vlans = r.Below(3)
	}
	if s.encap == wire.EncapRoCEv2IPv4 && r.OneIn(2) {
		s.optionWords = r.Below(maxOptionWords + 1)
	}
	return s
}

// makeHeadersOnly: every opcode with its headers and 0 to 8 bytes, whether LEN-1 allows them or not; with a GRH also so
// many that its PayLen is what an Ethernet frame has there for IPv4.
func makeHeadersOnly(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, opcodes)
	s.payload = r.Below(2) * r.Below(9)
	if s.encap == wire.EncapIBGlobal && r.OneIn(4) {
		s.payload = 0x0800 - s.op.Bytes - ib.ICRCBytes
	}
	g.build(c, r, s)
	c.start("headers")
	c.parses(wire.WellFormed, s.payload)
}

// withHeaders are the opcodes that bring extension headers.
var withHeaders = func() (out []*ib.Info) {
	for _, op := range opcodes {
		if op.Headers != 0 {
			out = append(out, op)
		}
	}
	return out
}()

// makeHeaderCut ends the packet inside the extension headers, or right behind them.
func makeHeaderCut(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, withHeaders)
	s.payload = 0
	g.build(c, r, s)
	missing := 4 * r.Below((s.op.Bytes-ib.BTHBytes)/4+1)
	if c.Link == wire.LinkEthernet && missing > 0 {
		missing -= r.Below(4)
	}
	c.endEarlier(missing)
	c.start("header cut").say("ends ").sayInt(missing).say(" bytes early; ")
	if missing > 0 {
		c.parses(wire.HeaderCut, 0)
	} else {
		c.parses(wire.WellFormed, 0)
	}
}

// endEarlier takes bytes off the end of a packet, and leaves what the lengths and the ICRC say right.
func (c *Case) endEarlier(bytes int) {
	c.Frame = append(c.Frame[:c.layout.end-bytes], c.Frame[c.layout.end:]...)
	c.moveEnd(-bytes)
	c.layout.end -= bytes
	c.refit()
}

// makeAnyOpcode: all 256 opcodes, with as many bytes behind the BTH as the longest headers have, and more.
func makeAnyOpcode(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, opcodes)
	opcode := ib.Opcode(scatter(walk, 256))
	s.op = nil
	s.payload = 40 + 4*r.Below(8)
	c.headers(r, &s)
	c.spec.Opcode = 0xFF // nothing that Append would put headers behind
	g.assemble(c, r, s)
	c.Frame[c.layout.transport] = byte(opcode)
	c.refit()
	c.start("opcode").sayInt(int(opcode)).say("; ")
	if op := ib.Lookup(opcode); op != nil {
		c.parses(wire.WellFormed, s.payload-(op.Bytes-ib.BTHBytes))
	} else {
		c.parses(wire.UnknownOpcode, 0)
	}
}

// makeAnyPad claims a pad of 0 to 3 bytes in a payload of 0 to 8 bytes, that of First and Middle too.
func makeAnyPad(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, opcodes)
	s.payload = 4 * r.Below(3)
	g.build(c, r, s)
	pad := r.Below(4)
	c.Frame[c.layout.transport+1] |= byte(pad) << 4
	c.refit()
	c.start("pad").sayInt(pad).say(" of ").sayInt(s.payload).say("; ")
	if pad > s.payload {
		c.parses(wire.PadTooLong, 0)
	} else {
		c.parses(wire.WellFormed, s.payload-pad)
	}
}

// makeEndsAnywhere lets the packet end up to three bytes before the end of its words; every second one has a TVer too,
// which counts first.
func makeEndsAnywhere(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, opcodes)
	s.payload = 4 + 4*r.Below(3)
	if s.encap.Link() == wire.LinkIB { // it counts words
		s.encap = encaps[r.Below(3)]
		s.bare = false
	}
	c.headers(r, &s)
	c.spec.TVer = uint8(walk % 2 * uint64(r.Between(1, 15)))
	g.assemble(c, r, s)
	missing := r.Below(4)
	c.endEarlier(missing)
	c.start("ends anywhere").say("TVer ").sayInt(int(c.spec.TVer)).say(", ").sayInt(missing).say(" bytes early; ")
	switch left := s.payload - missing; {
	case c.spec.TVer != 0:
		c.parses(wire.TVer, left)
	case missing != 0:
		c.parses(wire.Unaligned, left)
	default:
		c.parses(wire.WellFormed, left)
	}
}

// makeBeats makes payloads of whole beats of every width, and one byte or word more or less, wherever they start.
func makeBeats(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, carriers)
	beat := 8 << (walk % 5)
	s.payload = max(0, beat*r.Between(1, max(1, 256/beat))+[]int{-4, -1, 0, 1, 4}[r.Below(5)])
	g.build(c, r, s)
	c.start("beats")
	c.parses(wire.WellFormed, s.payload)
}

// Every strayEvery-th run of strayRun packets is of makeStray. Both have no factor in common with the turns of the
// other kinds.
const (
	strayRun   = 7
	strayEvery = 11
)

// Every tinyEvery-th run of tinyRun packets is of makeTiny.
const (
	tinyRun   = 32
	tinyEvery = 23
	tinyFrom  = 5
)

// makeTiny cuts a packet inside its first eight bytes: a frame that ends in its only beat, as the one before it did.
func makeTiny(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = encaps[walk%uint64(len(encaps))]
	g.build(c, r, s)
	n := r.Between(1, 7)
	c.Frame = c.Frame[:n]
	c.notRoCE(wire.Runt)
	c.start("tiny").say("cut to ").sayInt(n).say(" bytes; ")
	c.sayShape()
}

// carriers are the opcodes that may have a payload, bare those that have none (OPC-2).
var carriers, bare = func() (carriers, bare []*ib.Info) {
	for _, op := range opcodes {
		if op.HasPayload() {
			carriers = append(carriers, op)
		} else {
			bare = append(bare, op)
		}
	}
	return carriers, bare
}()

// strayBytes are sizes of payloads that have no business in their packet: within a beat and beyond, in one packet with
// pad and in the next without. Above the greatest path MTU it is the length that is wrong.
var strayBytes = [...]int{1, 4, 8, 61, 64, 256, 4000, 4093, ib.MaxPMTU, ib.MaxPMTU + 1}

// makeStray makes a packet with a payload that its opcode does not have, and every third time one whose payload is
// good.
func makeStray(g *Generator, walk uint64, r *Rand, c *Case) {
	if r.OneIn(3) {
		makeBeats(g, walk, r, c)
		return
	}
	s := g.parseShape(walk, r, bare)
	s.payload = strayBytes[r.Below(len(strayBytes))]
	g.build(c, r, s)
	c.start("stray")
	if s.payload > ib.MaxPMTU {
		c.parses(wire.PayloadLength, s.payload)
	} else {
		c.parses(wire.WellFormed, s.payload)
	}
}

// endlessBytes is longer than any length field can say, and than the 96 KiB to which the blocks count beats.
const endlessBytes = 100 << 10

// makeBeyond makes a payload of 8, 16 or 32 KiB and up to a path MTU more: without one of its high bits it would be one
// that may pass. An LRH cannot count so many.
func makeBeyond(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, carriers)
	if s.encap.Link() == wire.LinkIB {
		s.encap, s.bare = encaps[r.Below(3)], false
	}
	s.payload = 2*ib.MaxPMTU<<(walk%3) + r.Between(0, ib.MaxPMTU)
	g.build(c, r, s)
	c.start("beyond")
	c.parses(wire.PayloadLength, s.payload)
}

// makeLongest makes payloads at the greatest path MTU and just above, and now and then a frame that goes on long behind
// its packet. They take time: one turn in four, in the others headers only.
func makeLongest(g *Generator, walk uint64, r *Rand, c *Case) {
	switch {
	case walk%256 == 1:
		makeHeadersOnly(g, walk, r, c)
		c.Frame = append(c.Frame, g.random[:endlessBytes]...)
		c.reason(wire.Trailer)
		c.parses(wire.Trailer, 0)
		c.start("endless")
		return
	case walk%64 == 2:
		makeBeyond(g, walk/64, r, c)
		return
	case walk%4 != 0:
		makeHeadersOnly(g, walk, r, c)
		return
	}
	s := g.parseShape(walk/4, r, opcodes)
	s.payload = ib.MaxPMTU + r.Between(-4, 4)
	g.build(c, r, s)
	c.start("longest")
	if s.payload > ib.MaxPMTU {
		c.parses(wire.PayloadLength, s.payload)
	} else {
		c.parses(wire.WellFormed, s.payload)
	}
}

// makeTwoReasons makes packets for which two reasons hold: the first one counts, and what a record says beside it is
// what it would say for either.
func makeTwoReasons(g *Generator, walk uint64, r *Rand, c *Case) {
	s := g.parseShape(walk, r, carriers)
	if s.encap.Link() == wire.LinkIB { // it counts words
		s.encap, s.bare = encaps[r.Below(3)], false
	}
	kind := walk % 8
	long := kind >= 5 && walk/8%2 == 0 // they take time: every second one
	if s.payload = 4 * r.Below(8); long {
		s.payload = ib.MaxPMTU + 4*r.Between(1, 64)
	}
	if kind == 0 || kind == 2 {
		s.payload = 0
	}
	unknown := kind == 2 || kind == 3 || kind == 5
	tver := kind == 0 || kind == 1 || kind == 6
	opcode := unknownOpcodes[r.Below(len(unknownOpcodes))]
	if unknown {
		s.op = nil
	}
	c.headers(r, &s)
	if unknown {
		c.spec.Opcode = opcode
	}
	if tver {
		c.spec.TVer = uint8(r.Between(1, 15))
	}
	g.assemble(c, r, s)
	c.start("two reasons")
	switch kind {
	case 0, 2: // a pad that there is no place for
		c.Frame[c.layout.transport+1] |= byte(r.Between(1, 3)) << 4
		c.refit()
	case 1: // TVer, and a trailer that makes it no matter
		c.Frame = append(c.Frame, g.random[:r.Between(maxTrailerBytes+1, 2*maxTrailerBytes)]...)
		c.reason(wire.Trailer)
	case 3, 7:
		if s.payload > 0 {
			c.endEarlier(r.Between(1, 3))
		}
	case 4: // short, and a fragment or cut
		c.shorten(r)
		if c.forget(KnowsICRC | KnowsEncap | KnowsReason); s.encap == wire.EncapRoCEv2IPv4 && r.OneIn(2) {
			c.Frame[c.layout.net+6] |= 0x20
		}
		if r.OneIn(2) {
			c.Frame = c.Frame[:len(c.Frame)-r.Between(1, 12)]
		}
	}
	switch {
	case kind == 1 || kind == 4:
	case tver:
		c.parses(wire.TVer, s.payload)
	case unknown:
		c.parses(wire.UnknownOpcode, 0)
	}
}
