package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/stage"
	"hcacosim/model/sim"
)

// TestFalconCornersAreInEveryRun: whatever the seed, each hole of a window, each bit of a bitmap and each bit that an
// EACK names stands alone once, connections at the edges of the numbers are opened, and one ACK moves both bases over
// whole windows.
func TestFalconCornersAreInEveryRun(t *testing.T) {
	s, err := Lookup("falcon-window-edges")
	require.NoError(t, err)
	spec, _ := stage.Lookup("falcon_window")
	for _, seed := range []uint64{1, 77} {
		model := spec.New(nil)
		holes, bits, names, conns := map[int]bool{}, map[int]bool{}, map[int]bool{}, map[uint32]bool{}
		whole := map[stage.WindowOp]bool{}
		each(t, s, seed, s.Count, func(_ uint64, c *Case) {
			q := stage.ParseWindowQuery(c.Frame)
			r := stage.ParseWindowResult(model.Advance(0, []sim.Record{{Data: c.Frame}}, nil)[0].Data)
			if r.RequestMoved == 64 && r.DataMoved == 128 {
				whole[q.Op] = true
			}
			switch {
			case q.Op == stage.WindowTake && r.EACK && !r.DataBits.Any() && r.MoreData.Count() == 1 && !r.MoreData.Has(0) &&
				r.RequestBits == 0:
				holes[r.MoreData.Highest()-1] = true
			case q.Op == stage.WindowTake && r.EACK && r.DataBits.Any():
				bits[int(r.DataBits.First())] = true
			case q.Op == stage.WindowEACK && r.Why == stage.WindowGood && q.DataRx.Count() == 1:
				names[q.DataRx.Highest()] = true
			case q.Op == stage.WindowSet:
				conns[q.Conn] = true
			}
		})
		require.Len(t, holes, 127)
		require.Len(t, bits, 127)
		require.Len(t, names, 128)
		require.True(t, whole[stage.WindowBACK] && whole[stage.WindowEACK])
		for _, n := range []uint32{15, 16, 1023, 1024, 16383, 16384} {
			require.True(t, conns[n], n)
		}
	}
}

// In every run each window that sets no OWN for the packet just behind it hears of packets that lie far off and whose
// distance has halves with that sum, or that XOR; and the base moves over a whole window under BaseOverReceived.
func TestFalconFoldsAreInEveryRun(t *testing.T) {
	s, err := Lookup("falcon-window-edges")
	require.NoError(t, err)
	spec, _ := stage.Lookup("falcon_window")
	model, base := spec.New(nil), map[uint32]stage.WindowQuery{}
	sums, xors, over := map[uint32]bool{}, map[uint32]bool{}, false
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		q := stage.ParseWindowQuery(c.Frame)
		r := stage.ParseWindowResult(model.Advance(0, []sim.Record{{Data: c.Frame}}, nil)[0].Data)
		set := base[q.Conn]
		switch {
		case q.Op == stage.WindowSet && q.Select == 0:
			base[q.Conn] = q
		case q.Op == stage.WindowPacket && set.Profile&stage.WindowInclusive != 0:
			d, size := uint32(q.A-set.A), uint32(set.RequestSize)
			if q.Select == 1 {
				d, size = uint32(q.A-set.B), uint32(set.DataSize)
			}
			sums[size] = sums[size] || d>>16 != 0 && d>>16+d&0xFFFF == size
			xors[size] = xors[size] || d>>16 != 0 && d>>16^d&0xFFFF == size
		case q.Op == stage.WindowPacket && set.Profile == stage.BaseOverReceived:
			over = over || r.DataMoved == 128
		}
	})
	require.True(t, sums[64] && sums[128] && xors[64] && xors[128] && over, "%v %v %v", sums, xors, over)
}
