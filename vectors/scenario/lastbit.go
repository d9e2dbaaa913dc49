package scenario

import (
	"encoding/binary"
	"math/bits"

	"hcacosim/model/wire"
)

// A checker compares a register with a constant. One that leaves a bit of it out takes one wrong packet in 2^31 for a
// good one: no flip of one bit, no burst and no noise is that one. So the CRC itself is made wrong such that the
// register differs in one bit alone when it is looked at: behind the CRC, or behind the zeros that fill the beat.

const (
	icrcPoly = 0xEDB88320 // reflected
	vcrcPoly = 0xD008
)

// beatSizes are those in which a register may be looked at: a byte, and the beats of 64 to 1024 bits.
var beatSizes = []int{1, 8, 16, 32, 64, 128}

// lastBit draws bit and beat in turn for a CRC of so many bits that ends at byte `end`, and says what to change in it
// so that the register, then or behind the zeros up to the end of that beat, differs in that bit alone.
func lastBit(walk uint64, bits int, poly uint32, end int) (pattern uint32, bit, zeros int) {
	bit = int(walk % uint64(bits))
	beat := beatSizes[walk/uint64(bits)%uint64(len(beatSizes))]
	zeros = (beat - end%beat) % beat
	return unshift(1<<bit, bits, poly, 8*zeros+bits), bit, zeros
}

// unshift takes a register back by n zero bits. What was shifted out stands in the highest bit, which the polynomial
// has.
func unshift(register uint32, bits int, poly uint32, n int) uint32 {
	high := uint32(1) << (bits - 1)
	for range n {
		if register&high != 0 {
			register = (register^poly)<<1 | 1
		} else {
			register <<= 1
		}
		register &= high | (high - 1)
	}
	return register
}

func (c *Case) icrcLastBit(walk uint64) {
	at := c.layout.end - 4
	pattern, bit, zeros := lastBit(walk, 32, icrcPoly, c.layout.end)
	binary.LittleEndian.PutUint32(c.Frame[at:], binary.LittleEndian.Uint32(c.Frame[at:])^pattern)
	c.icrc(wire.ICRCBad)
	c.say("ICRC wrong so that bit ").sayInt(bit).say(" of the register is, ").sayInt(zeros).say(" zeros on; ")
}

func (c *Case) vcrcLastBit(walk uint64) {
	at := c.layout.end
	pattern, bit, zeros := lastBit(walk, 16, vcrcPoly, at+2)
	binary.LittleEndian.PutUint16(c.Frame[at:], binary.LittleEndian.Uint16(c.Frame[at:])^uint16(pattern))
	c.vcrc(wire.VCRCBad)
	c.say("VCRC wrong so that bit ").sayInt(bit).say(" of the register is, ").sayInt(zeros).say(" zeros on; ")
}

// looksRight is a wrong CRC that somebody may take for a good one: none, all ones, in the other order of bytes, not
// inverted.
func looksRight(walk uint64, right uint32, bytes int) (wrong uint32, name string) {
	all := uint32(1)<<(8*bytes-1)<<1 - 1
	switch walk % 4 {
	case 0:
		return 0, "0"
	case 1:
		return all, "all ones"
	case 2:
		return bits.ReverseBytes32(right) >> (32 - 8*bytes), "swapped"
	}
	return right ^ all, "inverted"
}

func (c *Case) icrcLooksRight(walk uint64) {
	at := c.layout.end - 4
	right := binary.LittleEndian.Uint32(c.Frame[at:])
	wrong, name := looksRight(walk, right, 4)
	binary.LittleEndian.PutUint32(c.Frame[at:], wrong)
	if wrong != right {
		c.icrc(wire.ICRCBad)
	}
	c.say("ICRC ").say(name).say("; ")
}

func (c *Case) vcrcLooksRight(walk uint64) {
	at := c.layout.end
	right := uint32(binary.LittleEndian.Uint16(c.Frame[at:]))
	wrong, name := looksRight(walk, right, 2)
	binary.LittleEndian.PutUint16(c.Frame[at:], uint16(wrong))
	if wrong != right {
		c.vcrc(wire.VCRCBad)
	}
	c.say("VCRC ").say(name).say("; ")
}
