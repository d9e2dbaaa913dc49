package guide

import (
	"io"

	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// Curve is when bins were met: Packets[k] is how many packets it took until k+1 of them were. CPU, where a clock was
// given, is the time that had passed then, in seconds.
type Curve struct {
	Packets []uint64
	CPU     []float64
	Met     Set
	All     uint64 // packets in all
}

// until is after how many packets so many bins were met; 0 where they never were.
func (c *Curve) until(bins int) uint64 {
	if bins < 1 || bins > len(c.Packets) {
		return 0
	}
	return c.Packets[bins-1]
}

// note notes what was met by now.
func (c *Curve) note(met int, packets uint64, clock func() float64) {
	for len(c.Packets) < met {
		c.Packets = append(c.Packets, packets)
		if clock != nil {
			c.CPU = append(c.CPU, clock())
		}
	}
}

// Replay is the curve of what a search found, played once.
func (r *Result) Replay() *Curve {
	p := newPlayer(r.Target)
	p.restart()
	c := &Curve{}
	for _, g := range r.Segments {
		base := p.base(g.Steps)
		for i := range g.Steps {
			p.step(&g.Steps[i], base)
			c.note(p.cover.Met(), p.played, nil)
		}
	}
	c.Met, c.All = p.met(), p.played
	return c
}

// Offers are the records that a search found, as a device takes them.
func (r *Result) Offers() (all []sim.Offer) {
	p := newPlayer(r.Target)
	p.restart()
	for _, g := range r.Segments {
		base := p.base(g.Steps)
		for i := range g.Steps {
			o := g.Steps[i].Offer
			p.step(&g.Steps[i], base)
			o.Data = append([]byte(nil), p.last...)
			o.Seq = p.one[0].Seq
			if o.NotBefore > 0 {
				o.NotBefore += base
			}
			all = append(all, o)
		}
	}
	return all
}

// randomTurn is how many records of a scenario come before the next scenario's, where a stage has several.
const randomTurn = 2048

// Random is the curve of the stage's scenarios under a seed, as a regression plays them: each from its first record on,
// on a device of its own, in turns where there are several.
func Random(t Target, seed, count uint64, clock func() float64) *Curve {
	c := &Curve{}
	var sources []*vectors.Generated
	var players []*player
	for _, s := range turns(t.Spec.Name) {
		g, err := vectors.NewGenerated(s, t.Spec, seed, count)
		if err != nil {
			panic(err) // the scenarios were chosen for the stage
		}
		p := newPlayer(t)
		p.restart()
		sources, players = append(sources, g), append(players, p)
	}
	c.Met = newSet(len(players[0].bins))
	for k := 0; c.All < count; k = (k + 1) % len(sources) {
		p := players[k]
		for range min(randomTurn, count-c.All) {
			var o sim.Offer
			if sources[k].Next(&o) == io.EOF {
				break
			}
			before := p.cover.Met()
			p.take(&o, 0)
			if c.All++; p.cover.Met() > before {
				c.Met.Join(p.met())
				c.note(c.Met.Len(), c.All, clock)
			}
		}
	}
	return c
}

// turns are the scenarios that Random plays: mix stands for its parts. Insert has frames that are still without an
// ICRC, and what icrc_insert does with others is in mix.
func turns(stage string) (all []*scenario.Scenario) {
	first := scenario.Default(stage)
	if first.Name == "insert" {
		return []*scenario.Scenario{first, scenario.Default("icrc_check")}
	}
	if first.Input == sim.Axis {
		return []*scenario.Scenario{first}
	}
	return scenariosOf(stage)
}
