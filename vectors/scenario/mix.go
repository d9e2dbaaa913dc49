package scenario

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// mixTurns is how the parts of mix take turns.
var mixTurns = turnsOf(mixParts.weights)

// turnsOf has each part occur as often as it shall weigh, spread out.
func turnsOf(weights []int) (turns []mixTurn) {
	makers := [...]func(*Generator, uint64, *Rand, *Case){makeShortValid, makeBitErrors, makeMaskedFields,
		makeCoveredFields, makePadding, makeMalformed, makeMinimum} // as mixParts names them
	for left := true; left; {
		left = false
		for i, name := range mixParts.values {
			if done := countTurns(turns, name); done < weights[i] {
				turns = append(turns, mixTurn{name, makers[i], uint64(weights[i]), uint64(done)})
				left = true
			}
		}
	}
	return turns
}

// mixTurn is a place in the round: the nth of `times` places that a part has in it.
type mixTurn struct {
	name       string
	make       func(*Generator, uint64, *Rand, *Case)
	times, nth uint64
}

func countTurns(turns []mixTurn, name string) (n int) {
	for _, t := range turns {
		if t.name == name {
			n++
		}
	}
	return n
}

// Every longEvery-th packet of mix is one that goes on long behind its end: longer than a length field says, than a
// counter of beats is wide, than the 96 KiB to which the blocks count.
const (
	longEvery = 997
	longFirst = 311
)

var longBytes = [...]int{6 << 10, 6<<10 + 1, 9000, 16 << 10, 33000, 65535, 66000, 96 << 10, 98 << 10, 100 << 10,
	128 << 10, 131200, 140000, 200000}

// makeLong makes a good packet with so much behind it, or a raw one, whose end nothing but a VCRC looks for.
func makeLong(g *Generator, walk uint64, r *Rand, c *Case) {
	raw := walk%4 == 3
	if raw {
		makeRaw(g, walk, r, c)
	} else {
		g.build(c, r, g.parseShape(walk, r, opcodes))
	}
	n := longBytes[scatter(walk, len(longBytes))] + r.Below(65)
	for n > 0 {
		k := min(n, maxPayload)
		c.Frame = append(c.Frame, g.random[r.Below(maxPayload):][:k]...)
		n -= k
	}
	if !raw {
		c.reason(wire.Trailer)
	}
	c.start("long").sayInt(len(c.Frame)).say(" bytes; ")
	c.sayShape()
}

// makeMix plays every part in its own order, as if it ran alone.
func makeMix(g *Generator, index uint64, r *Rand, c *Case) {
	if index%longEvery == longFirst {
		makeLong(g, index/longEvery, r, c)
		return
	}
	rounds := uint64(len(g.turns))
	turn := &g.turns[index%rounds]
	turn.make(g, index/rounds*turn.times+turn.nth, r, c)
}

// makeInsert overwrites the ICRC, where the packet was built with one, with a placeholder.
func makeInsert(g *Generator, index uint64, r *Rand, c *Case) {
	if index%64 == 40 {
		g.makeNoMore(r, c)
		return
	}
	makeMix(g, index, r, c)
	if end := c.layout.end; end >= ib.ICRCBytes && end <= len(c.Frame) {
		r.Fill(c.Frame[end-ib.ICRCBytes : end])
	}
	c.forget(KnowsICRC | KnowsVCRC)
	c.say("; placeholder")
}

// makeNoMore ends a frame of another EtherType right behind that, or a byte or two beside.
func (g *Generator) makeNoMore(r *Rand, c *Case) {
	s := g.drawShape(r)
	s.encap = encaps[r.Below(3)]
	g.drawOptions(&s, r)
	g.build(c, r, s)
	c.start("no more")
	end := c.layout.net
	n := end + r.Between(-1, 2)
	binary.BigEndian.PutUint16(c.Frame[end-2:], 0x8914+uint16(2*r.Below(2)))
	c.Frame = c.Frame[:n]
	if c.notRoCE(wire.WellFormed); n < end {
		c.reason(wire.Runt)
	}
	c.forget(KnowsICRC | KnowsVCRC)
	c.say("cut to ").sayInt(n).say(" bytes; ")
	c.sayShape()
}
