package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
)

// A timer that is set again to run out sooner does, also where another queue pair's stands between the two: the entry
// of before, which is later, is not waited for (TMR-1, TMR-5).
func TestTimersSetSooner(t *testing.T) {
	var e Endpoint
	a, b := new(queuePair), new(queuePair)
	a.Number, b.Number = 1, 2
	e.arm(a, roce.RNR, 655_000)
	a.due[roce.RNR] = 0 // a late ACK ends the wait
	e.arm(b, roce.Transport, 300_000)
	e.arm(a, roce.RNR, 10_000)
	at, ok := e.NextTimer()
	require.True(t, ok)
	require.EqualValues(t, 10_000, at)
	a.due[roce.RNR] = 0
	at, ok = e.NextTimer()
	require.True(t, ok)
	require.EqualValues(t, 300_000, at)
	b.due[roce.Transport] = 0
	_, ok = e.NextTimer()
	require.False(t, ok, "nothing is left of what was set again")
}
