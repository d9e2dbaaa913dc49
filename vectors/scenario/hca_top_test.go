package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// hcaTopLeast is how often 20,000 records of hca-top have what, at least.
var hcaTopLeast = map[string]int{"command: FREE, while frames come": 30, "command: CLOSE, while frames come": 12,
	"command: FREE, behind frames": 12, "command: FREE, too early": 6, "write: ARG7, while a QP closes": 144,
	"write: ARG7, beside frames": 1000, "read: a counter": 3000, "read: FLOW": 5}

// TestHcaTopReachesEverything: QPs come and go beside frames and behind them, in each seed (RSP-14, RSP-15).
func TestHcaTopReachesEverything(t *testing.T) {
	s, err := Lookup("hca-top")
	require.NoError(t, err)
	for seed := range uint64(6) {
		seen := map[string]int{}
		each(t, s, seed, 20_000, func(_ uint64, c *Case) { seen[string(c.Why)]++ })
		for why, least := range hcaTopLeast {
			require.GreaterOrEqual(t, seen[why], least, "seed %d: %s", seed, why)
		}
	}
}
