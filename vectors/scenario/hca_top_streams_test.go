package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// hcaTopCrowdWhys are the frames that are counted while a QP closes.
var hcaTopCrowdWhys = [...]string{"to nobody", "no RoCE, while a QP closes", "a bad ICRC, while a QP closes",
	"cut short, while a QP closes", "asks for nothing, while a QP closes"}

// TestHcaTopStreamsReachesEverything: queue pairs close while answers are due one behind the other, and behind these
// while a READ is the last answer that is due; each is freed.
func TestHcaTopStreamsReachesEverything(t *testing.T) {
	s, err := Lookup("hca-top-streams")
	require.NoError(t, err)
	for seed := range uint64(3) {
		seen := map[string]int{}
		each(t, s, seed, s.Count, func(_ uint64, c *Case) { seen[string(c.Why)]++ })
		t.Log(seen)
		require.Equal(t, 6*hcaTopStreams.pieces, seen["memory gives"])
		require.Equal(t, seen["command: CLOSE, in a stream"], seen["command: FREE, behind a stream"])
		require.Equal(t, seen["a READ that waits behind streams"]*2, seen["command: FREE, behind a READ"])
		for why, least := range map[string]int{"command: CLOSE, in a stream": 540, "a READ that waits behind streams": 60,
			"command: FREE, too early": 120, "a WRITE of no bytes, in a stream": 3500,
			"a marked response, in a stream": 500} {
			require.GreaterOrEqual(t, seen[why], least, "seed %d: %s", seed, why)
		}
		for _, why := range hcaTopCrowdWhys {
			require.Greater(t, seen[why], 30, "seed %d: %s", seed, why)
		}
	}
}

// TestHcaTopStreamsKeepTheirTime: no record of a stream comes when the next episode has begun, at any pace.
func TestHcaTopStreamsKeepTheirTime(t *testing.T) {
	s, err := Lookup("hca-top-streams")
	require.NoError(t, err)
	for _, p := range []Pace{{BeatBytes: 32, Words: 512}, {BeatBytes: 64, Words: 32768},
		{BeatBytes: 32, Words: 512, Idle: 0.35, Backpressure: 0.35},
		{BeatBytes: 64, Words: 32768, Idle: 0.35, Backpressure: 0.35}} {
		g := NewGenerator(s, 1)
		g.SetPace(p)
		var c Case
		for i := range uint64(3 * hcaTopStreamsLength) {
			g.Make(i, &c)
			number := i / hcaTopStreamsLength
			first, _ := hcaTopStreamsTimes(p, number, 0)
			next, _ := hcaTopStreamsTimes(p, number+1, 0)
			require.GreaterOrEqual(t, c.NotBefore, first, "%v, record %d: %s", p, i, c.Why)
			require.Less(t, c.NotBefore, next, "%v, record %d: %s", p, i, c.Why)
		}
	}
}
