package scenario

import (
	"encoding/binary"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// classifyLength is how many records an episode of rx-classify has: a port that is set up, and what arrives there.
const classifyLength = 300

// makeRxClassify makes packets for rx_classify that belong to a QP most of the time, with one thing wrong or two, and
// operations on QPs and tables in between.
func makeRxClassify(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, classifyLength, func(r *Rand, e *Episode) {
		p := classifyPort{r: r, e: e}
		p.setUp()
		for e.Len() < classifyLength-len(p.qps) {
			p.step()
		}
		p.close()
	})
}

// classifyPort is the port that packets arrive at: what it was told last.
type classifyPort struct {
	r     *Rand
	e     *Episode
	own   [4]roce.Address
	pkeys [16]uint16
	qps   []hca.ClassifyQuery // as they were set

	before func(qpn uint32) // where something may come in front of any record
}

func (p *classifyPort) give(q hca.ClassifyQuery, why string) {
	if p.before != nil {
		p.before(q.DestQP)
	}
	p.add(q, why)
}

func (p *classifyPort) add(q hca.ClassifyQuery, why string) {
	if p.e.Len() < classifyLength {
		p.e.scratch = q.Append(p.e.scratch[:0])
		p.e.Add(sim.Port(0), 0, p.e.scratch, why)
	}
}

// noise is a record of random fields: what an operation does not look at.
func (p *classifyPort) noise() (q hca.ClassifyQuery) {
	r := p.r
	q = hca.ClassifyQuery{Reason: wire.Reason(r.Below(16)), Encap: wire.Encap(r.Below(8)), Opcode: ib.Opcode(r.Below(256)),
		DestQP: drawQPN(r), PKey: uint16(r.Uint64()), SLID: uint16(r.Uint64()), DLID: uint16(r.Uint64()),
		Entry: uint8(r.Below(16)), Service: hca.RespService(r.Below(4)), Live: r.OneIn(2), Global: r.OneIn(2)}
	r.Fill(q.Src[:])
	r.Fill(q.Dst[:])
	q.ReceiveSide = hca.ReceiveSide{Queue: uint32(r.Below(1 << 24)), Shared: r.OneIn(2), PD: uint32(r.Below(1 << 24)),
		WholeWrite: r.OneIn(2), QKey: uint32(r.Uint64())}
	return q
}

// drawAddress draws a LID, an IPv4 address or a GID.
func (p *classifyPort) drawAddress() (a roce.Address) {
	r := p.r
	switch r.Below(4) {
	case 0:
		a[14], a[15] = uint8(r.Below(256)), uint8(1+r.Below(255))
	case 1, 2:
		a = roce.Address(wire.FromIPv4(10, uint8(r.Below(256)), 0, uint8(r.Below(256))))
	default:
		if r.Fill(a[:]); r.OneIn(3) { // of which one word alone is not 0
			word := 4 * r.Below(3)
			clear(a[:word])
			clear(a[word+4:])
		}
	}
	return a
}

func (p *classifyPort) setUp() {
	if p.r.OneIn(4) {
		p.give(p.packetTo(p.noise()), "stray: before anything is set up")
	}
	p.alone()
	q := p.packetTo(p.noise())
	q.Encap = wire.EncapRoCEv1
	for i := range q.Dst {
		q.Dst[i] = 0xFF
	}
	p.give(q, "stray: to an address of ones")
	for i := range p.own {
		p.move(uint8(i))
	}
	for range 4 { // behind a reset no entry of the table is one that passes
		p.addQP()
		for range 3 {
			q := p.packetTo(p.qp())
			q.PKey = 0xFFFF
			p.give(q, "packet: to a QP whose P_Key may not be set")
		}
	}
	for i := range p.pkeys {
		p.setPKey(uint8(i))
	}
	for range 1 + p.r.Below(6) {
		p.addQP()
	}
}

// move has another address of the port, or none, take the place of one, to which the next packet goes all the same.
func (p *classifyPort) move(entry uint8) {
	was := p.own[entry]
	p.own[entry] = p.drawAddress()
	if p.r.OneIn(6) {
		p.own[entry] = roce.Address{}
	}
	p.setAddress(entry)
	if was != (roce.Address{}) {
		q := p.packetTo(p.qp())
		p.carry(&q, was, was)
		p.give(q, "packet: to an address that was the port's")
	}
}

func (p *classifyPort) setAddress(entry uint8) {
	q := p.noise()
	q.Op, q.Entry, q.Src = hca.ClassifyAddress, entry, p.own[entry]
	p.give(q, "address")
}

func (p *classifyPort) setPKey(entry uint8) {
	q := p.noise()
	q.Op, q.Entry = hca.ClassifyPKey, entry
	one := uint16(1) << p.r.Below(15) // of one bit alone: none that is left out of it makes it another 0
	q.PKey = [...]uint16{0xFFFF, 0x7FFF, 0x8001, 0x0001, 0x8000, 0, q.PKey, one | 0x8000}[p.r.Below(8)]
	p.pkeys[entry] = q.PKey
	p.give(q, "P_Key")
}

// addQP sets a QP, of a number of its own or one that shares bits with another's.
func (p *classifyPort) addQP() {
	q := p.noise()
	q.Op, q.Live, q.Src = hca.ClassifySet, !p.r.OneIn(6), p.drawAddress()
	if len(p.qps) > 0 && p.r.OneIn(2) {
		q.DestQP = near(p.r, p.qps[p.r.Below(len(p.qps))].DestQP, 24)
	}
	if !p.r.OneIn(12) {
		q.Service %= 3
	}
	p.give(q, "set")
	if q.Service < 3 {
		p.qps = append(p.qps, q)
	}
}

// close removes every QP: with few indices those of the next episode would find none free.
func (p *classifyPort) close() {
	for i := 0; p.e.Len() < classifyLength; i++ {
		q := p.noise()
		if q.Op = hca.ClassifyRemove; i < len(p.qps) {
			q.DestQP = p.qps[i].DestQP
		}
		p.give(q, "remove: the end")
	}
}

func (p *classifyPort) step() {
	r := p.r
	switch {
	case r.OneIn(25):
		p.addQP()
	case r.OneIn(25):
		q := p.noise()
		q.Op = hca.ClassifyRemove
		if !r.OneIn(4) {
			q.DestQP = p.qp().DestQP ^ uint32(r.Below(2)*r.Below(2))<<r.Below(24)
		}
		p.give(q, "remove")
	case r.OneIn(20):
		p.again()
	case r.OneIn(40):
		p.move(uint8(r.Below(4)))
	case r.OneIn(40):
		p.setPKey(uint8(r.Below(16)))
	case r.OneIn(40):
		q := p.noise()
		q.Op = [...]hca.ClassifyOp{hca.ClassifyAddress, 5, 6, 7}[r.Below(4)]
		q.Entry = uint8(r.Between(4, 15))
		p.give(q, "no such operation or entry")
	case r.OneIn(30):
		q := p.noise()
		q.Op = hca.ClassifyPacket
		p.give(q, "packet: random")
	case r.OneIn(12):
		q := p.packetTo(p.qp())
		q.Opcode += ib.Opcode(r.Below(32)) - q.Opcode%32
		p.give(q, "packet: any opcode of its service")
	default:
		q := p.packetTo(p.qp())
		why := "packet"
		for range [...]int{0, 0, 0, 1, 1, 2}[r.Below(6)] {
			p.spoil(&q)
			why = "packet: something wrong"
		}
		p.give(q, why)
	}
}

// qp is one that was set, or noise.
func (p *classifyPort) qp() hca.ClassifyQuery {
	if len(p.qps) == 0 {
		return p.noise()
	}
	return p.qps[p.r.Below(len(p.qps))]
}

// again sets a QP anew, in one field or so.
func (p *classifyPort) again() {
	if len(p.qps) == 0 {
		return
	}
	q := &p.qps[p.r.Below(len(p.qps))]
	switch p.r.Below(4) {
	case 0:
		q.Live = !q.Live
	case 1:
		q.Entry = uint8(p.r.Below(16))
	case 2:
		q.Global = !q.Global
	default:
		q.Src = p.drawAddress()
	}
	p.give(*q, "set: again")
}

// packetTo makes a packet that reaches a QP as it was set.
func (p *classifyPort) packetTo(qp hca.ClassifyQuery) hca.ClassifyQuery {
	r := p.r
	q := p.noise()
	q.Op, q.Reason, q.DestQP, q.PKey = hca.ClassifyPacket, wire.WellFormed, qp.DestQP, p.pkeys[qp.Entry%16]
	switch {
	case r.OneIn(10):
		q.Opcode = ib.OpcodeCNP
	default:
		service := [...]ib.Transport{ib.RC, ib.UC, ib.UD, ib.RD}[qp.Service]
		op := opcodes[r.Below(len(opcodes))]
		for op.Transport != service {
			op = opcodes[r.Below(len(opcodes))]
		}
		q.Opcode = op.Opcode
	}
	dst := p.own[r.Below(4)]
	for range 6 { // mostly one that goes with the peer's
		if dst != (roce.Address{}) && isLID(dst) == isLID(qp.Src) && dst.IsIPv4() == qp.Src.IsIPv4() {
			break
		}
		dst = p.own[r.Below(4)]
	}
	p.carry(&q, qp.Src, dst)
	return q
}

func isLID(a roce.Address) bool {
	return binary.BigEndian.Uint64(a[:8]) == 0 && binary.BigEndian.Uint64(a[6:14]) == 0
}

// carry gives the packet its addresses, in an encapsulation that can carry both or carries the peer's.
func (p *classifyPort) carry(q *hca.ClassifyQuery, src, dst roce.Address) {
	q.Src, q.Dst = src, dst
	switch {
	case isLID(src) && (isLID(dst) || p.r.OneIn(2)):
		q.Encap = wire.EncapIBLocal
		q.SLID, q.DLID = uint16(src[14])<<8|uint16(src[15]), uint16(dst[14])<<8|uint16(dst[15])
		if p.r.OneIn(2) { // nobody looks there
			p.r.Fill(q.Src[:])
			p.r.Fill(q.Dst[:])
		}
	case src.IsIPv4() && (dst.IsIPv4() || p.r.OneIn(2)):
		q.Encap = wire.EncapRoCEv2IPv4
		if p.r.OneIn(2) {
			clear(q.Src[:12])
			clear(q.Dst[:12])
		}
	default:
		q.Encap = [...]wire.Encap{wire.EncapRoCEv1, wire.EncapRoCEv2IPv6, wire.EncapIBGlobal}[p.r.Below(3)]
	}
}

// spoil makes one thing wrong, or different.
func (p *classifyPort) spoil(q *hca.ClassifyQuery) {
	r := p.r
	switch r.Below(10) {
	case 0:
		q.Reason = wire.Reason(r.Below(16))
	case 1:
		q.Encap = wire.Encap(r.Below(8))
	case 2:
		q.Opcode ^= 1 << r.Below(8)
	case 3:
		q.DestQP = near(r, q.DestQP, 24)
	case 4:
		q.PKey = near(r, q.PKey, 16)
	case 5:
		q.PKey ^= 0x8000
	case 6:
		q.SLID = near(r, q.SLID, 16)
		nearGID(r, &q.Src, 0)
	case 7:
		q.DLID = near(r, q.DLID, 16)
		nearGID(r, &q.Dst, 0)
	case 8:
		nearGID(r, &q.Src, 12)
	default:
		nearGID(r, &q.Dst, 12)
	}
}
