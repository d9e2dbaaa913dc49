package ib

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryHeaderHasItsFields: the table stands in the order of the headers, fields do not overlap, and lie inside.
func TestEveryHeaderHasItsFields(t *testing.T) {
	var all []Field
	for h := range AllHeaders() {
		end := 0
		list := slices.Collect(h.Fields())
		require.NotEmpty(t, list, h)
		for _, f := range list {
			require.Equal(t, h, f.Header(), f)
			require.GreaterOrEqual(t, fields[f].bit, end, "%s %s", h, f)
			end = fields[f].bit + f.Bits()
		}
		require.LessOrEqual(t, end, 8*h.Bytes(), h)
		all = append(all, list...)
	}
	require.Len(t, all, int(numFields))
}

// TestFieldByHand: one field that ends inside of a byte, one that begins there, one of 64 bits, one in three bytes.
func TestFieldByHand(t *testing.T) {
	feth := []byte{0xFF, 0xFF, 0xFF, 0b11_01_0011}
	require.EqualValues(t, 1, FlushSEL.Of(feth))
	require.EqualValues(t, 3, FlushPLT.Of(feth))
	require.EqualValues(t, 0xB0B1B2, SrcQP.Of([]byte{1, 2, 3, 4, 0xFF, 0xB0, 0xB1, 0xB2}))
	atomic := slices.Concat(make([]byte, 12), []byte{0x80, 1, 2, 3, 4, 5, 6, 7}, make([]byte, 8))
	require.EqualValues(t, uint64(0x8001020304050607), SwapAdd.Of(atomic))
	require.Zero(t, Compare.Of(atomic))
}

// TestFieldPutIsRead: every bit of every field goes where it is read from, and touches nothing else.
func TestFieldPutIsRead(t *testing.T) {
	for f := range numFields {
		seen := make([]byte, f.Header().Bytes())
		for bit := range f.Bits() {
			h := make([]byte, len(seen))
			f.Put(h, 1<<bit)
			require.Equal(t, uint64(1)<<bit, f.Of(h), "%s bit %d", f, bit)
			for i := range h {
				require.Zero(t, seen[i]&h[i])
				seen[i] |= h[i]
			}
		}
		wide := make([]byte, len(seen))
		f.Put(wide, ^uint64(0))
		require.True(t, bytes.Equal(seen, wide), f)
	}
}
