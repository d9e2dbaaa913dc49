package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// TestSQSchedulerDeepReaches: under any seed more than 2,048 QPs stand in the queue, some are woken again, removed and
// set there, some stand at the end again behind a turn, the places turn over, and none is left.
func TestSQSchedulerDeepReaches(t *testing.T) {
	s, err := Lookup("sq-scheduler-deep")
	require.NoError(t, err)
	for seed := uint64(1); seed <= 6; seed++ {
		g := NewGenerator(s, seed)
		order := hca.NewSendOrder(4096)
		deepest, places := 0, 0
		seen := map[string]int{}
		var c Case
		for i := range s.Count {
			g.Make(i, &c)
			q := hca.ParseSchedRecord(c.Frame)
			deep := order.Awake() > 2048
			_, stands, ended := order.Step(&q)
			deepest = max(deepest, order.Awake())
			if stands {
				places++
			}
			switch {
			case deep && ended && stands:
				seen["again"]++
			case deep && ended:
				seen["ended"]++
			case deep && q.Op == hca.SchedWake && !stands:
				seen["woken"]++
			case deep && q.Op == hca.SchedRemove:
				seen["removed"]++
			case deep && q.Op == hca.SchedSet:
				seen["set"]++
			}
		}
		require.Greater(t, deepest, 2080, seed)
		require.Greater(t, places, 4096, seed)
		require.Zero(t, order.Awake(), seed)
		for _, what := range []string{"again", "ended", "woken", "removed", "set"} {
			require.Greater(t, seen[what], 20, "seed %d: %s", seed, what)
		}
	}
}
