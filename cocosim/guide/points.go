package guide

import (
	"bytes"
	"io"
	"slices"

	"hcacosim/model/sim"
	"hcacosim/vectors"
)

// Probe plays records on a device that was just reset and gives the points of its RTL (lines, branches, toggles) that
// they reached. A point has the same place in every set.
type Probe func(records []sim.Offer) (Set, error)

// PointOptions bound a search for points of the RTL.
type PointOptions struct {
	Seed uint64
	// Tries is how many segments are played on the RTL.
	Tries int
	// Watch is told of what the search for bins reaches, and of every segment that is kept: how many were played, and
	// points reached by what is kept; may be nil.
	Watch func(tried, reached int)
}

// PointResult is what a search for points found: the segments of a search for bins, and behind them those that reach
// more of the RTL.
type PointResult struct {
	*Result
	Added  int // segments behind those of the search for bins
	Before Set // points that the search for bins reached by itself
	Points Set // points of all, played once from a reset
	Tries  int // plays on the RTL
}

// pointSearch is one under way. Segments are measured each by itself, from a reset.
type pointSearch struct {
	target Target
	probe  Probe
	draws  *drawer
	model  *player // draws are played on it
	have   Set
	kept   []*Segment
	sets   []Set // of what is kept
	tries  int
}

// SearchPoints goes on where a search for bins ended: it draws episodes and changes fields of what was kept, plays each
// on the RTL and keeps what reaches a point that nothing before it did.
func SearchPoints(found *Result, probe Probe, o PointOptions) (*PointResult, error) {
	s := &pointSearch{target: found.Target, probe: probe, draws: newDrawer(found.Target, o.Seed),
		model: newPlayer(found.Target)}
	before, err := s.play(found.Segments...)
	if err != nil {
		return nil, err
	}
	s.have = slices.Clone(before)
	if o.Watch != nil {
		o.Watch(s.tries, s.have.Len())
	}
	for s.tries < o.Tries {
		kept, err := s.try(found.Segments)
		if err != nil {
			return nil, err
		}
		if kept && o.Watch != nil {
			o.Watch(s.tries, s.have.Len())
		}
	}
	ranked := s.rank(before)
	all := *found
	all.Segments = slices.Concat(found.Segments, ranked)
	r := &PointResult{Result: &all, Added: len(ranked), Before: before}
	if r.Points, err = s.play(all.Segments...); err != nil {
		return nil, err
	}
	r.Met, r.Tries = s.model.measure(all.Segments...), s.tries
	return r, nil
}

// play plays segments one behind the other on the RTL.
func (s *pointSearch) play(segments ...*Segment) (Set, error) {
	s.tries++
	return s.probe((&Result{Target: s.target, Segments: segments}).Offers())
}

// try draws a segment, or changes one that was kept, and keeps it if it reaches something new.
func (s *pointSearch) try(start []*Segment) (bool, error) {
	r := &s.draws.rand
	var seg *Segment
	var from *arm
	if corpus := len(start) + len(s.kept); corpus == 0 || len(s.draws.fields) == 0 || r.OneIn(2) {
		from = s.draws.choose()
		seg = s.draws.draw(from, s.model)
	} else {
		k := r.Below(corpus)
		old := slices.Concat(start, s.kept)[k]
		seg, _ = s.draws.change(old, r.Below(len(old.Steps)), 0, nil, false)
	}
	reached, err := s.play(seg)
	if err != nil {
		return false, err
	}
	if len(s.have) == 0 {
		s.have = make(Set, len(reached))
	}
	fresh := reached.beyond(s.have)
	if from != nil {
		from.learn(fresh, len(seg.Steps))
	}
	if fresh == 0 {
		return false, nil
	}
	if seg.Steps, reached, err = s.shorter(seg, reached); err != nil {
		return false, err
	}
	seg.Steps = opened(s.model.lie, seg.Steps)
	s.kept, s.sets = append(s.kept, seg), append(s.sets, reached)
	s.have.Join(reached)
	return true, nil
}

// shorter takes steps out of a segment, halves first, as long as it reaches every new point that it did.
func (s *pointSearch) shorter(seg *Segment, reached Set) ([]Step, Set, error) {
	need := slices.Clone(reached)
	for i := range need {
		need[i] &^= s.have[i]
	}
	steps := slices.Clone(seg.Steps)
	for chunk := len(steps) / 2; chunk > 0; chunk /= 2 {
		for at := 0; at < len(steps) && len(steps) > chunk; {
			cut := slices.Delete(slices.Clone(steps), at, min(at+chunk, len(steps)))
			set, err := s.play(&Segment{Steps: cut})
			if err != nil {
				return nil, nil, err
			}
			if set.holds(need) {
				steps, reached = cut, set
				continue
			}
			at += chunk
		}
	}
	return steps, reached, nil
}

// rank orders what was kept, each time the segment that reaches most new points a packet, and leaves out those whose
// points the others reach.
func (s *pointSearch) rank(have Set) (order []*Segment) {
	have = slices.Clone(have)
	left := make([]int, len(s.kept))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		best, most, at := -1, 0, 0
		for i, k := range left {
			n := s.sets[k].beyond(have)
			if best < 0 || n*len(s.kept[best].Steps) > most*len(s.kept[k].Steps) {
				best, most, at = k, n, i
			}
		}
		if most == 0 {
			break
		}
		order = append(order, s.kept[best])
		have.Join(s.sets[best])
		left = slices.Delete(left, at, at+1)
	}
	return order
}

// Chance are the first n records of a stage's scenarios under a seed, in equal parts, as a device takes them.
func Chance(t Target, seed, n uint64) (all [][]sim.Offer) {
	list := turns(t.Spec.Name)
	for _, s := range list {
		g, err := vectors.NewGenerated(s, t.Spec, seed, n/uint64(len(list)))
		if err != nil {
			panic(err) // the scenarios were chosen for the stage
		}
		var records []sim.Offer
		var o sim.Offer
		for g.Next(&o) != io.EOF {
			o.Data = bytes.Clone(o.Data)
			records = append(records, o)
		}
		all = append(all, records)
	}
	return all
}
