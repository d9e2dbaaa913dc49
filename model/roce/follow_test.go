package roce_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// followResponder judges what an endpoint's responder sent.
func followResponder(s *sidecar, side string, events []event, profile roce.Profile, open bool) (found []string,
	judged int) {
	cfg := *responderOf(s, side, profile)
	cfg.Open = open
	f := roce.FollowResponder(cfg)
	f.SetState(stateOf(s.end(side)))
	posted := 0
	for i := range events {
		e := &events[i]
		response := ib.Lookup(e.packet.Op).Response
		switch {
		case !e.sent && !response:
			for ; posted < len(s.Recvs); posted++ {
				r := s.Recvs[posted]
				if r.Side == side && (r.PostNS > e.timeNS || !f.PostReceive(roce.Receive{ID: uint64(posted), Len: r.Len})) {
					break
				}
			}
			f.Received(&e.packet)
		case e.sent && response:
			judged++
			if v := f.Sent(&e.packet); !v.Allowed() {
				found = append(found, fmt.Sprintf("%s.%s frame %d %v", s.Name, side, e.number, v))
			}
		}
	}
	if p, rule, owed := f.Owed(); owed {
		found = append(found, fmt.Sprintf("%s.%s end %s: %06x never answered", s.Name, side, rule, uint32(p)))
	}
	return found, judged
}

// judge offers everything that an endpoint sent to both followers.
func judge(s *sidecar, side string, events []event, p roce.Profile, open bool) (found []string, judged int) {
	found, judged = followResponder(s, side, events, p, open)
	f := roce.FollowRequester(requesterOf(s, side, p))
	for i := range events {
		e := &events[i]
		response := ib.Lookup(e.packet.Op).Response
		switch {
		case e.sent && !response:
			judged++
			if v := f.Sent(e.timeNS, &e.packet); !v.Allowed() {
				found = append(found, fmt.Sprintf("%s.%s frame %d %v", s.Name, side, e.number, v))
			}
		case !e.sent && response:
			f.Received(e.timeNS, &e.packet)
		}
	}
	return found, judged
}

// In the profile of the device that was captured the followers find nothing, whether they know what its QPs were given
// or not (RSP-2, RSP-8, RSP-11, RSP-13; REQ-3, REQ-4, REQ-5). The one thing left is a kernel bug that only the posted
// receives explain.
func TestFollowersInTheKernelsProfile(t *testing.T) {
	for _, open := range []bool{false, true} {
		n := 0
		eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
			found, judged := judge(s, side, events, roce.Rxe, open)
			n += judged
			if open && s.Name+side == "err_sendinv_badB" {
				require.Equal(t, []string{"err_sendinv_bad.B end RSP-13: 100002 never answered"}, found)
				return
			}
			require.Empty(t, found, "open %v", open)
		})
		t.Logf("%d packets judged, configuration open: %v", n, open)
	}
}

// Judged by the specification the same captures show where the kernel leaves it, and nothing else: every finding goes
// away with fields of docs/deviations.md, which the page names. RSP-1, RSP-5, RSP-7, RSP-9, RSP-10, RSP-13; TMR-1,
// TMR-3, TMR-5.
func TestFollowersInSpec(t *testing.T) {
	var page strings.Builder
	page.WriteString("What the followers of profile spec find in the captures of Linux Soft-RoCE, and the profile field " +
		"that explains it.\n")
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		found, _ := judge(s, side, events, roce.Spec, false)
		if len(found) == 0 {
			return
		}
		fmt.Fprintf(&page, "\n%s.%s: %s\n", s.Name, side, strings.Join(explains(s, side, events), ", "))
		for i, x := range found {
			if i == 4 {
				fmt.Fprintf(&page, "  and %d more\n", len(found)-i)
				break
			}
			fmt.Fprintf(&page, "  %s\n", strings.TrimPrefix(x, s.Name+"."+side+" "))
		}
	})
	generated(t, "testdata/spec_findings.txt", page.String())
	require.NotContains(t, page.String(), "unexplained")
}

// explains lists the fields of rxe that are needed so that nothing is found: what remains of the profile when every
// field is taken back to the specification that can be.
func explains(s *sidecar, side string, events []event) (fields []string) {
	p := roce.Rxe
	if found, _ := judge(s, side, events, p, false); len(found) > 0 {
		return []string{"unexplained"}
	}
	for _, d := range roce.Deviations {
		if reflect.ValueOf(p).FieldByName(d.Field).IsZero() {
			continue
		}
		less := without(p, d.Field)
		if found, _ := judge(s, side, events, less, false); len(found) == 0 {
			p = less
		} else {
			fields = append(fields, d.Field)
		}
	}
	return fields
}

// A READ request with a solicited event breaks REQ-11, as any other does, and one with another address REQ-7.
func TestRuleOfAReadThatDiffers(t *testing.T) {
	for rule, more := range map[roce.Rule]func(*roce.Packet){
		"":       func(*roce.Packet) {},
		"REQ-11": func(p *roce.Packet) { p.SE = true },
		"REQ-7":  func(p *roce.Packet) { p.VA++ },
	} {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, RetryCount: 7})
		first := in(0x0C, 100, dma(4, 64))
		f.Sent(0, &first.packet)
		again := first
		more(&again.packet)
		answer := out("", 0x11, 100, syn(ib.NAKSequence), msn(0))
		f.Received(1, &answer.packet)
		require.Equal(t, rule, f.Sent(2, &again.packet).Rule)
	}
}
