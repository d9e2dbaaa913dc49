package compare

import (
	"math"
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
		require.Greater(t, o.Share, 0.98*o.Theory, o.Transport)
		require.Zero(t, o.AgainShare, o.Transport)
		require.Empty(t, o.Failed)
	}
}

// TestShapeOfLoss: go-back-N falls as the closed form says and selective repeat hardly does; the share sent again shows
// why.
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

// TestShapeOfFalcon: it stays near its closed form, between go-back-N and a link that only loses, and sends again what
// was lost and hardly more: nothing that it says of a packet is lost for good, the next EACK has it too.
func TestShapeOfFalcon(t *testing.T) {
	all, err := Sweep([]string{"roce-gbn", "falcon"}, []float64{0.01, 0.02, 0.05}, testWork, testLink, nil)
	require.NoError(t, err)
	for i := range 3 {
		gbn, f := &all[i], &all[3+i]
		require.Empty(t, f.Failed)
		require.Less(t, gbn.Share, f.Share)
		require.Less(t, f.Share, f.Theory)
		require.InDelta(t, f.Theory, f.Share, 0.2*f.Loss+0.03)
		require.InDelta(t, f.Loss, f.AgainShare, 0.25*f.Loss)
	}
}

// TestFalconOverhead: what a share loses without loss is the longer header, 44 bytes a packet: 16 PSP, 28 Falcon and 16
// ICV for 12 BTH and 4 ICRC.
func TestFalconOverhead(t *testing.T) {
	require.Equal(t, 44, falconOverheadBytes-overheadBytes)
	for _, pmtu := range []uint32{1024, 4096} {
		w := testWork
		w.PMTU, w.Messages = pmtu, 2000
		all, err := Sweep([]string{"falcon"}, []float64{0}, w, testLink, nil)
		require.NoError(t, err)
		require.InDelta(t, float64(pmtu+82)/float64(pmtu+126), all[0].Share, 0.002)
	}
}

// TestWhyCurvesDiffer: docs/compare.md says what of a curve is due to lost answers. Where the way back loses nothing,
// selective repeat sends again what was lost and no more, and go-back-N has only lost resends to wait for; Falcon gains
// less than either.
func TestWhyCurvesDiffer(t *testing.T) {
	const loss = 0.1
	at := func(name string, safe bool) Outcome {
		cfg := testLink
		cfg.Loss = loss
		tr, _ := Lookup(name)
		r := newRun(tr.New(testWork, roundTripNs(&testWork, &cfg)), testWork, &cfg)
		if safe {
			back := cfg
			back.Loss = 0
			r.air.Ways[1] = link.NewWay(&back, 1)
		}
		o, err := r.toEnd(&cfg)
		require.NoError(t, err)
		return o
	}
	gbn, sel, f := at("roce-gbn", true), at("roce-selective", true), at("falcon", true)
	selLost, fLost := at("roce-selective", false).AgainShare, at("falcon", false).AgainShare
	t.Logf("safe way back: gbn %.3f %.3f, selective %.3f %.3f, falcon %.3f %.3f", gbn.Share, gbn.AgainShare, sel.Share,
		sel.AgainShare, f.Share, f.AgainShare)
	require.InDelta(t, loss, sel.AgainShare, 0.2*loss)
	require.InDelta(t, loss, f.AgainShare, 0.1*loss)
	require.Greater(t, selLost, 1.3*sel.AgainShare)
	require.Greater(t, gbn.Share, 1.2*at("roce-gbn", false).Share)
	require.Less(t, fLost-f.AgainShare, 0.7*(selLost-sel.AgainShare))
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

// TestWhatIsNoLink: times, bandwidths and sizes that no link and no message has are refused in one line.
func TestWhatIsNoLink(t *testing.T) {
	right := func() (Workload, link.Config) {
		return Workload{Messages: 10, MessageBytes: 1000, Depth: 1, PMTU: 1024, Window: 8}, link.Config{Gbps: 100}
	}
	w, cfg := right()
	require.NoError(t, w.Check(&cfg))
	for text, change := range map[string]func(*Workload, *link.Config){
		"delay and hold": func(_ *Workload, c *link.Config) { c.DelayNs = 1<<64 - 2000 },
		"delay and":      func(_ *Workload, c *link.Config) { c.HoldNs = 1_000_000_001 },
		"bandwidth":      func(_ *Workload, c *link.Config) { c.Gbps = math.NaN() },
		"at most 10000":  func(_ *Workload, c *link.Config) { c.Gbps = math.Inf(1) },
		"reorders":       func(_ *Workload, c *link.Config) { c.Reorder = math.NaN() },
		"one byte":       func(w *Workload, _ *link.Config) { w.MessageBytes = 0 },
	} {
		w, cfg := right()
		change(&w, &cfg)
		require.ErrorContains(t, w.Check(&cfg), text)
	}
}
