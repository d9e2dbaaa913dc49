package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// One of ten episodes of resp-psn-check is full of READs: of each length by powers of two under each path MTU, of
// nothing, up to the agreed number and one more, sent again in part, with payload that no READ has. What is behind each
// shows how many PSNs it took.

// respMostInFlight is how many READs and atomics the block counts at most.
const respMostInFlight = 31

// isReads reports whether an episode is full of READs.
func isReads(number uint64) bool { return number%10 == 7 }

// reads fills an episode with lives of a QP that READs.
func (p *respPeer) reads() {
	r := p.r
	for life := p.e.Number; p.e.Len() < respLength; life++ {
		p.qpn = uint32(r.Below(4)) // there under every NumQps
		p.op(hca.RespReset, "reset: for READs")
		p.drawSet()
		p.set.Service, p.set.PMTU = hca.RespRC, uint8(1+life%5)
		p.set.Enabled, p.set.FlushEnabled, p.set.MaxReads = 7, 3, [...]uint8{1, 2, 8, 16, 16, 31}[r.Below(6)]
		p.set.Profile = [...]hca.RespProfile{0, 0, hca.RespRoomUnchecked, 1 << r.Below(8)}[r.Below(4)]
		if p.set.Profile&hca.RespRoomUnchecked != 0 && r.OneIn(4) {
			p.set.MaxReads = 0 // refused all the same
		}
		p.give(p.set, "set: for READs")
		p.op(hca.RespReady, "ready: for READs")
		p.next, p.at, p.of, p.inFlight, p.sentN, p.isBad = p.set.PSN, 0, 0, 0, 0, false
		for n := r.Between(8, 48); n > 0 && !p.isBad && p.e.Len() < respLength; n-- {
			p.readStep()
		}
	}
}

// readStep sends a READ, or something beside it.
func (p *respPeer) readStep() {
	r := p.r
	unchecked := p.set.Profile&hca.RespRoomUnchecked != 0
	switch full := p.inFlight >= int(p.set.MaxReads); {
	case full && !unchecked:
		p.atLimit()
	case p.inFlight > 0 && r.OneIn(20):
		p.inFlight--
		p.op(hca.RespFreed, "freed: one of several READs")
	case p.sentN > 0 && r.OneIn(10):
		q := p.sent[r.Below(min(p.sentN, len(p.sent)))]
		q.AccessOK = !r.OneIn(3)
		p.give(q, "duplicate: of a READ, or beside one")
	case r.OneIn(10):
		p.ofNothing()
	case r.OneIn(30):
		q := p.only(ib.ReadRequest)
		q.Payload = 1 << r.Below(13)
		p.give(q, "a READ with payload, one bit of its length")
		p.isBad = p.set.Profile&hca.RespStrayPayloadTaken == 0
		if !p.isBad {
			p.done(&q)
		}
	default:
		q := p.only(ib.ReadRequest)
		q.Payload, q.Pad = 0, 0
		if q.DMALength = p.lengthByPower(); q.DMALength == 0 {
			q.AccessOK = r.OneIn(2) // nothing to read: nobody looks
		}
		p.give(q, "request: a READ by powers of two")
		p.isBad = p.set.MaxReads == 0
		p.done(&q)
		p.inFlight = min(p.inFlight, respMostInFlight)
	}
}

// atLimit has as many READs in flight as were agreed: one is too many, or they are answered.
func (p *respPeer) atLimit() {
	if p.r.OneIn(4) {
		q := p.only(ib.ReadRequest)
		p.give(q, "request: one READ too many")
		p.isBad = true
		return
	}
	for left := p.r.Below(p.inFlight); p.inFlight > left; p.inFlight-- {
		p.op(hca.RespFreed, "freed: one of many")
	}
}

// ofNothing sends a WRITE of no bytes: nobody looks at its key.
func (p *respPeer) ofNothing() {
	q := p.only(ib.WriteOnly)
	q.Payload, q.Pad, q.DMALength, q.AccessOK = 0, 0, 0, p.r.OneIn(3)
	p.give(q, "request: a WRITE of nothing")
	p.at, p.of = 0, 1 // done counts a packet of it
	p.done(&q)
	p.at, p.of, p.bytes = 0, 0, 0
}

// lengthByPower draws a length that is a power of two, in bytes or path MTUs, a byte more or less, or any up to 2^31.
func (p *respPeer) lengthByPower() uint32 {
	r := p.r
	n := 1 << r.Below(32)
	if r.OneIn(3) {
		n = p.pmtu() << r.Below(24)
	}
	return uint32(max(0, min(ib.MaxMessage, [...]int{0, n, n, n + 1, n - 1, n | p.pmtu()<<r.Below(24),
		r.Below(ib.MaxMessage)}[r.Below(7)])))
}
