package capture_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// goodICRCs counts the RoCE packets of a capture and those of them whose ICRC is right.
func goodICRCs(t *testing.T, path string) (roce, good int) {
	in, err := capture.Open(path)
	require.NoError(t, err)
	defer in.Close()
	var p wire.Packet
	for {
		f, err := in.Next()
		if errors.Is(err, io.EOF) {
			return roce, good
		}
		require.NoError(t, err)
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
		if p.Encap != wire.EncapNone {
			roce++
		}
		if p.ICRC() == wire.ICRCGood {
			good++
		}
	}
}

// ERF records that Wireshark makes of Ethernet frames, with an extension header each, are read as the frames are.
func TestERFByWireshark(t *testing.T) {
	for _, tool := range []string{"mergecap", "editcap"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool, "is not installed")
		}
	}
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "captures")
	}
	for _, name := range []string{"rc_mix_loss10_both.a", "rc_v6_corrupt3.b", "ud_loss_dup.b"} {
		path := filepath.Join(dir, name+".pcap")
		if _, err := os.Stat(path); err != nil {
			t.Skip("no captures:", err)
		}
		erf, pcap := filepath.Join(t.TempDir(), "x.erf"), filepath.Join(t.TempDir(), "x.pcap")
		out, err := exec.Command("mergecap", "-F", "erf", "-w", erf, path).CombinedOutput()
		require.NoError(t, err, string(out))
		out, err = exec.Command("editcap", "-F", "pcap", erf, pcap).CombinedOutput()
		require.NoError(t, err, string(out))

		in, err := capture.Open(pcap)
		require.NoError(t, err)
		f, err := in.Next()
		require.NoError(t, err)
		require.EqualValues(t, capture.LinkTypeERF, f.LinkType)
		require.NoError(t, in.Close())

		roce, good := goodICRCs(t, path)
		gotRoCE, gotGood := goodICRCs(t, pcap)
		require.Equal(t, roce, gotRoCE, name)
		require.Equal(t, good, gotGood, name)
		require.NotZero(t, good, name)
	}
}
