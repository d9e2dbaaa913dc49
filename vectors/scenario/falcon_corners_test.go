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
