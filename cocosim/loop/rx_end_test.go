package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// hcaRx is the stage of hca_rx as a device: what RTL is held to.
func hcaRx(t *testing.T) cocosim.Device {
	spec, ok := stages.Lookup("hca_rx")
	require.True(t, ok)
	return cocosim.NewGolden(spec, sim.Settings{"NumQps": 64}, 64)
}

// An end whose responses a device makes, clocks behind the requests, is as good as a model, and is judged so. -seeds 40
// takes minutes.
func TestPairOfResponders(t *testing.T) {
	for seed := uint64(1); seed <= *seeds; seed++ {
		for i, h := range harm {
			p := pairOf(seed, h, roce.Spec)
			p.Traffic.NoReads = true
			p.Responders = [2]cocosim.Device{hcaRx(t), hcaRx(t)}
			o, err := p.Run(context.Background())
			require.NoError(t, err)
			require.True(t, o.Good(), "seed %d, harm %d: %s %v %v %v", seed, i, o.Result.Stuck, o.Wrong, o.Judged[0].First,
				o.Judged[1].First)
			require.NotZero(t, o.Ends[0].Received)
		}
	}
}
