package timed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca/timed"
)

// TestDuplicateBehindItsRead: a READ that comes twice, back to back. Asked for in clock c, the first one begins in
// c + 4 and its turn goes on in c + 5; replay_fifo is asked for the duplicate in c + 6, takes it a clock later and
// speaks 9 behind that, in c + 16; 2 behind that, in c + 18, the duplicate begins. What replay_fifo says of the first
// one, in c + 10, is nothing to it. So memory is asked 14 clocks later (docs/predict.md, READs and atomics).
func TestDuplicateBehindItsRead(t *testing.T) {
	s := newStream(t, true, 64)
	s.renew()
	var asked []uint64
	for _, r := range s.p.Advance(s.p.Clock()+1000, []timed.Arrival{s.frames[0], s.frames[0]}, nil) {
		if r.Port == timed.ReadAsks {
			asked = append(asked, r.End)
		}
	}
	require.Len(t, asked, 2)
	require.Equal(t, uint64(14), asked[1]-asked[0])
}
