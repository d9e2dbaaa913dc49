package flow

import "slices"

// maxGaps is how many gaps of a flow are kept for the median; least, most and count go over all.
const maxGaps = 256

// gaps are times from the start of a timer to what the requester did when it ran out.
type gaps struct {
	count       uint64
	least, most int64
	kept        []int64
	below       uint64 // of count: under what the timer may take at least
	bound       int64  // what it may take at least, of the last one
}

func (g *gaps) add(ns, bound int64) {
	if g.count == 0 || ns < g.least {
		g.least = ns
	}
	g.count++
	g.most = max(g.most, ns)
	g.bound = bound
	if ns < bound {
		g.below++
	}
	if len(g.kept) < maxGaps {
		g.kept = append(g.kept, ns)
	}
}

// addGap adds to gaps that most flows have none of.
func addGap(at **gaps, ns, bound int64) {
	if *at == nil {
		*at = new(gaps)
	}
	(*at).add(ns, bound)
}

func (g *gaps) median() int64 {
	if len(g.kept) == 0 {
		return 0
	}
	sorted := slices.Clone(g.kept)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
