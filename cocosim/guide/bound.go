package guide

import (
	"io"

	"hcacosim/model/sim"
	"hcacosim/vectors"
)

// groups is how many bins of each group of a sheet are met, and how many of them one packet met at most.
type groups struct {
	met, most []int
}

// boundRecords is how many records of each scenario are looked at for what one packet meets at most.
const boundRecords = 4096

// boundOf looks at what was found and at the scenarios. all are the bins that count.
func boundOf(t Target, all Set, runs []ClosureRun) groups {
	p := newPlayer(t)
	g := groups{make([]int, len(p.cover.Groups)), make([]int, len(p.cover.Groups))}
	for k, w := range p.at {
		if all.has(k) {
			g.met[w.group]++
		}
	}
	for i := range runs {
		p.restart()
		for _, s := range runs[i].found.Segments {
			base := p.base(s.Steps)
			for k := range s.Steps {
				g.see(p, all, func() { p.step(&s.Steps[k], base) })
			}
		}
	}
	for _, s := range turns(t.Spec.Name) {
		source, err := vectors.NewGenerated(s, t.Spec, 1, boundRecords)
		if err != nil {
			panic(err) // the scenarios were chosen for the stage
		}
		p.restart()
		var o sim.Offer
		for source.Next(&o) != io.EOF {
			g.see(p, all, func() { p.take(&o, 0) })
		}
	}
	return g
}

// see counts by group the bins that one packet hits.
func (g *groups) see(p *player, all Set, packet func()) {
	before := make([]uint64, len(p.bins))
	for k, b := range p.bins {
		before[k] = b.Hits
	}
	packet()
	hit := make([]int, len(g.most))
	for k, b := range p.bins {
		if all.has(k) && b.Hits > before[k] {
			hit[p.at[k].group]++
		}
	}
	for k, n := range hit {
		g.most[k] = max(g.most[k], n)
	}
}

// least is how many packets no set of so many bins can do with less than: each of a group's bins that it may not leave
// out takes its share of a packet.
func (g *groups) least(total, bins int) (packets int) {
	for k, n := range g.met {
		if left := n - (total - bins); left > 0 && g.most[k] > 0 {
			packets = max(packets, (left+g.most[k]-1)/g.most[k])
		}
	}
	return packets
}
