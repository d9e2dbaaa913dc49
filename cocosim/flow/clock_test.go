package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hcacosim/model/roce"
	"hcacosim/vectors"
)

// setClock sets the clock of the capture forward, or back, at a frame.
func setClock(list []vectors.Frame, at int, byNS int64) []vectors.Frame {
	return numbered(slices.Concat(list[:at], later(list[at:], byNS)))
}

// A clock that is set forward while the capture runs makes receive WQEs look posted before they were. One that is set
// back by less than the gap between two frames makes timers look short. No finding is certain in either case.
func TestClockIsSet(t *testing.T) {
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
				gap := list[at].TimeNS - list[at-1].TimeNS
				if r := judge(t, setClock(list, at, -gap*3/4), v.opt); r.Certain > 0 {
					t.Errorf("%s, %s, %d ns back at frame %d: %v", name(path), profile.Name, gap*3/4, at+1, r.Violations)
				}
			}
		}
	}
}
