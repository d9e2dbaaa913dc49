package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// ackLength is how many cases an episode of ack-gen has: QPs that are set, what they send, and payload.
const ackLength = 200

// ackShared is the first of four numbers that QPs of any episode may have: what one life of a device has set, another
// asks for before it has. The last of them has the last word of any memory.
const ackShared = 0xA5FFFC

// Ports of ack_gen.
const (
	ackRecords sim.Port = iota
	ackPayload
)

// ackMaker makes an episode of ack-gen.
type ackMaker struct {
	g    *Generator
	r    *Rand
	e    *Episode
	qps  []uint32
	hops map[uint32]uint8 // as they were set

	record hca.AckRecord // that is made
}

// makeAckGen makes what ack_gen sends on every way back, from QPs that are set and now and then from one that is not.
func makeAckGen(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, ackLength, func(r *Rand, e *Episode) {
		m := ackMaker{g: g, r: r, e: e, hops: map[uint32]uint8{}}
		for e.Len() < ackLength {
			m.next()
		}
	})
}

func (m *ackMaker) give(q *hca.AckRecord, why string) {
	m.e.scratch = q.Append(m.e.scratch[:0])
	m.e.Add(ackRecords, 0, m.e.scratch, why)
}

// next adds a record, and its payload if it has one.
func (m *ackMaker) next() {
	r := m.r
	q := &m.record
	ackNoise(r, &q.AckQuery)
	q.Opcode, q.Bytes, q.Original = ib.Opcode(r.Below(256)), uint16(r.Below(1<<13)), r.Uint64()
	switch {
	case m.e.Len() < 2:
		q.QPN = ackShared + uint32(r.Below(4))
		m.frame(q)
	case len(m.qps) < 2 || r.OneIn(12):
		q.Op = hca.AckSet
		if len(m.qps) > 0 && r.OneIn(2) {
			q.QPN = near(r, m.qps[r.Below(len(m.qps))], 24)
		} else if r.OneIn(2) {
			q.QPN = ackShared + uint32(r.Below(4))
		}
		m.qps = append(m.qps, q.QPN)
		m.hops[q.QPN] = q.HopLimit
		m.give(q, "set")
	case r.OneIn(20):
		q.Op = hca.AckOwn
		m.give(q, "own")
	case r.OneIn(40):
		q.Op = hca.AckOp(r.Between(6, 7))
		m.give(q, "no such operation")
	default:
		q.QPN = m.qps[r.Below(len(m.qps))]
		if r.OneIn(20) {
			q.QPN = near(r, q.QPN, 24)
		}
		if r.OneIn(40) { // a QP of number 0 looks like memory that nobody wrote
			q.QPN, q.Way.Encap = 0, wire.Encap(r.Below(8))
		} else if r.OneIn(40) {
			q.QPN = ackShared + uint32(r.Below(4))
		}
		m.frame(q)
	}
}

// frame adds a record of a frame.
func (m *ackMaker) frame(q *hca.AckRecord) {
	r := m.r
	carry := r.OneIn(4)
	switch kind := r.Below(8); {
	case kind < 3:
		m.carry(q, 20, carry)
		m.give(q, "answer")
	case kind == 3:
		if q.Op = hca.AckCNP; !r.OneIn(8) {
			q.Way.Encap = wire.Encap(r.Between(2, 3))
		}
		m.carry(q, 32, carry)
		m.give(q, "CNP")
	case kind == 4:
		q.Op = hca.AckAtomic
		m.carry(q, 28, carry)
		m.give(q, "answer of an atomic")
	default:
		m.read(q, carry)
	}
}

// read adds a READ response. Its payload comes behind its record or before it.
func (m *ackMaker) read(q *hca.AckRecord, carry bool) {
	r := m.r
	q.Op, q.Bytes = hca.AckRead, m.length(&q.Way)
	if !r.OneIn(20) {
		q.Opcode = ib.Join(ib.RC, ib.ReadResponseFirst) + ib.Opcode(r.Below(4))
	} else if r.OneIn(4) { // nor has it a way
		q.Way.Encap = wire.EncapNone
	}
	if q.Bytes > 0 && m.e.Len()+2 > ackLength {
		q.Bytes = 0
	}
	transport := 20 + int(q.Bytes+3)&^3
	if s := q.Opcode.Shape(); !s.First && !s.Last { // no AETH
		transport -= 4
	}
	m.carry(q, transport, carry)
	early := r.OneIn(3)
	if !early {
		m.give(q, "READ response")
	}
	if q.Bytes > 0 {
		m.e.Add(ackPayload, 0, m.g.payload(r, int(q.Bytes)), "payload")
	}
	if early {
		m.give(q, "READ response, its payload first")
	}
}

// length draws how long a payload is: near the end of a beat of any width, alone or behind its headers, more often than
// elsewhere.
func (m *ackMaker) length(w *hca.WayBack) uint16 {
	r := m.r
	beat := 8 << r.Below(5)
	n := r.Below(1 + r.Below(400))
	switch r.Below(6) {
	case 0:
		n = beat*r.Between(1, 4) - 1 + r.Below(3)
	case 1: // the payload, its pad or the ICRC ends with a beat
		head := [8]int{1: 54, 2: 42, 3: 62, 4: 8, 5: 48}[w.Encap] + 12 + 4*r.Below(2) + 4*int(w.Tags)
		n = beat*r.Between(1, 3) - head%beat + r.Between(-9, 1)
		n += (max(0, -n) + beat - 1) / beat * beat
	case 2:
		if r.OneIn(4) {
			n = 4096 - r.Below(2)*r.Below(130)
		}
	case 3:
		if n = carryLength(r, 16); r.OneIn(2) {
			n = 0
		}
	}
	return uint16(n)
}

// carryLength draws how long a payload is so that with its headers from BTH to ICRC, so many bytes or up to 28 more, it
// is at a power of two or just below: there the sums in which IP, UDP and LRH count more than that carry.
func carryLength(r *Rand, headers int) int {
	return max(0, 1<<r.Between(6, 12)-headers-4*r.Below(9)-r.Below(4))
}

// carry has the header checksum of a frame with so many bytes from BTH to ICRC turn over twice, if it is to.
func (m *ackMaker) carry(q *hca.AckRecord, transport int, twice bool) {
	if twice {
		carryTwice(&q.Way, m.hops[q.QPN], 28+transport, m.r.Below(4))
	}
}

// ackNoise makes a record of random fields. Addresses and port often make the IPv4 checksum turn over once or twice. It
// is made field by field where it stays: a whole one would be made beside and copied, and the copy waits for its parts.
func ackNoise(r *Rand, q *hca.AckQuery) {
	*q = hca.AckQuery{}
	q.QPN, q.PSN, q.MSN, q.Syndrome = drawQPN(r), drawPSN(r), uint32(r.Below(1<<24)), ib.Syndrome(r.Below(256))
	q.PKey, q.PeerQPN, q.HopLimit = uint16(r.Uint64()), uint32(r.Below(1<<24)), uint8(r.Below(256))
	r.Fill(q.MAC[:])
	w := &q.Way
	w.Encap, w.Tags, w.SL = wire.Encap(r.Between(1, 5)), uint8(r.Below(3)), uint8(r.Below(16))
	w.SLID, w.DLID, w.TClass = uint16(r.Uint64()), uint16(r.Uint64()), uint8(r.Below(256))
	w.UDPSrcPort = uint16(r.Uint64())
	w.VLAN[0], w.VLAN[1] = uint32(r.Uint64()), uint32(r.Uint64())
	if r.OneIn(3) {
		w.Encap = wire.EncapRoCEv2IPv4
	}
	if r.OneIn(30) {
		w.Encap = wire.Encap(r.Below(8))
		w.Tags = 3
	}
	r.Fill(w.Src[:])
	r.Fill(w.Dst[:])
	if r.OneIn(3) { // sums near the turn
		for _, a := range [...]*byte{&w.Src[12], &w.Src[14], &w.Dst[12], &w.Dst[14]} {
			*a = 0xFF
		}
		w.Dst[15] = uint8(r.Below(256))
	}
}

// carryTwice chooses the last two bytes of the peer's IPv4 address so that the sum of the answer's header words, folded
// once, runs over again: its low 16 bits are all ones but for below. length is the IPv4 total length.
func carryTwice(w *hca.WayBack, hopLimit uint8, length, below int) {
	sum := 0x4500 + int(w.TClass&^3) + length + 0x4000 + int(hopLimit)<<8 + 17 // 17: UDP
	for _, a := range [...][]byte{w.Src[12:14], w.Dst[12:14], w.Dst[14:16]} {
		sum += int(a[0])<<8 | int(a[1])
	}
	last := 0xFFFF - below - sum
	w.Src[14], w.Src[15] = byte(last>>8), byte(last)
}
