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
	fields []docs.Field      // of the first record input
	port   sim.Port          // that input
	worth  map[int][]int     // by group and field: how often a change of it is tried
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
		if p.Input && p.Kind == sim.Fields && fields[p.Name] != nil {
			d.fields, d.port = fields[p.Name], sim.Port(i)
			break
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

// change is a copy of a segment's steps up to one that met a neighbour of an open bin, with a field changed of that
// step, or of one shortly before.
func (d *drawer) change(s *Segment, at, group int) (*Segment, aim) {
	c := &Segment{Scenario: s.Scenario, Seed: s.Seed, From: s.From, Changed: true}
	c.Steps = append(c.Steps, s.Steps[:min(at+1, len(s.Steps))]...)
	of := aim{group, -1}
	for n := 1 + d.rand.Below(2); n > 0 && len(c.Steps) > 0; n-- {
		i := max(0, len(c.Steps)-1-d.rand.Below(2)*d.rand.Below(4))
		c.Steps[i].Data = bytes.Clone(c.Steps[i].Data)
		of.field = d.changeStep(&c.Steps[i], s.Steps[d.rand.Below(len(s.Steps))].Data, group)
	}
	return c, of
}

// changeStep changes a field of a record: by a bit, by a power of two, to its ends, to another record's, to
// anything. It returns which.
func (d *drawer) changeStep(s *Step, other []byte, group int) int {
	r := &d.rand
	k := d.field(group)
	if k < 0 || s.Port != d.port {
		switch {
		case s.NotBefore > 0 && (s.place.kind == 0 || r.OneIn(2)):
			s.NotBefore = uint64(max(1, int64(s.NotBefore)+int64(r.Between(-8, 8))))
		case s.place.kind != 0:
			s.place.diff = [...]int32{0, 1, -1, s.place.diff + 1, s.place.diff - 1, -s.place.diff, 1 << r.Below(24),
				-(1 << r.Below(24))}[r.Below(8)]
		}
		return -1
	}
	f := d.fields[k]
	width := f.High - f.Low + 1
	switch kind := r.Below(6); kind {
	case 5:
		add(s.Data, f.Low, f.High, r.Below(width), r.OneIn(2))
	case 0:
		flip(s.Data, f.Low+r.Below(width))
	case 1, 2, 3:
		for i := range width {
			put(s.Data, f.Low+i, [...]int{1: 0, 2: 1, 3: r.Below(2)}[kind])
		}
	case 4:
		for i := f.Low; i <= f.High && i/8 < len(other); i++ {
			put(s.Data, i, int(other[i/8]>>(i%8)&1))
		}
	}
	return k
}

// field draws a field to change for a bin of a group, -1 for the place: one that has brought bins of the group more
// often.
func (d *drawer) field(group int) int {
	w := d.weights(group)
	total := 0
	for _, n := range w {
		total += n
	}
	at := d.rand.Below(total)
	for k, n := range w {
		if at -= n; at < 0 {
			return k - 1
		}
	}
	return -1
}

// weights are of a group's fields, the place first.
func (d *drawer) weights(group int) []int {
	if d.worth[group] == nil {
		d.worth[group] = make([]int, 1+len(d.fields))
		for k := range d.worth[group] {
			d.worth[group][k] = 4
		}
	}
	return d.worth[group]
}

// mostWorth bounds how much more often a field is changed than others.
const mostWorth = 256

// credit notes whether a change brought something.
func (d *drawer) credit(of aim, kept bool) {
	if w := d.weights(of.group); kept {
		w[1+of.field] = min(mostWorth, w[1+of.field]+16)
	}
}

func flip(b []byte, bit int) { b[bit/8] ^= 1 << (bit % 8) }

func put(b []byte, bit, v int) { b[bit/8] = b[bit/8]&^(1<<(bit%8)) | byte(v)<<(bit%8) }

// add adds a power of two to a field, or takes it away, modulo the field's width.
func add(b []byte, low, high, power int, minus bool) {
	for i := low + power; i <= high; i++ {
		old := b[i/8] >> (i % 8) & 1
		flip(b, i)
		if (old == 0) != minus { // no carry, no borrow
			return
		}
	}
}
