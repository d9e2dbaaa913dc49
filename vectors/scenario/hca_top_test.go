package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// hcaTopLeast is how often 20,000 records of a scenario have what, at least.
var hcaTopLeast = map[string]map[string]int{
	"hca-top": {"command: FREE, while frames come": 30, "command: CLOSE, while frames come": 6,
		"command: FREE, behind frames": 8, "command: FREE, too early": 2, "command: FREE, behind a jam": 6,
		"a READ that waits behind a jam": 3, "write: ARG7, while a QP closes": 48, "write: ARG7, beside frames": 1000,
		"read: a counter": 2100, "read: FLOW": 5, "no RoCE, while a QP closes": 80, "to nobody, in a jam": 140,
		"a bad ICRC, while a QP closes": 30, "from an address that is not the peer's": 1},
	"hca-top-sends": {"a request: WRITE of some bytes": 112, "a request: READ, in front of a jam": 3,
		"a response to nothing, in a jam": 60, "an ACK of each, in a jam": 10, "an ACK behind a jam": 8,
		"CNP, in a jam": 2, "SQD, in a jam": 8, "post with a list, in the end": 4, "acknowledged: error": 3,
		"foreign: post": 8, "post of the longest READ": 1},
}

// TestHcaTopReachesEverything: QPs come and go beside frames, behind them and in jams, in each seed (RSP-14, RSP-15),
// and what goes from one half to the other finds no room.
func TestHcaTopReachesEverything(t *testing.T) {
	for name, least := range hcaTopLeast {
		s, err := Lookup(name)
		require.NoError(t, err)
		for seed := range uint64(6) {
			seen := map[string]int{}
			each(t, s, seed, 20_000, func(_ uint64, c *Case) { seen[string(c.Why)]++ })
			for why, n := range least {
				require.GreaterOrEqual(t, seen[why], n, "%s, seed %d: %s", name, seed, why)
			}
		}
	}
}
