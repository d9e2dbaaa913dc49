package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// setClock sets the clock of the capture forward at a frame.
func setClock(list []vectors.Frame, at int, byNS int64) []vectors.Frame {
	return numbered(slices.Concat(list[:at], later(list[at:], byNS)))
}

// A clock that is set forward while the capture runs makes receive WQEs look posted before they were: no finding is
// certain.
func TestClockIsSetForward(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 90))
	steps := []int64{300_000, 3_000_000, 6_000_000, 10_000_000, 25_000_000, 1_000_000_000}
	for _, path := range captureFiles(t) {
		list := frames(t, path)
		if len(list) < 2 {
			continue
		}
		for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
			v := vantages(t, path, profile)[0]
			if slices.Contains(broken[name(path)], profile.Name) || judge(t, list, v.opt).Certain > 0 {
				continue
			}
			for _, by := range steps {
				at := 1 + rng.IntN(len(list)-1)
				if r := judge(t, setClock(list, at, by), v.opt); r.Certain > 0 {
					t.Errorf("%s, %s, %d ns forward at frame %d: %v", name(path), profile.Name, by, at+1, r.Violations)
				}
			}
		}
	}
}

// A clock that is set back by less than the gap between two frames makes timers look short and receive WQEs look posted
// too late: no finding is certain.
func TestClockIsSetBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 91))
	for n, path := range captureFiles(t) {
		list := frames(t, path)
		if len(list) < 2 || !*imperfect && n%9 != 0 {
			continue
		}
		for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
			v := vantages(t, path, profile)[0]
			if slices.Contains(broken[name(path)], profile.Name) || judge(t, list, v.opt).Certain > 0 {
				continue
			}
			for range 12 {
				if r := judge(t, setBack(rng, list), v.opt); r.Certain > 0 {
					t.Errorf("%s, %s: %v", name(path), profile.Name, r.Violations[:1])
				}
			}
		}
	}
}

// Wherever two neighbours are exchanged, with and without identifications, no finding is certain.
func TestNeighboursExchanged(t *testing.T) {
	for n, path := range captureFiles(t) {
		if !*imperfect && n%43 != 0 {
			continue
		}
		list := frames(t, path)
		if len(list) > 400 {
			continue
		}
		for _, list := range [][]vectors.Frame{list, unnumbered(nil, list)} {
			for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
				v := vantages(t, path, profile)[0]
				if !slices.Contains(broken[name(path)], profile.Name) && judge(t, list, v.opt).Certain == 0 {
					exchangeEach(t, path, list, v)
				}
			}
		}
	}
}

// exchangeEach exchanges each two neighbours in turn.
func exchangeEach(t *testing.T, path string, list []vectors.Frame, v vantage) {
	for i := 1; i < len(list); i++ {
		if list[i].TimeNS-list[i-1].TimeNS > 1_000_000 {
			continue
		}
		bad := slices.Clone(list)
		bad[i].TimeNS, bad[i-1].TimeNS = bad[i-1].TimeNS, bad[i].TimeNS
		bad[i], bad[i-1] = bad[i-1], bad[i]
		if r := judge(t, numbered(bad), v.opt); r.Certain > 0 {
			t.Errorf("%s, %s, packets %d and %d: %v", name(path), v.opt.Profile.Name, i, i+1, r.Violations[:1])
		}
	}
}

// A timer that is 5 ms short is certain where the capture was less than 5 ms ahead of the sidecar before it. How far it
// was ahead the request that left soonest behind its posting says, whatever those behind it say.
func TestHowFarTheCaptureWasAhead(t *testing.T) {
	const (
		code  = 14
		timer = 4096 << code * time.Nanosecond
		short = timer - timer/16 - 5*time.Millisecond // a stamp may be a sixteenth late
	)
	for _, c := range []struct {
		ms      [4]int64 // each request behind its posting
		certain bool
	}{{[4]int64{10, 4, 6, 20}, true}, {[4]int64{4, 6, 10, 9}, true}, {[4]int64{10, 9, 6, 4}, true},
		{[4]int64{10, 6, 7, 20}, false}, {[4]int64{6, 7, 8, 9}, false}} {
		var d hosts
		s := builtSidecar()
		at, done := 100*time.Millisecond+1234, 0
		ack := func(n psn.PSN) {
			d.say('B', at+time.Microsecond, builtQPN, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN + n,
				Syndrome: 31, MSN: uint32(n + 1)}, nil)
			s.Ops[n].DoneNS = int64(time.Second + at + 2*time.Microsecond)
		}
		for n, late := range c.ms {
			send := wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: builtPSN + psn.PSN(n), AckReq: true}
			s.Ops = append(s.Ops, flow.Op{Side: "A", Op: "SEND", Status: &done,
				PostNS: int64(time.Second+at) - late*int64(time.Millisecond)})
			d.say('A', at, builtQPN, send, nil)
			if n == len(c.ms)-1 {
				at += short
				d.say('A', at, builtQPN, send, nil)
			}
			ack(psn.PSN(n))
			at += 50 * time.Millisecond
		}
		d.say('A', at, builtQPN, wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: builtPSN + 4, AckReq: true}, nil)
		s.Ops = append(s.Ops, flow.Op{Side: "A", Op: "SEND", PostNS: int64(time.Second + at - time.Microsecond)})
		*s.A.Timeout = code
		r := judge(t, d.sorted(), flow.Options{Profile: roce.Spec, Sidecar: s, At: "A"})
		require.Len(t, r.Violations, 1, "%v: %v", c.ms, r.Violations)
		require.Equal(t, roce.Rule("TMR-1"), r.Violations[0].Rule)
		require.Equal(t, c.certain, r.Violations[0].Certain(), "%v: %s", c.ms, r.Violations[0].Evidence)
	}
}
