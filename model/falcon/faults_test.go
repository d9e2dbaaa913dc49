package falcon_test

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

// fault is a deliberate mistake in the machines: old becomes new in a file.
type fault struct{ area, name, file, old, new string }

// faults are for the other tests to find.
var faults = []fault{
	{"windows", "bitmaps shift by one too few", "rx_window.go", "\tw.Ack.Shift(n)\n", "\tw.Ack.Shift(n - min(n, 1))\n"},
	{"windows", "the received bitmap is not shifted", "rx_window.go", "\tw.Rx.Shift(n)\n", ""},
	{"windows", "the base stays where it is", "rx_window.go", "\tn := done.FirstZero()\n", "\tn := min(done.FirstZero(), 1)\n"},
	{"windows", "the base advances over received packets in every mode", "rx_window.go", "if m.BaseOverReceived {", "if true {"},
	{"windows", "PSNs compare as plain numbers", "psn.go", "return int32(p-q) < 0", "return p < q"},
	{"windows", "the window is one PSN larger", "rx_window.go", "case bit >= uint32(w.Size):", "case bit > uint32(w.Size):"},
	{"windows", "a hole behind bit 0 goes unseen", "bitmap.go", "int(b.FirstZero()) <= b.Highest()", "int(b.FirstZero()) < 1"},
	{"windows", "bits above 63 shift into nothing", "bitmap.go", "b.Lo = b.Lo>>n | b.Hi<<(64-n)", "b.Lo >>= n"},
	{"receiver", "Push Data is acknowledged when it comes", "rx_window.go", "if !deferred {", "if true {"},
	{"receiver", "what the ULP has acknowledged is delivered again", "rx_window.go", "case w.Ack.Has(bit) || m", "case m"},
	{"receiver", "OWN is not cleared", "rx_window.go", "\trequest.OWN, data.OWN = false, false\n", ""},
	{"receiver", "OWN is cleared for one window", "rx_window.go", "\trequest.OWN, data.OWN = false, false\n", "\trequest.OWN = false\n"},
	{"receiver", "OWN is not set", "rx_window.go", "w.OWN = true // FAL-D5", "w.OWN = w.OWN || p == w.Base"},
	{"receiver", "a BACK in spite of an OWN", "rx_window.go", "w.Ack.Any() || w.OWN ||", "w.Ack.Any() ||"},
	{"receiver", "AR is ignored", "receiver.go", "case ask && !waits, m", "case ask && !ask && !waits, m"},
	{"receiver", "AR of Push Data counts when it comes", "receiver.go", "r.trigger(half, false, nowNs, out)", "r.trigger(half, ar, nowNs, out)"},
	{"receiver", "the AR of Push Data moves with another base", "receiver.go", "r.ask.Shift(h.Base.From(base))\n\t}\n\tr.coalesce", "r.ask.Shift(0 * h.Base.From(base))\n\t}\n\tr.coalesce"},
	{"receiver", "dropped packets do not count", "receiver.go", "r.trigger(whole, ar && m", "r.trigger(0, ar && m"},
	{"receiver", "an ACK leaves the timer running", "receiver.go", "r.running, r.count = false, 0\n\tout.HasAck", "r.count = 0\n\tout.HasAck"},
	{"receiver", "a refused packet is received", "receiver.go", "if a.Taken() && f.Refuse != 0 {", "if a.Taken() && f.Refuse != 0 && !h.Rx.Any() {"},
	{"receiver", "piggybacking stops the timer always", "receiver.go", "if r.w[Requests].Idle() && r.w[Data].Idle() {", "if true {"},
	{"receiver", "a Resync is a duplicate of what waits for the ULP", "receiver.go", "resync, deferred := p.Kind == Resync, p.Kind == PushData", "resync, deferred := false, p.Of == PushData"},
	{"transmitter", "a stale ACK is taken for one window", "tx_window.go", "requestBase.Before(request.Base) || dataBase.Before(data.Base)", "requestBase.Before(request.Base)"},
	{"transmitter", "an ACK of the future is taken", "tx_window.go", "case request.Next.Before(requestBase) || data.Next.Before(dataBase):", "case request.Next.Before(requestBase):"},
	{"transmitter", "bitmaps are ORed before the shift", "tx_window.go", "\tw.Acked.Shift(n)\n", ""},
	{"transmitter", "what is received is freed", "tx_ack.go", "t.report(Data, a.DataAck, a.DataRx, r)", "t.report(Data, a.DataRx, a.DataRx, r)"},
	{"transmitter", "what is freed stays due", "transmitter.go", "\th.due = h.due.Without(freed)\n", ""},
	{"transmitter", "what is due does not move with the base", "tx_ack.go", "\th.due.Shift(n)\n", ""},
	{"transmitter", "ORRC keeps what is due again", "transmitter.go", "\t\th.again.Clear(bit)\n\t\th.retransmitted--\n", "\t\th.again.Clear(bit)\n"},
	{"transmitter", "ORC counts Pull Data", "psn.go", "return k == PullRequest || k == PushData", "return true"},
	{"transmitter", "ncwnd one too many", "gate.go", "h.requests >= t.ncwnd", "h.requests > t.ncwnd"},
	{"transmitter", "fcwnd counts from the next PSN", "gate.go", "case !t.inFcwnd(ahead):\n\t\treturn GateFcwnd\n\tcase of", "case !t.inFcwnd(0):\n\t\treturn GateFcwnd\n\tcase of"},
	{"transmitter", "AR never below 100 %", "transmitter.go", "if t.arPercent < 100 {", "if t.arPercent < 101 {"},
	{"early", "the distance counts from the base", "tx_window.go", "limit := named.Highest() - int(threshold)", "limit := named.Highest()"},
	{"early", "no check of recency", "tx_early.go", "return e.sentNs+t.rttNs < nowNs", "return true"},
	{"early", "a recent packet never ends the scan", "tx_early.go", "if !t.cfg.Mode.RecencyEndsScan || e.rnr {", "if true {"},
	{"early", "EACK-OWN looks at the bitmap only", "tx_window.go", "\tif own {\n\t\treturn missing\n\t}\n", "\tif own {\n\t\treturn missing.And(FirstOnes(uint32(named.Highest() + 1)))\n\t}\n"},
	{"early", "RACK forgets the reordering window", "tx_rack.go", "nowNs - t1Ns + max(rttNs/4, cfg.RACKWindowNs)", "nowNs - t1Ns"},
	{"early", "two probes", "tx_rack.go", "t.probeNs, t.probed = never, true", "t.probeNs, t.probed = never, false"},
	{"timers", "a packet that left again keeps its timer", "transmitter.go", "e.sentNs, e.endNs = nowNs, nowNs+t.rtoNs", "e.sentNs, e.endNs = nowNs, max(e.endNs, t.rtoNs)"},
	{"timers", "retransmissions are not counted", "tx_timer.go", "\t\te.retries++\n", ""},
	{"timers", "fatal without a Resync", "tx_timer.go", "if e.kind == Resync {", "if e.kind == Resync || e.retries > 0 {"},
	{"timers", "RNR is cut to nothing", "tx_ack.go", "nowNs+timeoutNs\n", "nowNs\n"},
	{"resync", "no Resync for a CIE", "psn.go", "\tcase wire.NackCIE:\n\t\treturn wire.ResyncCIE\n", ""},
	{"resync", "a Resync is not sent until a timer ends", "tx_resync.go", "\th.makeDue(bit, true)\n", ""},
	{"resync", "a Resync forgets its packet's type", "tx_resync.go", "e.kind, e.code, e.retries, e.rnr = Resync, code,", "e.kind, e.of, e.code, e.retries, e.rnr = Resync, PullRequest, code,"},
	{"resync", "a Resync keeps the counter", "tx_resync.go", "Resync, code, 0, false", "Resync, code, e.retries, false"},
}

var (
	whichFaults = flag.String("fault", "", "try the faults whose name this matches, '.' for all; by default a few")
	update      = flag.Bool("update", false, "with -fault: rewrite their lines in testdata/faults.md")
)

const faultsPage = "testdata/faults.md"

// FAL-D1 to FAL-D23: every fault is found by a test of this package.
func TestFaultsAreFound(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	known := map[string]string{}
	raw, err := os.ReadFile(faultsPage)
	if err == nil {
		for text := range strings.SplitSeq(string(raw), "\n") {
			if cells := strings.Split(strings.Trim(text, "| "), " | "); len(cells) == 3 {
				known[cells[1]] = cells[2]
			}
		}
	}
	for i, f := range faults {
		broken := breakIt(t, f)
		if *whichFaults == "" && i%12 != 5 || !regexp.MustCompile(*whichFaults).MatchString(f.name) {
			continue
		}
		found := tryFault(t, f, broken)
		if len(found) == 0 {
			t.Errorf("%s: nothing finds it", f.name)
			continue
		}
		t.Logf("%s: %s", f.name, strings.Join(found, ", "))
		known[f.name] = strings.Join(found[:min(3, len(found))], ", ")
	}
	if *update {
		require.NoError(t, os.WriteFile(faultsPage, []byte(pageOf(known)), 0o644))
	}
}

func pageOf(known map[string]string) string {
	var page strings.Builder
	page.WriteString("# Faults in packet delivery of Falcon\n\nEach was put into the code and found; three of the tests that found it are named. Made by " +
		"`go test ./model/falcon -run TestFaultsAreFound -fault . -update`.\n\n| area | fault | found by |\n|---|---|---|\n")
	for _, f := range faults {
		fmt.Fprintf(&page, "| %s | %s | %s |\n", f.area, f.name, known[f.name])
	}
	return page.String()
}

// breakIt is the file with the fault in it; its place is found once.
func breakIt(t *testing.T, f fault) string {
	src, err := os.ReadFile(f.file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(src), f.old), "%s: its place in %s", f.name, f.file)
	return strings.Replace(string(src), f.old, f.new, 1)
}

var failed = regexp.MustCompile(`(?m)^ *--- FAIL: Test(\S+)`)

// tryFault runs the tests with one file replaced, and returns those that fail, the innermost of each.
func tryFault(t *testing.T, f fault, broken string) (found []string) {
	dir := t.TempDir()
	path, overlay := filepath.Join(dir, f.file), filepath.Join(dir, "overlay.json")
	here, err := filepath.Abs(f.file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(broken), 0o644))
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{here: path}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, raw, 0o644))
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-timeout", "120s", ".", "-walk", "30000")
	cmd.Env = append(os.Environ(), "HCACOSIM_FAULT=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for _, m := range failed.FindAllSubmatch(out, -1) {
		found = append(found, string(m[1]))
	}
	if len(found) == 0 {
		if !strings.Contains(string(out), "panic") {
			t.Logf("%s does not build:\n%s", f.name, out)
			return nil
		}
		found = []string{"panic"}
	}
	return slices.DeleteFunc(slices.Clone(found), func(name string) bool {
		return slices.ContainsFunc(found, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
}
