package guide

import (
	"bytes"
	"io"

	"hcacosim/cocosim/cover"
	"hcacosim/docs"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// packetsDrawn is how many cases are drawn at once of a scenario whose cases stand alone.
const packetsDrawn = 64

// kinds is how many kinds of episode of a scenario are told apart: generators have schedules that repeat.
const kinds = 8

// arm is a kind of segment that can be drawn.
type arm struct {
	scenario *scenario.Scenario
	kind     uint64
	yield    float64 // new bins a packet, of late
}

// drawer draws segments.
type drawer struct {
	target Target
	rand   scenario.Rand
	arms   []arm
	length map[string]uint64 // cases of an episode, by scenario
	fields []field           // of the record inputs
	inputs int
	worth  map[int][]int // by group and field: how often a change of it is tried
}

// field is a field of a record input.
type field struct {
	docs.Field
	port sim.Port
}

// scenariosOf are the scenarios that are for a stage.
func scenariosOf(stage string) (all []*scenario.Scenario) {
	list := scenario.All()
	for i := range list {
		if s := &list[i]; s.IsFor(stage) || s == scenario.Default(stage) {
			all = append(all, s)
		}
	}
	return all
}

func newDrawer(t Target, seed uint64) *drawer {
	d := &drawer{target: t, rand: scenario.NewRand(seed, 0), length: map[string]uint64{},
		worth: map[int][]int{}}
	for _, s := range scenariosOf(t.Spec.Name) {
		var c scenario.Case
		scenario.NewGenerator(s, 1).Make(0, &c)
		d.length[s.Name] = uint64(c.EpisodeLen())
		n := uint64(kinds)
		if c.EpisodeLen() == 1 {
			d.length[s.Name], n = packetsDrawn, 1
		}
		for k := range n {
			d.arms = append(d.arms, arm{s, k, 1})
		}
	}
	fields := cover.Fields(t.Spec.Name)
	for i, p := range t.Spec.Ports {
		if !p.Input {
			continue
		}
		d.inputs++
		if p.Kind != sim.Fields {
			continue
		}
		for _, f := range fields[p.Name] {
			d.fields = append(d.fields, field{f, sim.Port(i)})
		}
	}
	return d
}

// choose draws an arm, one with a better yield more often; none is ever given up.
func (d *drawer) choose() *arm {
	total := 0.0
	for i := range d.arms {
		total += d.arms[i].yield
	}
	const scale = 1 << 30
	at := float64(d.rand.Below(scale)) / scale * total
	for i := range d.arms {
		if at -= d.arms[i].yield; at < 0 {
			return &d.arms[i]
		}
	}
	return &d.arms[len(d.arms)-1]
}

// leastYield keeps an arm that has brought nothing for long alive.
const leastYield = 0.02

// learn tells how many new bins a segment of so many packets brought.
func (a *arm) learn(bins, packets int) {
	a.yield = max(leastYield, 0.7*a.yield+0.3*float64(bins)/float64(packets))
}

// draw draws a segment of an arm and plays it on a device that was just reset.
func (d *drawer) draw(a *arm, p *player) *Segment {
	s := &Segment{Scenario: a.scenario.Name, Seed: d.rand.Uint64() >> 16}
	episode, n := a.kind, d.length[s.Scenario]
	if n == packetsDrawn || d.rand.OneIn(2) {
		episode += kinds * uint64(d.rand.Below(64))
	}
	s.From = episode * n
	p.restart()
	s.Steps = lifted(p, a.scenario, s.Seed, s.From, n)
	return s
}

// lifted plays n cases of a generator from one on and returns them, places taken.
func lifted(p *player, sc *scenario.Scenario, seed, from, n uint64) (steps []Step) {
	source, err := vectors.NewGeneratedFrom(sc, p.target.Spec, seed, from, n)
	if err != nil {
		panic(err) // the scenarios were chosen for the stage
	}
	base := p.cycle
	var o sim.Offer
	for first := uint64(0); source.Next(&o) != io.EOF; {
		o.Data = bytes.Clone(o.Data)
		if len(steps) == 0 {
			first = o.NotBefore
		}
		o.NotBefore -= min(first, o.NotBefore)
		steps = append(steps, Step{o, p.lie.lift(o.Data)})
		p.take(&o, base)
	}
	return steps
}
