package roce_test

import (
	"fmt"
	"testing"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// followResponder judges what an endpoint's responder sent.
func followResponder(s *sidecar, side string, events []event, profile roce.Profile, open bool) (found []string, judged int) {
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

func TestFollowersInTheKernelsProfileFindNothing(t *testing.T) {
	for _, open := range []bool{false, true} {
		n := 0
		eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
			found, judged := followResponder(s, side, events, roce.Rxe, open)
			n += judged
			for _, x := range found {
				t.Error("open", open, x)
			}
		})
		t.Log(n, "responses judged, open", open)
	}
}

func TestFollowersInSpec(t *testing.T) {
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		found, _ := followResponder(s, side, events, roce.Spec, false)
		for _, x := range found {
			t.Log(x)
		}
	})
}
