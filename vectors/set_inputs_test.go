package vectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// TestSetStatesItsInputs: a set says what a bench must drive the configuration inputs with, whether that was asked for
// or is the block's own; check holds it against the configuration. A set that does not say it is intact.
func TestSetStatesItsInputs(t *testing.T) {
	set := generate(t, "retx-timer", "retx_timer", 5, 60, SetOptions{})
	require.Empty(t, set.Configuration)
	require.Equal(t, map[string]uint64{"cycles_per_tick_i": 4, "tick_step_i": 1, "retry7_forever_i": 0}, set.Inputs)
	m := set.Manifest
	m.Inputs = nil
	require.NoError(t, written(t, set, m).Check())
	m.Inputs = map[string]uint64{"cycles_per_tick_i": 5, "tick_step_i": 1, "retry7_forever_i": 0}
	require.ErrorContains(t, written(t, set, m).Check(),
		"states cycles_per_tick_i=5 retry7_forever_i=0 tick_step_i=1 as its inputs, and its records are of "+
			"cycles_per_tick_i=4 retry7_forever_i=0 tick_step_i=1")

	set = generate(t, "retx-timer", "retx_timer", 5, 60, SetOptions{Settings: sim.Settings{"cycles_per_tick_i": 7}})
	require.Equal(t, uint64(7), set.Inputs["cycles_per_tick_i"])
	require.Equal(t, uint64(1), set.Inputs["tick_step_i"])
	require.NoError(t, set.Check())
	require.Empty(t, generate(t, "mix", "icrc_check", 5, 30, SetOptions{}).Inputs)
}
