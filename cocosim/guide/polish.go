package guide

import "slices"

// polishes is how often at most what was found is put together anew, as long as that is better.
const polishes = 3

// enrichTries is how many changes of a segment are tried in a row before it takes its place.
const enrichTries = 192

// polish puts together anew what meets all that segments meet, each time the one that meets most open bins a packet,
// with its records changed so that it meets more of them. Pool are segments that stand alone.
func (s *search) polish(segments, pool []*Segment) []*Segment {
	need := s.measure(segments...)
	best := s.area(segments, need)
	pool = append(pool, s.loose()...)
	for range polishes {
		other := s.together(pool, need)
		if !s.measure(other...).holds(need) {
			other = append(other, copies(segments)...)
		}
		if !s.measure(other...).holds(need) {
			continue
		}
		other = s.shortened(other, need)
		area := s.area(other, need)
		if area >= best {
			break
		}
		segments, best = other, area
	}
	return segments
}

// looseDraws is how many draws of cases that stand alone are taken apart.
const looseDraws = 64

// loose are single cases to choose from, where they stand alone.
func (s *search) loose() (all []*Segment) {
	for n := range looseDraws {
		a := &s.draws.arms[n%len(s.draws.arms)]
		if s.draws.length[a.scenario.Name] != packetsDrawn {
			continue
		}
		s.total += s.played
		g := s.draws.draw(a, s.player)
		for k := range g.Steps {
			all = append(all, &Segment{Scenario: g.Scenario, Seed: g.Seed, From: g.From + uint64(k), Steps: g.Steps[k : k+1]})
		}
	}
	return all
}

func copies(segments []*Segment) (all []*Segment) {
	for _, g := range segments {
		again := *g
		all = append(all, &again)
	}
	return all
}

// area is how many packets come before each bin, in all: what lies above the curve of bins met against packets.
func (s *search) area(segments []*Segment, need Set) (area uint64) {
	s.measure()
	met := newSet(len(s.bins))
	for _, g := range segments {
		base := s.base(g.Steps)
		for i := range g.Steps {
			area += uint64(need.beyond(met))
			before := s.cover.Met()
			if s.step(&g.Steps[i], base); s.cover.Met() > before {
				met = s.met()
			}
		}
	}
	return area
}

// located is where each bin is met first by segments that follow each other.
func (s *search) located(segments []*Segment) []spot {
	s.kept, s.have, s.spots = nil, newSet(len(s.bins)), make([]spot, len(s.bins))
	s.chain.restart()
	for _, g := range segments {
		s.append(g)
	}
	return s.spots
}

// together takes segments one by one.
func (s *search) together(segments []*Segment, need Set) (order []*Segment) {
	donors := s.located(segments)
	sets := make([]Set, len(segments))
	for k, g := range segments {
		sets[k] = s.measure(g)
	}
	s.chain.restart()
	have := newSet(len(s.bins))
	for taken := make([]bool, len(segments)); !have.holds(need); {
		open := need.without(have)
		best, most := -1, 0
		for k, g := range segments {
			if n := sets[k].common(open); !taken[k] && n > 0 &&
				(best < 0 || n*len(segments[best].Steps) > most*len(g.Steps)) {
				best, most = k, n
			}
		}
		if best < 0 {
			break
		}
		taken[best] = true
		g := s.enriched(segments[best], open, donors)
		s.chain.play(g.Steps)
		s.total += uint64(len(g.Steps))
		order, have = append(order, g), s.chain.met()
	}
	for k := 0; k < len(segments) && !have.holds(need); k++ { // what is met only behind others
		again := *segments[k]
		if more := s.measure(append(slices.Clip(order), &again)...); need.without(have).common(more) > 0 {
			order = append(order, &again)
			have = more
		}
	}
	return order
}

// enriched is a segment changed so that it meets more open bins a packet, on a device that was just reset. Donors lend
// what met one of them.
func (s *search) enriched(g *Segment, open Set, donors []spot) *Segment {
	now, set := *g, s.measure(g)
	for tries := 0; tries < enrichTries; tries++ {
		k := s.wanted(open.without(set), donors)
		if k < 0 {
			break
		}
		next := s.draws.combine(&now, &donors[k].segment.Steps[donors[k].step], s.at[k].group)
		met := s.measure(next)
		was, is := set.common(open)*len(next.Steps), met.common(open)*len(now.Steps)
		if is < was || s.probe.stuck(next.Steps) || !s.tidy.leaves(next.Steps) {
			continue
		}
		if now, set = *next, met; is > was {
			tries = 0
		}
	}
	return &now
}

// wanted draws one of bins that has a donor, -1 where none has.
func (s *search) wanted(bins Set, donors []spot) int {
	k := s.draws.rand.Below(len(s.bins))
	for range s.bins {
		if bins.has(k) && donors[k].segment != nil {
			return k
		}
		k = (k + 1) % len(s.bins)
	}
	return -1
}
