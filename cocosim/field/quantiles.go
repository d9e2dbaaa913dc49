package field

import (
	"encoding/json"
	"math/bits"
	"slices"
)

// exactSamples is how many values of a kind are kept as they are; beyond them percentiles are those of a histogram
// whose bars are a sixteenth wide.
const (
	exactSamples = 4096
	barBits      = 4
	numBars      = (64 - barBits + 1) << barBits
)

// Quantiles takes times in nanoseconds and tells their percentiles, in a bounded memory.
type Quantiles struct {
	Count    uint64
	Below    uint64 // under Bound
	Bound    int64  // what the values must not be under; 0: nothing says so. The least of several
	Least    int64
	Most     int64
	exact    []int64
	bars     []uint64
	unsorted bool
}

func (q *Quantiles) add(ns int64) { q.addBound(ns, 0, 0) }

// addBound takes a value and what it must not be under, 0 where nobody says. It may be more by up to a grain.
func (q *Quantiles) addBound(ns, bound, grain int64) {
	if ns < 0 {
		return // time went back
	}
	if q.Count == 0 || ns < q.Least {
		q.Least = ns
	}
	q.Most = max(q.Most, ns)
	q.Count++
	if bound > 0 {
		if q.Bound == 0 || bound < q.Bound {
			q.Bound = bound
		}
		if ns+grain < bound {
			q.Below++
		}
	}
	if q.bars == nil && len(q.exact) < exactSamples {
		q.exact = append(q.exact, ns)
		q.unsorted = true
		return
	}
	if q.bars == nil {
		q.bars = make([]uint64, numBars)
		for _, x := range q.exact {
			q.bars[bar(x)]++
		}
		q.exact = nil
	}
	q.bars[bar(ns)]++
}

// bar is the number of the histogram's bar that a value falls into.
func bar(ns int64) int {
	n := bits.Len64(uint64(ns))
	if n <= barBits {
		return int(ns)
	}
	shift := n - barBits - 1
	return shift<<barBits + int(uint64(ns)>>shift)
}

// barStart is the least value of a bar.
func barStart(b int) int64 {
	if b < 1<<(barBits+1) {
		return int64(b)
	}
	shift := b>>barBits - 1
	return int64(b-shift<<barBits) << shift
}

// At is the value that a share of the values, from 0 to 1, does not exceed; 0 without values.
func (q *Quantiles) At(share float64) int64 {
	if q.Count == 0 {
		return 0
	}
	rank := uint64(share * float64(q.Count-1))
	if q.bars == nil {
		if q.unsorted {
			slices.Sort(q.exact)
			q.unsorted = false
		}
		return q.exact[rank]
	}
	for b, n := range q.bars {
		if rank < n {
			return min(max(barStart(b), q.Least), q.Most)
		}
		rank -= n
	}
	return q.Most
}

// MarshalJSON gives the percentiles in nanoseconds.
func (q *Quantiles) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Count uint64 `json:"count"`
		Least int64  `json:"least_ns"`
		P50   int64  `json:"p50_ns"`
		P90   int64  `json:"p90_ns"`
		P99   int64  `json:"p99_ns"`
		Most  int64  `json:"most_ns"`
		Bound int64  `json:"window_from_ns,omitempty"`
		Below uint64 `json:"below_window,omitempty"`
	}{q.Count, q.Least, q.At(0.5), q.At(0.9), q.At(0.99), q.Most, q.Bound, q.Below})
}
