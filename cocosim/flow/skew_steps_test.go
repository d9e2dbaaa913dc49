package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneStepExplainsOneOfThem: timers that ran short at one time, of however many queue pairs, are explained by one
// step of the clock. Three that follow each other are not.
func TestOneStepExplainsOneOfThem(t *testing.T) {
	short := func(from int64) *clockNeed { return &clockNeed{kind: shortTimer, from: from, to: from + 10, ns: 20} }
	var at, each thrice
	for i := range int64(4) {
		require.False(t, at.shows(short(100+i)), "all of them run at once")
		require.Equal(t, i >= 2, each.shows(short(100*i)))
	}
}
