package roce_test

import (
	"bytes"
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

// faults are mistakes that real devices have made, or their like; no two of one kind. They are for the other tests to find.
var faults = []fault{
	{"PSN", "a READ advances ePSN by one", "responder.go", "r.ePSN = w.add(p.PSN, n)", "r.ePSN = w.add(p.PSN, 1)"},
	{"PSN", "a READ of length 0 advances ePSN by none", "responder.go", "n := psn.OfRead(p.DMALen, r.cfg.PMTUBytes)", "n := (p.DMALen + r.cfg.PMTUBytes - 1) / r.cfg.PMTUBytes"},
	{"PSN", "the high-water mark compared without wrap", "requester.go", "if q.next.Diff(q.high) > 0 {", "if q.next > q.high {"},
	{"PSN", "the oldest PSN taken for a duplicate", "responder.go", "r.ePSN, r.cfg.Profile.OldestIsDuplicate)", "r.ePSN, true)"},
	{"PSN", "an ACK ends an outstanding READ without data", "req_response.go", "if w.Verb.Replayed() {\n\t\t\tq.progress", "if w.Verb.Atomic() {\n\t\t\tq.progress"},
	{"PSN", "an ACK inside a READ taken for an implied NAK", "req_response.go", "} else if p.PSN.Diff(w.last) <= 0 {", "} else if p.PSN.Diff(w.first) < 0 {"},
	{"PSN", "the window is not kept", "requester.go", "return open+need <= q.window()", "return open+need <= 2*q.window()"},
	{"PSN", "one READ too many is sent", "requester.go", "q.reads < q.cfg.MaxReads", "q.reads <= q.cfg.MaxReads"},
	{"PSN", "a ghost is believed", "req_response.go", "case psn.Unacked:", "case psn.Unacked, psn.Ghost:"},
	{"NAK", "a NAK for every request behind a gap", "responder.go", "r.nakSent = true\n", "r.nakSent = false\n"},
	{"NAK", "no NAK for a gap", "responder.go", "r.replies.push(reply{kind: nakReply, psn: r.ePSN, syndrome: ib.NAKSequence, msn: r.msn})\n", ""},
	{"NAK", "a sequence NAK while an RNR NAK is out", "responder.go", "case r.rnrSent && !r.cfg.Profile.NakWhileRNR:", "case false:"},
	{"NAK", "a NAK with the opcode of an atomic response", "resp_queue.go", "case nakReply:\n\t\tr.send(ib.Ack,", "case nakReply:\n\t\tr.send(ib.AtomicAck,"},
	{"NAK", "an error is reported only with a receive WQE", "responder.go", "r.replies.push(reply{kind: nakReply, psn: p.PSN, syndrome: f.syndrome, msn: r.msn})", "if f.held || f.syndrome.Kind() == ib.KindRNR {\n\t\tr.replies.push(reply{kind: nakReply, psn: p.PSN, syndrome: f.syndrome, msn: r.msn})\n\t}"},
	{"NAK", "an RNR NAK moves ePSN", "responder.go", "r.rnrSent = true\n", "r.rnrSent = true\n\t\tr.ePSN = r.cfg.Width.add(r.ePSN, 1)\n"},
	{"NAK", "the QP stays up after a NAK", "responder.go", "r.State = Error\n", ""},
	{"duplicates", "an atomic is executed again", "resp_duplicate.go", "if !s.verb.Atomic() {\n", "if s.verb.Atomic() {\n\t\t\t\te.done = false\n\t\t\t\tout.add(Effect{Kind: AtomicMemory, Slot: uint8(i), VA: p.VA, Len: 8, Packet: *p})\n\t\t\t}\n\t\t\tif !s.verb.Atomic() {\n"},
	{"duplicates", "a replayed atomic returns nothing", "resp_duplicate.go", "original: e.original, msn", "original: 0, msn"},
	{"duplicates", "a SEND is dropped without an ACK", "resp_duplicate.go", "r.ack(r.acked)", "_ = r.acked"},
	{"duplicates", "an ACK carries the duplicate's own PSN", "resp_duplicate.go", "r.ack(r.acked)", "r.ack(p.PSN)"},
	{"duplicates", "a READ may ask for more than the original", "resp_duplicate.go", " || p.DMALen > e.len-skipped {", " {"},
	{"duplicates", "a partial READ starts with Middle", "resp_duplicate.go", "answer.resumed = r.cfg.Profile.PartialReplayMiddle && p.PSN != e.first", "answer.resumed = p.PSN != e.first"},
	{"duplicates", "a duplicate counts in MSN", "resp_duplicate.go", "out.drop(\"RSP-5\") // not executed", "r.msn++"},
	{"duplicates", "the FIFO is deeper than agreed", "resp_duplicate.go", "k.next >= min(max(1, r.cfg.MaxReads), MaxKept)", "k.next >= MaxKept"},
	{"duplicates", "a replayed READ resets the opcode sequence", "resp_duplicate.go", "r.replies.push(answer)", "r.replies.push(answer)\n\tr.msg = message{}"},
	{"duplicates", "a later READ goes on after an earlier is asked for again", "resp_queue.go", "p.Diff(q.at(0).psn) < 0 {", "false {"},
	{"checks", "address + length wraps", "region.go", "va >= r.VA && length <= r.Len && va-r.VA <= r.Len-length", "va >= r.VA && va+length <= r.VA+r.Len"},
	{"checks", "length before key", "responder.go", "if r.cfg.Profile.LengthBeforeRKey {\n", "if true {\n"},
	{"checks", "the bytes of a WRITE are not added up", "responder.go", "if have > total || s.last && have != total {", "if have > total {"},
	{"checks", "an unaligned atomic", "responder.go", "case p.VA%8 != 0:", "case p.VA%4 != 0:"},
	{"checks", "services told apart by a bit", "responder.go", "ib.Transport(p.Op&0xE0) != r.cfg.Service", "ib.Transport(p.Op&0x20) != r.cfg.Service&0x20"},
	{"checks", "an oversized datagram ends the QP", "resp_unreliable.go", "out.drop(\"LEN-1\")", "r.fail(false, \"LEN-1\", out)"},
	{"checks", "UC goes on filling the receive WQE of a broken SEND", "resp_unreliable.go", "r.msg = message{} // the receive", "r.msg.verb = NoVerb // the receive"},
	{"checks", "the Q_Key is not looked at", "resp_unreliable.go", "case p.QKey != r.cfg.QKey:", "case false:"},
	{"retry", "the RNR wait is cut short", "requester.go", "return !q.waiting // a retry", "return true // a retry"},
	{"retry", "rnr_retry 7 wired to the other counter", "retry.go", "if q.cfg.RNRRetry != 7 {", "if q.cfg.RetryCount != 7 {"},
	{"retry", "retry_cnt 7 is for ever", "retry.go", "if q.cfg.RetryCount != 7 || !q.cfg.Profile.RetryForever7 {", "if q.cfg.RetryCount != 7 {"},
	{"retry", "each of several NAKs spends a retry", "retry.go", "if q.retrying {", "if false {"},
	{"retry", "progress does not restore the retries", "req_response.go", "q.retries, q.rnrRetries = q.cfg.RetryCount, q.cfg.RNRRetry\n", ""},
	{"retry", "progress does not restart the timer", "req_response.go", "case q.Outstanding() && q.cfg.Timeout != 0:\n\t\tq.arm(out)", "case q.Outstanding() && q.cfg.Timeout != 0:"},
	{"retry", "a stale ACK stops the timer", "req_response.go", "q.takeStaleCredits(p, op)", "q.takeStaleCredits(p, op)\n\t\tq.stop(out)"},
	{"retry", "a timer in milliseconds", "retry.go", "ns := ib.TimeoutNs(code)", "ns := uint64(1_000_000) << code"},
	{"retry", "the RNR timer off by 500", "retry.go", "ns := ib.RNRTimerNs(code)", "ns := ib.RNRTimerNs(code) * 500"},
	{"retry", "a retried READ keeps its address", "requester.go", "w.VA+uint64(off), w.RKey, w.Len-off", "w.VA, w.RKey, w.Len-off"},
	{"retry", "a retried READ keeps its length", "requester.go", "w.VA+uint64(off), w.RKey, w.Len-off", "w.VA+uint64(off), w.RKey, w.Len"},
	{"retry", "a NAK of PSN p acknowledges p", "retry.go", "case q.release(p.PSN, out) != nil", "case q.release(q.cfg.Width.add(p.PSN, 1), out) != nil"},
	{"retry", "a retry goes back to the message after", "retry.go", "\tq.next = q.una\n\tq.cur = 0", "\tq.next = q.una\n\tif q.count > 1 && q.at(1).started {\n\t\tq.next = q.at(1).first\n\t}\n\tq.cur = q.indexOf(q.next)"},
	{"retry", "a QP in error leaves its timer running", "requester.go", "\tq.stop(out)\n\tq.waiting, q.retrying", "\tq.waiting, q.retrying"},
	{"new verbs", "a retry does local work again", "requester.go", "for q.cur++; q.cur < q.count && q.at(q.cur).started && q.at(q.cur).Verb.Local(); q.cur++ {", "for q.cur++; false; {"},
	{"new verbs", "local work ends before what is before it", "local.go", "for q.count > 0 && q.at(0).started && q.at(0).Verb.Local() && !q.at(0).waits {", "for q.count > 0 && q.at(q.cur-1).Verb.Local() && !q.at(0).waits {"},
	{"new verbs", "a window reaches beyond its region", "region.go", "w.VA-r.VA <= r.Len-w.Len", "w.VA-r.VA <= r.Len"},
	{"new verbs", "a FLUSH ends with an ACK", "roce.go", "return Read <= v && v <= Flush", "return Read <= v && v <= AtomicWrite"},
	{"new verbs", "an ATOMIC WRITE asks for no room", "requester.go", "return !w.Verb.Replayed() || w.started ||", "return !w.Verb.Atomic() && w.Verb != Read || w.started ||"},
	{"new verbs", "FETH is lost in a retry", "requester.go", "k.DMALen, k.FETH = ib.Join(q.cfg.Service, ib.Flush), w.VA, w.RKey, w.Len, w.FETH", "k.DMALen, k.FETH = ib.Join(q.cfg.Service, ib.Flush), w.VA, w.RKey, w.Len, w.FETH*uint8(1-min(1, q.high.Diff(q.next)))"},
	{"new verbs", "XRC takes a receive WQE of any queue", "responder.go", "p.XRCSRQ != r.cfg.XRCSRQ", "false"},
	{"completions", "a failed WQE that was not signaled is silent", "requester.go", "if w.Signaled || status != Success {", "if w.Signaled {"},
	{"completions", "a WRITE with immediate reports length 0", "responder.go", "ID: r.recv.pop().ID, Len: r.msg.offset,", "ID: r.recv.pop().ID, Len: r.msg.offset * uint32(s.verb&1),"},
	{"completions", "MSN counts only completion entries", "responder.go", "r.advance(p, s.last)\n\tr.goOn", "r.advance(p, s.last && s.needsReceive())\n\tr.goOn"},
	{"completions", "SE on every packet", "requester.go", "\tif last {\n\t\tk.SE = w.Solicited && w.limited()", "\tk.SE = w.Solicited\n\tif last {"},
	{"completions", "READ data one packet too far", "req_response.go", "off := w.got * q.cfg.PMTUBytes", "off := p.Len + w.got*q.cfg.PMTUBytes - q.cfg.PMTUBytes*0 - p.Len*uint32(1-min(1, w.got))"},
	{"credits", "LSN moves back", "credits.go", "after24(lsn, q.lsn) {", "lsn != q.lsn {"},
	{"credits", "credits of a ghost", "req_response.go", "\tdefault:\n\t\tif q.cfg.Profile.FutureAckCompletes", "\tdefault:\n\t\tq.takeCredits(p)\n\t\tif q.cfg.Profile.FutureAckCompletes"},
	{"credits", "the receive WQE in use is not counted", "resp_duplicate.go", "uint32(r.recv.count)))", "uint32(r.recv.count)-min(1, uint32(r.msg.verb&1))))"},
	{"order", "an ACK overtakes a READ's responses", "resp_queue.go", "\ta := q.at(0)\n\tswitch a.kind {", "\tif last := q.at(q.count - 1); last.kind == ackReply {\n\t\tq.ring[q.head], *last = *last, q.ring[q.head]\n\t}\n\ta := q.at(0)\n\tswitch a.kind {"},
	{"order", "pad counted the wrong way", "resp_queue.go", "Pad: uint8(-n & 3)", "Pad: uint8(n & 3)"},
	{"follower", "a retry without a cause is allowed", "acceptor_requester.go", "waited < least-f.cfg.Profile.slackNs() {", "waited < 0 {"},
	{"follower", "a second NAK for one gap is allowed", "acceptor_responder.go", "f.r.nakSent:\n\t\treturn broken(\"RSP-2\", \"a second sequence NAK of %06Xh for the same gap\", uint32(p.PSN))", "f.r.nakSent:\n\t\treturn Verdict{}"},
}

var (
	whichFaults = flag.String("fault", "", "try the faults whose name this matches, '.' for all, and with -update rewrite their lines in testdata/faults.txt")
	quick       = os.Getenv("HCACOSIM_FAULT") != ""
)

// finders are the tests that are to find faults.
const finders = "AgainstTheKernel|Scenarios|EveryState|RandomWalk|Followers|SafeStart|EEContext|SGList|Values|Verdicts|Owed|WorkThat"

// RSP-1, RSP-2, RSP-5, RSP-8, REQ-3, TMR-3 and the others: every fault is found. By default a few are tried; -fault . tries all.
func TestFaultsAreFound(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	captureDir(t)
	raw, err := os.ReadFile("testdata/faults.txt")
	require.NoError(t, err)
	known := map[string]string{}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if name, found, ok := strings.Cut(line, ": "); ok {
			known[name] = found
		}
	}
	for i, f := range faults {
		if *whichFaults == "" && i%16 != 5 || !regexp.MustCompile(*whichFaults).MatchString(f.name) {
			continue
		}
		found, name := tryFault(t, f), f.area+", "+f.name
		if len(found) == 0 {
			t.Errorf("%s: nothing finds it", f.name)
			continue
		}
		if *update {
			known[name] = strings.Join(found, ", ")
		}
		require.NotEmpty(t, known[name], "%s was never tried", f.name)
		require.Subset(t, found, strings.Split(known[name], ", "), f.name)
	}
	require.GreaterOrEqual(t, len(faults), 30)
	var page strings.Builder
	page.WriteString("Faults put into the machines and the tests that find each; go test ./model/roce -run TestFaultsAreFound -fault . -update\n\n")
	for _, f := range faults {
		name := f.area + ", " + f.name
		fmt.Fprintf(&page, "%s: %s\n", name, known[name])
	}
	generated(t, "testdata/faults.txt", page.String())
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: Test(\w+)`)

// tryFault runs the finders on the package with one file replaced, and returns which of them fail.
func tryFault(t *testing.T, f fault) []string {
	here, err := os.Getwd()
	require.NoError(t, err)
	path := filepath.Join(here, f.file)
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(src), f.old), "%s: its place in %s is not found once", f.name, f.file)
	dir := t.TempDir()
	broken, overlay := filepath.Join(dir, f.file), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(broken, bytes.Replace(src, []byte(f.old), []byte(f.new), 1), 0o644))
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{path: broken}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, raw, 0o644))
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-timeout", "120s", "-run", finders, ".")
	cmd.Env = append(os.Environ(), "HCACOSIM_FAULT=1")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "[build failed]") {
		t.Errorf("%s does not build:\n%s", f.name, out)
	}
	var found []string
	for _, m := range failed.FindAllStringSubmatch(string(out), -1) {
		found = append(found, m[1])
	}
	if err != nil && len(found) == 0 {
		found = append(found, "panic or hang")
	}
	slices.Sort(found)
	return slices.Compact(found)
}
