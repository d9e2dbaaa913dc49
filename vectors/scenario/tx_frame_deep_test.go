package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// TestTxFrameDeepReaches: under any seed the first packet of an episode has a payload and no way, every opcode comes,
// and so do short payloads with all pieces that can be asked for behind them, and payloads of nearly a turn of pieces
// before one that cannot be read and is not asked for before all is quiet.
func TestTxFrameDeepReaches(t *testing.T) {
	s, err := Lookup("tx-frame-deep")
	require.NoError(t, err)
	for seed := uint64(1); seed <= 6; seed++ {
		g := NewGenerator(s, seed)
		ways := map[uint32]bool{}
		opcodes := map[ib.Opcode]bool{}
		var c Case
		var of []int // pieces of the payloads so far
		var comes uint64
		crowds, turns := 0, 0
		for i := range s.Count {
			if g.Make(i, &c); c.Port != framePackets {
				continue
			}
			q := hca.ParseFrameRecord(c.Frame)
			n := q.FramePieces()
			if i%frameDeepLength == 0 {
				require.Positive(t, n)
				require.False(t, ways[q.QPN])
			}
			if q.Op == hca.FrameSet {
				ways[q.QPN] = true
			} else if ways[q.QPN] {
				opcodes[q.Opcode] = true
			}
			if n == 0 {
				continue
			}
			of = append(of, n)
			if len(of) > frameInside {
				last := of[len(of)-frameInside:]
				if sum(last[:4]) == 4 && sum(last[4:]) >= hca.ReadPieces {
					crowds++
				}
				before := sum(last[:frameInside-1])
				if short := 2*hca.ReadPieces - before; c.NotBefore > comes+1000 && short > 0 && short < n-4 {
					turns++
				}
			}
			comes = c.NotBefore
		}
		require.Len(t, opcodes, 256, seed)
		require.Greater(t, crowds, 10, seed)
		require.Greater(t, turns, 10, seed)
	}
}

func sum(all []int) (n int) {
	for _, x := range all {
		n += x
	}
	return n
}
