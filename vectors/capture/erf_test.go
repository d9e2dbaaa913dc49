package capture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
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
		sameFrames(t, path, erf)
		gotRoCE, gotGood = goodICRCs(t, erf) // without a file header
		require.Equal(t, roce, gotRoCE, name)
		require.Equal(t, good, gotGood, name)
	}
}

// sameFrames holds the stamps and bytes of two captures against each other. ERF counts in 2^-32 s.
func sameFrames(t *testing.T, path, erf string) {
	a, err := capture.Open(path)
	require.NoError(t, err)
	defer a.Close()
	b, err := capture.Open(erf)
	require.NoError(t, err)
	defer b.Close()
	for {
		x, errA := a.Next()
		y, errB := b.Next()
		for errB == nil && y.Data != nil && len(y.Data) == 0 { // a record that describes the file
			y, errB = b.Next()
		}
		if errors.Is(errA, io.EOF) {
			require.ErrorIs(t, errB, io.EOF)
			return
		}
		require.NoError(t, errB)
		require.Contains(t, []int64{-1, 0, 1}, x.TimeNS-y.TimeNS)
		require.Equal(t, x.Data, y.Data[:min(len(x.Data), len(y.Data))])
	}
}

// erfRecords are Ethernet records of ERF, a microsecond apart.
func erfRecords(n int, second uint64) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, second<<32+uint64(i)*4295)
		b = append(b, 2, 4, 0, 16+2+60, 0, 0, 0, 60)
		b = append(b, make([]byte, 2+60)...)
	}
	return b
}

// What is no ERF is not taken for it: every shift and cut of a file of records, records of no time, and noise.
func TestERFIsToldSafely(t *testing.T) {
	taken := func(b []byte) bool {
		_, err := capture.NewReader(bytes.NewReader(b), "x")
		return err == nil
	}
	whole := erfRecords(5, 1_700_000_000)
	require.True(t, taken(whole))
	require.True(t, taken(whole[:78]), "one whole record")
	require.False(t, taken(whole[:77]), "one record, cut")
	require.False(t, taken(erfRecords(5, 1000)), "the year 1970")
	for i := 1; i < 78; i++ {
		require.False(t, taken(whole[i:]), "from byte %d on", i)
	}
	rng := rand.New(rand.NewPCG(13, 5))
	noise := make([]byte, 4096)
	for range 20_000 {
		for k := range noise[:64] {
			noise[k] = byte(rng.Uint32())
		}
		require.False(t, taken(noise))
	}
}
