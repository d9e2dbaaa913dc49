package flow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// numbered gives frames their place in the file.
func numbered(list []vectors.Frame) []vectors.Frame {
	for i := range list {
		list[i].Number = uint64(i + 1)
	}
	return list
}

// later moves frames in time.
func later(list []vectors.Frame, ns int64) []vectors.Frame {
	out := slices.Clone(list)
	for i := range out {
		out[i].TimeNS += ns
	}
	return out
}

// scanned is what a first look at frames tells.
func scanned(t *testing.T, path string, profile roce.Profile, at string) flow.Options {
	opt := options(t, path, profile, true)
	opt.At = at
	return opt
}

var ordinary = []string{"rc_send_sizes", "rc_write_sizes", "rc_read_sizes", "rc_atomics", "rc_mtu2048",
	"sx_drop_req_mid", "sx_rd_drop_mid",
	"rnr_t14", "rc_v6_loss5", "rc_mix_loss10_both", "sx_wrap_drop_ack", "rc_atomic_dup30", "to_t14_r3", "rc_delay_jitter",
	"uc_loss8"}

// everywhere judges frames on the wire and at both addresses.
func everywhere(t *testing.T, path string, list []vectors.Frame, each func(place string, r *flow.Report)) {
	s := options(t, path, roce.Rxe, false).Sidecar
	for _, at := range []string{"", s.A.IP, s.B.IP} {
		if _, side, _ := flow.FindSidecar(path); at != "" && (side == "A") != (at == s.A.IP) {
			continue // what reached the other end is not known here
		}
		each(fmt.Sprintf("%s at %q", path, at), judge(t, list, scanned(t, path, roce.Rxe, at)))
	}
}

// The same queue pairs connected again, with the same start PSNs.
func TestReusedQueuePairs(t *testing.T) {
	for _, name := range ordinary {
		for _, side := range []string{".a", ".b"} {
			path := capturePath(t, name+side)
			once := frames(t, path)
			list := slices.Clone(once)
			for n := range 3 {
				list = append(list, later(once, int64(n+1)*60_000_000_000)...)
			}
			everywhere(t, path, numbered(list), func(place string, r *flow.Report) {
				require.Zero(t, r.Certain+r.Possible, "%s: %v", place, r.Violations[:min(3, len(r.Violations))])
			})
		}
	}
}

// Captures that begin in the middle of a connection.
func TestBeginsInTheMiddle(t *testing.T) {
	possible := 0
	made := 0
	for _, name := range ordinary {
		for _, side := range []string{".a", ".b"} {
			path := capturePath(t, name+side)
			list := frames(t, path)
			for from := 1; from < len(list); from += 1 + len(list)/24 {
				everywhere(t, path, numbered(slices.Clone(list[from:])), func(place string, r *flow.Report) {
					require.Zero(t, r.Certain, "%s from %d: %v", place, from, r.Violations[:min(3, len(r.Violations))])
					made++
					if r.Possible > 0 {
						possible++
					}
				})
			}
		}
	}
	t.Logf("%d captures, %d with possible findings", made, possible)
	require.Less(t, 20*possible, made)
}

// One direction only: nobody can be blamed for what the other did.
func TestOneSided(t *testing.T) {
	for _, name := range ordinary {
		path := capturePath(t, name+".a")
		list := frames(t, path)
		for _, responses := range []bool{false, true} {
			half := slices.DeleteFunc(slices.Clone(list), func(f vectors.Frame) bool {
				var w wire.Packet
				wire.Decode(f.Link, f.Data, &w)
				return w.Op == nil || w.Op.Response != responses
			})
			r := judge(t, numbered(half), scanned(t, path, roce.Rxe, ""))
			require.Zero(t, r.Certain+r.Possible, "%s: %v", path, r.Violations[:min(3, len(r.Violations))])
		}
	}
}

// Several connections between the same hosts, and with the same PSNs: a response's queue pair cannot be told for sure.
func TestSeveralConnections(t *testing.T) {
	var list []vectors.Frame
	base := int64(0)
	want := 0
	qpns := map[uint32]bool{}
	for _, name := range ordinary[:11] {
		path := capturePath(t, name+".a")
		one := frames(t, path)
		s := options(t, path, roce.Rxe, false).Sidecar
		if qpns[s.A.QPN] || name == "rc_v6_loss5" {
			continue
		}
		qpns[s.A.QPN] = true
		if base == 0 {
			base = one[0].TimeNS
		}
		list = append(list, later(one, base-one[0].TimeNS)...)
		want++
		if name == "rc_atomics" {
			want++ // both ends ask
		}
	}
	slices.SortStableFunc(list, func(a, b vectors.Frame) int { return int(a.TimeNS - b.TimeNS) })
	path := filepath.Join(t.TempDir(), "all.pcapng")
	file, err := os.Create(path)
	require.NoError(t, err)
	w := capture.NewWriter(file, "test")
	w.Interface("a", capture.LinkTypeEthernet)
	for _, f := range list {
		w.Packet(0, f.TimeNS, f.Data, nil)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, file.Close())
	r := judge(t, frames(t, path), scanned(t, path, roce.Rxe, ""))
	require.Zero(t, r.Certain+r.Possible, "%v", r.Violations[:min(3, len(r.Violations))])
	n := 0
	for _, f := range r.Flows {
		if f.IP == "10.1.0.2" || f.QPN != 0 && f.Packets > 0 {
			n++
		}
	}
	require.GreaterOrEqual(t, n, want)
}
