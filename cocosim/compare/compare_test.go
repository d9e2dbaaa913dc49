package compare

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/link"
)

var (
	testLink = link.Config{Gbps: 100, DelayNs: 2000, Seed: 1}
	testWork = Workload{Messages: 400, MessageBytes: 64 << 10, Depth: 8, PMTU: 4096, Window: 64}
)

// TestWithoutLoss: every transport fills the link and sends nothing twice.
func TestWithoutLoss(t *testing.T) {
	all, err := Sweep(Names(), []float64{0}, testWork, testLink, nil)
	require.NoError(t, err)
	for _, o := range all {
		require.Greater(t, o.Share, 0.95, o.Transport)
		require.Zero(t, o.AgainShare, o.Transport)
		require.Empty(t, o.Failed)
	}
}

// TestShapeOfLoss: go-back-N falls as the closed form says and selective repeat hardly does; the share sent again shows why.
func TestShapeOfLoss(t *testing.T) {
	all, err := Sweep([]string{"roce-gbn", "roce-selective"}, []float64{0.01, 0.02, 0.05}, testWork, testLink, nil)
	require.NoError(t, err)
	for i := range 3 {
		gbn, sel := &all[i], &all[3+i]
		require.Empty(t, gbn.Failed)
		require.Less(t, gbn.Share, sel.Share)
		require.Greater(t, gbn.AgainShare, sel.AgainShare)
		require.InDelta(t, sel.Theory, 1-sel.Loss, 1e-9)
		// What was lost, and at most as much again: a packet whose selective NAK the link lost counts as missing.
		require.Greater(t, sel.AgainShare, 0.8*sel.Loss)
		require.Less(t, sel.AgainShare, 2*sel.Loss)
	}
}

// TestSameSeedSameOutcome, and another seed another.
func TestSameSeedSameOutcome(t *testing.T) {
	at := func(seed uint64) []Outcome {
		cfg := testLink
		cfg.Seed, cfg.Reorder, cfg.HoldNs, cfg.Double = seed, 0.01, 3000, 0.01
		all, err := Sweep(Names(), []float64{0.02}, testWork, cfg, nil)
		require.NoError(t, err)
		return all
	}
	require.Equal(t, at(3), at(3))
	require.NotEqual(t, at(3), at(4))
}
