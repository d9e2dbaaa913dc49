package faults

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fault is a deliberate mistake: in a file of a package old becomes new.
type fault struct{ pkg, name, file, old, new string }

// list are the mistakes; the tests of their package are to find each.
var list = []fault{
	{"wire", "OWN bits swapped", "build.go", "bit(p.OWNData)<<1|bit(p.OWNRequest)", "bit(p.OWNRequest)<<1|bit(p.OWNData)"},
	{"wire", "OWN bits swapped by builder and parser", "parse.go", "w7&2 != 0, w7&1 != 0", "w7&1 != 0, w7&2 != 0"},
	{"wire", "bitmap words in the other order", "parse.go", "Bitmap{be.Uint64(b[16:]), be.Uint64(b[24:])}", "Bitmap{be.Uint64(b[24:]), be.Uint64(b[16:])}"},
	{"wire", "a bitmap shifted by one too many", "build.go", "request>>1", "request>>2"},
	{"wire", "RUE info one bit short", "build.go", "bits := 21", "bits := 20"},
	{"wire", "W read one bit off", "parse.go", "w9>>15&1", "w9>>14&1"},
	{"wire", "Push Data's length is not compared", "parse.go", "n != int(p.RequestLength)", "n < 0"},
	{"wire", "bytes behind an EACK go unseen", "parse.go", "case Resync, BACK, EACK, NACK:", "case Resync, BACK, NACK:"},
	{"wire", "a reserved word goes unseen", "parse.go", "w6>>16 != 0 || be.Uint32(b[28:]) != 0", "w6>>16 != 0"},
	{"wire", "NACK code 3 is known", "codes.go", "case NackResources, NackRNR, NackXlr,", "case NackResources, NackRNR, 3, NackXlr,"},
	{"wire", "RNR code 0 is no time", "codes.go", "[32]uint32{65536,", "[32]uint32{0,"},
	{"wire", "PSNs compare as plain numbers", "packet.go", "func (p PSN) Diff(q PSN) int32 { return int32(p - q) }", "func (p PSN) Diff(q PSN) int32 { return int32((p >> 1) - (q >> 1)) }"},
	{"psp", "nonce is IV, then SPI", "seal.go", "be.PutUint32(k.nonce[:], h.SPI)\n\tbe.PutUint64(k.nonce[4:], h.IV)", "be.PutUint64(k.nonce[:], h.IV)\n\tbe.PutUint32(k.nonce[8:], h.SPI)"},
	{"psp", "the packet's clear part is not authenticated", "seal.go", "k.aead.Seal(body[:0], k.setNonce(h), body, dst[start:clear])", "k.aead.Seal(body[:0], k.setNonce(h), body, dst[start:start+h.Bytes()])"},
	{"psp", "crypt offset of a cookie counts from behind it", "header.go", "h.CryptOffset+CookieBytes/4", "h.CryptOffset"},
	{"psp", "replay compared without the wrap", "admit.go", "return int64(iv-(c.RemoteTime-g.Margin)) > 0", "return iv > c.RemoteTime-g.Margin"},
	{"psp", "replay margin inclusive", "admit.go", "return int64(iv-(c.RemoteTime-g.Margin)) > 0", "return int64(iv-(c.RemoteTime-g.Margin)) >= 0"},
	{"psp", "a refused packet moves the remote time", "admit.go", "\tswitch {\n\tcase !c.inTime(g, h.IV):", "\tdefer func() { c.RemoteTime = max(c.RemoteTime, h.IV) }()\n\tswitch {\n\tcase !c.inTime(g, h.IV):"},
	{"psp", "any generation is in date", "admit.go", "current := c.Generation == g.Generation ||", "current := true ||"},
	{"psp", "the previous key is accepted for ever", "admit.go", "return g.AllowPrevious && c.Generation == g.Generation\n", "return c.Generation == g.Generation\n"},
	{"psp", "a missing cookie matches", "admit.go", "(!h.HasCookie || h.Cookie != c.PCID)", "h.HasCookie && h.Cookie != c.PCID"},
	{"rue", "a field straddling two words loses its top", "pack.go", "p.w[word+1] |= x >> (64 - shift)", "p.w[word+1] |= 0"},
	{"rue", "reserved bits of the event one short", "pack.go", "\tp.at += 8\n\tp.put(uint32(e.EventQueue), 2)", "\tp.at += 7\n\tp.put(uint32(e.EventQueue), 2)"},
	{"rue", "selectors dropped from the result", "pack.go", "\tif !m.ResultWithoutSelectors {\n\t\tp.put(", "\tif false {\n\t\tp.put("},
	{"rue", "T2 and T3 ask for the wrong predicate", "policy.go", "case n >= f.T2:\n\t\treturn p1", "case n >= f.T2:\n\t\treturn p2"},
	{"rue", "acknowledged packets of a lost event are lost", "policy.go", "return 0, false\n\t}\n\tnumAcked", "c.Acked = 0\n\t\treturn 0, false\n\t}\n\tnumAcked"},
	{"rue", "the count does not saturate", "policy.go", "uint16(min(int(c.Acked)+acked, MaxAcked))", "uint16(int(c.Acked)+acked) & MaxAcked"},
	{"rue", "an event may overtake its result", "policy.go", "q.Mode.OneOutstandingEvent && c.Outstanding > 0", "q.Mode.OneOutstandingEvent && c.Outstanding > 1"},
	{"swift", "alpha weights the sample", "swift.go", "if g.m.EWMA == mode.EWMANew {", "if g.m.EWMA != mode.EWMANew {"},
	{"swift", "the guard wraps at 2^32", "util.go", "return (now - marker) & MaxTime }", "return now - marker }"},
	{"swift", "no division from one packet on", "swift.go", "if fcwnd >= 1 {", "if fcwnd >= 1e9 {"},
	{"swift", "decreases are not guarded", "swift.go", "\tif !may {\n\t\treturn fcwnd\n\t}\n", ""},
	{"swift", "target taken with the window behind the event", "swift.go", "\tlimit := false\n", "\tlimit := false\n\ttarget = g.TargetDelay(old+1, e)\n"},
	{"swift", "ncwnd grows every time", "swift.go", "if may || e.NcwndDirection == rue.Decrease {", "if true {"},
	{"swift", "a fraction of ncwnd is lost", "swift.go", "s.NcwndFraction = uint16(fixed & (1<<FractionBits - 1))", "s.NcwndFraction = 0"},
	{"swift", "the marker stays where nothing shrank", "util.go", "\tif WindowDelta(now, marker) > rtt {\n", "\tif false {\n"},
	{"swift", "the gap is left out of RTO", "swift.go", "math.Trunc(float64(rtt)*scalar) + float64(gap)/ipgScalar", "math.Trunc(float64(rtt)*scalar)"},
	{"swift", "the gap is cut, not rounded", "swift.go", "math.Round(gap)", "math.Trunc(gap)"},
	{"swift", "a round trip is fcwnd packets", "swift.go", "size := min(old, ncwnd)", "size := max(old, ncwnd*0)"},
	{"swift", "attempts survive a good round trip", "plb.go", "\t\tp.Attempts = 0\n\t\treturn false\n", "\t\treturn false\n"},
	{"swift", "a threshold must be exceeded", "occupancy.go", "occupancy >= t[n]", "occupancy > t[n]"},
	{"swift", "ACK carries the lower level", "occupancy.go", "return max(packetT", "return min(packetT"},
	{"txn", "a sent push keeps its state", "initiator.go", "e.state = PushDataTx", "e.state = PushReqUlpRx"},
	{"txn", "completions as they come on ordered connections", "initiator.go", "if !i.cfg.Ordered {", "if true {"},
	{"txn", "Tx is given back twice", "initiator.go", "\t\te.holdsTx = false\n", ""},
	{"txn", "Rx is never given back", "initiator.go", "\ti.hold.free(RequestRx, &n)\n", "\t_ = n\n"},
	{"txn", "a missing request is passed over", "target.go", "case e == nil, e.state == NotHere, e.received()", "case e == nil, t.nrsn-t.base > 6, e.received()"},
	{"txn", "network resources are kept", "target.go", "\tt.release(e)\n\tif e.kind == falcon.PullRequest {\n\t\te.state = PullReqUlpAckd", "\tif e.kind == falcon.PullRequest {\n\t\te.state = PullReqUlpAckd"},
	{"txn", "BRSN is the head of line of ordered connections", "target.go", "head := rsn == t.nrsn", "head := rsn == t.brsn"},
	{"txn", "packets have no threshold", "pool.go", "case used.within(p.Green):", "case used.Cells <= p.Green.Cells:"},
	{"txn", "what lies behind an RNR stays with the ULP", "target_ends.go", "\t\tt.takeBackBehind(rsn, timeoutNs, out)\n", ""},
	{"txn", "an RNR holds for ever", "target.go", "rsn == t.heldRSN {\n\t\tt.holds = false", "rsn == t.heldRSN {\n\t\tt.holds = true"},
	{"txn", "pushes behind an RNR are not refused", "target_ends.go", "\tif t.holds {\n\t\tt.refuseBehind", "\tif false {\n\t\tt.refuseBehind"},
	{"txn", "a refusal is said once", "target_ends.go", "case e.state == TargetRefused:", "case e.state == TargetRefused && e.nack == 0:"},
	{"txn", "a Resync does not count", "target_ends.go", "*e = targeted{state: TargetDone}", "*e = targeted{}"},
	{"txn", "Pull Data of any length", "initiator_ends.go", "case length > e.length:", "case length > 2*e.length:"},
	{"txn", "Pull Data acknowledges", "initiator_ends.go", "if i.cfg.Mode.PullDataAcks {", "if true {"},
	{"txn", "cells are cut", "pool.go", "(length + c.CellBytes - 1) / c.CellBytes", "length / c.CellBytes"},
	{"txn", "the device's pools are not asked", "pool.go", " || !h.pools.Used[r].plus(n[r]).within(h.pools.Size[r])", ""},
	{"txn", "Pull Data waits behind requests", "schedule.go", "case k == falcon.PullData:\n\t\treturn 1", "case k == falcon.PullData:\n\t\treturn 0"},
	{"txn", "the first connection has every turn", "schedule.go", "s.conn, s.queue[c] = c, q", "s.queue[c] = q"},
	{"txn", "CIE completes as NRE", "initiator_ends.go", "wire.CompletionTargetCIE,", "wire.CompletionTargetNRE,"},
	{"txn", "a transaction ends twice", "initiator_ends.go", "if e == nil || e.ended || e.state == PullReqUlpRx", "if e == nil || e.state == PullReqUlpRx"},
	{"txn", "a dead connection takes more", "initiator.go", "if i.dead {", "if false {"},
	{"txn", "a WRITE of nothing is nothing", "rdma.go", "max(1, uint32", "max(0, uint32"},
	{"txn", "one request behind the threshold is enough", "pool.go", "threshold.plus(one).plus(one)", "threshold.plus(one)"},
	{"txn", "an operation has its last error", "rdma.go", "(o.Code == wire.CompletionAck || before(e.RSN, o.badRSN))", "true"},
	{"txn", "a completion of an error has another RSN", "initiator.go", "i.complete(i.brsn, e, out)", "i.complete(i.base, e, out)"},
}

var (
	which  = flag.String("fault", "", "try the faults whose name this matches, '.' for all; by default a few")
	update = flag.Bool("update", false, "with -fault .: rewrite testdata/faults.md")
)

// Every fault is found by a test of its package.
func TestFaultsAreFound(t *testing.T) {
	require.GreaterOrEqual(t, len(list), 30)
	var page strings.Builder
	page.WriteString("# Faults in the codec, security, congestion control and transactions of Falcon\n\nEach was put into the code and found. Made by " +
		"`go test ./model/falcon/faults -run TestFaultsAreFound -fault . -update`.\n\n| package | fault | found by |\n|---|---|---|\n")
	for i, f := range list {
		if *which == "" && i%8 != 3 || !regexp.MustCompile(*which).MatchString(f.name) {
			checkPlace(t, f)
			continue
		}
		found := try(t, f)
		if len(found) == 0 {
			t.Errorf("%s: nothing finds it", f.name)
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", f.pkg, f.name, strings.Join(found, ", "))
		t.Logf("%s: %s: %v", f.pkg, f.name, found)
	}
	if *update && *which == "." {
		require.NoError(t, os.WriteFile("testdata/faults.md", []byte(page.String()), 0o644))
	}
}

// checkPlace: the place of a fault is found once. It returns the file broken.
func checkPlace(t *testing.T, f fault) string {
	src, err := os.ReadFile(filepath.Join("..", f.pkg, f.file))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(src), f.old), "%s: its place in %s/%s", f.name, f.pkg, f.file)
	return strings.Replace(string(src), f.old, f.new, 1)
}

// test runs a package's tests with files replaced, the quick ones of packet delivery.
func test(overlay, dir string, more ...string) ([]byte, error) {
	args := append([]string{"test", "-overlay", overlay, "-vet=off", "-timeout", "100s", dir}, more...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "HCACOSIM_FAULT=1")
	return cmd.CombinedOutput()
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// try runs the package's tests with one file replaced, and returns those that fail.
func try(t *testing.T, f fault) (found []string) {
	dir := t.TempDir()
	broken, overlay := filepath.Join(dir, f.file), filepath.Join(dir, "overlay.json")
	path, err := filepath.Abs(filepath.Join("..", f.pkg, f.file))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(broken, []byte(checkPlace(t, f)), 0o644))
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{path: broken}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, raw, 0o644))
	out, err := test(overlay, "../"+f.pkg)
	if f.pkg == "txn" { // its tests beside packet delivery
		more, errMore := test(overlay, "..", "-run", "TestJoined")
		if out = append(out, more...); errMore != nil {
			err = errMore
		}
	}
	if err == nil {
		return nil
	}
	for _, m := range failed.FindAllSubmatch(out, -1) {
		found = append(found, string(m[1]))
	}
	require.NotEmpty(t, found, "%s does not build:\n%s", f.name, out)
	slices.Sort(found)
	return slices.Compact(found)
}
