package guide

import "slices"

// minimize ranks segments and takes out of them what the others do as well.
func (s *search) minimize(segments []*Segment) []*Segment {
	segments = s.ordered(segments)
	need := s.measure(segments...)
	segments = s.shortened(segments, need)
	ranked := s.rank(segments)
	if s.measure(ranked...).holds(need) {
		return ranked
	}
	return segments
}

// shortened takes out of segments what the others do as well.
func (s *search) shortened(segments []*Segment, need Set) []*Segment {
	for chunk := 16; chunk > 0; chunk /= 4 {
		for k := len(segments) - 1; k >= 0; k-- { // the last brings the rarest: what comes before may do without
			s.cut(segments, k, chunk, need)
		}
	}
	return slices.DeleteFunc(segments, func(g *Segment) bool { return len(g.Steps) == 0 })
}

// ordered ranks segments without losing a bin: what a segment meets only behind those that it was kept behind, as a
// timer that one of them left running, comes once more at the end. Where that does not bring it back either, the order
// stays as it was found, with the other one behind it: cut takes out of both what is met twice.
func (s *search) ordered(segments []*Segment) []*Segment {
	whole := s.measure(segments...)
	ranked := s.rank(segments)
	met := s.measure(ranked...)
	for at := 0; at < len(segments) && !met.holds(whole); at++ {
		again := *segments[at]
		more := append(slices.Clip(ranked), &again)
		if now := s.measure(more...); whole.beyond(now) < whole.beyond(met) {
			ranked, met = more, now
		}
	}
	if met.holds(whole) {
		return ranked
	}
	for _, g := range ranked { // what another order meets, too
		again := *g
		segments = append(slices.Clip(segments), &again)
	}
	return segments
}

// cut takes chunks out of a segment as long as all of them together still meet what they have to.
func (s *search) cut(segments []*Segment, k, chunk int, need Set) {
	g := segments[k]
	for at := 0; at < len(g.Steps); {
		end := min(at+chunk, len(g.Steps))
		before := g.Steps
		g.Steps = slices.Delete(slices.Clone(before), at, end)
		if !s.measure(segments...).holds(need) {
			g.Steps = before
			at = end
		}
	}
}

// rank orders segments: each time the one that meets most new bins a packet.
func (s *search) rank(segments []*Segment) (order []*Segment) {
	sets := make([]Set, len(segments))
	for i, g := range segments {
		sets[i] = s.measure(g)
	}
	left := make([]int, len(segments))
	for i := range left {
		left[i] = i
	}
	have := newSet(len(s.bins))
	for len(left) > 0 {
		best, new, at := -1, 0, 0
		for i, k := range left {
			n := sets[k].beyond(have)
			if best < 0 || n*len(segments[best].Steps) > new*len(segments[k].Steps) {
				best, new, at = k, n, i
			}
		}
		order = append(order, segments[best])
		have.Join(sets[best])
		left = slices.Delete(left, at, at+1)
	}
	return order
}
