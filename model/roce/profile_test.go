package roce_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// without is a profile with one field as the specification has it.
func without(p roce.Profile, field string) roce.Profile {
	v := reflect.ValueOf(&p).Elem().FieldByName(field)
	v.SetZero()
	return p
}

// disagrees reports whether a capture's endpoint is not explained by a profile: a response that the machine does not
// give, or a request that it does not allow.
func disagrees(s *sidecar, side string, events []event, p roce.Profile) bool {
	k := newKernelResponder(s, side)
	k.machine = roce.NewResponder(responderOf(s, side, p))
	k.machine.State = stateOf(s.end(side))
	if !k.agrees(events) {
		return true
	}
	f := roce.FollowRequester(requesterOf(s, side, p))
	for i := range events {
		e := &events[i]
		response := ib.Lookup(e.packet.Op).Response
		switch {
		case e.sent && !response:
			if v := f.Sent(e.timeNS, &e.packet); !v.Allowed() {
				return true
			}
		case !e.sent && response:
			f.Received(e.timeNS, &e.packet)
		}
	}
	if len(lateOnes(s, side, events, p, kernelWithinNs)) > 0 {
		return true
	}
	return !explainsMore(s, side, events, p) && explainsMore(s, side, events, roce.Rxe)
}

// explainsMore asks for more than that: the responses also when the machine's wait until the device sent its own, and
// the error at the end. The kernel interrupts READs at other places than a machine that waits, and in one capture fell
// over a bug by chance, so that this is not true of every capture.
func explainsMore(s *sidecar, side string, events []event, p roce.Profile) bool {
	k := newKernelResponder(s, side)
	k.machine = roce.NewResponder(responderOf(s, side, p))
	k.machine.State = stateOf(s.end(side))
	if !k.agreesLate(events) {
		return false
	}
	f := roce.FollowRequester(requesterOf(s, side, p))
	for i := range events {
		e := &events[i]
		switch response := ib.Lookup(e.packet.Op).Response; {
		case e.sent && !response:
			f.Sent(e.timeNS, &e.packet)
		case !e.sent && response:
			f.Received(e.timeNS, &e.packet)
		}
	}
	return s.end(side).FinalState != "ERR" || k.machine.State == roce.Error || f.State() == roce.Error || gaveUp(s, side)
}

// gaveUp reports whether a WQE of the endpoint ran out of retries, which no packet tells.
func gaveUp(s *sidecar, side string) bool {
	for _, op := range s.Ops {
		if op.Side == side && (op.Status == 12 || op.Status == 13) {
			return true
		}
	}
	return false
}

// kernelWithinNs is a time within which the kernel that was captured answers, and sends again what it should.
const kernelWithinNs = 40_000_000

// RSP-13, PSN-5: what rxe chose where the rules leave a choice is exact: with AckReq at any other distance, or one
// packet less in the window, the captures that are said to show it have a packet that is not allowed.
func TestChoicesOfRxeAreExact(t *testing.T) {
	found := map[string]uint64{}
	try := func(s *sidecar, side string, events []event, name string, p roce.Profile) {
		f := roce.FollowRequester(requesterOf(s, side, p))
		for i := range events {
			e := &events[i]
			switch response := ib.Lookup(e.packet.Op).Response; {
			case e.sent && !response:
				if v := f.Sent(e.timeNS, &e.packet); !v.Allowed() && found[name] == 0 {
					found[name] = e.number
				}
			case !e.sent && response:
				f.Received(e.timeNS, &e.packet)
			}
		}
	}
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		if s.Name+side != "rc_big_windowA" {
			return
		}
		p := roce.Rxe
		p.AckReqEvery--
		try(s, side, events, "AckReq every 65", p)
		p.AckReqEvery += 2
		try(s, side, events, "AckReq every 67", p)
		p = roce.Rxe
		p.WindowPackets--
		try(s, side, events, "window of 128", p)
		try(s, side, events, "as it is", roce.Rxe)
	})
	require.Equal(t, map[string]uint64{"AckReq every 65": 65, "AckReq every 67": 66, "window of 128": 129}, found)
}

// RSP-1, RSP-2, RSP-5, RSP-7, RSP-13, PSN-2, CRD-2, CRD-3, REQ-4, LEN-1, TMR-1: nobody has captures of qib. For each of
// its fields there is a page that changes when the field is taken back.
func TestEveryFieldOfQibIsShown(t *testing.T) {
	paths, err := filepath.Glob("testdata/scenarios/*qib*.txt")
	require.NoError(t, err)
	for _, d := range roce.Deviations {
		if reflect.ValueOf(roce.Qib).FieldByName(d.Field).IsZero() {
			continue
		}
		shown := false
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			s := newStage()
			s.without = d.Field
			shown = shown || s.play(string(raw)) != string(raw)
		}
		require.True(t, shown, d.Field)
	}
}

var update = flag.Bool("update", false, "rewrite generated pages; read the difference before keeping it")

// generated holds a page against its file, or rewrites the file.
func generated(t *testing.T, path, page string) {
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, page, string(have), "out of date: go test ./model/roce -update")
}

func TestDeviationsPage(t *testing.T) {
	const path = "../../docs/deviations.md"
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	// What follows is Falcon's: model/falcon/mode holds that part of the page.
	_, falcon, _ := strings.Cut(string(raw), "\n## Falcon: ")
	generated(t, path, roce.DeviationsPage()+"\n## Falcon: "+falcon)
	listed := map[string]int{}
	for _, d := range roce.Deviations {
		listed[d.Field]++
		require.True(t, len(d.Shown) > 0 || d.Known != "", "%s: nothing shows it", d.Field)
	}
	typ := reflect.TypeOf(roce.Profile{})
	for i := 1; i < typ.NumField(); i++ {
		require.Equal(t, 1, listed[typ.Field(i).Name], typ.Field(i).Name)
	}
	require.Len(t, listed, typ.NumField()-1)
}

// PSN-2, RSP-1, RSP-5, RSP-7 and the others that devices answer in their own way. Take a field away from the profile
// rxe and the captures that are said to show it can no longer be explained.
func TestEveryDeviationIsShown(t *testing.T) {
	shown := map[string]map[string]bool{}
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		require.False(t, disagrees(s, side, events, roce.Rxe), "%s.%s", s.Name, side)
		for _, d := range roce.Deviations {
			if slices.Contains(d.Shown, s.Name) && disagrees(s, side, events, without(roce.Rxe, d.Field)) {
				if shown[d.Field] == nil {
					shown[d.Field] = map[string]bool{}
				}
				shown[d.Field][s.Name] = true
			}
		}
	})
	for _, d := range roce.Deviations {
		require.Len(t, shown[d.Field], len(d.Shown), "%s: %v of %v", d.Field, shown[d.Field], d.Shown)
	}
}
