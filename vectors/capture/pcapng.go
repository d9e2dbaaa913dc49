package capture

import (
	"encoding/binary"
	"math/bits"
)

// pcapng, as in draft-ietf-opsawg-pcapng: blocks of {type, length, body, length again}, lengths a multiple of four.
const (
	blockSection    = 0x0a0d0d0a
	blockInterface  = 1
	blockOldPacket  = 2
	blockSimple     = 3
	blockStatistics = 5
	blockEnhanced   = 6
	blockFrameBytes = 12 // type and both lengths
	byteOrderMagic  = 0x1a2b3c4d

	optionEnd        = 0
	optionComment    = 1
	optionName       = 2
	optionUserAppl   = 4
	optionResolution = 9
	optionTimeOffset = 14

	maxInterfaces = 1 << 16
	maxNameBytes  = 64
)

// iface is an interface of the current section.
type iface struct {
	name           string
	linkType       uint16
	snapLen        uint32
	ticksPerSecond uint64
	offsetSeconds  int64
	drops          Drops // by the last statistics block
}

// nextPcapng walks over blocks until one holds a packet.
func (c *Reader) nextPcapng() error {
	for {
		kind, size, err := c.blockHeader()
		if err != nil {
			return err
		}
		switch kind {
		case blockEnhanced, blockOldPacket, blockSimple:
			return c.packetBlock(kind, size)
		case blockSection:
			err = c.sectionBlock(size)
		case blockInterface:
			err = c.interfaceBlock(size)
		case blockStatistics:
			err = c.statisticsBlock(size)
		default:
			err = c.skipBlock(size)
		}
		if err != nil {
			return err
		}
	}
}

// blockHeader reads type and length of the block at the current offset. A section header also sets the byte order.
func (c *Reader) blockHeader() (kind, size uint32, err error) {
	h, err := c.peek(8, atRecord)
	if err != nil {
		return 0, 0, err
	}
	kind = c.order.u32(h)
	if kind == blockSection { // reads the same in both orders
		if h, err = c.peek(12, "a section header"); err != nil {
			return 0, 0, err
		}
		switch binary.LittleEndian.Uint32(h[8:]) {
		case byteOrderMagic:
			c.order = byteOrder{}
		case bits.ReverseBytes32(byteOrderMagic):
			c.order = byteOrder{big: true}
		default:
			return 0, 0, c.failBlock("section header without its byte-order mark")
		}
	}
	size = c.order.u32(h[4:])
	if size < blockFrameBytes || size%4 != 0 {
		return 0, 0, c.failBlock("block of %d bytes", size)
	}
	return kind, size, nil
}

// block returns the body of the block at the current offset, whose two lengths must agree.
func (c *Reader) block(size, least uint32, what string) ([]byte, error) {
	if size < least || size > windowBytes {
		return nil, c.failBlock("block of %d bytes cannot hold %s", size, c.named(what))
	}
	b, err := c.peek(int(size), what)
	if err != nil {
		return nil, err
	}
	if end := c.order.u32(b[size-4:]); end != size {
		return nil, c.failBlock("block of %d bytes ends in length %d", size, end)
	}
	return b[8 : size-4], nil
}

func (c *Reader) skipBlock(size uint32) error {
	done, err := c.r.Discard(int(size))
	if done < int(size) {
		c.offset += int64(done)
		return c.cut(0, "a block that holds no packet")
	}
	c.offset += int64(size)
	return err
}

func (c *Reader) sectionBlock(size uint32) error {
	b, err := c.block(size, 28, "a section header")
	if err != nil {
		return err
	}
	if major := c.order.u16(b[4:]); major != 1 {
		return c.failBlock("pcapng of major version %d; 1 is read", major)
	}
	c.settleDrops()
	c.ifaces = c.ifaces[:0]
	return c.skipBlock(size)
}

func (c *Reader) interfaceBlock(size uint32) error {
	b, err := c.block(size, 20, "an interface description")
	if err != nil {
		return err
	}
	if len(c.ifaces) == maxInterfaces {
		return c.failBlock("more than %d interfaces", maxInterfaces)
	}
	face := iface{linkType: c.order.u16(b), snapLen: c.order.u32(b[4:]), ticksPerSecond: 1e6}
	if v := c.option(b[8:], optionName); len(v) <= maxNameBytes {
		face.name = string(v)
	}
	if v := c.option(b[8:], optionResolution); len(v) >= 1 {
		var ok bool
		if face.ticksPerSecond, ok = ticksPerSecond(v[0]); !ok {
			return c.failBlock("time resolution %02xh is too fine", v[0])
		}
	}
	if v := c.option(b[8:], optionTimeOffset); len(v) >= 8 {
		face.offsetSeconds = int64(c.order.u64(v))
	}
	c.ifaces = append(c.ifaces, face)
	return c.skipBlock(size)
}

// ticksPerSecond reads if_tsresol: a negative power of 10, or of 2 with bit 7 set.
func ticksPerSecond(resolution byte) (uint64, bool) {
	if resolution&0x80 != 0 {
		n := resolution & 0x7f
		return 1 << (n & 63), n < 64
	}
	if resolution > 19 {
		return 0, false
	}
	ticks := uint64(1)
	for range resolution {
		ticks *= 10
	}
	return ticks, true
}

func (f *iface) timeNS(ticks uint64) int64 {
	// The fraction is below a second, so the quotient fits and Div64 cannot panic.
	hi, lo := bits.Mul64(ticks%f.ticksPerSecond, 1e9)
	ns, _ := bits.Div64(hi, lo, f.ticksPerSecond)
	return (f.offsetSeconds+int64(ticks/f.ticksPerSecond))*1e9 + int64(ns)
}

// packetBlock reads the three kinds of packet blocks: enhanced, its obsolete forerunner, and simple.
func (c *Reader) packetBlock(kind, size uint32) error {
	fixed := uint32(20)
	if kind == blockSimple {
		fixed = 4
	}
	b, err := c.block(size, blockFrameBytes+fixed, atRecord)
	if err != nil {
		return err
	}
	var face, length, orig uint32
	switch kind {
	case blockSimple:
		orig = c.order.u32(b)
	case blockEnhanced:
		face, length, orig = c.order.u32(b), c.order.u32(b[12:]), c.order.u32(b[16:])
	case blockOldPacket:
		face, length, orig = uint32(c.order.u16(b)), c.order.u32(b[12:]), c.order.u32(b[16:])
	}
	if face >= uint32(len(c.ifaces)) {
		return c.failHere("is from interface %d, but the section describes %d", face, len(c.ifaces))
	}
	in := &c.ifaces[face]
	f := &c.now
	*f = Frame{LinkType: in.linkType, Port: in.name, OrigLen: int(orig)}
	room := b[fixed:]
	if kind == blockSimple {
		length = min(orig, uint32(len(room)))
		if in.snapLen != 0 {
			length = min(length, in.snapLen)
		}
	} else {
		f.TimeNS = in.timeNS(uint64(c.order.u32(b[4:]))<<32 | uint64(c.order.u32(b[8:])))
	}
	if length > MaxFrameBytes || int(length) > len(room) {
		return c.failHere("claims %d bytes in a block of %d; at most %d are read", length, size, MaxFrameBytes)
	}
	f.Data = room[:length:length]
	if kind == blockEnhanced {
		options := room[min(pad4(int(length)), len(room)):]
		f.Comment = c.option(options, optionComment)
		c.countLost(options)
	}
	return c.frame(int(size))
}

// option returns the value of the first option of a kind. A list that breaks off ends there.
func (c *Reader) option(b []byte, kind uint16) []byte {
	for len(b) >= 4 {
		code, length := c.order.u16(b), int(c.order.u16(b[2:]))
		if code == optionEnd || 4+length > len(b) {
			return nil
		}
		if code == kind {
			return b[4 : 4+length : 4+length]
		}
		b = b[min(4+pad4(length), len(b)):]
	}
	return nil
}

func pad4(n int) int { return (n + 3) &^ 3 }
