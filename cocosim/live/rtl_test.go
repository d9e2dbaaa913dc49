package live

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// stage is one as a device: what RTL is held to.
func stage(t *testing.T, name string) cocosim.Device {
	spec, ok := stages.Lookup(name)
	require.True(t, ok)
	return cocosim.NewGolden(spec, sim.Settings{"NumQps": 64, "cycles_per_tick_i": 65535, "tick_step_i": 1}, 64)
}

// An adapter whose halves are devices, whose clocks have nothing to do with time, does with a peer what the model
// does. Timeouts are real: one that expires because the machine is slow is no fault, so they are long, and nothing
// falls here. Where something does is for make live.
func TestHalves(t *testing.T) {
	t.Parallel()
	for _, peers := range [][2]string{{"10.9.0.1", "10.9.0.2"}, {"fd00::a:1", "fd00::b:2"}} {
		for name, h := range map[string]loop.Halves{
			"two": {Responder: stage(t, "hca_rx"), Requester: stage(t, "hca_tx")},
			"one": {Whole: stage(t, "hca_top")},
		} {
			t.Run(name+" "+peers[0], func(t *testing.T) {
				t.Parallel()
				meets(t, h, peers)
			})
		}
	}
}

// The judge of a session knows that a simulator is slow, whichever port its requests leave by.
func TestBehindOfHalves(t *testing.T) {
	require.Zero(t, behindNs(&loop.Halves{}))
	require.Zero(t, behindNs(&loop.Halves{Responder: stage(t, "hca_rx")}))
	require.EqualValues(t, 100_000_000, behindNs(&loop.Halves{Requester: stage(t, "hca_tx")}))
	require.EqualValues(t, 100_000_000, behindNs(&loop.Halves{Whole: stage(t, "hca_top")}))
}

// meets has an adapter of such devices and the model do what their files say, from these addresses.
func meets(t *testing.T, h loop.Halves, peers [2]string) {
	dir := world(t)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	socket, other := filepath.Join(dir, "s"), make(chan error, 1)
	go func() {
		_, err := Run(ctx, Config{Peer: "listen:" + socket, File: load(t, dir, "b.yaml", "qps.0.timeout=21",
			"address="+peers[1], "peer.address="+peers[0])})
		other <- err
	}()
	r, err := Run(ctx, Config{Peer: "socket:" + socket, File: load(t, dir, "a.yaml", "qps.0.timeout=21",
		"address="+peers[0], "peer.address="+peers[1]), Halves: h})
	require.NoError(t, err)
	require.NoError(t, <-other)
	require.Empty(t, r.Failed)
	require.True(t, r.Exit() == cocosim.Agreed || len(r.Retries) > 0, "%+v", r)
	require.Equal(t, map[string]uint64{"success": 101}, r.QPs[0].Done)
	require.Equal(t, contents(t, dir, "a.in")[:50000], contents(t, dir, "a.local")[0x30000:0x30000+50000])
	require.EqualValues(t, 150, binary.LittleEndian.Uint64(contents(t, dir, "b.out")[0x1fff8:]))
	require.EqualValues(t, 77, binary.LittleEndian.Uint64(contents(t, dir, "a.out")[0x1fff8:]))
}

// What a requester that is a device cannot be is said at its place in the file.
func TestHalvesFit(t *testing.T) {
	t.Parallel()
	h := loop.Halves{Requester: stage(t, "hca_tx")}
	for set, want := range map[string]string{
		"profile=rxe":      "profile: rxe: hca_tx asks for ACKs as profile spec has it",
		"qps.0.service=uc": "qps.0.service: uc: hca_tx is RC's",
	} {
		dir := world(t)
		_, err := Run(context.Background(), Config{Peer: "socket:none", File: load(t, dir, "a.yaml", set), Halves: h})
		require.ErrorContains(t, err, want)
		require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	}
}
