package cocosim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// TestRateOfAnOutput: a packet that begins a cycle early and pauses in its middle ends in time; its rate tells.
func TestRateOfAnOutput(t *testing.T) {
	policy := []Policy{{BeatBytes: 64}, {BeatBytes: 64, FullRate: true,
		Window: &Window{Min: echoLatency, Max: echoLatency}}}
	for _, early := range []uint64{0, 1} {
		done := false
		d := &faulty{Device: NewGolden(echoSpec, nil, 64), change: func(b *sim.Batch) {
			if at := outputs(b); !done && len(at) >= 10 {
				done = true
				b.Records[at[3]].Start -= early
			}
		}}
		res, err := Run(context.Background(), RunConfig{Device: d, Checker: NewStageChecker(echoSpec, nil, policy),
			Stimulus: &counted{n: 100}, Keep: 10})
		require.NoError(t, err)
		if early == 0 {
			require.Equal(t, Agreed, res.Exit())
			continue
		}
		require.Equal(t, Mismatch, res.Exit())
		require.Equal(t, "RATE", string(res.Violations[0].Rule))
		require.Equal(t, "out", res.Violations[0].Port)
		require.Equal(t, uint64(1), res.Mismatched)
	}
}

// TestRateOfAnOutputThatFollowsTheDevice: a judge that follows what the device chose looks at the rate too.
func TestRateOfAnOutputThatFollowsTheDevice(t *testing.T) {
	a := NewChoiceChecker(alarmSpec, nil, []Policy{{}, {BeatBytes: 1, FullRate: true}}, false)
	var rules []string
	a.Output(&sim.Record{Port: 1, Start: 5, End: 6, Data: []byte{1}}, func(v *Violation) {
		rules = append(rules, string(v.Rule))
	})
	require.Contains(t, rules, "RATE")
}

// TestWhatIsWrongIsNamedBeforeTheRate: a packet that is wrong and slow has both found in one cycle. The list begins
// with what is wrong, and so do the counts.
func TestWhatIsWrongIsNamedBeforeTheRate(t *testing.T) {
	policy := []Policy{{BeatBytes: 64}, {BeatBytes: 64, FullRate: true}}
	done := false
	d := &faulty{Device: NewGolden(echoSpec, nil, 64), change: func(b *sim.Batch) {
		if at := outputs(b); !done && len(at) >= 10 {
			done = true
			r := &b.Records[at[3]]
			r.Start--
			r.Data = append([]byte{^r.Data[0]}, r.Data[1:]...)
		}
	}}
	res, err := Run(context.Background(), RunConfig{Device: d, Checker: NewStageChecker(echoSpec, nil, policy),
		Stimulus: &counted{n: 100}, Keep: 10})
	require.NoError(t, err)
	require.Len(t, res.Violations, 2)
	require.Equal(t, res.Violations[0].Cycle, res.Violations[1].Cycle)
	require.Equal(t, "DATA", string(res.Violations[0].Rule))
	require.Equal(t, "RATE", string(res.Violations[1].Rule))
	require.Equal(t, "DATA", string(res.Counts[0].Rule))
	require.Equal(t, "RATE", string(res.Counts[1].Rule))
}
