package cocosim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// A window from the model counts from the cycle that the model states, one without from the end of the input: the
// model's cycle is echoLatency behind it.
func TestWindowFrom(t *testing.T) {
	for _, c := range []struct {
		from        string
		after       uint64 // cycles from the end of the input to that of the output
		isViolation bool
	}{
		{FromModel, echoLatency - 1, true},
		{FromModel, echoLatency, false},
		{FromModel, echoLatency + 1, false},
		{FromModel, echoLatency + 2, true},
		{"", 0, false},
		{"", 1, false},
		{"", 2, true},
		{"", echoLatency, true},
	} {
		a := NewStageChecker(echoSpec, nil, []Policy{{}, {Window: &Window{Max: 1, From: c.from}}})
		var found []string
		give := func(v *Violation) { found = append(found, string(v.Rule)) }
		a.Input(&sim.Record{Start: 10, End: 12, Data: []byte("abc")}, 0, give)
		a.Output(&sim.Record{Start: 10 + c.after, End: 12 + c.after, Port: 1, User: 3, Data: []byte("abc")}, give)
		if c.isViolation {
			require.Equal(t, []string{"WINDOW"}, found, "%+v", c)
		} else {
			require.Empty(t, found, "%+v", c)
		}
	}
}

// A stalled window counts from when an ideal block gives the record under the stalls of the run.
func TestWindowUnderStalls(t *testing.T) {
	stalls := StallsOf(Config{Seed: 3, Backpressure: 0.5}, 1)
	start := uint64(0)
	for !stalls.Holds(start + echoLatency) {
		start++
	}
	ideal := start + echoLatency
	for stalls.Holds(ideal) {
		ideal++
	}
	for late := range uint64(3) {
		a := NewStageChecker(echoSpec, nil, []Policy{{}, {BeatBytes: 64, Stalls: stalls,
			Window: &Window{Max: 1, From: FromModel, Stalled: true}}})
		var found []string
		give := func(v *Violation) { found = append(found, string(v.Rule)) }
		a.Input(&sim.Record{Start: start, End: start, Data: []byte("abc")}, 0, give)
		a.Output(&sim.Record{Start: ideal + late, End: ideal + late, Port: 1, User: 3, Data: []byte("abc")}, give)
		if late > 1 {
			require.Equal(t, []string{"WINDOW"}, found)
		} else {
			require.Empty(t, found, "%d late", late)
		}
	}
}
