// Package bucket puts failures that most likely have one cause together: those of one device whose profiles are alike.
package bucket

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"hcacosim/cocosim/report"
)

// Failure is a run that failed.
type Failure struct {
	Dut       string         `json:"dut"`
	Signature string         `json:"signature"` // of the first mismatch
	Seed      uint64         `json:"seed"`
	Cycle     uint64         `json:"cycle"` // of the first mismatch
	Reproduce string         `json:"reproduce"`
	Profile   report.Profile `json:"profile,omitempty"`
	Bundle    string         `json:"bundle,omitempty"` // its directory, if there is one
}

// Of is the failure that a report tells of; ok is false where the run had no mismatch.
func Of(r *report.Report) (f Failure, ok bool) {
	if r.Result == nil || len(r.Result.Violations) == 0 {
		return f, false
	}
	first := r.Result.Violations[0]
	return Failure{Dut: r.Dut, Signature: r.Signature(first), Seed: r.Seed, Cycle: first.Cycle, Reproduce: r.Reproduce,
		Profile: r.Profile()}, true
}

// Bucket is a group of failures. First is the one to look at: of the lowest seed, and of those the earliest.
type Bucket struct {
	Name      string   `json:"name"` // the commonest signature
	Dut       string   `json:"dut"`
	Count     int      `json:"count"`
	FirstSeed uint64   `json:"first_seed"`
	First     Failure  `json:"first"`
	Shrunk    int      `json:"shrunk,omitempty"` // packets of First made small; 0: not shrunk
	Others    []string `json:"others,omitempty"` // the other signatures
	Members   []int    `json:"-"`                // places in the list that was grouped
}

// What two groups of failures must be to be one. The three were settled on deliberate faults, see docs/
// debugging-a-mismatch.md, "Buckets".
const (
	// Alike is the least mean cosine of their profiles.
	Alike = 0.52
	// Apart is the least share of that, of what the members of the less alike of the two are among themselves: two groups
	// that are each much more alike in themselves have two causes. It holds where both have Several members.
	Apart   = 0.7
	Several = 3
)

// Group puts failures into buckets, the largest first. The order of the failures does not show in the result, but for
// ties. It takes memory with the square of the number of failures that have different profiles, and time with a little
// more.
func Group(all []Failure) (buckets []Bucket) {
	byDut := map[string][]int{}
	for i := range all {
		byDut[all[i].Dut] = append(byDut[all[i].Dut], i)
	}
	for _, dut := range slices.Sorted(maps.Keys(byDut)) {
		for _, members := range joined(all, byDut[dut]) {
			buckets = append(buckets, newBucket(all, members))
		}
	}
	slices.SortStableFunc(buckets, func(a, b Bucket) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Dut, b.Dut), cmp.Compare(a.Name, b.Name))
	})
	return buckets
}

func newBucket(all []Failure, members []int) Bucket {
	slices.Sort(members)
	count := map[string]int{}
	first := members[0]
	for _, i := range members {
		count[all[i].Signature]++
		a, b := &all[i], &all[first]
		if cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Cycle, b.Cycle)) < 0 {
			first = i
		}
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	return Bucket{Name: names[0], Dut: all[first].Dut, Count: len(members), FirstSeed: all[first].Seed, First: all[first],
		Others: names[1:], Members: members}
}

// joined groups some of the failures by agglomeration with average linkage. Failures with the same profile are one from
// the start.
func joined(all []Failure, some []int) (groups [][]int) {
	vectors := weighed(all, some)
	var c cluster
	for k, i := range some {
		at := slices.IndexFunc(c.vectors, func(v []feature) bool { return slices.Equal(v, vectors[k]) })
		if at < 0 {
			at = len(c.vectors)
			c.vectors = append(c.vectors, vectors[k])
			c.members = append(c.members, nil)
		}
		c.members[at] = append(c.members[at], i)
	}
	c.measure()
	c.merge()
	for i, m := range c.members {
		if c.alive[i] {
			groups = append(groups, m)
		}
	}
	return groups
}

// feature is one of a profile with its weight, by its place in the list of all.
type feature struct {
	id     int
	weight float64
}

// weighed are the profiles of some failures, a feature that few have weighing more, each of length 1 and in order.
func weighed(all []Failure, some []int) [][]feature {
	having := map[string]int{}
	for _, i := range some {
		for f := range all[i].Profile {
			having[f]++
		}
	}
	id := map[string]int{}
	for n, f := range slices.Sorted(maps.Keys(having)) {
		id[f] = n
	}
	vectors := make([][]feature, len(some))
	for k, i := range some {
		var v []feature
		sum := 0.0
		for _, f := range slices.Sorted(maps.Keys(all[i].Profile)) {
			weight := all[i].Profile[f] * math.Log(1+float64(len(some))/float64(having[f]))
			v = append(v, feature{id[f], weight})
			sum += weight * weight
		}
		for n := range v {
			v[n].weight /= math.Sqrt(sum)
		}
		vectors[k] = v
	}
	return vectors
}
