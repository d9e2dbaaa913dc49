package timed

import "hcacosim/model/sim"

// source drives an input port: the arrivals of it in their order, beat by beat. A beat that is offered stays until it
// is accepted.
type source struct {
	port     sim.Port
	arrivals []Arrival
	next     int
	done     uint32 // beats of the arrival that were accepted
	beats    uint32
	offering bool
	what     *token
}

func (s *source) add(a Arrival) {
	if s.next == len(s.arrivals) {
		s.arrivals, s.next = s.arrivals[:0], 0
	}
	s.arrivals = append(s.arrivals, a)
}

// hasMore reports whether an arrival was not accepted in full.
func (s *source) hasMore() bool { return s.next < len(s.arrivals) }

// offers reports whether a beat is at the port in this clock. It belongs to the first phase: it changes only what the
// source alone reads.
func (s *source) offers(p *Pipeline) bool {
	if s.offering {
		return true
	}
	if s.next == len(s.arrivals) || p.now == 0 {
		return false
	}
	a := &s.arrivals[s.next]
	if s.done == 0 {
		s.beats = 1
		if s.port == Frames || s.port == ReadData {
			s.beats = max(1, uint32(len(a.Data)+int(p.beatBytes)-1)/p.beatBytes)
		}
	}
	s.offering = s.begins(p, a)
	return s.offering
}

// begins reports whether the next beat of an arrival may be offered. Of one whose clocks are given the first and the
// last beat are known to come then.
func (s *source) begins(p *Pipeline, a *Arrival) bool {
	switch {
	case a.Given && s.done == 0:
		return p.now >= a.Start
	case a.Given && s.done+1 == s.beats:
		return p.now >= a.End
	case s.done == 0 && p.now < a.NotBefore:
		return false
	}
	return p.cfg.Held == nil || !p.cfg.Held(s.port, p.now)
}

// accept takes the beat that is offered and returns its token, and whether it was the last.
func (s *source) accept(p *Pipeline) (what *token, last bool) {
	a := &s.arrivals[s.next]
	if s.done == 0 {
		s.what = p.begin(s.port, a)
		s.what.in.Start = p.now
	}
	s.done++
	s.offering = false
	last = s.done == s.beats
	if last {
		s.what.in.End = p.now
		s.done = 0
		s.next++
		p.echo(s.what)
	}
	return s.what, last
}

// wakes is the first clock from now on in which the source may have something to offer.
func (s *source) wakes(now uint64) uint64 {
	if s.next == len(s.arrivals) {
		return never
	}
	if a := &s.arrivals[s.next]; s.done == 0 && !s.offering {
		if a.Given {
			return max(now, a.Start)
		}
		return max(now, a.NotBefore)
	}
	return now
}
