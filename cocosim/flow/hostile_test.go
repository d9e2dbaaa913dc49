package flow_test

import (
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

func capturePath(t testing.TB, file string) string {
	return filepath.Join(filepath.Dir(captureFiles(t)[0]), file+".pcap")
}

// Flows without end: memory stays bounded, and what was given up is counted.
func TestManyFlows(t *testing.T) {
	list := frames(t, capturePath(t, "rc_send_sizes.a"))
	c, err := flow.New(flow.Options{Profile: roce.Spec})
	require.NoError(t, err)
	var w wire.Packet
	f := list[0]
	const flows = 150_000
	for i := range uint32(flows) {
		for range 2 { // the second packet of a flow asks for machines
			wire.Decode(f.Link, f.Data, &w)
			binary.BigEndian.PutUint32(w.IPv4()[12:], i) // source
			addPSN(&w, 1)
			f.Number++
			c.Take(&f, &w, wire.ICRCGood)
		}
	}
	r := c.Finish()
	require.LessOrEqual(t, len(r.Flows), 1<<18)
	require.EqualValues(t, flows, uint64(len(r.Flows))+r.More)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	require.Less(t, m.HeapAlloc, uint64(300<<20))
	t.Logf("%d flows: %d MB live", flows, m.HeapAlloc>>20)
	runtime.KeepAlive(c)
}

// Frames with bytes changed at random and ICRCs taken for good, in any order, cut anywhere, at times that go back: no
// panic.
func TestHostilePackets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var w wire.Packet
	for _, file := range []string{"rc_mix_everything.a", "rc_mix_everything.b", "rc_atomic_dup30.b", "uc_loss8.b",
		"ud_loss_dup.b", "rnr_exhausted.b"} {
		list := frames(t, capturePath(t, file))
		for _, hidden := range []bool{true, false} {
			opt := options(t, capturePath(t, file), roce.Rxe, hidden)
			for range 4 {
				c, err := flow.New(opt)
				require.NoError(t, err)
				for n := range 3 * len(list) {
					f := list[rng.IntN(len(list))]
					f.Number = uint64(n + 1)
					f.Data = append([]byte(nil), f.Data...)
					for range rng.IntN(4) {
						f.Data[14+rng.IntN(len(f.Data)-14)] = byte(rng.Uint32())
					}
					if rng.IntN(8) == 0 {
						f.Data = f.Data[:rng.IntN(len(f.Data))]
					}
					wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
					icrc := w.ICRC()
					if icrc == wire.ICRCBad && rng.IntN(3) > 0 {
						icrc = wire.ICRCGood
					}
					v := c.Take(&f, &w, icrc)
					require.NotEmpty(t, v.Comment())
				}
				r := c.Finish()
				require.NotZero(t, r.Backward)
				require.LessOrEqual(t, len(r.Violations), 1000)
			}
		}
	}
}

// What lies behind a frame that the snap length cut inside of its headers cannot be judged, and is not. Ethernet, IPv4,
// UDP, BTH and the longest headers of these captures take less than 96 bytes: cut behind them a frame is followed by
// its headers.
func TestSnapLength(t *testing.T) {
	for _, file := range []string{"rc_read_sizes.a", "rc_send_sizes.b", "rc_mtu2048.a", "rc_mtu2048.b", "uc_loss8.b"} {
		path := capturePath(t, file)
		for _, snap := range []int{40, 64, 96, 128, 300} {
			list := frames(t, path)
			cut := false
			for i := range list {
				list[i].Data = list[i].Data[:min(snap, len(list[i].Data))]
				cut = cut || list[i].Cut()
			}
			for _, hidden := range []bool{true, false} {
				r := judge(t, list, options(t, path, roce.Rxe, hidden))
				require.Empty(t, r.Violations, "%s, %d bytes", file, snap)
				switch {
				case snap == 40:
					require.Equal(t, cut, r.CutAt != 0, "%s, %d bytes", file, snap)
				case snap >= 96:
					require.Zero(t, r.CutAt, "%s, %d bytes", file, snap)
				}
			}
		}
	}
}
