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

// Alike is how alike two groups must be to be one, as the mean cosine of their profiles.
const Alike = 0.58

// Group puts failures into buckets, the largest first. The order of the failures does not show in the result, but for
// ties. It takes memory and time with the square of the number of failures that have different profiles.
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

// cluster is an agglomeration on its way.
type cluster struct {
	vectors [][]feature
	members [][]int
	alive   []bool
	like    [][]float32 // mean cosine
}

func (c *cluster) measure() {
	n := len(c.vectors)
	c.alive, c.like = make([]bool, n), make([][]float32, n)
	for i := range n {
		c.alive[i], c.like[i] = true, make([]float32, n)
		for j := range i {
			c.like[i][j] = float32(cosine(c.vectors[i], c.vectors[j]))
			c.like[j][i] = c.like[i][j]
		}
	}
}

func cosine(a, b []feature) (sum float64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].id < b[0].id:
			a = a[1:]
		case a[0].id > b[0].id:
			b = b[1:]
		default:
			sum += a[0].weight * b[0].weight
			a, b = a[1:], b[1:]
		}
	}
	return sum
}

// merge joins the two that are most alike along chains of nearest neighbours, which for average linkage gives the same
// as joining the best pair of all, until no two are alike enough.
func (c *cluster) merge() {
	done := make([]bool, len(c.alive))
	var chain []int
	for {
		if len(chain) == 0 {
			at := 0
			for at < len(done) && (done[at] || !c.alive[at]) {
				at++
			}
			if at == len(done) {
				return
			}
			chain = append(chain, at)
		}
		top := chain[len(chain)-1]
		best := c.nearest(top, chain)
		switch {
		case best < 0: // nothing is like it: it stays as it is, and those before it in the chain go on
			done[top] = true
			chain = chain[:len(chain)-1]
		case len(chain) > 1 && best == chain[len(chain)-2]:
			c.join(best, top)
			done[best] = false
			chain = chain[:len(chain)-2]
		default:
			done[best] = false
			chain = append(chain, best)
		}
	}
}

// nearest is what is most like i, and alike enough; -1 if nothing is. Of equals the one before i in the chain is
// taken.
func (c *cluster) nearest(i int, chain []int) int {
	best := -1
	if len(chain) > 1 {
		best = chain[len(chain)-2]
		if c.like[i][best] < Alike {
			best = -1
		}
	}
	for j, is := range c.alive {
		if is && j != i && c.like[i][j] >= Alike && (best < 0 || c.like[i][j] > c.like[i][best]) {
			best = j
		}
	}
	return best
}

// join takes b into a.
func (c *cluster) join(a, b int) {
	na, nb := float32(len(c.members[a])), float32(len(c.members[b]))
	for k, is := range c.alive {
		if is && k != a && k != b {
			mean := (c.like[a][k]*na + c.like[b][k]*nb) / (na + nb)
			c.like[a][k], c.like[k][a] = mean, mean
		}
	}
	c.members[a] = append(c.members[a], c.members[b]...)
	c.alive[b] = false
}
