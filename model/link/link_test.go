package link

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShares: of 10^6 packets each share occurs as often as it says, within four standard deviations, in both
// directions.
func TestShares(t *testing.T) {
	cfg := Config{Gbps: 100, DelayNs: 1000, Loss: 0.01, Double: 0.02, Reorder: 0.05, HoldNs: 300, Seed: 7}
	const n = 1e6
	for direction := range uint64(2) {
		w := NewWay(&cfg, direction)
		var lost, doubled, held float64
		for range int(n) {
			from := w.FreeNs()
			f := w.Send(from, 1250)
			require.Equal(t, from+100, w.FreeNs())
			switch {
			case f.Copies == 0:
				lost++
			case f.Copies == 2:
				doubled++
			}
			if f.Copies > 0 && f.ArrivesNs[0] == w.FreeNs()+1300 {
				held++
			}
		}
		near := func(share, got float64) {
			require.InDelta(t, share*n, got, 4*math.Sqrt(share*(1-share)*n))
		}
		near(cfg.Loss, lost)
		near(cfg.Double*(1-cfg.Loss), doubled)
		near(cfg.Reorder*(1-cfg.Loss), held)
	}
}

// TestFateGoesByNumber: two ways of one seed lose the same packets whatever is sent when; the other direction and
// another seed do not.
func TestFateGoesByNumber(t *testing.T) {
	fates := func(seed, direction uint64, bytes int) (lost [1000]bool) {
		cfg := Config{Gbps: 10, Loss: 0.1, Seed: seed}
		w := NewWay(&cfg, direction)
		for i := range lost {
			lost[i] = w.Send(w.FreeNs()+uint64(i%7), bytes).Copies == 0
		}
		return lost
	}
	require.Equal(t, fates(1, 0, 100), fates(1, 0, 4000))
	require.NotEqual(t, fates(1, 0, 100), fates(1, 1, 100))
	require.NotEqual(t, fates(1, 0, 100), fates(2, 0, 100))
}

// TestHarms: each kind of harm alone excuses what it may have done to who is judged; a link that only carries packets,
// late, held up or marked, excuses nothing.
func TestHarms(t *testing.T) {
	const least = 1e-9
	for _, c := range []struct {
		cfg   Config
		harms bool
	}{
		{Config{Loss: least}, true}, {Config{Double: least}, true}, {Config{Reorder: least}, true},
		{Config{Corrupt: least}, true}, {Config{}, false}, {Config{Mark: 1}, false},
		{Config{Gbps: 100, DelayNs: 1000, HoldNs: 300, Seed: 7}, false},
	} {
		require.Equal(t, c.harms, c.cfg.Harms(), "%+v", c.cfg)
	}
}
