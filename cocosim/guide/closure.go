package guide

import (
	"cmp"
	"slices"
)

// Closure is how fast a stage's coverage closes by chance and by search, a run a seed.
type Closure struct {
	Target Target
	Bins   int // met by any of the runs
	Runs   []ClosureRun
	Apart  int // bins no two of which one packet met
}

// ClosureRun is both under one seed.
type ClosureRun struct {
	Seed           uint64
	Random, Guided *Curve  // Guided is what was found, played once
	Searched       []Point // while the search ran
	SearchCPU      float64 // seconds of the whole search
	SearchPackets  uint64  // played on the golden model
}

// Point is a moment of a search.
type Point struct {
	CPU float64 // seconds
	Met int     // bins
}

// Shares are the parts of the reachable bins that a closure is measured at.
var Shares = []float64{0.90, 0.95, 0.99, 1}

// Close measures a stage under seeds 1 to n: chance with at most count packets, and clock the CPU seconds that have
// passed.
func Close(t Target, n, count, patience uint64, clock func() float64) *Closure {
	c := &Closure{Target: t}
	var all Set
	var found []*Result
	for seed := uint64(1); seed <= n; seed++ {
		run := ClosureRun{Seed: seed}
		start := clock()
		since := func() float64 { return clock() - start }
		r := Search(t, Options{Seed: seed, Patience: patience, Watch: func(_ uint64, met int) {
			run.Searched = append(run.Searched, Point{since(), met})
		}})
		run.SearchCPU, run.SearchPackets = since(), r.Played
		run.Guided = r.Replay()
		start = clock()
		run.Random = Random(t, seed, count, since)
		if all == nil {
			all = newSet(r.Bins)
		}
		all.Join(run.Guided.Met)
		all.Join(run.Random.Met)
		c.Runs, found = append(c.Runs, run), append(found, r)
	}
	c.Bins, c.Apart = all.Len(), apartOf(t, found)
	return c
}

// bins is how many bins a share of the reachable ones is.
func (c *Closure) bins(share float64) int { return int(share*float64(c.Bins) + 0.999999) }

// least is how many packets every set has that has a share: no fewer than the bins that are apart and not left out.
func (c *Closure) least(share float64) int { return max(1, c.Apart-(c.Bins-c.bins(share))) }

// median is the median of packets until a share, over the seeds; false where most seeds never got there.
func (c *Closure) median(share float64, curve func(*ClosureRun) *Curve) (uint64, bool) {
	var all []uint64
	for i := range c.Runs {
		n := curve(&c.Runs[i]).until(c.bins(share))
		if n == 0 {
			n = 1<<64 - 1
		}
		all = append(all, n)
	}
	slices.Sort(all)
	m := all[len(all)/2]
	return m, m != 1<<64-1
}

// within is the part of the reachable bins that chance met in as much CPU time as the search of its seed took until it
// had a share of them; false where the search never had it.
func (c *Closure) within(run *ClosureRun, share float64) (cpu, random float64, ok bool) {
	need := c.bins(share)
	i := slices.IndexFunc(run.Searched, func(p Point) bool { return p.Met >= need })
	if i < 0 {
		return 0, 0, false
	}
	cpu = run.Searched[i].CPU
	k, _ := slices.BinarySearchFunc(run.Random.CPU, cpu, cmp.Compare[float64])
	return cpu, float64(k) / float64(c.Bins), true
}
