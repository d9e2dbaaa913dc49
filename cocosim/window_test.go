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
