package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of rate_limiter.
func init() { declarations["rate_limiter"] = declareRate }

// declareRate: what each operation hears, CNPs about the period, where the pace of an ask lies.
func declareRate(o *Observer, s sim.Settings) {
	allowed := [][]int{{0, 1, 4}, {0, 2, 4}, {0, 6}, {0}, {0, 3, 4}, {0, 4}, {7}, {7}}
	whys := o.mayBe(Axis{"ask", "CNP", "law", "set", "sent", "remove", "6", "7"}, Axis{"good", "not yet", "soon",
		"too far", "no QP", "5", "bad law", "no such"}, allowed, func(_, why int) []string {
		if why == int(hca.RateNoQP) {
			return []string{"RSP-15"}
		}
		return nil
	})
	distance := o.cross("rule: CNP: distance to the last cut of its QP x cut", func(at []int, b *Bin) {
		switch {
		case at[0] == 0:
			b.Ignored = "one record a clock"
		case at[0] >= 3 && at[1] == 0:
			b.Illegal = "a period behind a cut the next one may come"
		}
	}, aroundPeriod, noYes)
	moves := o.cross("rule: pace of an ask", nil, Axis{"less than before", "as before", "0", "65535"})
	periods := o.cross("period", nil, Axis{"0", "1", "2 and more", "more than a quarter of a stamp's range"})
	near := o.newSince("QP")
	p := ratePlace{map[uint64]*rateQP{}, cnpPlace{half: 1 << (s.Get("StampWidth", 24) - 1)}}
	o.restart = append(o.restart, func() { clear(p.qps); p.period = 0 })
	o.pair = func(in, out *sim.Record) {
		q, r := hca.ParseRateQuery(in.Data), hca.ParseRateResult(out.Data)
		o.hit(whys, int(q.Op), int(r.Why))
		near.count(in, uint64(q.QPN))
		switch {
		case q.Op == hca.RateLaw && r.Why == hca.RateGood:
			p.period = uint64(q.Period)
			o.hit(periods, p.kind())
		case q.Op == hca.RateSet:
			p.qps[uint64(q.QPN)] = &rateQP{pace: r.Pace}
		case r.Why == hca.RateNoQP || q.Op == hca.RateRemove:
			delete(p.qps, uint64(q.QPN))
		case q.Op == hca.RateAsk:
			p.asked(o, moves, &r)
		case q.Op == hca.RateCNP:
			qp := p.of(uint64(q.QPN))
			if qp.was {
				o.hit(distance, p.around(in.End-qp.cut), bit(r.Why == hca.RateGood))
			}
			if r.Why == hca.RateGood {
				*qp = rateQP{pace: r.Pace, was: true, cut: in.End}
			}
		}
	}
}

// rateQP is a QP as the answers tell of it: its pace, and its last cut.
type rateQP struct {
	pace uint16
	was  bool
	cut  uint64
}

// ratePlace are the QPs, and the law's period with what a stamp can tell.
type ratePlace struct {
	qps map[uint64]*rateQP
	cnpPlace
}

func (p *ratePlace) of(qpn uint64) *rateQP {
	if p.qps[qpn] == nil {
		p.qps[qpn] = &rateQP{}
	}
	return p.qps[qpn]
}

// asked counts the pace that an ask hears against the one that its QP had.
func (p *ratePlace) asked(o *Observer, moves *Group, r *hca.RateResult) {
	qp, move := p.of(uint64(r.QPN)), 1
	switch {
	case r.Pace == 0:
		move = 2
	case r.Pace == 0xFFFF:
		move = 3
	case r.Pace < qp.pace:
		move = 0
	}
	qp.pace = r.Pace
	o.hit(moves, move)
}
