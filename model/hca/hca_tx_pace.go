package hca

import "hcacosim/model/sim"

// hcaTxHeadBytes is what a packet of hca_tx is counted with beside its payload.
const hcaTxHeadBytes = 64

// hcaTxPaces are how soon packets of hca_tx may leave: never sooner than the pace of their QP says. A QP that a CNP cut
// is slow for a period at least; what the law does to it behind that is left open. Operations and CNPs have ports of
// their own: which of two is done first is certain only where hca_tx had time to do the other.
type hcaTxPaces struct {
	law     pacingLaw
	lawDone uint64 // cycle
	qps     map[uint32]*hcaTxPaced
}

// hcaTxPaced is a QP that was set. Its members but the paces are cycles.
type hcaTxPaced struct {
	static, slowed uint16
	slowest        uint16 // that it may have, whichever CNPs cut it
	settled        uint64 // what set or cut it is done
	until          uint64 // slowed holds until then
	sure           uint64 // a CNP that comes then cuts it: none before may have done so
	next           uint64 // before that no packet leaves
	free           uint64 // then the next one may leave, at the slowest pace
}

// hcaTxCNPClocks is how far apart two CNPs may be done more or less than they came apart.
const hcaTxCNPClocks = 64

// take hears an input.
func (p *hcaTxPaces) take(in *sim.Record) {
	switch {
	case in.Port == HcaTxCNPs:
		p.cut(uint32(in.Data[0])|uint32(in.Data[1])<<8|uint32(in.Data[2])<<16, in.End)
	case in.Port == HcaTxOps && HcaTxTargetOf(in.Data) == ToPace:
		q := ParseRateQuery(HcaTxRecordOf(in.Data))
		p.operate(&q, in.End)
	}
}

func (p *hcaTxPaces) operate(q *RateQuery, now uint64) {
	const half = 1 << 23 // StampWidth is 24
	switch q.Op {
	case RateLaw:
		if uint64(q.Period) < half && uint64(q.Forget) < half {
			p.law, p.lawDone = lawOf(q), now+hcaTxPatience
		}
		for _, s := range p.qps {
			s.until, s.sure = 0, now+max(hcaTxPatience, p.law.period)
		}
	case RateSet:
		if p.qps == nil {
			p.qps = map[uint32]*hcaTxPaced{}
		}
		done := now + hcaTxPatience
		p.qps[q.QPN] = &hcaTxPaced{static: q.Pace, slowest: q.Pace, settled: done, sure: max(done, p.lawDone)}
	case RateRemove:
		delete(p.qps, q.QPN)
	case RateCNP:
		p.cut(q.QPN, now)
	}
}

func (p *hcaTxPaces) cut(qpn uint32, now uint64) {
	s := p.qps[qpn]
	if s == nil || now+hcaTxCNPClocks < s.until {
		return
	}
	s.slowest = p.law.cutOf(s.slowest)
	if now < s.sure {
		s.sure = max(s.sure, now+p.law.period+hcaTxCNPClocks)
	} else {
		s.slowed, s.settled = p.law.cutOf(s.static), now+hcaTxCNPClocks
		s.until = now + min(p.law.period, p.law.forget)
		s.sure = s.until + hcaTxCNPClocks
	}
}

// next is the first cycle in which a packet may be given that nothing before since leads to, and the cycle by which its
// pace lets it go if it was given by seen.
func (p *hcaTxPaces) next(q *FrameRecord, since, seen uint64) (earliest, due uint64) {
	s := p.qps[q.QPN]
	if s == nil {
		return since, seen
	}
	due = max(seen, s.free)
	s.free = due + hcaTxGap(q, s.slowest)
	return s.leave(q, since), due
}

// leave is the first cycle in which a packet may be given that nothing before a cycle leads to.
func (s *hcaTxPaced) leave(q *FrameRecord, cycle uint64) uint64 {
	cycle = max(cycle, s.next)
	s.next = cycle
	if cycle < s.settled { // it may leave before that, at another pace
		return cycle
	}
	gap := hcaTxGap(q, s.static)
	if cycle < s.until {
		// It may leave later, say behind a receiver that is not ready, when its QP is slow no more.
		gap = min(hcaTxGap(q, s.slowed), s.until-cycle+gap)
	}
	s.next += gap
	return cycle
}

// left has a packet leave in a cycle: what its QP has still to send leaves so much behind it at the slowest pace.
func (p *hcaTxPaces) left(first *hcaTxFlight, rest []*hcaTxFlight, cycle uint64) {
	s := p.qps[first.QPN]
	if s == nil {
		return
	}
	free := cycle + hcaTxGap(&first.FrameRecord, s.slowest)
	for _, x := range rest {
		if !x.dropped {
			x.due = min(x.due, free)
			free += hcaTxGap(&x.FrameRecord, s.slowest)
		}
	}
	s.free = min(s.free, free)
}

// hcaTxGap is how long a packet keeps the next one of its QP back at a pace.
func hcaTxGap(q *FrameRecord, pace uint16) uint64 {
	pieces := (uint64(q.Payload()) + hcaTxHeadBytes + 63) / 64
	return (pieces*uint64(pace) + 63) / 64
}

// free is the cycle from which on the pace lets anything of a QP begin.
func (p *hcaTxPaces) free(qpn uint32) uint64 {
	if s := p.qps[qpn]; s != nil {
		return s.free
	}
	return 0
}
