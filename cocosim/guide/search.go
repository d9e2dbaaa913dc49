package guide

import (
	"slices"

	"hcacosim/model/sim"
)

// Options bound a search.
type Options struct {
	Seed uint64
	// Patience is how many packets may be tried in a row without anything new before the search ends; 0 is
	// DefaultPatience. What is played to cut segments down does not count.
	Patience uint64
	// Stop ends the search early when it says so; may be nil.
	Stop func() bool
	// Watch is told of every segment that is kept: packets played so far, and bins met by what is kept.
	Watch func(played uint64, met int)
}

// DefaultPatience ends a search.
const DefaultPatience = 2_000_000

// Result is what a search found: segments in the order that meets most bins in the fewest packets.
type Result struct {
	Target   Target
	Segments []*Segment
	Met      Set
	Bins     int    // that the stage waits for
	Tried    int    // segments
	Played   uint64 // packets on the golden model in all
}

// search is a search under way.
type search struct {
	*player         // measures
	chain   *player // what is kept, one behind the other
	probe   *probe  // nil where records enter by one port
	tidy    *tidy   // nil where it does not matter how a segment leaves the device
	draws   *drawer
	kept    []*Segment
	index   map[where]int // of bins in spots, from 1
	spots   []spot        // where a bin was met first, by bin
	have    Set
	total   uint64
	tried   uint64 // packets of segments that were drawn or changed
	rounds  int
}

// spot is a step of a segment that is kept; nil is none.
type spot struct {
	segment *Segment
	step    int
}

// Search looks for segments until nothing new comes.
func Search(t Target, o Options) *Result {
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	s := &search{player: newPlayer(t), chain: newPlayer(t), draws: newDrawer(t, o.Seed)}
	s.have = newSet(len(s.bins))
	s.spots, s.index = make([]spot, len(s.bins)), map[where]int{}
	for k, w := range s.at {
		s.index[w] = k + 1
	}
	s.probe, s.tidy = newProbe(s.draws), newTidy(s.draws)
	s.chain.restart()
	for last := uint64(0); s.tried-last < o.Patience && s.have.Len() < len(s.bins); s.rounds++ {
		if o.Stop != nil && o.Stop() {
			break
		}
		if s.try() {
			last = s.tried
			if o.Watch != nil {
				o.Watch(s.spent(), s.have.Len())
			}
		}
	}
	pool := copies(s.kept)
	s.kept = s.polish(s.minimize(s.kept), pool)
	r := &Result{Target: t, Segments: s.kept, Bins: len(s.bins), Tried: s.rounds}
	r.Met = s.measure(s.kept...)
	r.Played = s.spent()
	return r
}

func (s *search) spent() uint64 { return s.total + s.played }

// measure is what segments meet on a device that was just reset; it notes what it played.
func (s *search) measure(segments ...*Segment) Set {
	s.total += s.played
	s.played = 0
	return s.player.measure(segments...)
}

// try draws a segment, or changes one, and keeps it if it brings something new.
func (s *search) try() bool {
	if len(s.kept) > 0 && len(s.draws.fields) > 0 && s.rounds%8 != 0 && s.have.Len()*4 > len(s.bins)*3 {
		if c, of := s.neighbour(); c != nil {
			s.tried += uint64(len(c.Steps))
			kept := s.keep(c)
			s.draws.credit(of, kept)
			return kept
		}
	}
	a := s.draws.choose()
	s.total += s.played
	seg := s.draws.draw(a, s.player)
	n := len(seg.Steps)
	s.tried += uint64(n)
	fresh := s.met().beyond(s.have)
	a.learn(fresh, n)
	return fresh > 0 && s.keep(seg)
}

// keep cuts a segment down and appends it to the chain, if it brings something there.
func (s *search) keep(seg *Segment) bool {
	if s.measure(seg).beyond(s.have) == 0 || s.probe.stuck(seg.Steps) || !s.tidy.left(seg.Steps) {
		return false
	}
	whole := *seg
	seg.Steps = s.tidy.ended(opened(s.lie, s.densest(nil, seg)))
	if s.append(seg) {
		return true
	}
	s.rechain()
	behind := s.recent()
	whole.Steps = opened(s.lie, whole.Steps)
	if s.measure(behind, &whole).beyond(s.have) == 0 {
		return false
	}
	whole.Steps = s.densest(behind, &whole)
	if s.append(&whole) {
		return true
	}
	s.rechain()
	return false
}

// rechain plays the chain again, without what was played behind it last.
func (s *search) rechain() {
	s.chain.restart()
	for _, g := range s.kept {
		s.chain.play(g.Steps)
	}
	s.total += s.chain.played
}

// recentSteps bounds what stands for the whole chain where a segment is cut down behind it.
const recentSteps = 256

// recent is the end of the chain.
func (s *search) recent() *Segment {
	g := &Segment{}
	for k := len(s.kept) - 1; k >= 0 && len(g.Steps) < recentSteps; k-- {
		steps := slices.Clone(s.kept[k].Steps)
		g.Steps = append(steps, g.Steps...)
	}
	return g
}

// append plays a segment behind the chain, and notes where it met what.
func (s *search) append(seg *Segment) bool {
	base, before := s.chain.base(seg.Steps), s.have.Len()
	for i := range seg.Steps {
		met := s.chain.cover.Met()
		s.chain.step(&seg.Steps[i], base)
		if s.chain.cover.Met() == met {
			continue
		}
		for k, b := range s.chain.bins {
			if b.Hits > 0 && !s.have.has(k) {
				s.have.add(k)
				s.spots[k] = spot{seg, i}
			}
		}
	}
	s.total += uint64(len(seg.Steps))
	if s.have.Len() == before {
		return false
	}
	s.kept = append(s.kept, seg)
	return true
}

// opened puts before steps what resets their QPs: behind other segments they then mean the same.
func opened(lie relative, steps []Step) []Step {
	var open []Step
	seen := map[string]bool{}
	for i := range steps {
		data := lie.fresh(steps[i].Data)
		if data == nil || seen[string(data)] {
			continue
		}
		seen[string(data)] = true
		open = append(open, Step{Offer: sim.Offer{Port: steps[i].Port, Data: data}})
	}
	if timed(steps) {
		steps = slices.Clone(steps)
		for i := range steps {
			steps[i].NotBefore += uint64(len(open)+phase-1) / phase * phase
		}
	}
	return append(open, steps...)
}

// densest takes steps out of a segment as long as it then meets more new bins a packet, behind another one or, where
// that is nil, on a device that was just reset.
func (s *search) densest(behind, seg *Segment) []Step {
	met := func(steps []Step) int {
		if behind == nil {
			return s.measure(&Segment{Steps: steps}).beyond(s.have)
		}
		return s.measure(behind, &Segment{Steps: steps}).beyond(s.have)
	}
	steps, best := slices.Clone(seg.Steps), met(seg.Steps)
	for chunk := len(steps) / 2; chunk > 0; chunk /= 2 {
		for at := 0; at < len(steps); {
			end := min(at+chunk, len(steps))
			if end-at == len(steps) {
				break
			}
			shorter := slices.Delete(slices.Clone(steps), at, end)
			if n := met(shorter); n*len(steps) >= best*len(shorter) && n > 0 && !s.probe.stuck(shorter) &&
				s.tidy.left(shorter) {
				steps, best = shorter, n
				continue
			}
			at = end
		}
	}
	return steps
}

// neighbour is a kept segment that met a bin near one that is open, its record there changed: near is what differs in
// one axis of its group. What has that axis right, and the others wrong, lends its fields.
func (s *search) neighbour() (*Segment, aim) {
	r := &s.draws.rand
	open := r.Below(len(s.bins))
	for n := 0; s.have.has(open); n++ {
		if open = (open + 1) % len(s.bins); n == len(s.bins) {
			return nil, aim{}
		}
	}
	w := s.at[open]
	sizes := s.chain.cover.Groups[w.group].Values()
	axis, below := r.Below(len(sizes)), 1
	for _, n := range sizes[axis+1:] {
		below *= n
	}
	now := w.bin / below % sizes[axis]
	near := s.spotOf(w.group, w.bin+(r.Below(sizes[axis])-now)*below)
	total := len(s.chain.cover.Groups[w.group].Bins)
	lender := s.spotOf(w.group, r.Below(total/(below*sizes[axis]))*below*sizes[axis]+now*below+r.Below(below))
	if near.segment == nil {
		if near = s.spotOf(w.group, r.Below(total)); near.segment == nil {
			return nil, aim{}
		}
	}
	var other *Step
	if lender.segment != nil {
		other = &lender.segment.Steps[lender.step]
	}
	return s.draws.change(near.segment, near.step, w.group, other, s.tidy != nil)
}

// spotOf is where a bin of a group was met first.
func (s *search) spotOf(group, bin int) spot {
	if k := s.index[where{group, bin}]; k > 0 {
		return s.spots[k-1]
	}
	return spot{}
}
