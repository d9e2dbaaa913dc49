package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// The packets of a finding become a vector set, and the RTL plays it.
func TestFindingAsVectorSet(t *testing.T) {
	set := filepath.Join(t.TempDir(), "set")
	path := sharedCapture(t, "err_send_toolong.b.pcap")
	exit, out, errs := cosim("check", "--profile", "spec", "--finding", "5", "--out", set, path)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.Contains(t, out, "5 packets up to packet 5")

	in, err := capture.Open(set + ".pcapng")
	require.NoError(t, err)
	defer in.Close()
	var comment string
	for n := 0; ; n++ {
		f, err := in.Next()
		if err != nil {
			require.Equal(t, 5, n)
			break
		}
		comment = string(f.Comment)
	}
	require.Contains(t, comment, "packet 5 of err_send_toolong.b.pcap: RSP-1: ")

	s, err := vectors.OpenSet(set)
	require.NoError(t, err)
	require.EqualValues(t, 5, s.StimulusRecords)
	exit, out, errs = cosim("run", "--dut", "icrc_check", "--vectors", set)
	require.Equal(t, cocosim.Agreed, exit, out+errs)
	require.Contains(t, out, "AGREED")
}

// What cannot be written is said in one line.
func TestFindingThatIsNot(t *testing.T) {
	path, dir := sharedCapture(t, "err_send_toolong.b.pcap"), filepath.Join(t.TempDir(), "set")
	for _, x := range []struct {
		args []string
		says string
	}{
		{[]string{"--finding", "4", "--out", dir}, "no finding is about that packet; there are some about 5"},
		{[]string{"--finding", "5"}, "--finding PACKET and --out DIR go together"},
		{[]string{"--finding", "5", "--out", dir, "--dut", "nothing"}, "no such stage"},
	} {
		exit, _, errs := cosim(append(append([]string{"check", "--profile", "spec"}, x.args...), path)...)
		require.Equal(t, cocosim.BadInput, exit)
		require.Contains(t, errs, x.says)
		require.NoDirExists(t, dir)
		_, err := os.Stat(dir + ".pcapng")
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}
