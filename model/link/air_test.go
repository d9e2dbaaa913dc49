package link

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Packets land by their time, of one time in the order of their sending, whichever end sent them. Copies are made one
// by one.
func TestAir(t *testing.T) {
	a := NewAir[int](&Config{Gbps: 8, DelayNs: 100, HoldNs: 50, Double: 1})
	require.True(t, a.Empty())
	_, ok := a.NextArrival()
	require.False(t, ok)
	n := 0
	next := func(*Fate) int { n++; return n }
	a.Send(0, 0, 10, next) // a byte a nanosecond: lands at 110 and 160
	a.Send(1, 0, 10, next)
	require.False(t, a.Free(0, 9))
	require.True(t, a.Free(0, 10))
	at, ok := a.NextFree(9)
	require.True(t, ok)
	require.EqualValues(t, 10, at)
	_, ok = a.NextFree(10)
	require.False(t, ok)
	for _, want := range []struct {
		at     uint64
		end, p int
	}{{110, 1, 1}, {110, 0, 3}, {160, 1, 2}, {160, 0, 4}} {
		at, ok := a.NextArrival()
		require.True(t, ok)
		require.Equal(t, want.at, at)
		end, p := a.Land()
		require.Equal(t, []int{want.end, want.p}, []int{end, p})
	}
	require.True(t, a.Empty())
}
