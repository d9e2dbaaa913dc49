package cocosim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// TestHoldsCountsWhatIsInside: two places, an output taken in cycle 10, so that the third input may go in in cycle 11,
// and not behind it.
func TestHoldsCountsWhatIsInside(t *testing.T) {
	two := 2
	for _, c := range []struct {
		name   string
		third  uint64 // when the third input was taken
		waited uint32
		begun  bool
		wrong  bool
	}{
		{"in the cycle behind", 11, 5, true, false},
		{"one later", 12, 5, true, true},
		{"later, and not offered before", 12, 0, true, false},
		{"later, the first behind a reset", 12, 5, false, false},
	} {
		var said []*Violation
		give := func(v *Violation) { said = append(said, v) }
		j := newHoldJudge(echoSpec.Ports, []*int{&two, nil})
		j.take(&sim.Record{End: 1}, 1, false, give)
		j.take(&sim.Record{End: 2}, 0, true, give)
		j.leave(&sim.Record{End: 10})
		j.take(&sim.Record{End: c.third}, c.waited, c.begun, give)
		require.Equal(t, c.wrong, len(said) == 1, c.name)
	}
	var said []*Violation
	j := newHoldJudge(echoSpec.Ports, []*int{&two, nil})
	j.take(&sim.Record{End: 1}, 0, true, nil)
	j.take(&sim.Record{End: 5}, 3, true, func(v *Violation) { said = append(said, v) })
	require.Len(t, said, 1, "one is inside, there are two places")
	require.Equal(t, "RATE", string(said[0].Rule))
	require.Nil(t, newHoldJudge(echoSpec.Ports, []*int{nil, nil}))
}
