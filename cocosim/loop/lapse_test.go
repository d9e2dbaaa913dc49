package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// A device that waits for its timers alone while its peer is silent goes back as often with a lapse, ends the same way
// and at the same time: a told tick is as long as one of its own, and none is lost where the two meet.
func TestLapse(t *testing.T) {
	silent, err := FindRogue("silent")
	require.NoError(t, err)
	run := func(lapse uint64, whole bool) *Outcome {
		p := topPair(t, 1, 0)
		p.Wholes[1], p.Rogue, p.Lapse = nil, silent, lapse
		if !whole {
			p.Wholes[0], p.Requesters[0] = nil, hcaTx(t)
		}
		o, err := p.Run(context.Background())
		require.NoError(t, err)
		require.Empty(t, o.Rogue)
		return o
	}
	for _, whole := range []bool{false, true} {
		all, some := run(1, whole), run(8, whole)
		require.Zero(t, all.Ends[0].PassedNs)
		require.Equal(t, all.Ends[0].Failed, some.Ends[0].Failed)
		require.InEpsilon(t, all.Result.Frames[0], some.Result.Frames[0], 0.02) // by when which QP fails
		require.InEpsilon(t, all.Result.Ns, some.Result.Ns, 0.02)
		require.Greater(t, 3*some.Ends[0].PassedNs, some.Result.Ns)
	}
}

// A lapse is bounded, and there is none beside a pace.
func TestLapseRefused(t *testing.T) {
	for want, change := range map[string]func(p *Pair){
		"":                   func(p *Pair) { p.Lapse = mostLapse },
		"1 to 64":            func(p *Pair) { p.Lapse = mostLapse + 1 },
		"a lapse and a pace": func(p *Pair) { p.Lapse, p.Pace = 2, DefaultPace() },
	} {
		p := pairOf(1, harm[0], roce.Spec)
		change(p)
		if err := p.Check(); want != "" {
			require.ErrorContains(t, err, want)
		} else {
			require.NoError(t, err)
		}
	}
}

// resting is a device that has nothing to say.
type resting struct{ cocosim.Device }

func (resting) Ports() []sim.PortSpec { return nil }

func (resting) Advance(context.Context, uint64, []sim.Offer, *sim.Batch) error { return nil }

// A device is set up when its memories are made zero, also where nothing comes or goes any more: with a lapse two
// hca_top and one queue pair got their WQEs before that, and lapsed through it.
func TestSetUpIsBehindMemoriesMadeZero(t *testing.T) {
	c := newClocked(context.Background(), resting{}, false, func(*sim.Record) {})
	c.settle()
	require.Greater(t, c.cycle, uint64(4096*8)) // the queues of hca_top's queue pairs, a word a clock
	require.LessOrEqual(t, c.cycle, uint64(settingCycles))
}
