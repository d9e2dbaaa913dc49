package bucket

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/report"
)

// failures makes failures of some causes: each has features of its own, some that all share, and some by chance.
func failures(causes, each int) (all []Failure) {
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range each {
		for cause := range causes {
			p := report.Profile{"DATA m_rec": 2}
			for i := range 4 {
				p[fmt.Sprintf("~field%d", 5*cause+i)] = 0.5 + r.Float64()
			}
			p[fmt.Sprintf("op %d", r.IntN(6))] = r.Float64()
			all = append(all, Failure{Dut: "d", Seed: uint64(seed + 1), Cycle: r.Uint64N(1000), Profile: p,
				Signature: fmt.Sprintf("DATA: cause %d", cause)})
		}
	}
	return all
}

// TestThousandFailures: a thousand failures of ten causes are ten buckets with their counts, the first seed in front,
// whatever their order; and it takes no time that one would wait for.
func TestThousandFailures(t *testing.T) {
	all := failures(10, 100)
	began := time.Now()
	buckets := Group(all)
	require.Less(t, time.Since(began), 20*time.Second)
	require.Len(t, buckets, 10)
	for _, b := range buckets {
		require.Equal(t, 100, b.Count)
		require.EqualValues(t, 1, b.FirstSeed)
		require.Empty(t, b.Others, "all of a bucket are of one cause")
		require.Equal(t, b.Name, b.First.Signature)
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	again := Group(all)
	for i := range again {
		require.Equal(t, buckets[i].Name, again[i].Name)
		require.Equal(t, buckets[i].Count, again[i].Count)
		require.Equal(t, buckets[i].First, again[i].First)
	}
}

// TestUnlikeStayApart: failures of two devices, and failures that share no feature, are never one; nor is the empty
// list an error.
func TestUnlikeStayApart(t *testing.T) {
	require.Empty(t, Group(nil))
	p := report.Profile{"a": 1}
	buckets := Group([]Failure{{Dut: "x", Profile: p}, {Dut: "y", Profile: p}, {Dut: "y", Profile: p},
		{Dut: "y", Profile: report.Profile{"b": 1}}, {Dut: "y"}})
	require.Len(t, buckets, 4)
	require.Equal(t, 2, buckets[0].Count)
	require.Equal(t, []int{1, 2}, buckets[0].Members)
}

// TestTwoTightGroupsAreTwo: failures of two causes that share most of what tells them are two buckets where each cause
// is much more alike in itself; failures as far from each other without such groups are one.
func TestTwoTightGroupsAreTwo(t *testing.T) {
	like := func(own string) report.Profile { return report.Profile{"shared": 1, own: 0.5} }
	far := func(n int) []Failure { // of n causes, six failures
		var all []Failure
		for i := range 6 {
			all = append(all, Failure{Dut: "d", Seed: uint64(i), Profile: like(fmt.Sprint("own ", i%n))})
		}
		return all
	}
	require.Less(t, cosine(weighed(far(2), []int{0, 1})[0], weighed(far(2), []int{0, 1})[1]), Apart)
	require.Len(t, Group(far(2)), 2, "three failures each")
	require.Len(t, Group(far(2)[:3]), 1, "too few to tell")
	require.Len(t, Group(far(1)), 1)
}
