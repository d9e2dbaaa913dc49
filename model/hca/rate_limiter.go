package hca

import (
	"hcacosim/model/sim"
)

// RateLimiterLatencyCycles is how many cycles after it went in a record is answered.
const RateLimiterLatencyCycles = 4

// RateOp is what a record on s_rec of rate_limiter is.
type RateOp uint8

// The operations of docs/blocks/rate_limiter.md.
const (
	RateAsk RateOp = iota
	RateCNP
	RateLaw
	RateSet
	RateSent
	RateRemove
)

// RateWhy is why a QP may not send, or an operation is not done.
type RateWhy uint8

// The reasons.
const (
	RateGood   RateWhy = 0
	RateNotYet RateWhy = 1
	RateSoon   RateWhy = 2
	RateFar    RateWhy = 3
	RateNoQP   RateWhy = 4
	RateBadLaw RateWhy = 6
	RateNoSuch RateWhy = 7
)

// RateQuery is a record on s_rec of rate_limiter. docs/blocks/rate_limiter.md says which op uses what.
type RateQuery struct {
	Op     RateOp
	QPN    uint32
	Bytes  uint16 // of a frame, 13 bits
	Pace   uint16 // cycles for 4096 bytes
	Period uint32 // cycles
	Forget uint32 // cycles
	Cut    uint8  // in parts of 128
	Raise  uint8  // in parts of 256
}

// RateQueryBytes is the size of a record on s_rec of rate_limiter.
const RateQueryBytes = 17

func (q *RateQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.Bytes, 13)
	sim.Field(l, &q.Pace, 16)
	sim.Field(l, &q.Period, 32)
	sim.Field(l, &q.Forget, 32)
	sim.Field(l, &q.Cut, 8)
	sim.Field(l, &q.Raise, 8)
}

var rateQueryForm = sim.FormOf((*RateQuery).layout)

// Append appends the record as it goes over the port.
func (q *RateQuery) Append(b []byte) []byte {
	return rateQueryForm.Append(b, q)
}

// ParseRateQuery reads a record of RateQueryBytes.
func ParseRateQuery(b []byte) RateQuery { return rateQueryForm.Parse(b) }

// RateResult is a record on m_rec of rate_limiter.
type RateResult struct {
	QPN  uint32
	Op   RateOp
	Why  RateWhy
	Pace uint16 // of the QP, as the record leaves it, or 0
}

func (r *RateResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Why, 3)
	sim.Field(l, &r.Pace, 16)
}

var rateResultForm = sim.FormOf((*RateResult).layout)

// ParseRateResult reads a record on m_rec of rate_limiter.
func ParseRateResult(b []byte) RateResult { return rateResultForm.Parse(b) }

var rateLimiterSpec = sim.StageSpec{
	Name:    "rate_limiter",
	Summary: "says whether a QP may send now, at a pace that a CNP slows and time restores",
	ByTime:  true,
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 136},
		{Name: "m_rec", Kind: sim.Fields, Bits: 46},
	},
	New: func(s sim.Settings) sim.Stage {
		return &rateLimiter{pass: pass{latencyCycles: RateLimiterLatencyCycles}, numQPs: uint32(s.Get("NumQps", 4096)),
			half: 1 << (s.Get("StampWidth", 24) - 1)}
	},
}

// rateLimiter is the stage of docs/blocks/rate_limiter.md. Its time is the cycle in which a record is accepted, and has
// no end.
type rateLimiter struct {
	pass
	numQPs  uint32
	half    uint64 // of the range of a stamp
	law     pacingLaw
	qps     map[uint32]*pacedQP // by index
	records []byte              // of one Advance; its outputs share it until the next
}

type pacedQP struct {
	number uint32
	pacer
}

func (s *rateLimiter) Reset() {
	*s = rateLimiter{pass: pass{latencyCycles: s.latencyCycles}, numQPs: s.numQPs, half: s.half, records: s.records}
}

func (s *rateLimiter) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		q := ParseRateQuery(in[i].Data)
		r := RateResult{QPN: q.QPN, Op: q.Op}
		r.Why, r.Pace = s.step(&q, in[i].End)
		at := len(s.records)
		s.records = rateResultForm.Append(s.records, &r)
		out = s.through(out, &in[i], s.records[at:len(s.records):len(s.records)], 0)
	}
	return out
}

// step is what becomes of a record that was accepted in a cycle, and the pace that it leaves.
func (s *rateLimiter) step(q *RateQuery, now uint64) (RateWhy, uint16) {
	index := q.QPN % s.numQPs
	switch {
	case q.Op > RateRemove:
		return RateNoSuch, 0
	case q.Op == RateLaw:
		return s.setLaw(q), 0
	case q.Op == RateSet:
		if s.qps == nil {
			s.qps = map[uint32]*pacedQP{}
		}
		s.qps[index] = &pacedQP{q.QPN, pacer{static: q.Pace}}
		return RateGood, q.Pace
	}
	qp := s.qps[index]
	if qp == nil || qp.number != q.QPN {
		return RateNoQP, 0
	}
	if q.Op == RateRemove {
		delete(s.qps, index)
		return RateGood, 0
	}
	why := s.paced(q, qp, now)
	return why, qp.paceAt(now, &s.law)
}

// paced is an ask, a CNP, or bytes that were sent, of a QP that is there.
func (s *rateLimiter) paced(q *RateQuery, qp *pacedQP, now uint64) RateWhy {
	switch q.Op {
	case RateAsk:
		if !qp.maySend(now, &s.law) {
			return RateNotYet
		}
	case RateCNP:
		if !qp.cut(now, &s.law) {
			return RateSoon
		}
	default:
		if !qp.sent(now, &s.law, int(q.Bytes), s.half-1) {
			return RateFar
		}
	}
	return RateGood
}

func (s *rateLimiter) setLaw(q *RateQuery) RateWhy {
	if uint64(q.Period) >= s.half || uint64(q.Forget) >= s.half {
		return RateBadLaw
	}
	s.law = lawOf(q)
	return RateGood
}
