package hca

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeysByHand: a region of 16 bytes at 1000h, then one way at a time to use it wrongly (RSP-1, RSP-16).
func TestKeysByHand(t *testing.T) {
	k := &Keys{numKeys: 4096}
	set := MRQuery{Op: MRSet, RKey: 0x12345678, PD: 7, VA: 0x1000, Length: 16, Need: 0b11001, Base: 0x9000}
	require.True(t, k.run(set).OK)
	good := MRQuery{RKey: 0x12345678, PD: 7, VA: 0x1008, Length: 8, Need: 0b01001}
	require.Equal(t, MRResult{RKey: 0x12345678, OK: true, Address: 0x9008}, k.run(good))
	for _, c := range []struct {
		change func(*MRQuery)
		why    MRWhy
	}{
		{func(q *MRQuery) { q.VA, q.Length = 0x1000, 16 }, MRGood},
		{func(q *MRQuery) { q.VA, q.Length = 0x1010, 0 }, MRGood},
		{func(q *MRQuery) { q.VA, q.Length = 0x1011, 0 }, MRBounds},
		{func(q *MRQuery) { q.Length = 9 }, MRBounds},
		{func(q *MRQuery) { q.VA = 0xFFF }, MRBounds},
		{func(q *MRQuery) { q.VA, q.Length = 0x1001, 1<<64-1 }, MRBounds},
		{func(q *MRQuery) { q.VA, q.Length, q.Whole = 0, 1<<63, true }, MRGood},
		{func(q *MRQuery) { q.Need = 2 }, MRPermission},
		{func(q *MRQuery) { q.Need = 3 }, MRPermission},
		{func(q *MRQuery) { q.PD = 8 }, MRDomain},
		{func(q *MRQuery) { q.RKey ^= 1 }, MRNoKey},
		{func(q *MRQuery) { q.RKey ^= 1 << 31 }, MRNoKey},
		{func(q *MRQuery) { q.Op = 4 }, MRNoSuch},
		{func(q *MRQuery) { q.Need, q.Whole, q.Window = 0, true, true }, MRNoWindow},
	} {
		q := good
		c.change(&q)
		require.Equal(t, c.why, k.run(q).Why, "%+v", q)
	}
}

// TestKeysComeAndGo: a region stays, a window is taken away by its peer, an index is another key's only when it is
// free.
func TestKeysComeAndGo(t *testing.T) {
	k := &Keys{numKeys: 4096}
	region := MRQuery{Op: MRSet, RKey: 0x100, PD: 1, Length: 1}
	window := MRQuery{Op: MRSet, RKey: 0x201, PD: 1, Length: 1, Window: true}
	require.Equal(t, MRNoSuch, k.run(MRQuery{Op: MRSet, RKey: 0x100}).Why)
	require.True(t, k.run(region).OK)
	require.True(t, k.run(window).OK)
	require.True(t, k.run(MRQuery{RKey: 0x201, PD: 1, Whole: true, Window: true}).OK)
	require.Equal(t, MRTaken, k.run(MRQuery{Op: MRSet, RKey: 0x101, Length: 1}).Why)
	require.Equal(t, MRNoWindow, k.run(MRQuery{Op: MRInvalidate, RKey: 0x100, PD: 1}).Why)
	require.Equal(t, MRDomain, k.run(MRQuery{Op: MRInvalidate, RKey: 0x201, PD: 2}).Why)
	require.True(t, k.run(MRQuery{Op: MRInvalidate, RKey: 0x201, PD: 1}).OK)
	require.Equal(t, MRNoKey, k.run(MRQuery{Op: MRInvalidate, RKey: 0x201, PD: 1}).Why)
	require.True(t, k.run(MRQuery{Op: MRRemove, RKey: 0x100}).OK)
	require.True(t, k.run(MRQuery{Op: MRSet, RKey: 0x101, Length: 1}).OK)
}

// TestKeysOfAnyLength: a region of bytes opens all of them and none before or behind them, about each power of two; one
// of no bytes is no region (RSP-1).
func TestKeysOfAnyLength(t *testing.T) {
	k := &Keys{numKeys: 4096}
	set := MRQuery{Op: MRSet, RKey: 0x100, VA: 0x1000, Base: 0x9000}
	require.Equal(t, MRNoSuch, k.run(set).Why, "no bytes")
	for bit := 1; bit < 64; bit++ {
		for _, set.Length = range []uint64{1<<bit - 1, 1 << bit, 1<<bit + 1} {
			require.True(t, k.run(set).OK, "%Xh bytes", set.Length)
			whole := MRQuery{RKey: 0x100, VA: 0x1000, Length: set.Length}
			last := MRQuery{RKey: 0x100, VA: 0x1000 + set.Length - 1, Length: 1}
			behind, before := last, whole
			behind.VA++
			before.VA--
			require.True(t, k.run(whole).OK, "%Xh bytes", set.Length)
			require.Equal(t, 0x9000+set.Length-1, k.run(last).Address)
			require.Equal(t, MRBounds, k.run(behind).Why, "%Xh bytes", set.Length)
			require.Equal(t, MRBounds, k.run(before).Why, "%Xh bytes", set.Length)
		}
	}
}

func (k *Keys) run(q MRQuery) MRResult { return k.Step(&q) }
