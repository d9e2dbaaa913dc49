package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hcacosim/model/roce"
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
			if broken[name(path)] == profile.Name || judge(t, list, v.opt).Certain > 0 {
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
			if broken[name(path)] == profile.Name || judge(t, list, v.opt).Certain > 0 {
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
				if broken[name(path)] != profile.Name && judge(t, list, v.opt).Certain == 0 {
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
