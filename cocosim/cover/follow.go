package cover

import (
	"slices"

	"hcacosim/model/sim"
	"hcacosim/vectors"
)

// Follower says what each record of a vector set exercises: every bin that it was in, but how long it waited and the
// values of its bits, which all records have.
type Follower struct {
	*Observer
	ports []string
	skip  map[*Group]bool
	all   []vectors.Exercise
}

// NewFollower makes the follower of a stage.
func NewFollower(spec *sim.StageSpec, settings sim.Settings) *Follower {
	f := &Follower{Observer: New(spec, settings), skip: map[*Group]bool{}}
	f.skip[f.pace], f.skip[f.stalls] = true, true
	for _, b := range f.bits {
		f.skip[b.group] = true
	}
	f.Unjudged()
	f.NeverWaits()
	for _, p := range spec.Ports {
		f.ports = append(f.ports, p.Name)
	}
	f.note = f.exercise
	return f
}

func (f *Follower) exercise(g *Group, b *Bin) {
	if f.skip[g] {
		return
	}
	port := f.ports[f.from]
	if n := len(f.all); n == 0 || f.all[n-1].Port != port || f.all[n-1].Seq != f.record {
		f.all = append(f.all, vectors.Exercise{Port: port, Seq: f.record})
	}
	x := &f.all[len(f.all)-1]
	x.Bins = append(x.Bins, g.Name+": "+b.Name)
	for _, rule := range b.Rules {
		if !slices.Contains(x.Rules, rule) {
			x.Rules = append(x.Rules, rule)
		}
	}
}

// Exercised is what the records since the last call exercise, a line for each that a bin was met by.
func (f *Follower) Exercised() []vectors.Exercise {
	all := f.all
	f.all = f.all[:0]
	return all
}
