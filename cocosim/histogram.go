package cocosim

// Histogram counts small signed integers exactly and lumps the far ones together at its ends.
type Histogram struct {
	counts [2*histogramReach + 1]uint64
	n      uint64
}

// histogramReach is the largest magnitude that is counted by itself.
const histogramReach = 1 << 14

// Add counts v.
func (h *Histogram) Add(v int64) {
	h.counts[max(-histogramReach, min(histogramReach, v))+histogramReach]++
	h.n++
}

// N is how many values were added.
func (h *Histogram) N() uint64 { return h.n }

// Within is the share (0 to 1) of the values of magnitude m at most; 1 when empty.
func (h *Histogram) Within(m int64) float64 {
	if h.n == 0 {
		return 1
	}
	m = min(m, histogramReach)
	sum := uint64(0)
	for _, c := range h.counts[histogramReach-m : histogramReach+m+1] {
		sum += c
	}
	return float64(sum) / float64(h.n)
}

// Quantile is the smallest value v so that at least the share q (0 to 1) of the values is not above v; 0 when empty.
func (h *Histogram) Quantile(q float64) int64 {
	need := uint64(q * float64(h.n))
	sum := uint64(0)
	for i, c := range h.counts {
		sum += c
		if c > 0 && sum >= need {
			return int64(i - histogramReach)
		}
	}
	return 0
}
