package capture

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
)

func replayCapture(t *testing.T, file string) string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "captures")
	}
	path := filepath.Join(dir, file+".pcap")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no captures: set HCACOSIM_CAPTURES")
	}
	return path
}

// The first round is the capture itself; from then on times go forward, ICRCs are right, and a request's PSN is what it
// was plus what a round uses up: 601 for rc_big_window, 401 of a WRITE and 200 of a READ, by the facts of the capture.
func TestReplay(t *testing.T) {
	path := replayCapture(t, "rc_big_window.a")
	r, err := NewReplay(path, 1)
	require.NoError(t, err)
	var file bytes.Buffer
	const round, rounds, psns = 608, 4, 400 + 200
	require.NoError(t, r.WritePcap(&file, rounds*round))

	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first[24:], file.Bytes()[24:len(first)])

	c, err := pcapgo.NewReader(&file) // the second reader
	require.NoError(t, err)
	var before [round]uint32
	last := int64(0)
	for i := range rounds * round {
		data, info, err := c.ReadPacketData()
		require.NoError(t, err)
		require.GreaterOrEqual(t, info.Timestamp.UnixNano(), last)
		last = info.Timestamp.UnixNano()
		var w wire.Packet
		wire.Decode(wire.LinkEthernet, data, &w)
		require.Equal(t, wire.ICRCGood, w.ICRC())
		p := uint32(w.BTH().PSN())
		if i >= round {
			require.EqualValues(t, (before[i%round]+psns)&0xFFFFFF, p)
		}
		before[i%round] = p
	}
}

// Connections side by side differ in their queue pairs and PSNs; a bad ICRC stays bad.
func TestReplayConnections(t *testing.T) {
	path := replayCapture(t, "rc_mix_corrupt3.a")
	r, err := NewReplay(path, 3)
	require.NoError(t, err)
	bad := 0
	for range 200 {
		qpns := map[uint32]bool{}
		for range 3 {
			f := r.Next()
			var w wire.Packet
			wire.Decode(f.Link, f.Data, &w)
			if w.ICRC() != wire.ICRCGood {
				bad++
			} else {
				qpns[w.BTH().DestQP()] = true
			}
		}
		if len(qpns) > 0 {
			require.Len(t, qpns, 3)
		}
	}
	require.NotZero(t, bad)
	_, err = NewReplay(path, 1<<25)
	require.ErrorContains(t, err, "no room")
}
