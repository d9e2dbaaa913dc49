package psn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/psn"
)

// PSN-1: order across the wrap, and half of the numbers away.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		p, q          psn.PSN
		before, after bool
	}{
		{5, 5, false, false},
		{4, 5, true, false},
		{6, 5, false, true},
		{0xFFFFFF, 0, true, false},
		{0, 0xFFFFFF, false, true},
		{0x7FFFFF, 0, false, true},
		{0x800000, 0, true, false},
		{0, 0x800000, true, false},
	} {
		require.Equal(t, c.before, c.p.Before(c.q), "%06X %06X", c.p, c.q)
		require.Equal(t, c.after, c.p.After(c.q), "%06X %06X", c.p, c.q)
	}
	require.True(t, psn.PSN(2).Within(0xFFFFFE, 4))
	require.True(t, psn.PSN(0xFFFFFE).Within(2, 4))
	require.False(t, psn.PSN(2).Within(0xFFFFFE, 3))
}

// PSN-1: a span over the wrap.
func TestSpan(t *testing.T) {
	var s psn.Span
	require.False(t, s.Holds(0, 100, 100))
	require.Zero(t, s.Count())
	for _, p := range []psn.PSN{0xFFFFFE, 3, 0xFFFFFD, 1} {
		s.Take(p)
	}
	require.Equal(t, psn.Span{Low: 0xFFFFFD, High: 3, Any: true}, s)
	require.EqualValues(t, 7, s.Count())
	require.True(t, s.Holds(0, 0, 0))
	require.False(t, s.Holds(0xFFFFFC, 0, 9))
	require.True(t, s.Holds(0xFFFFFC, 1, 0))
	require.False(t, s.Holds(4, 9, 0))
	require.True(t, s.Holds(4, 0, 1))
}

// TestAmong: over the turn, both ends, one beyond each, and all of the numbers.
func TestAmong(t *testing.T) {
	for _, c := range []struct {
		p, first, last psn.PSN
		ahead          uint32
		ok             bool
	}{
		{0xFFFFFE, 0xFFFFFE, 2, 0, true},
		{2, 0xFFFFFE, 2, 4, true},
		{3, 0xFFFFFE, 2, 5, false},
		{0xFFFFFD, 0xFFFFFE, 2, 0xFFFFFF, false},
		{7, 7, 7, 0, true},
		{8, 7, 7, 1, false},
		{4, 5, 4, 0xFFFFFF, true},
	} {
		ahead, ok := c.p.Among(c.first, c.last)
		require.Equal(t, c.ahead, ahead, c)
		require.Equal(t, c.ok, ok, c)
	}
}
