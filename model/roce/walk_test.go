package roce_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
)

var walkSteps = flag.Int("walk", 200_000, "steps of the random walk")

// A random walk with PSNs of 24 bits that start before the wrap: the same invariants as in every state of a small world. PSN-1,
// PSN-4, RSP-8, REQ-1, REQ-3.
func TestRandomWalk(t *testing.T) {
	steps, worlds, messages := 0, 0, 0
	for seed := uint64(1); steps < *walkSteps; seed++ {
		rnd := rand.New(rand.NewPCG(seed, 24))
		x := newExplorer(randomPlan(rnd), true)
		w := x.begin()
		for idle := 0; !x.ended(w); idle++ {
			if x.walk(w, rnd) {
				steps++
				idle = 0
			}
			if idle > 10_000 {
				x.fail("nothing can be done any more")
			}
			if x.wrong != "" {
				t.Fatalf("seed %d after %d steps: %s", seed, steps, x.wrong)
			}
		}
		worlds, messages = worlds+1, messages+len(x.plan.work)
	}
	t.Logf("%d steps in %d worlds, %d messages", steps, worlds, messages)
	require.NotZero(t, messages)
}

// walk tries one action, mostly one that makes headway, so that retries do not run out.
func (x *explorer) walk(w *world, rnd *rand.Rand) bool {
	switch rnd.IntN(16) {
	case 0:
		return x.step(w, onLink(doLose, 0)+rnd.IntN(actions-onLink(doLose, 0))) // the link does harm
	case 1, 2:
		return x.step(w, action(doTimeout+rnd.IntN(3), 0))
	case 3, 4, 5, 6, 7:
		return x.step(w, action(doRespond, 0))
	case 8, 9, 10, 11:
		return x.step(w, onLink(doDeliver, rnd.IntN(4)))
	default:
		return x.step(w, action(doSend, 0))
	}
}

func randomPlan(rnd *rand.Rand) plan {
	p := plan{bits: 24, start: 1<<24 - 20 + uint32(rnd.IntN(30)), window: uint32(3 + rnd.IntN(20)), inFlight: 4,
		lose: 20, double: 40, delay: 40, lateReceive: rnd.IntN(3) == 0}
	p.spec.RetryForever7 = true // in ten million steps a packet is lost eight times in a row, and the retries rightly run out
	p.spec.MessageRestart = rnd.IntN(2) == 0
	p.spec.WholeRead = rnd.IntN(2) == 0
	p.spec.AckPerRequest = rnd.IntN(2) == 0
	binds := uint32(0)
	for id := uint64(1); id <= 60; id++ {
		size := uint32(rnd.IntN(3) * (rnd.IntN(700) + 1))
		switch rnd.IntN(7) {
		case 4:
			p.work = append(p.work, atomicWrite(id))
		case 5:
			p.work = append(p.work, flush(id))
		case 6:
			binds++
			p.work = append(p.work, bind(id, binds))
		case 0:
			p.work = append(p.work, send(id, size))
		case 1:
			p.work = append(p.work, read(id, min(size, 256*(p.window-1))))
		case 2:
			p.work = append(p.work, add(id))
		default:
			p.work = append(p.work, roce.Work{ID: id, Verb: roce.Write, Len: size, VA: 1 << 24, RKey: 7, Signaled: true})
		}
	}
	return p
}
