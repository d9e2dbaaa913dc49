package roce_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// moment is an act of a story, or a look at what is overdue by then.
type moment struct {
	act
	look    bool
	overdue roce.Rule
}

func do(a act) moment { return moment{act: a} }
func look(ms int64, rule roce.Rule) moment {
	return moment{act: act{ms: ms}, look: true, overdue: rule}
}

// RSP-13, RSP-2, RSP-7, RSP-8: a responder that must answer within 10 ms. What waits behind an answer has its time from
// then; what was said to be overdue is not said again when it comes.
func TestAnswersHaveATime(t *testing.T) {
	send, ack := in(0x04, 100, asks), func(rule roce.Rule) act { return out(rule, 0x11, 100, msn(1)) }
	for name, story := range map[string][]moment{
		"in time":  {do(send.at(1)), look(11, ""), do(ack("").at(11)), look(99, "")},
		"too late": {do(send.at(1)), do(ack("RSP-13").at(12))},
		"never":    {do(send.at(1)), look(12, "RSP-13"), look(13, ""), do(ack("").at(14))},
		"a NAK":    {do(in(0x04, 101, asks).at(1)), look(12, "RSP-2")},
		"a READ": {do(in(0x0C, 100, dma(600, 64)).at(1)), do(out("", 0x0D, 100, long(256), msn(1), syn(31)).at(10)),
			do(out("", 0x0E, 101, long(256)).at(20)), look(31, "RSP-7")},
		"a READ, late twice": {do(in(0x0C, 100, dma(600, 64)).at(1)), look(12, "RSP-7"),
			do(out("", 0x0D, 100, long(256), msn(1), syn(31)).at(13)), look(23, ""), look(24, "RSP-7")},
		"an atomic": {do(in(0x14, 100).at(1)), look(12, "RSP-8")},
		"behind a READ": {do(in(0x0C, 100, dma(4, 64)).at(1)), do(in(0x04, 101, asks).at(1)),
			do(out("", 0x10, 100, msn(1)).at(10)), look(20, ""), look(21, "RSP-13")},
		"coalesced":       {do(send.at(1)), do(in(0x04, 101, asks).at(9)), do(out("RSP-13", 0x11, 101, msn(2)).at(12))},
		"nothing is owed": {do(in(0x04, 100).at(1)), look(99, "")},
	} {
		t.Run(name, func(t *testing.T) {
			f := roce.FollowResponder(roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Open: true,
				AnswerWithinNs: 10_000_000})
			for i, m := range story {
				f.Now(m.ms * 1_000_000)
				v := roce.Verdict{Rule: m.overdue}
				switch {
				case m.look:
					v = f.Overdue(m.ms * 1_000_000)
					m.rule = m.overdue
				case m.sent:
					v = f.Sent(&m.packet)
				default:
					f.Received(&m.packet)
					continue
				}
				require.Equal(t, m.rule, v.Rule, "%d: %v", i, v)
			}
		})
	}
}

// TMR-1, TMR-4, TMR-5, REQ-3, REQ-4, REQ-12: a requester with T = 67 ms that must send again within 10 ms behind 4T, an
// RNR wait or a NAK. With its retries used up it may say nothing.
func TestRetriesHaveATime(t *testing.T) {
	send, again := out("", 0x04, 100, asks), func(rule roce.Rule) act { return out(rule, 0x04, 100, asks) }
	for name, story := range map[string][]moment{
		"4T":                {do(send), look(278, ""), look(279, "TMR-1"), look(300, ""), do(again("").at(301))},
		"a late timeout":    {do(send), do(again("TMR-1").at(279))},
		"a timeout in time": {do(send), do(again("").at(278))},
		"acknowledged":      {do(send), do(in(0x11, 100).at(1)), look(999, "")},
		"progress": {do(send), do(out("", 0x04, 101, asks)), do(in(0x11, 100).at(200)), look(478, ""),
			look(479, "TMR-1")},
		"a NAK":           {do(send), do(in(0x11, 100, syn(0x60)).at(1)), look(11, ""), look(12, "REQ-4"), look(13, "")},
		"a late retry":    {do(send), do(in(0x11, 100, syn(0x60)).at(1)), do(again("REQ-4").at(12))},
		"RNR":             {do(send), do(in(0x11, 100, syn(0x2C)).at(1)), look(11, ""), look(12, "TMR-4")}, // 0.64 ms
		"a gap":           {do(out("", 0x0C, 100, dma(600, 64))), do(in(0x0E, 101).at(1)), look(11, ""), look(12, "REQ-3")},
		"no retries left": {do(send), do(again("").at(70)), do(again("").at(140)), look(999, "")},
		"an error":        {do(send), do(in(0x11, 100, syn(0x61)).at(1)), look(999, "")},
		"a bad response":  {do(send), do(in(0x12, 100).at(1)), look(999, ""), do(again("").at(999)), look(1999, "TMR-1")},
		// 655 ms, which progress ends and the device may sit out
		"a wait that ended": {do(send), do(out("", 0x04, 101, asks)), do(in(0x11, 100, syn(0x20)).at(1)),
			do(in(0x11, 100).at(2)), look(666, ""), look(667, "TMR-1")},
		// the same, and what the device is told while it sits there has its time only behind that
		"a NAK behind a wait that ended": {do(send), do(out("", 0x04, 101, asks)), do(in(0x11, 100, syn(0x20)).at(1)),
			do(in(0x11, 100).at(2)), do(in(0x11, 101, syn(0x60)).at(3)), look(666, ""), look(667, "REQ-4")},
		"a gap behind a wait that ended": {do(send), do(out("", 0x0C, 101, dma(600, 64))),
			do(in(0x11, 100, syn(0x20)).at(1)), do(in(0x11, 100).at(2)), do(in(0x0E, 102).at(3)), look(666, ""),
			look(667, "REQ-3")},
		"a NAK when the wait is over": {do(send), do(out("", 0x04, 101, asks)), do(in(0x11, 100, syn(0x20)).at(1)),
			do(in(0x11, 100).at(2)), do(in(0x11, 101, syn(0x60)).at(660)), look(670, ""), look(671, "REQ-4")},
	} {
		t.Run(name, func(t *testing.T) {
			f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Timeout: 14,
				RetryCount: 2, RNRRetry: 7, ResumeWithinNs: 10_000_000})
			for i, m := range story {
				now := 1 + m.ms*1_000_000
				v := roce.Verdict{}
				switch {
				case m.look:
					v = f.Overdue(now)
					m.rule = m.overdue
				case m.sent:
					v = f.Sent(now, &m.packet)
				default:
					f.Received(now, &m.packet)
					continue
				}
				require.Equal(t, m.rule, v.Rule, "%d: %v", i, v)
			}
		})
	}
}

// TMR-1, TMR-2: kernel 6.1 does not stop its timer when everything is acknowledged. Timeout code 12, 4 ms jiffies: T is
// 16 ms, and the timer that the first packet started runs out 12 to 24 ms behind it. The third story has the times of a
// capture.
func TestATimerThatRunsOut(t *testing.T) {
	type at struct {
		us    int64
		again bool // or a new request, acknowledged 100 us later but for the last
		rule  roce.Rule
	}
	for name, story := range map[string][]at{
		"too early":                       {{0, false, ""}, {11_000, false, ""}, {11_400, true, "TMR-1"}},
		"as soon as it may":               {{0, false, ""}, {11_600, false, ""}, {12_001, true, ""}},
		"at the very least":               {{0, false, ""}, {11_600, false, ""}, {12_000, true, ""}},
		"6.1":                             {{0, false, ""}, {9_000, false, ""}, {18_208, false, ""}, {18_700, true, ""}},
		"as late as it may":               {{0, false, ""}, {23_600, false, ""}, {24_000, true, ""}},
		"later than it may":               {{0, false, ""}, {23_900, false, ""}, {24_100, true, "TMR-1"}},
		"has run out":                     {{0, false, ""}, {24_100, false, ""}, {24_600, true, "TMR-1"}},
		"has run out long before":         {{0, false, ""}, {60_000, false, ""}, {60_492, true, "TMR-1"}},
		"ran out, was started":            {{0, false, ""}, {13_000, false, ""}, {26_000, false, ""}, {26_492, true, ""}},
		"it runs out once":                {{0, false, ""}, {18_208, false, ""}, {18_700, true, ""}, {19_000, true, "TMR-1"}},
		"and starts with what went again": {{0, false, ""}, {18_208, false, ""}, {18_700, true, ""}, {31_000, true, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range []roce.Profile{roce.Rxe, without(roce.Rxe, "TimerRunsOut")} {
				f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, Profile: p, PMTUBytes: 256, StartPSN: 100,
					Timeout: 12, RetryCount: 7, RNRRetry: 7})
				next := psn.PSN(100)
				for i, m := range story {
					now, k := 1+m.us*1000, out("", 0x04, next, asks)
					if m.again {
						k.packet.PSN--
					} else {
						next++
					}
					v := f.Sent(now, &k.packet)
					young := m.again && m.us-story[i-1].us < 12_000
					if p.TimerRunsOut || !young {
						require.Equal(t, m.rule, v.Rule, "%d: %v", i, v)
					} else {
						require.Equal(t, roce.Rule("TMR-1"), v.Rule, "%d: without the field", i)
						return
					}
					if i+1 < len(story) && !story[i+1].again {
						a := in(0x11, k.packet.PSN)
						f.Received(now+100_000, &a.packet)
					}
				}
			}
		})
	}
}

// TMR-4: with 4 ms jiffies an RNR wait is rounded up. It ends within one jiffy more, beyond 63 at a multiple of 8.
// Code 29 asks for 245.76 ms: 62 jiffies and one more are exactly 63. Code 30 asks for 327.68 ms: 83 become 88.
func TestAnRNRWaitInJiffiesHasATime(t *testing.T) {
	for code, jiffies := range map[ib.Syndrome]int64{29: 63, 30: 88} {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, Profile: roce.Rxe, PMTUBytes: 256, StartPSN: 100,
			RNRRetry: 7, ResumeWithinNs: 1_000_000})
		require.True(t, f.Sent(0, aSend(100)).Allowed())
		f.Received(0, anAck(100, 0x20|code))
		latest := 4_000_000*jiffies + 1_000_000
		require.Equal(t, roce.Verdict{}, f.Overdue(latest), "code %d", code)
		require.Equal(t, roce.Rule("TMR-4"), f.Overdue(latest+1).Rule, "code %d", code)
	}
}

// PSN-7: a follower takes a READ of half the PSNs, its responses, and the retry of its first request.
func TestAFollowerOfHalfThePSNs(t *testing.T) {
	f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Timeout: 14,
		RetryCount: 2, RNRRetry: 7})
	for i, a := range []act{out("", 0x0C, 100, dma(1<<31, 0)), out("", 0x0C, 100, dma(1<<31, 0)).at(70),
		in(0x0D, 100, long(256), syn(31)).at(71), in(0x0E, 102).at(72), out("", 0x0C, 101, dma(1<<31-256, 256)).at(73),
		out("", 0x04, 100+psn.Half, asks).at(73), out("PSN-5", 0x04, 101+psn.Half, asks).at(73)} {
		if a.sent {
			v := f.Sent(1+a.ms*1_000_000, &a.packet)
			require.Equal(t, a.rule, v.Rule, "%d: %v", i, v)
		} else {
			f.Received(1+a.ms*1_000_000, &a.packet)
		}
	}
	una, high := f.PSNs()
	require.Equal(t, psn.PSN(101), una)
	require.Equal(t, psn.PSN(102+psn.Half), high)
}

// RSP-13: everything that is owed is listed, in its order.
func TestObligations(t *testing.T) {
	f := roce.FollowResponder(roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Open: true})
	for i, a := range []act{in(0x0C, 100, dma(4, 64)), in(0x14, 101), in(0x04, 102, asks), in(0x04, 109, asks)} {
		f.Now(int64(5 + i))
		f.Received(&a.packet)
	}
	var got []roce.Obligation
	f.Obligations(func(o roce.Obligation) { got = append(got, o) })
	require.Equal(t, []roce.Obligation{{PSN: 100, Rule: "RSP-7", SinceNS: 5}, {PSN: 101, Rule: "RSP-8", SinceNS: 6},
		{PSN: 102, Rule: "RSP-13", SinceNS: 7},
		{PSN: 103, Rule: "RSP-2", SinceNS: 8}}, got)
}

// lateOnes is what followers with deadlines find in a capture besides what they find without.
func lateOnes(s *sidecar, side string, events []event, p roce.Profile, withinNs uint64) (found []string) {
	rcfg, qcfg := *responderOf(s, side, p), requesterOf(s, side, p)
	rcfg.AnswerWithinNs, qcfg.ResumeWithinNs = withinNs, withinNs
	r, q := roce.FollowResponder(rcfg), roce.FollowRequester(qcfg)
	r.SetState(stateOf(s.end(side)))
	note := func(e *event, v roce.Verdict) {
		if !v.Allowed() {
			found = append(found, fmt.Sprintf("%s.%s frame %d %s", s.Name, side, e.number, v.Rule))
		}
	}
	posted := 0
	for i := range events {
		e := &events[i]
		r.Now(e.timeNS)
		note(e, r.Overdue(e.timeNS))
		note(e, q.Overdue(e.timeNS))
		response := ib.Lookup(e.packet.Op).Response
		switch {
		case e.sent && response:
			note(e, r.Sent(&e.packet))
		case e.sent:
			note(e, q.Sent(e.timeNS, &e.packet))
		case response:
			q.Received(e.timeNS, &e.packet)
		default:
			for ; posted < len(s.Recvs); posted++ {
				w := s.Recvs[posted]
				if w.Side == side && (w.PostNS > e.timeNS || !r.PostReceive(roce.Receive{ID: uint64(posted), Len: w.Len})) {
					break
				}
			}
			r.Received(&e.packet)
		}
	}
	return found
}

// RSP-13, REQ-4, TMR-1, TMR-4: where the kernel that was captured, on a busy machine, took more than 12 ms longer than
// it should: these and no more. Its timer is restarted by what it sends meanwhile: without that field more are found.
func TestTheKernelIsInTime(t *testing.T) {
	var late, more []string
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		late = append(late, lateOnes(s, side, events, roce.Rxe, 12_000_000)...)
		more = append(more, lateOnes(s, side, events, without(roce.Rxe, "SendsMayRestart"), 12_000_000)...)
		require.Empty(t, lateOnes(s, side, events, roce.Rxe, kernelWithinNs), "%s.%s", s.Name, side)
	})
	require.Equal(t, []string{"rc_send_sizes.B frame 31 RSP-13", "rnr_t20.A frame 7 TMR-4", "to_t17_r3.A frame 2 TMR-1"},
		late)
	require.Contains(t, more, "rc_send_corrupt10.A frame 75 TMR-1")
}
