package live

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// world is a directory with the files of both ends, the one to fill memory from among them.
func world(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"a.yaml", "b.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	fill := make([]byte, 0x20000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range fill {
		fill[i] = byte(rng.Uint32())
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.in"), fill, 0o644))
	return dir
}

func load(t *testing.T, dir, name string, overrides ...string) *File {
	f, err := Load(filepath.Join(dir, name), overrides)
	require.NoError(t, err)
	return f
}

func contents(t *testing.T, dir, name string) []byte {
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return text
}

// ends runs both ends over a Unix socket, and returns their reports.
func ends(t *testing.T, dir string, a, b *File) (reports [2]*Report) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	socket := filepath.Join(dir, "s")
	errs := make(chan error, 1)
	go func() {
		var err error
		reports[1], err = Run(ctx, Config{Peer: "listen:" + socket, File: b})
		errs <- err
	}()
	var err error
	reports[0], err = Run(ctx, Config{Peer: "socket:" + socket, File: a})
	require.NoError(t, err)
	require.NoError(t, <-errs)
	return reports
}

// Two models over a Unix socket do all that their files ask for, find each other's MAC, and leave in memory and in the
// files what the work says.
func TestTwoModels(t *testing.T) {
	t.Parallel()
	dir := world(t)
	got := ends(t, dir, load(t, dir, "a.yaml"), load(t, dir, "b.yaml"))
	for i, r := range got {
		require.Equal(t, cocosim.Agreed, r.Exit(), "%d: %+v", i, r)
		require.Zero(t, r.Judged.Possible, r.Judged.First)
		require.NotZero(t, r.Judged.Packets)
	}
	require.Equal(t, map[string]uint64{"success": 101}, got[0].QPs[0].Done)
	require.Equal(t, map[string]uint64{"success": 35}, got[1].QPs[0].Done)
	fill, peer, local := contents(t, dir, "a.in"), contents(t, dir, "b.out"), contents(t, dir, "a.local")
	require.Equal(t, fill[:50000], peer[:50000], "what was written")
	require.Equal(t, fill[:50000], local[0x30000:0x30000+50000], "what was read back")
	require.EqualValues(t, 150, binary.LittleEndian.Uint64(peer[0x1fff8:]), "what was added")
	require.EqualValues(t, 147, binary.LittleEndian.Uint64(local[0x3ff00:]), "what the last one found")
	require.Equal(t, bytes.Repeat([]byte{0xb4}, 8*4096), local[0x20000:0x20000+8*4096], "what was received")
	out := contents(t, dir, "a.out")
	require.Equal(t, append(bytes.Repeat([]byte{0xb4}, 16000), 0xa1), out[:16001], "what the peer wrote")
	require.EqualValues(t, 77, binary.LittleEndian.Uint64(out[0x1fff8:]), "what the peer swapped in")
}

// What falls on the way is sent again, and done once; no judge finds anything.
func TestTwoModelsLoss(t *testing.T) {
	t.Parallel()
	dir := world(t)
	got := ends(t, dir, load(t, dir, "a.yaml", "loss={percent: 3, seed: 2}", "qps.0.timeout=14", "end.quiet=0.3"),
		load(t, dir, "b.yaml", "qps.0.timeout=14"))
	for i, r := range got {
		require.Equal(t, cocosim.Agreed, r.Exit(), "%d: %+v", i, r)
	}
	require.NotZero(t, got[0].Lost)
	require.NotEmpty(t, got[0].Retries)
	require.EqualValues(t, 150, binary.LittleEndian.Uint64(contents(t, dir, "b.out")[0x1fff8:]))
	require.Equal(t, contents(t, dir, "a.in")[:50000], contents(t, dir, "a.local")[0x30000:0x30000+50000])
}

// The same with IPv6 addresses, whose neighbours are found by ICMPv6.
func TestTwoModelsIPv6(t *testing.T) {
	t.Parallel()
	dir := world(t)
	own := func(a, b string) []string { return []string{"address=" + a, "peer.address=" + b} }
	got := ends(t, dir, load(t, dir, "a.yaml", own("fd00::a:1", "fd00::b:2")...),
		load(t, dir, "b.yaml", own("fd00::b:2", "fd00::a:1")...))
	require.Equal(t, cocosim.Agreed, got[0].Exit(), got[0])
	require.Equal(t, cocosim.Agreed, got[1].Exit(), got[1])
	require.NotZero(t, got[0].Asked+got[1].Asked)
}

// Work that the peer refuses is a mismatch and says which; work that is left is inconclusive.
func TestWhatFails(t *testing.T) {
	t.Parallel()
	dir := world(t)
	got := ends(t, dir, load(t, dir, "a.yaml", "qps.0.posts.1.key=0x2002"), load(t, dir, "b.yaml"))
	require.Equal(t, cocosim.Mismatch, got[0].Exit())
	require.Regexp(t, "QP 000011h: send WQE 20 after .* remote access error", strings.Join(got[0].Failed, "\n"))
	require.Zero(t, got[0].Judged.Certain, got[0].Judged.First)

	got = ends(t, dir, load(t, dir, "a.yaml", "end={when: done, limit: 1}", "qps.0.receives.expect=31"),
		load(t, dir, "b.yaml"))
	require.Equal(t, cocosim.Inconclusive, got[0].Exit())
	require.EqualValues(t, 1, got[0].QPs[0].Expecting)
	require.Zero(t, got[0].QPs[0].Left)

	got = ends(t, dir, load(t, dir, "a.yaml", "end={when: done, limit: 1}"),
		load(t, dir, "b.yaml", "qps.0.posts=[{verb: send, local: 0x40000000, bytes: 16}]"))
	require.EqualValues(t, 29, got[0].QPs[0].Expecting)
	require.EqualValues(t, 1, got[0].QPs[0].Left, "what waits for two SENDs")
}

// A broken frame ends the session with one line that says where.
func TestBrokenFraming(t *testing.T) {
	t.Parallel()
	arp := newNeighbours(load(t, world(t), "b.yaml")).question()
	whole := append(binary.BigEndian.AppendUint32(nil, uint32(len(arp))), arp...)
	for _, c := range []struct {
		name, bytes, want string
	}{
		{"half a frame", "\x00\x00\x00\x40half", "socket: the stream ends 4 bytes into a frame of 64, behind 1 whole " +
			"frames, at byte 64 (each frame stands behind its length in 4 bytes, big-endian)"},
		{"a frame without a byte", "\x00\x00\x00\x40", "the stream ends 0 bytes into a frame of 64, behind 1 whole"},
		{"half a length", "\x00\x00", "the stream ends 2 bytes into the length of a frame, behind 1 whole frames"},
		{"length 0", "\x00\x00\x00\x00more", "a frame of 0 bytes, behind 1 whole frames"},
		{"too long", "\x00\x01\x00\x01more", "a frame of 65537 bytes, more than 65536, behind 1 whole frames"},
		{"the other byte order", "\x40\x00\x00\x00more", "a frame of 1073741824 bytes, more than 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			go func() {
				go io.Copy(io.Discard, theirs)
				theirs.Write(append(bytes.Clone(whole), c.bytes...))
				theirs.Close()
			}()
			r, err := Run(context.Background(), Config{Port: Stream(ours), File: load(t, world(t), "a.yaml")})
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, cocosim.BridgeFailed, cocosim.ExitOf(err))
			require.EqualValues(t, 1, r.In)
			require.EqualValues(t, 1, r.Asked)
		})
	}
}

// A peer that shuts its receiving half, and one that goes away, end the session.
func TestPeerLeaves(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		dir := world(t)
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
		require.NoError(t, err)
		go func() {
			c, err := l.AcceptUnix()
			if err != nil {
				return
			}
			if c.CloseRead(); whole {
				c.Close()
			}
			<-t.Context().Done()
			c.Close()
		}()
		f := load(t, dir, "a.yaml", "end.limit=20")
		r, err := Run(t.Context(), Config{Peer: "socket:" + filepath.Join(dir, "s"), File: f})
		l.Close()
		if whole {
			require.NoError(t, err)
			require.Equal(t, "the peer closed the link", r.Ended)
			require.Equal(t, cocosim.Inconclusive, r.Exit())
			continue
		}
		require.Equal(t, cocosim.BridgeFailed, cocosim.ExitOf(err), err)
		require.Equal(t, "the peer takes no more frames", r.Ended)
	}
}

// Nobody there, or nobody who answers, is inconclusive.
func TestNobody(t *testing.T) {
	t.Parallel()
	dir := world(t)
	for _, peer := range []string{"socket:", "listen:"} {
		_, err := Run(context.Background(), Config{Peer: peer + filepath.Join(dir, "none"),
			File: load(t, dir, "a.yaml", "end.limit=0.2")})
		require.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err), err)
	}
	ours, theirs := net.Pipe()
	go io.Copy(io.Discard, theirs)
	_, err := Run(context.Background(), Config{Port: Stream(ours), File: load(t, dir, "a.yaml", "end.resolve=0.2")})
	require.ErrorContains(t, err, "10.9.0.2 does not say what its MAC is")
	require.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err))
	_, err = Run(context.Background(), Config{Peer: "sock", File: load(t, dir, "a.yaml")})
	require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
}

// Errors in a file say line, place and reason.
func TestFileErrors(t *testing.T) {
	t.Parallel()
	dir := world(t)
	text := string(contents(t, dir, "a.yaml"))
	for _, c := range []struct{ old, now, want string }{
		{"mac: 02:", "mac: 03:", "line 1: mac: an adapter needs a MAC of one station"},
		{"mac: 02:", "mac: zz:", `line 1: "zz:00:00:00:00:0a" is no MAC`},
		{"address: 10.9.0.1", "address: 10.9.0.256", `line 2: "10.9.0.256" is no IPv4 or IPv6 address`},
		{"address: 10.9.0.2", "address: fd00::1", "line 3: peer.address: fd00::1 and our 10.9.0.1 are not of one IP version"},
		{"when: done", "when: ever", `line 4: end.when: "ever" is not closed or done`},
		{"access: [write, read, atomic], pattern", "access: [wrote], pattern", `line 6: regions.0.access: "wrote" is not`},
		{"address: 0x20000000", "address: 0x10000008", "line 7: regions.1.address: it overlaps regions.0"},
		{"fill: a.in", "fill: none.in", "line 7: regions.1.fill: stat "},
		{"pmtu: 1024", "pmtu: 1000", "line 11: qps.0.pmtu: path MTU 1000: 256, 512, 1024, 2048 or 4096"},
		{"pmtu: 1024", "pmtus: 1024", `line 11: unknown key "pmtus"`},
		{"timeout: 18", "timeout: 300", "line 14: cannot unmarshal !!int `300` into uint8"},
		{"send_psn: 0xfffff0", "send_psn: 0x1000000", "line 12: qps.0.send_psn: 1000000h is wider than 24 bits"},
		{"into: 0x20020000", "into: 0x2003ff00", "line 21: qps.0.receives.into: no region has the 8 buffers"},
		{"verb: read", "verb: red", `line 25: qps.0.posts.2.verb: "red" is not send, write, read, fetch_add or cmp_swap`},
		{"local: 0x20030000", "local: 0x20038000",
			"line 25: qps.0.posts.2.local: no region has all of 20038000h to 2004434Fh"},
		{"remote: 0x3001fff8", "remote: 0x3001fffc", "line 26: qps.0.posts.3.remote: an atomic's address is a multiple of 8"},
		{"after: 2}", "after: 2", "line 26: did not find expected"},
	} {
		require.Contains(t, text, c.old)
		file := filepath.Join(dir, "bad.yaml")
		bad := bytes.Replace([]byte(text), []byte(c.old), []byte(c.now), 1)
		require.NoError(t, os.WriteFile(file, bad, 0o644))
		_, err := Load(file, nil)
		require.ErrorContains(t, err, file+": "+c.want)
		require.NotContains(t, err.Error(), "\n")
		require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	}
	for _, o := range []string{"qps.1.peer=3", "qps.0.peers=3", "mac", "qps.0.pmtu=[", "regions.x.key=1", "qps.0.peer=1"} {
		_, err := Load(filepath.Join(dir, "a.yaml"), []string{o})
		require.Error(t, err, o)
		require.NotContains(t, err.Error(), "\n", fmt.Sprint(o))
	}
}
