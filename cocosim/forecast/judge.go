package forecast

import (
	"math"
	"slices"

	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

// Errors is a distribution of clocks: in which clock a beat left the device, less the one that was foreseen.
type Errors struct {
	Count  int           `json:"count"`
	ByDiff map[int64]int `json:"by_diff"`
	diffs  []int64       // sorted by done
}

// add counts a difference.
func (e *Errors) add(d int64) {
	if e.ByDiff == nil {
		e.ByDiff = map[int64]int{}
	}
	e.Count++
	e.ByDiff[d]++
	e.diffs = append(e.diffs, d)
}

// Merge adds those of another.
func (e *Errors) Merge(o *Errors) {
	for _, d := range o.diffs {
		e.add(d)
	}
}

// At is the difference that a share of all do not exceed; 0 without any.
func (e *Errors) At(share float64) int64 {
	if e.Count == 0 {
		return 0
	}
	slices.Sort(e.diffs)
	return e.diffs[min(e.Count-1, int(share*float64(e.Count)))]
}

// Within is the share of differences of at most so many clocks either way; 1 without any.
func (e *Errors) Within(clocks int64) float64 {
	if e.Count == 0 {
		return 1
	}
	n := 0
	for d, k := range e.ByDiff {
		if d >= -clocks && d <= clocks {
			n += k
		}
	}
	return float64(n) / float64(e.Count)
}

// Bounds are the least and the greatest difference.
func (e *Errors) Bounds() (least, most int64) {
	least, most = math.MaxInt64, math.MinInt64
	for d := range e.ByDiff {
		least, most = min(least, d), max(most, d)
	}
	if e.Count == 0 {
		return 0, 0
	}
	return least, most
}

// Timing is how far a device was from what was foreseen, by output port. First is of the first beats of packets, Last
// of last beats and of records.
type Timing struct{ First, Last [timed.NumPorts]Errors }

// Compare holds the clocks of a device against those foreseen, record by record of each output port. Contents are
// compared before: SameContent.
func Compare(foreseen, device *Crossed) *Timing {
	t := new(Timing)
	for port := range foreseen {
		if Ports[port].Input {
			continue
		}
		for i := range min(len(foreseen[port]), len(device[port])) {
			f, d := &foreseen[port][i], &device[port][i]
			t.Last[port].add(int64(d.End) - int64(f.End))
			if Ports[port].Kind == sim.Axis {
				t.First[port].add(int64(d.Start) - int64(f.Start))
			}
		}
	}
	return t
}

// Merge adds another's.
func (t *Timing) Merge(o *Timing) {
	for port := range t.Last {
		t.First[port].Merge(&o.First[port])
		t.Last[port].Merge(&o.Last[port])
	}
}
