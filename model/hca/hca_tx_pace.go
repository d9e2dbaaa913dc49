package hca

import "hcacosim/model/sim"

// hcaTxHeadBytes is what a packet of hca_tx is counted with beside its payload.
const hcaTxHeadBytes = 64

// hcaTxPaces are how soon packets of hca_tx may leave: never sooner than the pace of their QP says. A QP that a CNP cut
// is slow for a period at least; what the law does to it behind that is left open.
type hcaTxPaces struct {
	law pacingLaw
	qps map[uint32]*hcaTxPaced
}

// hcaTxPaced is a QP that was set.
type hcaTxPaced struct {
	static, slowed uint16
	until          uint64 // slowed holds until then
	next           uint64 // the cycle before which no packet leaves
}

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
			p.law = lawOf(q)
		}
		for _, s := range p.qps {
			s.until = 0
		}
	case RateSet:
		if p.qps == nil {
			p.qps = map[uint32]*hcaTxPaced{}
		}
		p.qps[q.QPN] = &hcaTxPaced{static: q.Pace}
	case RateRemove:
		delete(p.qps, q.QPN)
	case RateCNP:
		p.cut(q.QPN, now)
	}
}

func (p *hcaTxPaces) cut(qpn uint32, now uint64) {
	if s := p.qps[qpn]; s != nil && now >= s.until {
		s.slowed = p.law.cutOf(s.static)
		s.until = now + min(p.law.period, p.law.forget)
	}
}

// next is the first cycle in which a packet that an input in a cycle leads to may be given.
func (p *hcaTxPaces) next(q *FrameRecord, cycle uint64) uint64 {
	s := p.qps[q.QPN]
	if s == nil {
		return cycle
	}
	pace := s.static
	if cycle < s.until {
		pace = s.slowed
	}
	cycle = max(cycle, s.next)
	pieces := (uint64(q.Payload()) + hcaTxHeadBytes + 63) / 64
	s.next = cycle + (pieces*uint64(pace)+63)/64
	return cycle
}

// free is the cycle from which on the pace lets anything of a QP begin.
func (p *hcaTxPaces) free(qpn uint32) uint64 {
	if s := p.qps[qpn]; s != nil {
		return s.next
	}
	return 0
}
