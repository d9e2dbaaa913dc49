package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
)

// TestHcaTxReachesEverything plays hca-tx to the model: every packet that there is leaves, first and again, and every
// end that a WQE can come to occurs (REQ-1, REQ-5, REQ-11, TMR-3, TMR-4).
func TestHcaTxReachesEverything(t *testing.T) {
	s, err := Lookup("hca-tx")
	require.NoError(t, err)
	model := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 256})
	statuses, opcodes, seen := map[string]int{}, map[string]int{}, map[string]int{}
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		seen[string(c.Why)]++
		model.Take(&sim.Record{Port: c.Port, Data: c.Frame})
		for _, e := range model.Ends {
			statuses[e.Status.String()]++
		}
		for _, p := range model.Sent {
			opcodes[ib.Lookup(p.Opcode).Name]++
			if p.Again {
				seen["again"]++
			}
		}
		model.Clear()
	})
	t.Log(statuses)
	t.Log(opcodes)
	t.Log(seen)
}
