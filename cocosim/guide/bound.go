package guide

import (
	"io"
	"slices"

	"hcacosim/model/sim"
	"hcacosim/vectors"
)

// apart are bins no two of which one packet met: a set has no fewer packets than it meets of them.
type apart struct {
	player *player
	beside []Set // by bin: what a packet met that met it, itself included
	hits   []uint64
}

// apartRecords is how many records of chance are looked at.
const apartRecords = 20_000

// apartOf counts bins that are apart, of what found sets meet and the scenarios' first records. It takes those first
// that the fewest are met beside.
func apartOf(t Target, found []*Result) (n int) {
	a := &apart{player: newPlayer(t)}
	p := a.player
	a.beside, a.hits = make([]Set, len(p.bins)), make([]uint64, len(p.bins))
	for _, r := range found {
		p.restart()
		for _, s := range r.Segments {
			base := p.base(s.Steps)
			for k := range s.Steps {
				a.see(func() { p.step(&s.Steps[k], base) })
			}
		}
	}
	a.chance()
	for left := a.seen(); left.Len() > 0; n++ {
		best, fewest := -1, 0
		for k := range p.bins {
			if left.has(k) {
				if beside := a.beside[k].common(left); best < 0 || beside < fewest {
					best, fewest = k, beside
				}
			}
		}
		left = left.without(a.beside[best])
	}
	return n
}

func (a *apart) chance() {
	p := a.player
	list := turns(p.target.Spec.Name)
	for _, s := range list {
		source, err := vectors.NewGenerated(s, p.target.Spec, 1, apartRecords/uint64(len(list)))
		if err != nil {
			panic(err) // the scenarios were chosen for the stage
		}
		p.restart()
		var o sim.Offer
		for source.Next(&o) != io.EOF {
			a.see(func() { p.take(&o, 0) })
		}
	}
}

// seen are the bins that were met.
func (a *apart) seen() Set {
	all := newSet(len(a.beside))
	for k, s := range a.beside {
		if s != nil {
			all.add(k)
		}
	}
	return all
}

// see notes which bins one packet meets.
func (a *apart) see(packet func()) {
	bins := a.player.bins
	for k, b := range bins {
		a.hits[k] = b.Hits
	}
	packet()
	met := newSet(len(bins))
	for k, b := range bins {
		if b.Hits > a.hits[k] {
			met.add(k)
		}
	}
	for k := range bins {
		switch {
		case !met.has(k):
		case a.beside[k] == nil:
			a.beside[k] = slices.Clone(met)
		default:
			a.beside[k].Join(met)
		}
	}
}
