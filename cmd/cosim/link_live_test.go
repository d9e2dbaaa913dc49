package main

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// Two `cosim link` are each other's real peer; what each saw, `cosim check` calls clean.
func TestLinkLive(t *testing.T) {
	t.Parallel()
	linksLive(t)
}

// linksLive has two ends do what their files say; one of them is told more.
func linksLive(t *testing.T, more ...string) {
	dir := t.TempDir()
	session := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../../cocosim/live/testdata", name))
		require.NoError(t, err)
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, text, 0o644))
		return file
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.in"), make([]byte, 0x20000), 0o644))
	a, b, socket := session("a.yaml"), session("b.yaml"), filepath.Join(dir, "s")
	other := make(chan cocosim.Exit)
	go func() {
		code, _, _ := cosim("link", "--b", "listen:"+socket, "--session", b, "--pcap", filepath.Join(dir, "b"), "--quiet")
		other <- code
	}()
	code, out, errs := cosim(append([]string{"link", "--b", "socket:" + socket, "--session", a, "--pcap",
		filepath.Join(dir, "a")}, more...)...)
	require.Zero(t, code, out+errs)
	require.Contains(t, out, "0 certain violations, 0 possible")
	require.Zero(t, <-other)
	for end, own := range map[string]string{"a": "10.9.0.1", "b": "10.9.0.2"} {
		code, out, _ = cosim("check", "--behind", "100ms", "--at", own, filepath.Join(dir, end+".a.pcap"))
		require.Zero(t, code, out)
		require.Contains(t, out, "no violation in ")
	}
}

// RTL in the place of one of them: the same holds.
func TestLinkLiveOfRTL(t *testing.T) {
	needTools(t, "verilator")
	for _, a := range []string{"hca_rx+hca_tx", "hca_top"} {
		linksLive(t, "--a", a, "--flavour", "debug")
		require.Empty(t, children(t), a)
	}
}

// A broken frame is exit code 5 and one line; what cannot be meant is 2.
func TestLinkLiveErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket, file := filepath.Join(dir, "s"), "../../cocosim/live/testdata/b.yaml"
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err == nil {
			c.Write([]byte{0, 0, 0, 60, 1, 2, 3})
			c.Close()
		}
	}()
	code, _, errs := cosim("link", "--b", "socket:"+socket, "--session", file, "--limit", time.Minute.String(),
		"--set", "regions.0.save="+filepath.Join(dir, "0"), "--set", "regions.1.save="+filepath.Join(dir, "1"))
	require.Equal(t, cocosim.BridgeFailed, code, errs)
	require.Equal(t, "cosim: socket: the stream ends 3 bytes into a frame of 60, behind 0 whole frames, at byte 0 "+
		"(each frame stands behind its length in 4 bytes, big-endian)\n", errs)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--b", "socket:x"}, "--b socket:x needs --session FILE"},
		{[]string{"--b", "tap:x", "--session", file, "--loss", "1"}, "--loss is of a simulated link"},
		{[]string{"--session", file}, "--session is for a real peer"},
		{[]string{"--b", "socket:x", "--session", file, "--set", "qps.0.pmtu=9"}, "qps.0.pmtu: path MTU 9"},
		{[]string{"--b", "socket:x", "--session", "none.yaml"}, "cannot read none.yaml"},
		{[]string{"--b", "socket:", "--session", file}, `"socket:" is not socket:PATH`},
	} {
		code, _, errs := cosim(append([]string{"link"}, c.args...)...)
		require.Equal(t, cocosim.BadInput, code, c.args)
		require.Contains(t, errs, c.want)
	}
}
