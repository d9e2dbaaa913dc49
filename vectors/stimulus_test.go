package vectors

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
)

// play returns the data of all records, with the link that the sideband tells.
func play(t *testing.T, p *Played) (out []string) {
	for {
		var r sim.Offer
		err := p.Next(&r)
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		require.Equal(t, uint64(len(out)), r.Seq)
		out = append(out, string(r.Data)+" "+string(rune('0'+r.User)))
	}
}

// TestPlayedLeavesOut: empty frames, frames cut by the snap length, and Ethernet where a stage has no sideband to tell
// the link by. Origins name the packet of the file all the same.
func TestPlayedLeavesOut(t *testing.T) {
	file := buildPcapngWithCut()
	open := func() (*capture.Reader, error) { return capture.NewReader(bytes.NewReader(file), "f") }

	p, err := NewPlayed(open, stageNamed(t, "icrc_check"))
	require.NoError(t, err)
	require.Equal(t, []string{"ethernet 0", "infiniband 1", "last 1"}, play(t, p))
	require.Equal(t, "f, packet 1", p.Origin(0))
	require.Equal(t, "f, packet 3", p.Origin(1))
	require.Equal(t, "f, packet 5", p.Origin(2))
	require.NoError(t, p.Close())

	p, err = NewPlayed(open, stageNamed(t, "vcrc_check"))
	require.NoError(t, err)
	require.Equal(t, []string{"infiniband 0", "last 0"}, play(t, p))
	require.Equal(t, "f, packet 5", p.Origin(1))
}

// buildPcapngWithCut: packet 2 is empty, packet 4 was longer on the wire.
func buildPcapngWithCut() []byte {
	var out bytes.Buffer
	w := capture.NewWriter(&out, "test")
	w.Interface("eth", capture.LinkTypeEthernet)
	w.Interface("ib", capture.LinkTypeInfiniBand)
	for i, data := range []string{"ethernet", "", "infiniband", "cut", "last"} {
		w.Packet(min(1, i/2), 0, []byte(data), nil)
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	file := out.Bytes()
	at := bytes.Index(file, []byte("cut\x00"))
	file[at-4]++
	return file
}
