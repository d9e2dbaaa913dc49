package scenario

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A number that is near is never the number itself, has no bit beyond the width, and is now and then one that each way
// of folding takes for it.
func TestNear(t *testing.T) {
	fold := map[string]func(v uint32) uint32{
		"XOR":      func(v uint32) uint32 { return v>>12 ^ v&0xFFF },
		"sum":      func(v uint32) uint32 { return (v>>12 + v) & 0xFFF },
		"count":    func(v uint32) uint32 { return uint32(bits.OnesCount32(v)) },
		"two bits": func(v uint32) uint32 { return (v>>21^v>>2)&1 | v&0xDFFFFB<<1 },
		"thirds":   func(v uint32) uint32 { return (v>>16 + v>>8 + v) & 0xFF },
	}
	least := map[string]int{"XOR": 200, "sum": 200, "count": 200, "thirds": 5}
	for _, v := range []uint32{0, 0xFFFFFF, 0x123456, 1, 0x800000, 0xABC123} {
		alike, oneBit := map[string]int{}, map[int]int{}
		for i := range uint64(20_000) {
			r := NewRand(7, i)
			n := near(&r, v, 24)
			require.NotEqual(t, v, n)
			require.Less(t, n, uint32(1<<24))
			for name, f := range fold {
				if f(n) == f(v) {
					alike[name]++
				}
			}
			if d := n ^ v; d&(d-1) == 0 {
				oneBit[bits.TrailingZeros32(d)]++
			}
		}
		require.Len(t, oneBit, 24)
		for name := range fold {
			if name == "count" && (v == 0 || v == 0xFFFFFF) {
				continue // no other has as many ones
			}
			require.Greater(t, alike[name], least[name], "%s of %06X", name, v)
		}
	}
}

// One draw, whatever comes of it, and the bit that Below would have drawn.
func TestNearDrawsOnce(t *testing.T) {
	same := 0
	for i := range uint64(1000) {
		a, b := NewRand(3, i), NewRand(3, i)
		n, bit := near(&a, uint64(0), 64), b.Below(64)
		require.Equal(t, a, b)
		if n == 1<<bit {
			same++
		}
	}
	require.Greater(t, same, 500)
}

// Of a star no two numbers are the same, and each two bits are what two of them differ in.
func TestStar(t *testing.T) {
	for _, width := range []int{5, 24, 61} {
		r := NewRand(5, 1)
		all := star(&r, width, width)
		pairs := map[uint64]bool{}
		for i, v := range all {
			require.Zero(t, v>>width)
			for _, w := range all[:i] {
				require.Equal(t, 2, bits.OnesCount64(v^w))
				pairs[v^w] = true
			}
		}
		require.Len(t, pairs, width*(width-1)/2)
	}
	r := NewRand(5, 2)
	all := star(&r, 5, 30)
	slices.Sort(all)
	require.Len(t, slices.Compact(all), 30)
}
