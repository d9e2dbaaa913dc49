package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// TestQPCtlDeepReaches: under any seed thousands of packets are under way when a QP closes, each is counted for one
// reason, FREE is tried with every power of two of them left, and the counter is read behind every power of two of
// events from 128 on.
func TestQPCtlDeepReaches(t *testing.T) {
	s, err := Lookup("qp-ctl-deep")
	require.NoError(t, err)
	for seed := uint64(1); seed <= 6; seed++ {
		g := NewGenerator(s, seed)
		underWay, most, closedWith, counted := 0, 0, 0, 0
		reasons, free, read := map[uint8]bool{}, map[int]bool{}, map[int]bool{}
		var c Case
		for i := range s.Count {
			g.Make(i, &c)
			if c.Port == qpcEvents {
				v := uint16(c.Frame[0]) | uint16(c.Frame[1])<<8 // enters, leaves, closed, counts, reason from bit 4
				underWay += int(v&1) - int(v>>1&1)
				if v>>2&1 == 1 {
					closedWith = underWay
				}
				if v>>3&1 == 1 {
					counted++
					reasons[uint8(v>>4)] = true
				}
				most = max(most, underWay)
				continue
			}
			switch a := hca.ParseQPCtlAccess(c.Frame); {
			case a.Write && a.Address == 0x008 && a.Data == uint32(hca.QPCommandFree):
				free[underWay] = true
			case !a.Write && a.Address >= 0x800 && a.Address&4 == 0:
				read[counted] = true
			}
		}
		require.Equal(t, qpcDeepPackets, most, seed)
		require.Equal(t, most, closedWith, seed)
		require.Len(t, reasons, 1)
		for k := range 14 {
			require.True(t, free[1<<k], "seed %d: FREE with %d under way", seed, 1<<k)
			require.True(t, k < 7 || read[1<<k], "seed %d: read behind %d events", seed, 1<<k)
		}
		require.True(t, free[0] && read[1<<14], seed)
	}
}
