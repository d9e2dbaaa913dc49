package cocosim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// filterStage lets every packet fall.
type filterStage struct{ fell uint64 }

func (*filterStage) Reset() {}

func (f *filterStage) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	f.fell += uint64(len(in))
	return out
}

func (f *filterStage) Withheld() uint64 { return f.fell }

// A run in which all must fall is compared: a packet that comes out is one too many. What was not taken did not fall.
func TestWhatMustFallIsCompared(t *testing.T) {
	spec := echoSpec
	spec.New = func(sim.Settings) sim.Stage { return &filterStage{} }
	run := func(device sim.StageSpec, n uint64, change func(b *sim.Batch)) *Result {
		res, err := Run(context.Background(), RunConfig{Device: &faulty{Device: NewGolden(device, nil, 64), change: change},
			Checker: NewStageChecker(spec, nil, make([]Policy, 2)), Stimulus: &counted{n: n}, Keep: 10})
		require.NoError(t, err)
		return res
	}
	nothing := func(*sim.Batch) {}
	res := run(spec, 1000, nothing)
	require.Equal(t, Agreed, res.Exit())
	require.EqualValues(t, 1000, res.Score.Withheld)
	require.Equal(t, Inconclusive, run(spec, 0, nothing).Exit())

	res = run(echoSpec, 1000, nothing) // all come out
	require.Equal(t, Mismatch, res.Exit())
	require.EqualValues(t, 1000, res.Mismatched)
	require.EqualValues(t, "EXTRA", res.Violations[0].Rule)

	taken := 0
	res = run(spec, 1000, func(b *sim.Batch) { // from the 400th on it takes nothing
		b.Records = b.Records[:min(len(b.Records), 400-taken)]
		taken += len(b.Records)
	})
	require.NotEqual(t, Agreed, res.Exit())
}

// What came unasked is a mismatch, and not beside that the news that nothing was compared.
func TestExtraAloneStopsNothing(t *testing.T) {
	spec := echoSpec
	spec.New = func(sim.Settings) sim.Stage { return silentStage{} }
	res, err := Run(context.Background(), RunConfig{Device: NewGolden(echoSpec, nil, 64), Keep: 10,
		Checker: NewStageChecker(spec, nil, make([]Policy, 2)), Stimulus: &counted{n: 10}})
	require.NoError(t, err)
	require.Equal(t, Mismatch, res.Exit())
	require.NoError(t, res.Stopped)
}

// silentStage answers nothing.
type silentStage struct{}

func (silentStage) Reset() {}

func (silentStage) Advance(_ uint64, _, out []sim.Record) []sim.Record { return out }
