package flow_test

import (
	"bufio"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// repeated calls each with the frames of a capture over and over, PSNs, MSNs and times going on from round to round, so that
// it reads as one long connection. ICRCs are right.
func repeated(t testing.TB, list []vectors.Frame, rounds int, each func(f *vectors.Frame)) {
	psns, msns, span := extent(t, list)
	var w wire.Packet
	number := uint64(0)
	for round := range uint32(rounds) {
		for i := range list {
			f := list[i]
			wire.Decode(f.Link, f.Data, &w)
			if w.Op != nil {
				if round > 0 {
					addPSN(&w, psns)
				}
				if a := w.AETH(); a != nil && round > 0 {
					v := binary.BigEndian.Uint32(a)
					binary.BigEndian.PutUint32(a, v&0xFF000000|(v+msns)&0xFFFFFF)
				}
				wire.PutICRC(f.Data, &w.Location)
			}
			number++
			f.Number, f.TimeNS = number, f.TimeNS+int64(round)*span
			each(&f)
		}
	}
}

// extent is how far PSN, MSN and time go in one round.
func extent(t testing.TB, list []vectors.Frame) (psns, msns uint32, span int64) {
	var w wire.Packet
	low, high := uint32(1<<24), uint32(0)
	for i := range list {
		wire.Decode(list[i].Link, list[i].Data, &w)
		if w.Op == nil {
			continue
		}
		low, high = min(low, uint32(w.BTH().PSN())), max(high, uint32(w.BTH().PSN()))
		if a := w.AETH(); a != nil {
			msns = max(msns, a.MSN())
		}
		if w.Op.Operation == ib.ReadRequest {
			high = max(high, uint32(w.BTH().PSN())+(w.RETH().DMALen()+255)/256-1)
		}
	}
	require.Less(t, high-low, uint32(1<<20))
	return high - low + 1, msns, list[len(list)-1].TimeNS - list[0].TimeNS + 1_000_000
}

// The long capture of a short one is as clean as the short one, over a wrap of the PSN, and memory is what it was.
func TestLongCapture(t *testing.T) {
	path := filepath.Join(filepath.Dir(captureFiles(t)[0]), "rc_big_window.a.pcap")
	list := frames(t, path)
	c, err := flow.New(options(t, path, roce.Rxe, true))
	require.NoError(t, err)
	var w wire.Packet
	repeated(t, list, 400, func(f *vectors.Frame) {
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
		c.Take(f, &w, w.ICRC())
	})
	r := c.Finish()
	require.Empty(t, r.Violations)
	require.Len(t, r.Flows, 1)
	if out := os.Getenv("HCACOSIM_LONG_CAPTURE"); out != "" { // to measure: NAME=FRAMES
		writeLong(t, path, out)
	}
}

// writeLong writes a long capture of as many frames as the environment says.
func writeLong(t *testing.T, path, out string) {
	n, err := strconv.Atoi(os.Getenv("HCACOSIM_LONG_FRAMES"))
	require.NoError(t, err)
	head, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := os.Create(out)
	require.NoError(t, err)
	defer file.Close()
	b := bufio.NewWriterSize(file, 1<<20)
	b.Write(head[:24])
	list := frames(t, path)
	repeated(t, list, n/len(list)+1, func(f *vectors.Frame) {
		var h [16]byte
		binary.LittleEndian.PutUint32(h[0:], uint32(f.TimeNS/1e9))
		binary.LittleEndian.PutUint32(h[4:], uint32(f.TimeNS%1e9))
		binary.LittleEndian.PutUint32(h[8:], uint32(len(f.Data)))
		binary.LittleEndian.PutUint32(h[12:], uint32(len(f.Data)))
		b.Write(h[:])
		b.Write(f.Data)
	})
	require.NoError(t, b.Flush())
}

// The path of a packet allocates nothing once its flow is known.
func TestTakeDoesNotAllocate(t *testing.T) {
	path := filepath.Join(filepath.Dir(captureFiles(t)[0]), "rc_big_window.a.pcap")
	list := frames(t, path)
	for _, hidden := range []bool{true} {
		c, err := flow.New(options(t, path, roce.Rxe, hidden))
		require.NoError(t, err)
		var w wire.Packet
		packets := 0
		take := func(f *vectors.Frame) {
			wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
			c.Take(f, &w, w.ICRC())
			packets++
		}
		repeated(t, list, 2, take)
		var all []vectors.Frame
		repeated(t, list, 1, func(f *vectors.Frame) { all = append(all, *f) })
		i := 0
		require.Zero(t, testing.AllocsPerRun(len(all)-2, func() { take(&all[i]); i++ }))
	}
}

func BenchmarkTake(b *testing.B) {
	path := filepath.Join(filepath.Dir(captureFiles(b)[0]), "rc_big_window.a.pcap")
	list := frames(b, path)
	c, err := flow.New(options(b, path, roce.Rxe, true))
	require.NoError(b, err)
	var w wire.Packet
	b.ReportAllocs()
	b.ResetTimer()
	n := 0
	for n < b.N {
		repeated(b, list, 50, func(f *vectors.Frame) {
			wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
			c.Take(f, &w, w.ICRC())
			n++
		})
	}
}
