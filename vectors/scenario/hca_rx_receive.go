package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// A round of hca-rx-receive is one of hca-rx without READs and atomics, a third of whose QPs take datagrams. Receive
// WQEs are about as large as what comes: a message or a datagram fills one, or all but a byte, or is a byte too long.

// hcaRxReceiveLength is the length of a round, in records.
const hcaRxReceiveLength = 800

// hcaRxReceive has the QPs of hcaRxFive, and WQEs for each of them.
var hcaRxReceive = hcaRxPlan{numbers: hcaRxFive.numbers, fixed: 4, spares: 2, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaRxReceiveLength, setUp: 150, posts: 130, operation: 1, frames: 75, most: 110,
	bytes: 120_000, writes: 144, datagrams: true, receives: true, harsh: true}

// makeHcaRxReceive makes messages and datagrams that fill receive WQEs, or not quite.
func makeHcaRxReceive(g *Generator, index uint64, _ *Rand, c *Case) {
	makeHcaRxRound(g, index, c, &hcaRxReceive, false)
}

// datagramsIn is in how many QPs that could be of UD one is.
func (n *hcaRxPlan) datagramsIn() int {
	if n.receives {
		return 3
	}
	return 9
}

// failsIn is in how many QPs memory fails the last write of a part.
func (n *hcaRxPlan) failsIn() int {
	if n.receives {
		return 2
	}
	return 3
}

// receivePart sends the frames of a part.
func (d *hcaRxPeer) receivePart() {
	d.longSend(d.used[0])
	for d.more() {
		p := d.pick()
		switch {
		case d.r.OneIn(8) || d.bytes > d.plan.bytes-4*p.pmtu:
			d.step()
		case p.ud:
			d.datagram(p)
		default:
			d.fillOne(p)
		}
	}
}

// pick is a QP to send to, seldom one of which nothing would be executed.
func (d *hcaRxPeer) pick() *hcaRxQP {
	p := d.used[d.r.Below(len(d.used))]
	for tries := 0; tries < 9 && !d.serves(p) && !d.r.OneIn(6); tries++ {
		p = d.used[d.r.Below(len(d.used))]
	}
	return p
}

// serves reports whether a QP may execute what comes next, as far as the model knows.
func (d *hcaRxPeer) serves(p *hcaRxQP) bool {
	qpn := p.spec.DestQP
	if _, room := d.room(p); p.ud && !room {
		return false
	}
	return !p.idle && !p.failed && !d.gone[qpn] && !d.broken[qpn]
}

// isDown reports whether a QP is set anew, as it does nothing before that: most of them, so that a part is not sent to
// QPs in error.
func (d *hcaRxPeer) isDown(p *hcaRxQP) bool {
	down := d.broken[p.spec.DestQP] || d.gone[p.spec.DestQP]
	return down && (d.plan.receives || !d.r.OneIn(6))
}

// marksDead marks half of what comes to QPs that memory failed: who sends it hears of that still (CNP-1).
func (d *hcaRxPeer) marksDead(p *hcaRxQP, s *wire.Spec) {
	d.broken[p.spec.DestQP] = true
	if d.plan.harsh && s.PSN%2 == 0 {
		s.TClass |= 3
	}
}

// room is how many bytes the receive WQE has for the next message of a QP, and whether there is one.
func (d *hcaRxPeer) room(p *hcaRxQP) (bytes int, ok bool) {
	room, ok := d.model.NextWQE(p.spec.DestQP, &p.receive)
	return int(room), ok
}

// roomFor draws how many bytes a receive WQE has that is posted for a QP, or for all that share a queue (of is nil).
func (d *hcaRxPeer) roomFor(of *hcaRxQP) uint32 {
	r := d.r
	switch {
	case r.OneIn(5), of != nil && of.pmtu == 4096 && r.OneIn(2): // that of a long message
		return uint32(1 << (14 + r.Below(18)))
	case of != nil && of.ud && !r.OneIn(4): // a datagram fills it
		return uint32(ib.GRHBytes + r.Below(of.pmtu+2))
	case of != nil && !r.OneIn(3): // any few packets
		return uint32([...]int{r.Between(1, 3*of.pmtu), r.Between(1, 3) * of.pmtu}[r.Below(2)])
	}
	return uint32((256<<r.Below(3))*r.Between(1, 3) + [...]int{-1, 0, 0, 1, ib.GRHBytes}[r.Below(5)])
}

// fillOne sends the next packet of a QP's message, of one that fills its receive WQE where there is one that it can.
func (d *hcaRxPeer) fillOne(p *hcaRxQP) {
	if p.back != nil {
		*p = *p.back
	}
	before, n := *p, 0
	if !p.sends {
		n = d.fitting(p)
	}
	s, bytes, granted := d.requestOf(p, n)
	if s.Opcode.Shape().Inv && d.r.OneIn(10) { // a region is no window: it is not taken away
		s.InvRKey, granted = p.key, false
	}
	if !d.send(s, bytes, "a message, to fill a receive WQE") || !granted {
		p.lose(&before)
	}
}

// fitting is how many bytes a SEND has that fills the receive WQE which it would use: by its only packet, its last or
// one before it, or all but a byte, or by a byte too many; 0 where there is none that a message fills.
func (d *hcaRxPeer) fitting(p *hcaRxQP) int {
	r := d.r
	room, ok := d.room(p)
	if !ok || room < 2 || room > 4*p.pmtu {
		return 0
	}
	switch tooLong := p.uc && r.OneIn(3) || r.OneIn(10); {
	case tooLong && room%p.pmtu == 0: // the First or a Middle fills it, and it goes on
		return room + r.Between(1, p.pmtu)
	case tooLong:
		return room + 1
	}
	return room - r.Below(4)/3
}

// fittingDatagram is how many bytes a datagram has that fills its receive WQE, or all but a byte, or one more; n where
// none does.
func (d *hcaRxPeer) fittingDatagram(p *hcaRxQP, n int) int {
	room, ok := d.room(p)
	fills := min(room, 1<<16) - ib.GRHBytes
	switch {
	case !ok || d.r.OneIn(6):
		return n
	case d.r.OneIn(3):
		return max(0, min(n, fills))
	}
	if fills += [...]int{-1, 0, 0, 1}[d.r.Below(4)]; fills >= 0 && fills <= p.pmtu {
		return fills
	}
	return n
}

// longSend has a QP send more than 64 KiB in one message, where a receive WQE has room for it.
func (d *hcaRxPeer) longSend(p *hcaRxQP) {
	room, ok := d.room(p)
	if p.back != nil {
		*p = *p.back
	}
	bytes := 16 * p.pmtu // its length carries at its end
	if !d.r.OneIn(3) {
		bytes += d.r.Between(1, 2*p.pmtu)
	}
	if ok && room >= bytes && !p.sends && d.serves(p) {
		for s, n, _ := d.requestOf(p, bytes); ; s, n, _ = d.request(p) {
			d.frame(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(100):][:n]), "a message of more than 64 KiB")
			if !p.sends || !d.more() {
				return
			}
		}
	}
}

// takesAway has rx_classify remove a QP for a part, now and then, and set it again before the next one.
func (d *hcaRxPeer) takesAway(p *hcaRxQP) []hca.HcaRxOp {
	switch qpn := p.spec.DestQP; {
	case d.gone[qpn]:
		delete(d.gone, qpn)
		return []hca.HcaRxOp{p.classified}
	case d.r.OneIn(8):
		d.gone[qpn] = true
		none := hca.ClassifyQuery{Op: hca.ClassifyRemove, DestQP: qpn}
		return []hca.HcaRxOp{{To: hca.ToClassify, Record: none.Append(nil), Why: "the QP is removed"}}
	}
	return nil
}

// unfit are operations for which a QP is not in the state: nothing may come of them.
func (d *hcaRxPeer) unfit(p *hcaRxQP) []hca.HcaRxOp {
	set, ready := p.verdict, p.verdict
	set.PSN, ready.Op = drawPSN(d.r), hca.RespReady
	switch d.r.Below(8) {
	case 0:
		return []hca.HcaRxOp{{To: hca.ToVerdict, Record: set.Append(nil), Why: "set, what is set"}}
	case 1:
		return []hca.HcaRxOp{{To: hca.ToVerdict, Record: ready.Append(nil), Why: "ready, what is or has failed"}}
	}
	return nil
}
