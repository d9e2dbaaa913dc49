package guide

import (
	"slices"

	"hcacosim/model/sim"
)

// Options bound a search.
type Options struct {
	Seed uint64
	// Patience is how many packets may be played in a row without anything new before the search ends; 0 is
	// DefaultPatience.
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
	draws   *drawer
	kept    []*Segment
	starts  []uint64 // of the segments in the chain
	have    Set
	total   uint64
	rounds  int
}

// Search looks for segments until nothing new comes.
func Search(t Target, o Options) *Result {
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	s := &search{player: newPlayer(t), chain: newPlayer(t), draws: newDrawer(t, o.Seed)}
	s.have = newSet(len(s.bins))
	s.probe = newProbe(s.draws)
	s.chain.restart()
	for last := uint64(0); s.spent()-last < o.Patience && s.have.Len() < len(s.bins); s.rounds++ {
		if o.Stop != nil && o.Stop() {
			break
		}
		if s.try() {
			last = s.spent()
			if o.Watch != nil {
				o.Watch(s.spent(), s.have.Len())
			}
		}
	}
	s.kept = s.minimize(s.kept)
	r := &Result{Target: t, Segments: s.kept, Bins: len(s.bins), Tried: s.rounds}
	r.Met = s.measure(s.kept...)
	r.Played = s.spent()
	return r
}

func (s *search) spent() uint64 { return s.total + s.played }

// again restarts the measuring player and notes what it played.
func (s *search) measure(segments ...*Segment) Set {
	s.total += s.played
	s.played = 0
	return s.player.measure(segments...)
}

// try draws a segment, or changes one, and keeps it if it brings something new.
func (s *search) try() bool {
	if len(s.kept) > 0 && len(s.draws.fields) > 0 && s.rounds%8 != 0 && s.have.Len()*4 > len(s.bins)*3 {
		if c, of := s.neighbour(); c != nil {
			kept := s.keep(c)
			s.draws.credit(of, kept)
			return kept
		}
	}
	a := s.draws.choose()
	s.total += s.played
	seg := s.draws.draw(a, s.player)
	n := len(seg.Steps)
	fresh := s.met().beyond(s.have)
	a.learn(fresh, n)
	return fresh > 0 && s.keep(seg)
}

// keep cuts a segment down and appends it to the chain, if it brings something there.
func (s *search) keep(seg *Segment) bool {
	if s.measure(seg).beyond(s.have) == 0 {
		return false
	}
	seg.Steps = opened(s.lie, s.densest(seg))
	s.starts = append(s.starts, s.chain.played)
	s.chain.play(seg.Steps)
	s.kept = append(s.kept, seg)
	s.total += uint64(len(seg.Steps))
	before := s.have.Len()
	s.have.Join(s.chain.met())
	return s.have.Len() > before
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

// densest takes steps out of a segment as long as it then meets more new bins a packet.
func (s *search) densest(seg *Segment) []Step {
	steps, best := slices.Clone(seg.Steps), s.measure(seg).beyond(s.have)
	for chunk := len(steps) / 2; chunk > 0; chunk /= 2 {
		for at := 0; at < len(steps); {
			end := min(at+chunk, len(steps))
			if end-at == len(steps) {
				break
			}
			shorter := slices.Delete(slices.Clone(steps), at, end)
			if n := s.measure(&Segment{Steps: shorter}).beyond(s.have); n*len(steps) >= best*len(shorter) && n > 0 &&
				!s.probe.stuck(shorter) {
				steps, best = shorter, n
				continue
			}
			at = end
		}
	}
	return steps
}

// aim is what a change is for: an open bin's group, and the field that was changed.
type aim struct {
	group int
	field int // of the record, -1: its place
}

// neighbour is a kept segment that met a bin near one that is open, its record there changed: near is what differs in
// one axis of its group.
func (s *search) neighbour() (*Segment, aim) {
	r := &s.draws.rand
	open := r.Below(len(s.bins))
	for n := 0; s.have.has(open); n++ {
		if open = (open + 1) % len(s.bins); n == len(s.bins) {
			return nil, aim{}
		}
	}
	w := s.at[open]
	group := s.chain.cover.Groups[w.group]
	values := group.Values()
	axis, below := r.Below(len(values)), 1
	for _, n := range values[axis+1:] {
		below *= n
	}
	now := w.bin / below % values[axis]
	first := group.Bins[w.bin+(r.Below(values[axis])-now)*below].First
	if first == nil {
		return nil, aim{}
	}
	k, found := slices.BinarySearch(s.starts, first.Record)
	if !found {
		k--
	}
	if k < 0 || k >= len(s.kept) {
		return nil, aim{}
	}
	return s.draws.change(s.kept[k], int(first.Record-s.starts[k]), w.group)
}
