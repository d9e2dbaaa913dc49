package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// ackLength is how many records an episode of ack-gen has: QPs that are set, and their answers.
const ackLength = 200

// makeAckGen makes answers for ack_gen on every way back, from QPs that are set and now and then from one that is not.
func makeAckGen(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, ackLength, func(r *Rand, e *Episode) {
		var qps []uint32
		hops := map[uint32]uint8{} // as they were set
		give := func(q hca.AckQuery, why string) {
			var b [hca.AckQueryBytes]byte
			e.Add(sim.Port(0), 0, q.Append(b[:0]), why)
		}
		for e.Len() < ackLength {
			q := ackNoise(r)
			switch {
			case len(qps) < 2 || r.OneIn(12):
				q.Op = hca.AckSet
				if len(qps) > 0 && r.OneIn(2) {
					q.QPN = qps[r.Below(len(qps))] ^ 1<<r.Below(24)
				}
				qps = append(qps, q.QPN)
				hops[q.QPN] = q.HopLimit
				give(q, "set")
			case r.OneIn(20):
				q.Op = hca.AckOwn
				give(q, "own")
			case r.OneIn(40):
				q.Op = hca.AckOp(r.Between(3, 7))
				give(q, "no such operation")
			default:
				q.QPN = qps[r.Below(len(qps))]
				if r.OneIn(20) {
					q.QPN ^= 1 << r.Below(24)
				}
				if r.OneIn(4) {
					carryTwice(&q.Way, hops[q.QPN], r.Below(4))
				}
				give(q, "answer")
			}
		}
	})
}

// ackNoise is a record of random fields. Addresses and port often make the IPv4 checksum turn over once or twice.
func ackNoise(r *Rand) (q hca.AckQuery) {
	q = hca.AckQuery{QPN: drawQPN(r), PSN: drawPSN(r), MSN: uint32(r.Below(1 << 24)), Syndrome: ib.Syndrome(r.Below(256)),
		PKey: uint16(r.Uint64()), PeerQPN: uint32(r.Below(1 << 24)), HopLimit: uint8(r.Below(256))}
	r.Fill(q.MAC[:])
	w := &q.Way
	*w = hca.WayBack{Encap: wire.Encap(r.Between(1, 5)), Tags: uint8(r.Below(3)), SL: uint8(r.Below(16)),
		SLID: uint16(r.Uint64()), DLID: uint16(r.Uint64()), TClass: uint8(r.Below(256)), UDPSrcPort: uint16(r.Uint64())}
	w.VLAN = [2]uint32{uint32(r.Uint64()), uint32(r.Uint64())}
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
	return q
}

// carryTwice chooses the last two bytes of the peer's IPv4 address so that the sum of the answer's header words, folded
// once, runs over again: its low 16 bits are all ones but for below.
func carryTwice(w *hca.WayBack, hopLimit uint8, below int) {
	sum := 0x4500 + int(w.TClass&^3) + 48 + 0x4000 + int(hopLimit)<<8 + 17 // 17: UDP
	for _, a := range [...][]byte{w.Src[12:14], w.Dst[12:14], w.Dst[14:16]} {
		sum += int(a[0])<<8 | int(a[1])
	}
	last := 0xFFFF - below - sum
	w.Src[14], w.Src[15] = byte(last>>8), byte(last)
}
