package loop

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/link"
)

// Retries that run out on a link that loses a fifth are the link's; on one that loses a hundredth they are somebody's,
// but for a timer whose expiries all fall into one round trip.
func TestWhoWoreOut(t *testing.T) {
	outcome := func() *Outcome {
		o := &Outcome{Result: &Result{}, Wrongs: 2, Dead: 2}
		o.Ends[0].Messages, o.Ends[1].Messages = 500, 500
		o.Ends[0].Failed = map[string]uint64{"retry exceeded": 1, "flushed": 3}
		return o
	}
	bad, good := link.Config{Loss: 0.2}, link.Config{Loss: 0.01, Corrupt: 0.01}
	require.Contains(t, outcome().wornBy(&bad, 2000, 1000), "36 % of the attempts fail")
	require.Empty(t, outcome().wornBy(&good, 2000, 1000))
	require.Empty(t, outcome().wornBy(&good, 2000, 16000))
	require.Contains(t, outcome().wornBy(&good, 2000, 16001), "a timer of 2 us runs out 8 times in a round trip")
	stopped := outcome()
	stopped.Result.Cut, stopped.Result.Stuck = true, "the limit is reached"
	require.Contains(t, stopped.wornBy(&bad, 2000, 1000), "36 % of the attempts fail")
	for name, change := range map[string]func(*Outcome){
		"accused": func(o *Outcome) { o.Judged[1].Certain = 1 },
		"memory":  func(o *Outcome) { o.Wrongs++ },
		"stuck":   func(o *Outcome) { o.Result.Stuck = "A" },
		"status":  func(o *Outcome) { o.Ends[1].Failed = map[string]uint64{"RNR retry exceeded": 1} },
		"none":    func(o *Outcome) { o.Ends[0].Failed = nil },
	} {
		o := outcome()
		change(o)
		require.Empty(t, o.wornBy(&bad, 2000, 1000), name)
	}
}
