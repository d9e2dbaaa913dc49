package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// reqSweep speaks to each of 64 QPs before anybody opens it: what a reset left of it shows, and what lives before it.
func reqSweep(r *Rand, e *Episode) {
	for i := range uint64(64) {
		l := reqLife{rand: r, out: e, qpn: uint32(scatter(i, 64))}
		p := psn.New(uint32(r.Between(-1, 1)))
		switch r.Below(4) {
		case 0:
			l.op([...]hca.ReqOp{hca.ReqRetry, hca.ReqGoOn, hca.ReqLook}[r.Below(3)], "the first that is heard of a QP")
		case 1:
			l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: p, Count: 1, Kind: roce.ReqKind(r.Below(4)), Payload: 8},
				"sent: the first that is heard of a QP")
		default:
			l.add(l.response(ib.Ack, p, l.ackSyndrome()), "response: the first that is heard of a QP")
		}
	}
}

// seldom does what takes several records to show anything.
func (l *reqLife) seldom() {
	switch l.rand.Below(4) {
	case 0:
		l.half()
	case 1:
		l.credits()
	default:
		l.oneBitOff()
	}
}

// settle acknowledges everything, if that takes no data, and reports whether nothing is outstanding.
func (l *reqLife) settle() bool {
	if l.outstanding() > 0 && len(l.reads) == 0 {
		l.give(l.response(ib.Ack, l.state.High.Add(-1), l.ackSyndrome()), "response: ACK of everything")
	}
	return l.outstanding() == 0 && !l.over
}

// oneBitOff asks for a READ of one response, which comes with one bit of its length wrong, or with none: each bit in
// turn, the pad as the length wants it. A QP that is to live on is left alone.
func (l *reqLife) oneBitOff() {
	r := l.rand
	if l.calm || !l.settle() {
		return
	}
	rec := hca.ReqRecord{Op: hca.ReqSent, PSN: l.state.High, Count: 1, Number: l.ssn, Kind: roce.ReqRead,
		Payload: [...]uint16{0, 1 << r.Below(13), uint16(l.cfg.PMTUBytes), l.drawTail()}[r.Below(4)]}
	l.sent(rec, "sent: a READ of one response")
	if l.ssn++; len(l.reads) == 0 {
		return
	}
	due := l.dueResponse()
	due.Opcode = ib.Join(ib.RC, ib.ReadResponseOnly)
	if due.Payload ^= 1 << r.Below(14) & (1<<13 - 1); r.OneIn(4) {
		due.Payload = 0 // where it has one bit, that one
	}
	due.Pad = uint8(-due.Payload & 3)
	l.give(due, "response: due, with a bit of its length wrong, or none")
}

// probeAgain sends a packet of a SEND that probes for credits, is given none, and sends another one of it: a probe is
// out until LSN moves (CRD-2).
func (l *reqLife) probeAgain() {
	const most = 1<<psn.Bits - 1
	beyond := hca.ReqRecord{Op: hca.ReqSent, Count: 1, Number: (l.state.LSN + 1) & most, Kind: roce.ReqLimited}
	beyond.PSN = l.state.High
	l.sent(beyond, "sent: a SEND that probes for credits")
	code := uint8(l.rand.Below(ib.CreditsUnlimited))
	n, _ := ib.Credits(code)
	rec := l.response(ib.Ack, l.state.High.Add(-1), ib.AckSyndrome(code))
	rec.Number = (l.state.LSN - n) & most
	l.give(rec, "response: credits, as many as before")
	beyond.PSN = l.state.High
	l.sent(beyond, "sent: the next packet of a SEND that has probed")
}

// credits walks through the states of the credits (CRD-2, CRD-3): limited and unlimited, run out, probed, given again,
// in any order.
func (l *reqLife) credits() {
	r := l.rand
	if !l.settle() {
		return
	}
	if r.OneIn(2) {
		l.probeAgain()
	}
	for i := r.Between(6, 16); i > 0 && !l.over; i-- {
		newest := l.state.High.Add(-1)
		switch r.Below(6) {
		case 0:
			l.give(l.response(ib.Ack, newest, ib.AckSyndrome(ib.CreditsUnlimited)), "response: credits without end")
		case 1, 2:
			code := uint8(r.Below(6))
			rec := l.response(ib.Ack, newest, ib.AckSyndrome(code))
			n, _ := ib.Credits(code)
			rec.Number = (l.state.LSN + uint32(r.Below(3)) - n) & (1<<psn.Bits - 1)
			l.give(rec, "response: credits")
		default:
			l.sent(hca.ReqRecord{Op: hca.ReqSent, PSN: l.state.High, Count: 1,
				Number: (l.state.LSN + uint32([...]int{0, 1, 1, 1, 2}[r.Below(5)])) & (1<<psn.Bits - 1), Kind: roce.ReqLimited},
				"sent: a SEND at the limit of the credits")
		}
		if l.over {
			return
		}
	}
	l.ssn = (l.state.LSN + 1) & (1<<psn.Bits - 1)
}
