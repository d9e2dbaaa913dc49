package psn

// Before reports whether p lies behind q (PSN-1). Half of the numbers away each lies before the other.
func (p PSN) Before(q PSN) bool { return p.Diff(q) < 0 }

// After reports whether p lies ahead of q (PSN-1). Half of the numbers away neither does.
func (p PSN) After(q PSN) bool { return p.Diff(q) > 0 }

// Within reports whether p lies at most n PSNs away from q, on either side.
func (p PSN) Within(q PSN, n int32) bool {
	d := p.Diff(q)
	return -n <= d && d <= n
}

// Among reports whether p is one of the PSNs from first to last, both with them, modulo 2^24, and how many ahead of
// first it lies. They may be all 2^24: from 5 to 4.
func (p PSN) Among(first, last PSN) (ahead uint32, ok bool) {
	ahead = p.Ahead(first)
	return ahead, ahead <= last.Ahead(first)
}

// Span is a run of PSNs, both ends in it. The zero Span is empty.
type Span struct {
	Low, High PSN
	Any       bool
}

// Take widens the span to hold p.
func (s *Span) Take(p PSN) {
	if !s.Any {
		*s = Span{p, p, true}
	}
	if p.Before(s.Low) {
		s.Low = p
	}
	if p.After(s.High) {
		s.High = p
	}
}

// Holds reports whether p lies in the span, at most below PSNs in front of it, or at most above PSNs behind it.
func (s *Span) Holds(p PSN, below, above int32) bool {
	return s.Any && p.Diff(s.Low) >= -below && p.Diff(s.High) <= above
}

// Count returns how many PSNs the span has.
func (s *Span) Count() uint32 {
	if !s.Any {
		return 0
	}
	return s.High.Ahead(s.Low) + 1
}
