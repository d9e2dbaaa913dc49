package flow_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// replay offers as many frames of a replayed capture to a checker.
func replay(t testing.TB, path string, connections, count int, c *flow.Checker) {
	r, err := capture.NewReplay(path, connections)
	require.NoError(t, err)
	var w wire.Packet
	for range count {
		f := r.Next()
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
		c.Take(&f, &w, w.ICRC())
	}
}

// The long capture of a short one is as clean as the short one, over a wrap of the PSN; and many side by side are.
func TestLongCapture(t *testing.T) {
	dir := filepath.Dir(captureFiles(t)[0])
	for _, x := range []struct {
		file               string
		connections, count int
	}{{"rc_big_window.a", 1, 400 * 608}, {"sx_wrap_drop_ack.b", 1, 100_000}, {"rc_mix_loss10_both.b", 1, 50_000},
		{"rc_read_loss5_b2a.a", 1, 50_000}, {"rc_v6_loss5.a", 1, 50_000}, {"rc_mix_loss10_both.a", 300, 100_000},
		{"uc_loss8.a", 3, 50_000}} {
		path := filepath.Join(dir, x.file+".pcap")
		c, err := flow.New(options(t, path, roce.Rxe, true))
		require.NoError(t, err)
		replay(t, path, x.connections, x.count, c)
		r := c.Finish()
		require.Empty(t, r.Violations, x.file)
		require.Len(t, r.Flows, x.connections, x.file)
	}
}

// More connections in turn than are followed at a time: the rest are counted, and nothing is blamed on anyone.
func TestMoreConnectionsThanAreFollowed(t *testing.T) {
	for _, file := range []string{"rc_send_sizes.b", "rc_mix_loss10_both.b"} {
		path := capturePath(t, file)
		c, err := flow.New(options(t, path, roce.Rxe, true))
		require.NoError(t, err)
		const connections = 5000
		replay(t, path, connections, 40*connections, c)
		r := c.Finish()
		require.Zero(t, r.Certain)
		require.Zero(t, r.Possible, "%s: %v", file, r.Violations[:min(4, len(r.Violations))])
		require.InEpsilon(t, connections, len(r.Flows), 0.01, file) // a few responses are of no request that is still known
		require.NotZero(t, r.Unfollowed)
	}
}

// At an end with its sidecar every response of a long capture is foreseen.
func TestLongCapturePredicted(t *testing.T) {
	path := capturePath(t, "rc_big_window.b")
	c, err := flow.New(options(t, path, roce.Rxe, false))
	require.NoError(t, err)
	replay(t, path, 1, 100*608, c)
	r := c.Finish()
	require.Empty(t, r.Violations)
	require.Len(t, r.Flows, 1)
	require.EqualValues(t, 100*207, r.Flows[0].ResponsesSent)
	require.EqualValues(t, 100*207, r.Flows[0].ResponsesPredicted)
}

// The path of a packet allocates nothing once its flow is known.
func TestTakeDoesNotAllocate(t *testing.T) {
	path := capturePath(t, "rc_big_window.a")
	c, err := flow.New(options(t, path, roce.Rxe, true))
	require.NoError(t, err)
	r, err := capture.NewReplay(path, 1)
	require.NoError(t, err)
	var w wire.Packet
	next := func() vectors.Frame {
		f := r.Next()
		f.Data = slices.Clone(f.Data)
		return f
	}
	take := func(f *vectors.Frame) {
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
		c.Take(f, &w, w.ICRC())
	}
	var all []vectors.Frame
	for i := range 2 * 608 {
		f := next()
		if i < 608 {
			take(&f)
		} else {
			all = append(all, f)
		}
	}
	i := 0
	require.Zero(t, testing.AllocsPerRun(len(all)-2, func() { take(&all[i]); i++ }))
}

// benchRounds is how often a capture of 608 frames is replayed for a benchmark: 20 MB, more than caches hold.
const benchRounds = 100

// BenchmarkTake judges packets that were made before: stopping the clock for each takes longer than a packet does. The
// PSNs begin again with each turn of the list, as after a wrap; a checker takes one turn.
func BenchmarkTake(b *testing.B) {
	path := capturePath(b, "rc_big_window.a")
	r, err := capture.NewReplay(path, 1)
	require.NoError(b, err)
	list := make([]vectors.Frame, benchRounds*r.Round())
	for i := range list {
		list[i] = r.Next()
		list[i].Data = slices.Clone(list[i].Data)
	}
	opt := options(b, path, roce.Rxe, true)
	var c *flow.Checker
	var w wire.Packet
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := i % len(list)
		if n == 0 {
			c, err = flow.New(opt)
			require.NoError(b, err)
		}
		wire.DecodeCut(list[n].Link, list[n].Data, list[n].OrigLen, &w)
		c.Take(&list[n], &w, w.ICRC())
	}
}
