package scenario

import (
	"encoding/binary"
	"strconv"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Case is one generated packet, or record: then only Frame, Why and Truth mean something. Its buffers are used again by
// the next one.
type Case struct {
	Link  wire.Link
	Frame []byte
	// Why says in a few words what the packet is for, from the kind of its scenario to what it is: ASCII, one line.
	Why []byte
	// Mute leaves Why empty, for who does not read it.
	Mute  bool
	Truth Truth
	// Port is the input that it enters by; 0 is the first of the scenario's kind. It enters no earlier than in cycle
	// NotBefore.
	Port      sim.Port
	NotBefore uint64
	// User is the sideband that it enters with where HasUser says so; else that which the frame calls for.
	User    uint32
	HasUser bool

	rand    Rand
	shape   shape
	spec    wire.Spec
	layout  layout
	tags    [3]wire.VLANTag
	options [4 * maxOptionWords]byte
	isOpen  bool // the VCRC is still to be written
	series  Episode
}

// Truth is what the way a packet was made tells about it, whatever any model says. Where something is not known (an
// ICRC read from a wrong place fits once in 2^32) the model decides alone.
type Truth struct {
	Knows  Knows
	ICRC   wire.ICRCStatus
	Encap  wire.Encap
	Reason wire.Reason
	VCRC   wire.VCRCStatus
	Class  hca.PSNClass
	// What roce_parse finds: its reason, and the bytes of payload.
	Parse        wire.Reason
	PayloadBytes int
}

// Knows is a set of the fields of a Truth.
type Knows uint8

const (
	KnowsICRC Knows = 1 << iota
	KnowsEncap
	KnowsReason
	KnowsVCRC
	KnowsClass
	KnowsParse
)

// setUser gives the packet a sideband of its own.
func (c *Case) setUser(user uint32) { c.User, c.HasUser = user, true }

func (c *Case) icrc(s wire.ICRCStatus) { c.Truth.ICRC, c.Truth.Knows = s, c.Truth.Knows|KnowsICRC }
func (c *Case) encap(e wire.Encap)     { c.Truth.Encap, c.Truth.Knows = e, c.Truth.Knows|KnowsEncap }
func (c *Case) reason(reason wire.Reason) {
	c.Truth.Reason, c.Truth.Knows = reason, c.Truth.Knows|KnowsReason
}
func (c *Case) vcrc(s wire.VCRCStatus) { c.Truth.VCRC, c.Truth.Knows = s, c.Truth.Knows|KnowsVCRC }

// forget takes back what a change has put in doubt.
func (c *Case) forget(k Knows) { c.Truth.Knows &^= k }

// notRoCE is what a frame is that no step of the search takes for RoCE.
func (c *Case) notRoCE(reason wire.Reason) {
	c.icrc(wire.ICRCNone)
	c.encap(wire.EncapNone)
	c.reason(reason)
}

// build makes a well-formed packet with a good ICRC.
func (g *Generator) build(c *Case, r *Rand, s shape) {
	c.headers(r, &s)
	g.assemble(c, r, s)
}

// assemble makes the packet whose headers stand in c.spec.
func (g *Generator) assemble(c *Case, r *Rand, s shape) {
	c.shape = s
	c.Link = s.encap.Link()
	c.layout.lay(&c.shape)
	c.Truth = Truth{Knows: KnowsICRC | KnowsEncap | KnowsReason, ICRC: wire.ICRCGood, Encap: s.encap}
	c.append(g.payload(r, s.payload))
}

// payload returns n bytes: a slice of the generator's random bytes, or one of three patterns in which a CRC that
// starts or ends in the wrong place is easily right by chance.
func (g *Generator) payload(r *Rand, n int) []byte {
	switch r.Below(16) {
	case 0:
		return g.zeros[:n]
	case 1:
		return g.ones[:n]
	case 2:
		return g.counter[:n]
	}
	return g.random[r.Below(len(g.random)-n):][:n]
}

// append appends the frame of c.spec. The VCRC of an IB packet is left for seal: what is done to a packet changes it.
func (c *Case) append(payload []byte) {
	c.spec.NoVCRC = true
	c.Frame = c.spec.Append(c.Frame[:0], payload)
	if c.isOpen = c.Link == wire.LinkIB && !c.shape.bare; c.isOpen {
		c.Frame = append(c.Frame, 0, 0)
		c.vcrc(wire.VCRCGood)
	}
}

// seal writes the VCRC, once. Scenarios that damage it or what it covers seal the packet first; Make seals the rest.
func (c *Case) seal() {
	if end := c.layout.end; c.isOpen && end+ib.VCRCBytes <= len(c.Frame) {
		binary.LittleEndian.PutUint16(c.Frame[end:], wire.VCRC(c.Frame[:end]))
	}
	c.isOpen = false
}

// refit writes the ICRC that the bytes now call for.
func (c *Case) refit() {
	loc := wire.Locate(c.Link, c.Frame)
	wire.PutICRC(c.Frame, &loc)
}

// The words of Why. They append, because a line per packet must not allocate.

func (c *Case) say(text string) *Case {
	if !c.Mute {
		c.Why = append(c.Why, text...)
	}
	return c
}

func (c *Case) sayInt(n int) *Case {
	if !c.Mute {
		c.Why = strconv.AppendInt(c.Why, int64(n), 10)
	}
	return c
}

// start begins Why with the kind of packet.
func (c *Case) start(kind string) *Case {
	c.Why = c.Why[:0]
	return c.say(kind).say(": ")
}

// sayShape ends Why with what the packet is.
func (c *Case) sayShape() {
	s := &c.shape
	switch {
	case c.Mute:
		return
	case s.op != nil:
		c.say(s.op.Name).say(", ")
	case s.encap != wire.EncapNone && s.encap != wire.EncapRaw:
		c.say("unknown opcode, ")
	}
	c.say(s.encap.String()).say(", payload ").sayInt(s.payload)
	if s.vlans > 0 {
		c.say(", VLAN tags ").sayInt(s.vlans)
	}
	if s.optionWords > 0 {
		c.say(", IHL ").sayInt(5 + s.optionWords)
	}
	if s.bare {
		c.say(", no VCRC")
	}
}
