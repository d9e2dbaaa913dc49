package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// TestTxFrameMemoryWaits: what memory gives first is for a piece that the device can have asked for: of all before the
// oldest one that memory has not given, no more than a device has inside lie between. Else a run would wait for itself.
func TestTxFrameMemoryWaits(t *testing.T) {
	s, err := Lookup("tx-frame")
	require.NoError(t, err)
	for seed := range uint64(20) {
		g := NewGenerator(s, seed)
		var c Case
		var of []int // the record of each piece
		records := 0
		var frames []uint8
		for i := range uint64(10 * frameLength) {
			g.Make(i, &c)
			if c.Port == framePackets {
				q := hca.ParseFrameRecord(c.Frame)
				for range q.FramePieces() {
					of = append(of, records)
				}
				records++
			} else {
				frames = append(frames, uint8(c.User%hca.ReadPieces))
			}
		}
		require.Len(t, frames, len(of))
		given := make([]bool, len(of)+hca.ReadPieces)
		oldest := 0
		for _, tag := range frames {
			piece := oldest - oldest%hca.ReadPieces + int(tag)
			if piece < oldest || given[piece] {
				piece += hca.ReadPieces
			}
			require.False(t, given[piece])
			require.Less(t, piece-oldest, hca.ReadPieces)
			require.Less(t, of[piece]-of[oldest], 30, "seed %d", seed)
			given[piece] = true
			for given[oldest] {
				oldest++
			}
		}
	}
}

// TestTxFrameFillsItsPlaces: in front of a memory that gives nothing as many packets with a payload come as a device
// has inside, one behind the other, whose pieces can all be asked for.
func TestTxFrameFillsItsPlaces(t *testing.T) {
	s, err := Lookup("tx-frame")
	require.NoError(t, err)
	g := NewGenerator(s, 1)
	var c Case
	run, pieces, filled := 0, 0, 0
	var comes uint64
	for i := range uint64(20 * frameLength) {
		g.Make(i, &c)
		if c.Port == framePackets {
			q := hca.ParseFrameRecord(c.Frame)
			n := q.FramePieces()
			if run, pieces, comes = run+1, pieces+n, c.NotBefore; n == 0 {
				run, pieces = 0, 0
			}
			continue
		}
		if run >= frameInside && pieces <= hca.ReadPieces*run/frameInside && c.NotBefore > comes+2*frameInside {
			filled++
			run = 0
		}
	}
	require.Positive(t, filled)
}
