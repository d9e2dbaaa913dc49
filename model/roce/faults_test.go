package roce_test

import (
	"bytes"
	"cmp"
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
	{"PSN", "a READ advances ePSN by one", "resp_decide.go", "takes = psn.OfRead(p.DMALen, cfg.PMTUBytes) // PSN-4", "takes = 1"},
	{"PSN", "a READ of length 0 advances ePSN by none", "resp_decide.go", "takes = psn.OfRead(p.DMALen, cfg.PMTUBytes) // PSN-4", "takes = (p.DMALen + cfg.PMTUBytes - 1) / cfg.PMTUBytes"},
	{"PSN", "an ACK ends an outstanding READ without data", "req_decide.go", "if head != nil && to.From", "if head != nil && head.Atomic && to.From"},
	{"PSN", "an ACK inside a READ taken for an implied NAK", "req_decide.go", "case s.beyond(p.PSN, head):\n\t\ts.implied(d)\n\tcase kind", "case head != nil && p.PSN.From(s.Una) >= head.Due.From(s.Una):\n\t\ts.implied(d)\n\tcase kind"},
	{"PSN", "the window is not kept", "requester.go", "uint64(q.window())*unit)", "uint64(2*q.window())*unit)"},
	{"PSN", "one READ too many is sent", "req_state.go", "return reads < c.MaxReads }", "return reads <= c.MaxReads }"},
	{"PSN", "a ghost is believed", "req_decide.go", "case psn.Unacked:", "case psn.Unacked, psn.Ghost:"},
	{"PSN", "what an ACK releases compared by signed difference", "req_decide.go", "to.From(s.Una) > head.Due.From(s.Una)", "to.Diff(head.Due) > 0 && to.Diff(s.Una) > 0"},
	{"PSN", "what has ended compared by signed difference", "req_response.go", "ahead := to.From(una)", "ahead := to.Diff(una)"},
	{"PSN", "the next PSN compared by signed difference", "req_response.go", "q.next.From(d.UnaBefore) < d.Una.From(d.UnaBefore)", "q.next.Diff(d.UnaBefore) < d.Una.Diff(d.UnaBefore)"},
	{"NAK", "a NAK for every request behind a gap", "resp_decide.go", "s.nakSent = true\n", "s.nakSent = false\n"},
	{"NAK", "no NAK for a gap", "responder.go", "if d.Answer == RespNak {", "if d.Answer == RespNak && d.Syndrome != ib.NAKSequence {"},
	{"NAK", "a sequence NAK while an RNR NAK is out", "resp_decide.go", "case s.rnrSent && !cfg.Profile.NakWhileRNR:", "case false:"},
	{"NAK", "a NAK with the opcode of an atomic response", "resp_queue.go", "case nakReply:\n\t\tp := r.send(ib.Ack,", "case nakReply:\n\t\tp := r.send(ib.AtomicAck,"},
	{"NAK", "an error is reported only with a receive WQE", "responder.go", "if d.Answer == RespNak {", "if d.Answer == RespNak && (d.Why >= RespNoAccess && s.NeedsReceive() || !d.ToError) {"},
	{"NAK", "an RNR NAK moves ePSN", "resp_decide.go", "s.rnrSent = true\n", "s.rnrSent = true\n\t\ts.ePSN = cfg.Width.add(s.ePSN, 1)\n"},
	{"NAK", "the QP stays up after a NAK", "resp_decide.go", "\t\treturn\n\t}\n\ts.State, s.open, d.ToError = Error, openMessage{}, true\n}", "\t\treturn\n\t}\n\ts.open, d.ToError = openMessage{}, true\n}"},
	{"duplicates", "an atomic is executed again", "resp_duplicate.go", "\t\t\tanswer.kind, answer.waits, answer.original = atomicReply, !e.done, e.original\n", "\t\t\te.done = false\n\t\t\tout.add(Effect{Kind: AtomicMemory, Slot: uint8(slot), VA: p.VA, Len: 8, Packet: *p})\n\t\t\tanswer.kind, answer.waits, answer.original = atomicReply, !e.done, e.original\n"},
	{"duplicates", "a replayed atomic returns nothing", "resp_duplicate.go", "atomicReply, !e.done, e.original", "atomicReply, !e.done, 0"},
	{"duplicates", "a SEND is dropped without an ACK", "resp_duplicate.go", "r.ack(d, true)", "_ = d"},
	{"duplicates", "an ACK carries the duplicate's own PSN", "resp_decide.go", "RespDupMessage, RespAck, s.completed(cfg)", "RespDupMessage, RespAck, p.PSN"},
	{"duplicates", "a READ may ask for more than the original", "resp_duplicate.go", " || p.DMALen > e.len-skipped {", " {"},
	{"duplicates", "a partial READ starts with Middle", "resp_duplicate.go", "answer.resumed = r.cfg.Profile.PartialReplayMiddle && p.PSN != e.first", "answer.resumed = p.PSN != e.first"},
	{"duplicates", "a duplicate counts in MSN", "resp_duplicate.go", "out.drop(\"RSP-5\") // not executed", "r.msn++"},
	{"duplicates", "the FIFO is deeper than agreed", "resp_duplicate.go", "k.next >= min(max(1, r.cfg.MaxReads), MaxKept)", "k.next >= MaxKept"},
	{"duplicates", "a replayed READ resets the opcode sequence", "resp_duplicate.go", "\tr.replies.push(answer)\n}\n\n// within", "\tr.replies.push(answer)\n\tr.open = openMessage{}\n}\n\n// within"},
	{"duplicates", "a later READ goes on after an earlier is asked for again", "resp_queue.go", "p.Diff(q.at(0).psn) < 0 {", "false {"},
	{"checks", "address + length wraps", "region.go", "va >= r.VA && length <= r.Len && va-r.VA <= r.Len-length", "va >= r.VA && va+length <= r.VA+r.Len"},
	{"checks", "length before key", "resp_check.go", "if cfg.Profile.LengthBeforeRKey {\n", "if true {\n"},
	{"checks", "the bytes of a WRITE are not added up", "resp_check.go", "p.Len > left || sh.Last && p.Len != left {", "p.Len > left {"},
	{"checks", "an unaligned atomic", "resp_check.go", "case p.VA%8 != 0 &&", "case p.VA%4 != 0 &&"},
	{"checks", "services told apart by a bit", "resp_decide.go", "ib.Transport(p.Op&0xE0) != cfg.Service", "ib.Transport(p.Op&0x20) != cfg.Service&0x20"},
	{"checks", "an oversized datagram ends the QP", "resp_unreliable.go", "\t\td.Why = RespBadLength\n", "\t\td.Why, d.ToError, s.State = RespBadLength, true, Error\n"},
	{"checks", "the Q_Key is not looked at", "resp_unreliable.go", "case !f.QKeyOK:", "case false:"},
	{"retry", "the RNR wait is cut short", "requester.go", "return !q.s.Waiting // a retry", "return true // a retry"},
	{"retry", "rnr_retry 7 wired to the other counter", "retry.go", "if q.cfg.RNRRetry != 7 {", "if q.cfg.RetryCount != 7 {"},
	{"retry", "retry_cnt 7 is for ever", "retry.go", "if q.cfg.RetryCount != 7 || !q.cfg.Profile.RetryForever7 {", "if q.cfg.RetryCount != 7 {"},
	{"retry", "each of several NAKs spends a retry", "req_decide.go", "case s.Retrying:", "case false:"},
	{"retry", "progress does not restore the retries", "req_response.go", "q.retries, q.rnrRetries = q.cfg.RetryCount, q.cfg.RNRRetry\n", ""},
	{"retry", "progress does not restart the timer", "req_response.go", "case q.Outstanding() && q.cfg.Timeout != 0:\n\t\tq.arm(out)", "case q.Outstanding() && q.cfg.Timeout != 0:"},
	{"retry", "a stale ACK stops the timer", "req_response.go", "\t\t\tout.drop(d.Why.Rule())", "\t\t\tif out.drop(d.Why.Rule()); d.Region == ReqAcked {\n\t\t\t\tq.stop(out)\n\t\t\t}"},
	{"retry", "a timer in milliseconds", "retry.go", "ns := ib.TimeoutNs(code)", "ns := uint64(1_000_000) << code"},
	{"retry", "the RNR timer off by 500", "retry.go", "ns := ib.RNRTimerNs(code)", "ns := ib.RNRTimerNs(code) * 500"},
	{"retry", "a retried READ keeps its address", "requester.go", "w.VA+uint64(off), w.RKey, w.Len-off", "w.VA, w.RKey, w.Len-off"},
	{"retry", "a retried READ keeps its length", "requester.go", "w.VA+uint64(off), w.RKey, w.Len-off", "w.VA+uint64(off), w.RKey, w.Len"},
	{"retry", "a NAK of PSN p acknowledges p", "req_decide.go", "\tdefault:\n\t\ts.release(p.PSN, head, d)\n", "\tdefault:\n\t\ts.release(cfg.Width.add(p.PSN, 1), head, d)\n"},
	{"retry", "a retry goes back to the message after", "retry.go", "\tq.next = q.s.Una\n\tq.cur = 0", "\tq.next = q.s.Una\n\tif q.count > 1 && q.at(1).started {\n\t\tq.next = q.at(1).first\n\t}\n\tq.cur = q.indexOf(q.next)"},
	{"retry", "a QP in error leaves its timer running", "requester.go", "\tq.stop(out)\n\tif q.s.Waiting {", "\tif q.s.Waiting {"},
	{"retry", "an RNR wait outlives progress", "req_decide.go", "s.Una, s.Retrying = una, false\n\t\ts.endWait(d)\n", "s.Una, s.Retrying = una, false\n"},
	{"retry", "any answer ends an RNR wait", "req_decide.go", "if cfg.Profile.AnyAnswerEndsRNR {", "if true {"},
	{"retry", "a wait that ended leaves no timer", "req_response.go", "if (d.Progress() || d.WaitEnded) && !d.Closes() {", "if d.Progress() && !d.WaitEnded && !d.Closes() {"},
	{"retry", "progress leaves the retry under way", "req_decide.go", "s.Una, s.Retrying = una, false", "s.Una = una"},
	{"retry", "the timer stops in every profile", "req_response.go", "case !q.cfg.Profile.TimerRunsOut:", "default:"},
	{"bad responses", "bad responses are dropped", "req_decide.go", "d.Why, d.Action = why, ReqBadResponse", "d.Why = why"},
	{"bad responses", "bad responses end the WQE before what they show to be missing", "req_decide.go", "\tif s.beyond(p.PSN, head) {\n\t\ts.implied(d)\n\t\treturn\n\t}\n\td.Why", "\td.Why"},
	{"bad responses", "bad responses acknowledge nothing", "req_decide.go", "\ts.release(p.PSN, head, d)\n\tif s.beyond", "\tif s.beyond"},
	{"bad responses", "a wrong length is one of another kind", "req_response.go", "case d.Why == ReqLength:", "case false:"},
	{"bad responses", "the pad does not count", "req_decide.go", " && (p.Len+uint32(p.Pad))%4 == 0", ""},
	{"bad responses", "a Middle where nothing was taken", "req_decide.go", "return p != h.Last && h.Begun", "return p != h.Last"},
	{"bad responses", "a reserved syndrome is taken for an ACK", "req_decide.go", "case kind == ib.KindReserved:", "case false:"},
	{"states", "a QP that drains begins new work", "requester.go", "if q.State == SQD && !w.started {", "if false {"},
	{"states", "a QP that drains drops responses", "req_response.go", "return q.State == RTS || q.State == SQD", "return q.State == RTS"},
	{"states", "what is posted to SQE waits", "requester.go", "case q.State == Error || q.State == SQE:", "case q.State == Error:"},
	{"new verbs", "a retry does local work again", "requester.go", "for q.cur++; q.cur < q.count && q.at(q.cur).started && q.at(q.cur).Verb.Local(); q.cur++ {", "for q.cur++; false; {"},
	{"new verbs", "local work ends before what is before it", "local.go", "for q.count > 0 && q.at(0).started && q.at(0).Verb.Local() && !q.at(0).waits {", "for q.count > 0 && q.at(q.cur-1).Verb.Local() && !q.at(0).waits {"},
	{"new verbs", "a window reaches beyond its region", "region.go", "w.VA-r.VA <= r.Len-w.Len", "w.VA-r.VA <= r.Len"},
	{"new verbs", "a FLUSH ends with an ACK", "req_response.go", "if q.reads == 0 {", "if q.reads == 0 || q.at(0).Verb == Flush {"},
	{"new verbs", "an ATOMIC WRITE asks for no room", "requester.go", "return !w.Verb.Replayed() || w.started ||", "return !w.Verb.Atomic() && w.Verb != Read || w.started ||"},
	{"new verbs", "FETH is lost in a retry", "requester.go", "k.DMALen, k.FETH = ib.Join(q.cfg.Service, ib.Flush), w.VA, w.RKey, w.Len, w.FETH", "k.DMALen, k.FETH = ib.Join(q.cfg.Service, ib.Flush), w.VA, w.RKey, w.Len, w.FETH*uint8(1-min(1, q.high.Diff(q.next)))"},
	{"new verbs", "XRC takes a receive WQE of any queue", "resp_check.go", "sh.NeedsReceive() && f.ForeignSRQ", "false"},
	{"completions", "a failed WQE that was not signaled is silent", "requester.go", "if w.Signaled || status != Success {", "if w.Signaled {"},
	{"completions", "a WRITE with immediate reports length 0", "responder.go", "Len: d.Offset + header + p.Len, Packet", "Len: (d.Offset + header + p.Len) * uint32(s.Verb&1), Packet"},
	{"completions", "MSN counts only completion entries", "resp_decide.go", "\tif sh.Last {\n\t\ts.msn =", "\tif sh.Last && (sh.NeedsReceive() || sh.Verb.Replayed()) {\n\t\ts.msn ="},
	{"completions", "SE on every packet", "requester.go", "\tif last {\n\t\tk.SE = w.Solicited && w.limited()", "\tk.SE = w.Solicited\n\tif last {"},
	{"completions", "READ data one packet too far", "req_response.go", "Off: w.got * q.cfg.PMTUBytes, Len: p.Len", "Off: w.got*q.cfg.PMTUBytes + p.Len*min(1, w.got), Len: p.Len"},
	{"credits", "LSN moves back", "req_state.go", "if !first && !after24(lsn, s.LSN) {", "if !first && lsn == s.LSN {"},
	{"credits", "the first credits raise LSN only", "req_state.go", "first := !s.Known", "first := false"},
	{"credits", "credits of a ghost", "req_decide.go", "\t\td.Region = ReqBeyond\n", "\t\td.Region = ReqBeyond\n\t\ts.takeCredits(cfg, p)\n"},
	{"credits", "the receive WQE in use is not counted", "resp_duplicate.go", "uint32(r.recv.count)))", "uint32(r.recv.count)-min(1, uint32(r.open.verb&1))))"},
	{"order", "an ACK overtakes a READ's responses", "resp_queue.go", "\ta := q.at(0)\n\tif r.cfg.Profile.AcksWhenDrained", "\tif last := q.at(q.count - 1); last.kind == ackReply {\n\t\tq.ring[q.head], *last = *last, q.ring[q.head]\n\t}\n\ta := q.at(0)\n\tif r.cfg.Profile.AcksWhenDrained"},
	{"order", "pad counted the wrong way", "resp_queue.go", "p.Len, p.Pad = n, uint8(-n&3)", "p.Len, p.Pad = n, uint8(n&3)"},
	{"follower", "an answer is never too late", "deadline.go", "o.LatestNS != 0 && nowNS > o.LatestNS", "nowNS < 0"},
	{"follower", "what is overdue is said again", "deadline.go", "a.told = true", "a.told = false"},
	{"follower", "what waits behind a READ has no time of its own", "deadline.go", "a.sinceNS, a.told = f.r.replies.nowNS, false", "a.told = false"},
	{"follower", "a requester is late after T", "deadline.go", "return int64(4 * ib.TimeoutNs(code))", "return int64(ib.TimeoutNs(code))"},
	{"order", "deferred ACKs leave at once", "resp_queue.go", "!r.drained && a.kind", "false && a.kind"},
	{"follower", "a retry without a cause is allowed", "follow_requester.go", "waited < least-f.cfg.Profile.slackNs() && !f", "waited < 0 && !f"},
	{"follower", "a timer that runs out has no end", "follow_timer.go", "ran >= t.leastNS && ran <= t.latestNS", "ran >= t.leastNS"},
	{"follower", "a timer that runs out is not known", "follow_requester.go", " && !f.timer.ranOut(timeNS) {", " {"},
	{"follower", "a device that drops a bad response is accused", "follow_requester.go", "if d.Action == ReqBadResponse && !f.cfg.Profile.BadResponseFatal {", "if false {"},
	{"follower", "a device that ends its QP for a bad response is late", "follow_requester.go", "f.q.s, f.mayBeDead = was, true", "f.q.s = was"},
	{"follower", "a NAK said again may not restart", "follow_requester.go", "\t\tf.repeats.add(d.Una, p)\n", ""},
	{"follower", "a NAK said again may restart for ever", "follow_timer.go", "\tr.count--\n", ""},
	{"follower", "a wait that progress ended may not be kept", "deadline.go", "max(rnrNS, o.SinceNS+f.cfg", "max(0, o.SinceNS+f.cfg"},
	{"follower", "a second NAK for one gap is allowed", "follow_responder.go", "f.r.nakSent:\n\t\treturn broken(\"RSP-2\", \"a second sequence NAK of %06Xh for the same gap\", uint32(p.PSN))", "f.r.nakSent:\n\t\treturn Verdict{}"},
	{"PSN", "half the PSNs behind is beyond a gap", "resp_decide.go", "switch psn.Arrive(p.PSN, s.ePSN) {", "switch psn.Arrive(p.PSN.Add(p.PSN.Diff(s.ePSN)/psn.Half), s.ePSN) {"},
	{"checks", "UC takes another receive WQE behind a broken SEND", "responder.go", "\t\tout.drop(why)\n", "\t\tif out.drop(why); d.Why == RespBroken && inSend {\n\t\t\tr.recv.pop()\n\t\t}\n"},
	{"order", "places of the queue counted in a byte", "resp_queue.go", "place := int(q.head) + int(i)", "place := int(q.head + i)"},
	{"NAK", "a duplicate keeps the silence about a gap", "resp_decide.go", "if !cfg.Profile.DupKeepsNAK {\n", "if false {\n"},
	{"NAK", "a duplicate ends the silence in every profile", "resp_decide.go", "if !cfg.Profile.DupKeepsNAK {\n", "if true {\n"},
	{"NAK", "a duplicate that is not answered ends the silence", "resp_decide.go", "\tif !answered {\n", "\tif !answered {\n\t\ts.nakSent, s.rnrSent = false, false\n"},
	{"NAK", "a duplicate ends no wait for a receive WQE", "resp_decide.go", "\t\ts.nakSent, s.rnrSent = false, false\n\t}\n}", "\t\ts.nakSent = false\n\t}\n}"},
	{"duplicates", "an ACK beyond a READ that was interrupted", "resp_duplicate.go", "if a.again && !r.cfg.Profile.DupAckSkipsRead {", "if false {"},
	{"duplicates", "a READ that was interrupted is never answered", "resp_duplicate.go", "\t\te.open = false\n", "\t\te.open = e.verb == Read && !a.again || e.open && a.again\n"},
	{"duplicates", "an ACK stays before every READ", "resp_duplicate.go", "\t\te.open = false\n", ""},
	{"checks", "payload of a READ is not looked at", "resp_check.go", "case !limit.Allows(int(p.Len), int(cfg.PMTUBytes)) && !(limit == ib.NoPayload && cfg.Profile.StrayPayloadTaken),", "case limit != ib.NoPayload && !limit.Allows(int(p.Len), int(cfg.PMTUBytes)),"},
	{"checks", "payload of a READ is refused in every profile", "resp_check.go", " && !(limit == ib.NoPayload && cfg.Profile.StrayPayloadTaken),", ","},
	{"checks", "pad of a READ is not looked at", "resp_check.go", "\t\treturn c.Profile.StrayPayloadTaken // OPC-2\n", "\t\treturn true\n"},
	{"checks", "a FLUSH needs REMOTE_WRITE", "resp_check.go", "\t\treturn need\n", "\t\treturn RemoteWrite\n"},
	{"checks", "a FLUSH needs one permission of two", "resp_check.go", "\t\t\tneed |= FlushPersistent\n", "\t\t\tneed = FlushPersistent\n"},
	{"checks", "a FLUSH of no placement", "resp_check.go", "return plt != 0 && plt", "return plt"},
	{"checks", "a FLUSH of a reserved selection", "resp_check.go", " && p.FETH>>4&3 <= 1\n", "\n"},
	{"checks", "a FLUSH is looked at in every profile", "resp_check.go", "sh.Verb == Flush && !p.flushKind() && !c.Profile.FlushUnchecked:", "sh.Verb == Flush && !p.flushKind():"},
	{"checks", "a key of another protection domain", "region.go", "\t\t\tif r.PD != pd {\n", "\t\t\tif false {\n"},
	{"checks", "a window of another protection domain is invalidated", "region.go", " && t[i].PD == pd {", " && pd == pd {"},
	{"checks", "a QP that drains takes no requests", "resp_state.go", "s.State != Init && s.State != Error\n", "s.State != Init && s.State != SQD && s.State != Error\n"},
	{"follower", "a second NAK behind a duplicate is accused", "follow_responder.go", "case said && f.gap.dup:", "case false && said:"},
	{"follower", "a NAK behind a duplicate is owed", "follow_responder.go", "\tcfg.Profile.DupKeepsNAK = true", "\tcfg.Profile.DupKeepsNAK = false"},
	{"follower", "half the PSNs behind must be answered", "follow_responder.go", "\t\tq.at(before).optional = true\n", "\t\tq.at(before).optional = false\n"},
	{"follower", "half the PSNs behind may not be NAKed", "follow_responder.go", "\tf.gap.unsure = true\n\tf.mayNAK()\n", "\tf.gap.unsure = true\n"},
	{"follower", "half the PSNs behind and a NAK is owed", "follow_responder.go", "\tf.gap.unsure = true\n", ""},
	{"follower", "an ACK of a duplicate must wait", "follow_responder.go", "early = again && p ==", "early = false && p =="},
	{"follower", "an ACK inside a READ that was interrupted", "follow_responder.go", "if v.Allowed() && inside {", "if false && inside {"},
}

var (
	whichFaults = flag.String("fault", "", "try the faults whose name this matches, '.' for all, and with -update rewrite their lines in testdata/faults.md")
	quick       = os.Getenv("HCACOSIM_FAULT") != ""
)

// finders are the tests that are to find faults.
const finders = "AgainstTheKernel|Scenarios|EveryState|RandomWalk|Followers|SafeStart|EEContext|SGList|Values|Verdicts|Owed|WorkThat|" +
	"HaveATime|Obligations|IsInTime|Exact|RunsOut|HalfThePSNs|HalfOfThePSNs|Admission|Admitted|KeepTheirOrder"

// trial is what became of a fault.
type trial struct {
	first string   // the check that is named first: a page or a story where there is one
	found []string // every check that finds it
	left  []string // what finds it when the first is skipped
}

// RSP-1, RSP-2, RSP-5, RSP-8, REQ-3, TMR-3 and the others: every fault is found, and with every check skipped that finds it the fault goes
// through, so that it is these that find it. By default a few are tried; -fault . tries all.
func TestFaultsAreFound(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	captureDir(t)
	raw, err := os.ReadFile("testdata/faults.md")
	require.NoError(t, err)
	known := map[string]string{}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 5 {
			known[cells[1]] = strings.Join(cells[2:], " | ")
		}
	}
	require.GreaterOrEqual(t, len(faults), 30)
	for i, f := range faults {
		if *whichFaults == "" && i%16 != 5 || !regexp.MustCompile(*whichFaults).MatchString(f.name) {
			continue
		}
		x := tryFault(t, f)
		if len(x.found) == 0 {
			t.Errorf("%s: nothing finds it", f.name)
			continue
		}
		line := fmt.Sprintf("%s | %s | passes |", x.first, shorten(x.left))
		t.Logf("%s | %s", f.name, line)
		if *update {
			known[f.name] = line
			continue
		}
		// The other columns name more checks whenever a page is added.
		require.Contains(t, x.found, strings.Split(known[f.name], " | ")[0], f.name)
	}
	var page strings.Builder
	page.WriteString(`# Faults in the machines

Each was put into the code, the checks run, and run again with those that had found it skipped: first one, then all. Made by
` + "`go test ./model/roce -run TestFaultsAreFound -fault . -update`" + `.

| area | fault | a check that finds it | what finds it without that check | without all of these |
|---|---|---|---|---|
`)
	for _, f := range faults {
		require.NotEmpty(t, known[f.name], "%s was never tried", f.name)
		fmt.Fprintf(&page, "| %s | %s | %s\n", f.area, f.name, known[f.name])
	}
	generated(t, "testdata/faults.md", page.String())
}

// shorten names the first three of many.
func shorten(names []string) string {
	switch {
	case len(names) == 0:
		return "nothing"
	case len(names) > 3:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// tryFault builds the package's tests with one file replaced, and runs them, skipping what has found the fault, until they pass.
func tryFault(t *testing.T, f fault) (x trial) {
	binary := buildFault(t, f)
	if binary == "" {
		return trial{}
	}
	for len(x.found) < 200 {
		found := runSkipping(binary, x.found)
		if len(found) == 0 {
			break
		}
		x.found = append(x.found, found...)
	}
	if len(x.found) == 0 {
		return x
	}
	slices.SortFunc(x.found, func(a, b string) int { return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b)) })
	x.first = x.found[0]
	x.left = runSkipping(binary, x.found[:1])
	slices.SortFunc(x.left, func(a, b string) int { return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b)) })
	return x
}

// order puts the checks that say most first.
func order(check string) int {
	for i, prefix := range []string{"Scenarios/", "Verdicts", "AnswersHave", "RetriesHave", "EveryState/"} {
		if strings.HasPrefix(check, prefix) {
			return i
		}
	}
	return 9
}

func buildFault(t *testing.T, f fault) (binary string) {
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
	binary = filepath.Join(dir, "roce.test")
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-vet=off", "-ldflags=-s -w", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Errorf("%s does not build:\n%s", f.name, out)
		return ""
	}
	return binary
}

var (
	failed  = regexp.MustCompile(`(?m)^ *--- FAIL: Test(\S+)`)
	running = regexp.MustCompile(`(?m)^\t+Test(\S+) \(\d`) // when the time ran out
)

// runSkipping runs the finders but some, and returns those that fail, the innermost of each.
func runSkipping(binary string, skip []string) (found []string) {
	args := []string{"-test.run", finders, "-test.timeout", "180s"}
	if len(skip) > 0 {
		var patterns []string
		for _, s := range skip {
			parts := strings.Split("Test"+s, "/")
			for i := range parts {
				parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
			}
			patterns = append(patterns, strings.Join(parts, "/"))
		}
		args = append(args, "-test.skip", strings.Join(patterns, "|"))
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "HCACOSIM_FAULT=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for _, m := range append(failed.FindAllSubmatch(out, -1), running.FindAllSubmatch(out, -1)...) {
		found = append(found, string(m[1]))
	}
	slices.Sort(found)
	found = slices.Compact(found)
	all := slices.Clone(found)
	found = slices.DeleteFunc(found, func(name string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
	if len(found) == 0 {
		found = []string{"panic"}
	}
	return found
}
