package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/roce"
)

// stagePair are two ends for stages of hca_rx. On a link that does no harm no receive WQE comes late either.
func stagePair(seed uint64, i int) *Pair {
	p := pairOf(seed, harm[i], roce.Spec)
	p.Traffic.NoReads = true // the stage asks for more pieces at a time than they have tags
	if i == 0 {
		p.Traffic.Late = 0
	}
	return p
}

// wholePair are two ends whose halves are all devices.
func wholePair(t *testing.T, seed uint64, i int) *Pair {
	p := stagePair(seed, i)
	p.Responders = [2]cocosim.Device{hcaRx(t), hcaRx(t)}
	p.Requesters = [2]cocosim.Device{hcaTx(t), hcaTx(t)}
	return p
}

// Ends that are devices as a whole do all that their hosts want, once each, whatever the link does. Where something is
// lost or not ready the judge is for RTL, as in TestPairOfRequesters (TestLinkOfRTL). -seeds 40 takes minutes.
func TestPairOfWholes(t *testing.T) { doAll(t, wholePair) }

// doAll runs pairs over every link.
func doAll(t *testing.T, pair func(*testing.T, uint64, int) *Pair) {
	for seed := uint64(1); seed <= *seeds; seed++ {
		for i, h := range harm {
			o, err := pair(t, seed, i).Run(context.Background())
			require.NoError(t, err)
			what := []any{"seed %d, harm %d: %s %v %v", seed, i, o.Result.Stuck, o.Wrong, o.Judged}
			require.Empty(t, o.Result.Stuck, what...)
			require.Zero(t, o.Wrongs, what...)
			require.True(t, o.Good() || h.Harms(), what...)
			require.NotZero(t, o.Ends[0].Messages)
			require.NotZero(t, o.Ends[0].Received)
		}
	}
}

// A WQE that ends in error takes both halves of its QP along: receive WQEs are flushed, and the peer hears no more.
func TestWholeFails(t *testing.T) {
	p := wholePair(t, 1, 0)
	p.Requesters[0] = &spoiled{Device: p.Requesters[0], port: "m_cqe", spoil: func(data []byte) { data[7] ^= 2 }}
	o, err := p.Run(context.Background())
	require.NoError(t, err)
	require.False(t, o.Good())
	require.Equal(t, 1, o.Ends[0].InError)
	require.NotZero(t, o.Ends[0].Failed[roce.Flushed.String()])
	require.NotZero(t, o.Ends[1].Failed[roce.RetryExceeded.String()])
}

// What either device says wrong is found.
func TestSpoiledWhole(t *testing.T) {
	at := func(i int, mask byte) func([]byte) { return func(data []byte) { data[i] ^= mask } }
	for port, spoil := range map[string]func([]byte){"m_axis": sealed(bthAt+11, 2), "m_mem": at(3, 4), "m_cqe": at(3, 1)} {
		p := wholePair(t, 1, 0)
		devices := &p.Requesters
		if port == "m_mem" {
			devices = &p.Responders
		}
		devices[0] = &spoiled{Device: devices[0], port: port, spoil: spoil}
		o, err := p.Run(context.Background())
		require.True(t, err != nil || !o.Good(), port)
	}
}
