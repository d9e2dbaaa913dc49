package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// ecnBits are the lower two bits of TClass or TOS, and nothing where a packet has none.
var ecnBits = Axis{"not ECT", "ECT(1)", "ECT(0)", "CE", "no such field"}

// marksCome are what a packet that passed the gate came to, as marks go.
var marksCome = Axis{"dropped", "response", "CNP", "executed", "duplicate", "refused", "request dropped"}

// marksSheet has what becomes of marks in hca_rx. A packet that passed the gate and its record come by two ports, each
// in the order of the packets.
type marksSheet struct {
	o             *Observer
	marks, frames *Group
	ways          *Group

	packet  wire.Packet
	passed  []int // ecnBits of packets whose record has not come
	records []int // marksCome of records whose packet has not been told of
	before  int   // of the frame that left before; -1 is none
}

func (o *Observer) receiveMarks() *marksSheet {
	s := &marksSheet{o: o, before: -1}
	s.marks = o.cross("rule: ECN bits x what became of their packet", func(at []int, b *Bin) {
		if b.Rules = []string{"CNP-1"}; at[1] == 2 {
			b.Rules = []string{"CNP-4"}
		}
	}, ecnBits, marksCome)
	s.ways = o.cross("rule: frame that leaves x encapsulation", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-14"}
		if at[0] == 1 {
			b.Rules = []string{"CNP-1", "CNP-3"}
		}
		switch encap := wire.Encap(at[1]); {
		case encap == wire.EncapNone || encap >= wire.EncapRaw:
			b.Illegal = "an encapsulation without responses"
		case at[0] == 1 && encap != wire.EncapRoCEv2IPv4 && encap != wire.EncapRoCEv2IPv6:
			b.Illegal = "CNP-1"
		}
	}, Axis{"ACK or NAK", "CNP"}, encapsWith7())
	s.frames = o.cross("frame that leaves x the one before it", nil, Axis{"ACK or NAK", "CNP"}, Axis{"ACK or NAK", "CNP"})
	o.restart = append(o.restart, func() { s.passed, s.records, s.before = s.passed[:0], s.records[:0], -1 })
	return s
}

// ecn is the index in ecnBits of a frame.
func (s *marksSheet) ecn(in *sim.Record) int {
	p := &s.packet
	wire.Decode(wire.Link(in.User&1), in.Data, p)
	switch {
	case p.IPv4() != nil:
		return int(p.IPv4().TOS() & 3)
	case p.IPv6() != nil:
		return int(p.IPv6().TClass() & 3)
	case p.GRH() != nil:
		return int(p.GRH().TClass() & 3)
	}
	return len(ecnBits) - 1
}

// pass takes a frame that passed the gate.
func (s *marksSheet) pass(in *sim.Record) {
	s.passed = append(s.passed, s.ecn(in))
	s.match()
}

// record takes a record of m_rec.
func (s *marksSheet) record(data []byte) {
	class := int(number(data, 48, 50))
	at := [...]int{0, 3, 1, 2}[class&3]
	if class == 1 {
		at += int(number(data, 55, 57)) & 3
	}
	s.records = append(s.records, at)
	s.match()
}

// match counts what both sides have told of.
func (s *marksSheet) match() {
	for len(s.passed) > 0 && len(s.records) > 0 {
		s.o.hit(s.marks, s.passed[0], s.records[0])
		s.passed, s.records = s.passed[1:], s.records[1:]
	}
}

// leave takes a frame of m_axis.
func (s *marksSheet) leave(out *sim.Record) {
	loc := wire.Locate(hca.SidebandLink(12, out.User), out.Data)
	if loc.Transport >= len(out.Data) {
		return
	}
	kind := bit(ib.Opcode(out.Data[loc.Transport]) == ib.OpcodeCNP)
	s.o.hit(s.ways, kind, int(loc.Encap))
	s.o.hit(s.frames, kind, s.before)
	s.before = kind
}
