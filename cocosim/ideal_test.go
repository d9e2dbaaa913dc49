package cocosim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIdealAgainstAClock: the prediction is what a loop over the clock gives that moves a beat whenever it can.
func TestIdealAgainstAClock(t *testing.T) {
	type record struct {
		start, end uint64
		bytes      int
	}
	var all []record
	at := uint64(3)
	for i := range 300 {
		n := 1 + i*i%9*40
		beats := uint64((n + 63) / 64)
		gap := uint64(i * i % 5)
		all = append(all, record{at + gap, at + gap + beats - 1 + uint64(i%7/6)*3, n})
		at += gap + beats
	}
	for _, share := range []float64{0, 0.35, 0.9} {
		stalls := StallsOf(Config{Seed: 5, Backpressure: share}, 1)
		p := ideal{stalls: stalls, beatBytes: 64}
		cycle := uint64(0)
		for i, r := range all {
			for left := (r.bytes + 63) / 64; left > 0; cycle++ {
				last := left == 1
				if cycle >= r.start && (!last || cycle >= r.end) && !stalls.Holds(cycle) {
					left--
				}
			}
			require.Equal(t, cycle-1, p.end(r.start, r.end, r.bytes), "share %v, record %d", share, i)
		}
	}
}
