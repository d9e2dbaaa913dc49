package flow_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

var update = flag.Bool("update", false, "rewrite generated files")

// captureFiles are the shared captures.
func captureFiles(t testing.TB) []string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "captures")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.pcap"))
	if len(files) == 0 {
		t.Skip("no captures: set HCACOSIM_CAPTURES")
	}
	return files
}

// frames reads a capture into memory.
func frames(t testing.TB, path string) (list []vectors.Frame) {
	c, err := capture.Open(path)
	require.NoError(t, err)
	defer c.Close()
	for {
		f, err := c.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		f.Data = slices.Clone(f.Data)
		list = append(list, f)
	}
}

// judge runs the checker over frames.
func judge(t testing.TB, list []vectors.Frame, opt flow.Options) *flow.Report {
	c, err := flow.New(opt)
	require.NoError(t, err)
	var p wire.Packet
	said := map[uint64]bool{} // what was said of a packet at once: for certain or not
	for i := range list {
		f := &list[i]
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
		if v := c.Take(f, &p, p.ICRC()); v.Class == flow.Broken {
			said[f.Number] = v.Certainty == sim.Certain
		}
	}
	r := c.Finish()
	for i := range r.Violations {
		x := &r.Violations[i]
		if certain, known := said[x.Packet]; known && opt.Complete {
			require.Equal(t, x.Certain(), certain, "packet %d %v: said at once, and at the end", x.Packet, x.Rule)
		}
	}
	return r
}

// options of a capture at its own end, or as if nothing were known.
func options(t testing.TB, path string, profile roce.Profile, hidden bool) flow.Options {
	opt := flow.Options{Profile: profile}
	var err error
	opt.Scan, err = flow.ScanCapture(path)
	require.NoError(t, err)
	if hidden {
		return opt
	}
	sidecar, side, ok := flow.FindSidecar(path)
	require.True(t, ok, path)
	opt.At = side
	opt.Sidecar, err = flow.ReadSidecar(sidecar)
	require.NoError(t, err)
	return opt
}

func name(path string) string { return strings.TrimSuffix(filepath.Base(path), ".pcap") }

// stats are the counts that the makers of the captures derived from the frames with a decoder of their own.
type stats struct {
	TxOpcodes map[string]uint64 `json:"tx_opcodes"`
	Again     uint64            `json:"request_retransmissions"`
}

func statsOf(t testing.TB, path string) stats {
	sidecar, side, _ := flow.FindSidecar(path)
	text, err := os.ReadFile(sidecar)
	require.NoError(t, err)
	var s struct{ Stats map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &s))
	var x stats
	require.NoError(t, json.Unmarshal(s.Stats[strings.ToLower(side)], &x))
	return x
}

// At its own end every response is the machine's, every retransmission has a cause, and nothing is wrong; and what is
// counted is what the sidecars count.
func TestOwnEndInTheKernelsProfile(t *testing.T) {
	var all flow.Retransmissions
	var answers uint64
	bugs := map[string][]string{}
	for _, path := range captureFiles(t) {
		r := judge(t, frames(t, path), options(t, path, roce.Rxe, false))
		require.Empty(t, r.Violations, path)
		var sent, predicted uint64
		var again flow.Retransmissions
		for _, f := range r.Flows {
			sent, predicted = sent+f.ResponsesSent, predicted+f.ResponsesPredicted
			x := f.Retransmissions
			again.NAK, again.Timeout, again.RNR = again.NAK+x.NAK, again.Timeout+x.Timeout, again.RNR+x.RNR
			again.Implied, again.Unexplained = again.Implied+x.Implied, again.Unexplained+x.Unexplained
			require.Zero(t, f.Timer.Below, "%s: a timeout under its lower bound", path)
			require.Zero(t, f.RNRTimer.Below, "%s: an RNR wait under its lower bound", path)
		}
		want := statsOf(t, path)
		var responses uint64
		for op, n := range want.TxOpcodes {
			if strings.Contains(op, "ACK") || strings.Contains(op, "RDRSP") {
				responses += n
			}
		}
		require.Equal(t, responses, sent, path)
		require.Equal(t, sent, predicted, path)
		require.Equal(t, want.Again, again.Total(), path)
		require.Zero(t, again.Unexplained, path)
		answers += sent
		all.NAK, all.Timeout, all.RNR, all.Implied = all.NAK+again.NAK, all.Timeout+again.Timeout, all.RNR+again.RNR,
			all.Implied+again.Implied
		for _, b := range r.Bugs {
			bugs[b.Field] = append(bugs[b.Field], name(path))
		}
	}
	require.NotZero(t, answers)
	t.Logf("%d responses predicted; sent again %+v; known bugs %v", answers, all, bugs)
	// The captures that soft-roce.md says show a bug.
	for field, file := range map[string]string{"BadInvalidateAcked": "err_sendinv_bad.b",
		"BadResponseFatal": "px_rdrsp_mid_as_last.a",
		"UCDropsRestart":   "uc_loss8.b", "FutureAckCompletes": "px_resp_ack_psn_plus5.a"} {
		require.Contains(t, bugs[field], file)
	}
	require.Contains(t, bugs["BadResponseFatal"], "rc_mix_everything.a")
}

// What reached an end and no peer should have sent is listed apart: in the captures whose frames were altered on the
// way, and where the peer has a known bug.
func TestOddities(t *testing.T) {
	rules := map[string]roce.Rule{}
	for _, path := range captureFiles(t) {
		r := judge(t, frames(t, path), options(t, path, roce.Rxe, false))
		if r.Odd > 0 {
			rules[name(path)] = r.Oddities[0].Rule
			require.True(t, strings.HasPrefix(name(path), "px_") || name(path) == "err_sendinv_bad.a", "%s: %v", path,
				r.Oddities[0])
		}
	}
	for file, rule := range map[string]roce.Rule{"px_resp_syn_rsvd_40.a": "OPC-2", "px_at_ack_psn_plus1.a": "RSP-13",
		"px_opc_reserved_15.b":   "",
		"px_rdrsp_mid_as_last.a": "LEN-1", "err_sendinv_bad.a": "RSP-11"} {
		got, ok := rules[file]
		require.True(t, ok, file)
		require.Equal(t, rule, got, file)
	}
}

// The steady gaps of a kernel with HZ 250, from the table of timers measured with other means.
func TestTimerGaps(t *testing.T) {
	const jiffy = 4_000_000
	for file, ms := range map[string]int64{"to_t08_r3": 8, "to_t11_r3": 12, "to_t12_r3": 20, "to_t13_r3": 36,
		"to_t14_r3": 68,
		"to_t15_r3": 136, "to_t16_r3": 288, "to_t17_r3": 544} {
		path := filepath.Join(filepath.Dir(captureFiles(t)[0]), file+".a.pcap")
		r := judge(t, frames(t, path), options(t, path, roce.Rxe, false))
		require.Len(t, r.Flows, 1)
		require.InDelta(t, ms*1_000_000, r.Flows[0].Timer.Median, jiffy, file)
	}
}

// Judged by the specification the captures show exactly the known deviations.
func TestOwnEndInSpec(t *testing.T) {
	var page strings.Builder
	page.WriteString("What `cosim check --profile spec` finds in the captures of Linux Soft-RoCE: rule, count, first " +
		"packet, text. The fields of\n" +
		"docs/deviations.md that explain each are in model/roce/testdata/spec_findings.txt.\n\n")
	for _, path := range captureFiles(t) {
		r := judge(t, frames(t, path), options(t, path, roce.Spec, false))
		require.EqualValues(t, len(r.Violations), r.Certain+r.Possible, path)
		count := map[roce.Rule]int{}
		for _, x := range r.Violations {
			count[x.Rule]++
		}
		for _, x := range r.Violations {
			if n := count[x.Rule]; n > 0 {
				fmt.Fprintf(&page, "%-28s %-7s %3d  packet %d: %s\n", name(path), x.Rule, n, x.Packet, x.Text)
				count[x.Rule] = 0
			}
		}
	}
	file := filepath.Join("testdata", "spec.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, []byte(page.String()), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), page.String())
}

// Without the sidecars nothing is certain that they contradict: in the kernel's own profile they allow everything. At
// an end whose address alone is known nothing certain is found either.
func TestHiddenSidecars(t *testing.T) {
	var possible, flows, peers, knownPeers uint64
	for _, path := range captureFiles(t) {
		list := frames(t, path)
		opt := options(t, path, roce.Rxe, true)
		r := judge(t, list, opt)
		require.Zero(t, r.Certain, "%s: %v", path, r.Violations)
		possible += r.Possible
		for _, f := range r.Flows {
			flows++
			if f.Service != "RC" {
				continue
			}
			peers++
			if f.PeerQPN != 0 {
				require.Equal(t, sidecarPeer(t, path, &f), f.PeerQPN, path)
				knownPeers++
			}
		}
		_, side, _ := flow.FindSidecar(path)
		s := options(t, path, roce.Rxe, false).Sidecar
		opt.At = map[string]string{"A": s.A.IP, "B": s.B.IP}[side]
		r = judge(t, list, opt)
		require.Zero(t, r.Certain, "%s at %s: %v", path, opt.At, r.Violations)
		possible += r.Possible
	}
	t.Logf("%d flows on the wire; of %d RC flows the peer's QPN was found of %d, always rightly; %d possible findings",
		flows, peers, knownPeers, possible)
}

// What is inferred without a sidecar, held against the sidecars: the table in docs/check.md.
func TestInferred(t *testing.T) {
	type row struct{ right, wrong, unknown int }
	rows := map[string]*row{}
	note := func(what string, known, right bool) {
		if rows[what] == nil {
			rows[what] = new(row)
		}
		switch r := rows[what]; {
		case !known:
			r.unknown++
		case right:
			r.right++
		default:
			r.wrong++
		}
	}
	for _, path := range captureFiles(t) {
		list := frames(t, path)
		s := options(t, path, roce.Rxe, false).Sidecar
		own, hidden := judge(t, list, options(t, path, roce.Rxe, false)), judge(t, list, options(t, path, roce.Rxe, true))
		require.Zero(t, hidden.Certain, path)
		for _, f := range hidden.Flows {
			if f.Service != "RC" {
				continue
			}
			requester := s.A
			if f.IP == s.A.IP {
				requester = s.B
			}
			note("peer's QPN", f.PeerQPN != 0, f.PeerQPN == requester.QPN)
			note("start PSN", true, uint32(f.Inferred.StartPSN) == requester.SQPSN)
			note("PMTU", f.Inferred.PMTUSeen, f.Inferred.PMTUBytes == s.PathMTU)
			for _, o := range own.Flows {
				if o.IP == f.IP && o.QPN == f.QPN && o.Retransmissions.Total() > 0 {
					note("packets sent again, count", true, o.Retransmissions.Total() == f.Retransmissions.Total())
					note("packets sent again, count by cause", true, o.Retransmissions == f.Retransmissions)
				}
			}
		}
	}
	var page strings.Builder
	page.WriteString("| of RC flows | right | wrong | not known |\n|---|---|---|---|\n")
	for _, what := range []string{"peer's QPN", "start PSN", "PMTU", "packets sent again, count",
		"packets sent again, count by cause"} {
		fmt.Fprintf(&page, "| %s | %d | %d | %d |\n", what, rows[what].right, rows[what].wrong, rows[what].unknown)
	}
	compareSection(t, "inferred", page.String())
}

// compareSection holds a part of docs/check.md, between two marks, against what it was generated from.
func compareSection(t *testing.T, name, page string) {
	file := filepath.Join("..", "..", "docs", "check.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), "<!-- "+name+" -->\n")
	require.True(t, ok, name)
	was, tail, ok := strings.Cut(rest, "<!-- end -->")
	require.True(t, ok, name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(head+"<!-- "+name+" -->\n"+page+"<!-- end -->"+tail), 0o666))
		return
	}
	require.Equal(t, page, was)
}

func sidecarPeer(t testing.TB, path string, f *flow.Flow) uint32 {
	s := options(t, path, roce.Rxe, false).Sidecar
	if f.IP == s.A.IP {
		return s.B.QPN
	}
	return s.A.QPN
}

// A sidecar by hand with little in it finds nothing wrong where the whole one does not, and still predicts.
func TestSidecarByHand(t *testing.T) {
	for _, path := range captureFiles(t) {
		opt := options(t, path, roce.Rxe, false)
		whole := opt.Sidecar
		little := &flow.Sidecar{QPType: whole.QPType, PathMTU: whole.PathMTU, QKey: whole.QKey}
		little.A = flow.End{IP: whole.A.IP, QPN: whole.A.QPN, DestQPN: whole.A.DestQPN, SQPSN: whole.A.SQPSN,
			RQPSN: whole.A.RQPSN, TargetState: whole.A.TargetState}
		little.B = flow.End{IP: whole.B.IP, QPN: whole.B.QPN, DestQPN: whole.B.DestQPN, SQPSN: whole.B.SQPSN,
			RQPSN: whole.B.RQPSN, TargetState: whole.B.TargetState}
		opt.Sidecar = little
		r := judge(t, frames(t, path), opt)
		require.Zero(t, r.Certain, "%s: %v", path, r.Violations)
		for _, f := range r.Flows {
			require.Equal(t, f.ResponsesSent, f.ResponsesPredicted, path)
		}
	}
}

// silent makes a capture in which an end says nothing more from a packet on, while the peer goes on for a while.
func silent(list []vectors.Frame, from int, own string, lastsNS int64) []vectors.Frame {
	var w wire.Packet
	out := slices.Clone(list[:from])
	for _, f := range list[from:] {
		wire.Decode(f.Link, f.Data, &w)
		if w.Op == nil || !sentBy(&w, own) {
			f.TimeNS += lastsNS
			out = append(out, f)
		}
	}
	for i := range out {
		out[i].Number = uint64(i + 1)
	}
	return out
}

// An end that falls silent is a possible violation, whatever the profile: what it owes is named.
func TestSilence(t *testing.T) {
	for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
		for file, rule := range map[string]roce.Rule{"rc_send_sizes.b": "RSP-13", "rc_read_sizes.b": "RSP-7",
			"rc_atomics.b": "RSP-8"} {
			path := capturePath(t, file)
			list := frames(t, path)
			opt := options(t, path, profile, false)
			opt.Sidecar.Ops = nil // nothing says that anybody got an answer
			require.Empty(t, judge(t, list, opt).Violations, file)
			r := judge(t, silent(list, len(list)/2, opt.Sidecar.B.IP, 3_000_000_000), opt)
			require.NotEmpty(t, r.Violations, file)
			if !profile.AckPerRequest {
				require.Equal(t, rule, r.Violations[0].Rule, file)
				require.Zero(t, r.Certain, file)
			}
		}
	}
}
