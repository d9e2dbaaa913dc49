package falcon_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/txn"
)

// defaultStream is the second half of a joined walk's seeds.
const defaultStream = 14

var walkStream = flag.Uint64("stream", defaultStream, "which random worlds the joined walk runs through")

// walkPlan draws a world: up to six transactions from either end, any mode, pools and link.
func walkPlan(r *rand.Rand) joinPlan {
	p := joinPlan{mode: mode.Spec, unordered: r.IntN(2) == 0, pools: []txn.Pools{least, wider, plenty}[r.IntN(3)],
		window: uint8(2 + r.IntN(7)),
		fcwnd:  uint32(1 + r.IntN(8)), fly: 1 + r.IntN(6), lose: r.IntN(5), double: r.IntN(4), early: r.IntN(3),
		rnr: r.IntN(4), decline: r.IntN(3)}
	if r.IntN(3) == 0 {
		p.mode = mode.Peer
		// A CIE that is lost, or overtaken by an ACK and so stale (FAL-D15), is not said again here [DuplicateByRx]: its data
		// window stands until retransmissions run out, and what waits behind it may run out, too. TestJoinedEveryState has a
		// small one of these worlds.
		p.decline = 0
	}
	for n := range p.asks {
		for range r.IntN(maxAsks + 1) {
			p.asks[n] = append(p.asks[n], ask{[]falcon.Kind{push, pull}[r.IntN(2)], uint32(1 + r.IntN(2))})
		}
	}
	return p
}

// walk takes actions as they come until there is none, and returns how many.
func (x *joiner) walk(r *rand.Rand) (w *joined, steps int) {
	w = x.begin()
	for x.wrong == "" {
		moved := false
		for _, n := range r.Perm(joinActions) {
			if !x.plausible(w, n) {
				continue
			}
			if try := w.clone(); x.step(try, n) {
				w, moved = try, true
				break
			}
		}
		if steps++; steps > 20_000 {
			x.fail("no end")
		}
		if !moved {
			break
		}
	}
	return w, steps
}

// Runs at random through worlds at random, larger than those that are explored: each ends, with everything completed,
// once and in order. FAL-T2 to FAL-T4, FAL-T8, FAL-T12 to FAL-T18.
func TestJoinedWalk(t *testing.T) {
	worlds := 3000
	if quick {
		worlds = 500
	} else if *explore {
		worlds = 20_000
	}
	total, ran := 0, 0
	for seed := uint64(0); ran < worlds || *walkSteps > defaultWalk && total < *walkSteps; seed++ {
		total, ran = total+walkJoined(t, seed, *walkStream), ran+1
	}
	t.Logf("%d steps in %d worlds", total, ran)
}

// A world that stood still while its ULPs took no pull before the answer had room: the data window of either end held a
// push that was no head of line, the answer that would have made it one waited behind it (FAL-T9).
func TestPullIsTakenBeforeItsAnswerFits(t *testing.T) { walkJoined(t, 113_603, defaultStream) }

// walkJoined runs through the world of a seed, and returns how many steps it took.
func walkJoined(t *testing.T, seed, stream uint64) int {
	r := rand.New(rand.NewPCG(seed, stream))
	x := newJoiner(walkPlan(r))
	w, steps := x.walk(r)
	name := x.plan.mode.Name
	x.plan.mode = mode.Mode{}
	require.Empty(t, x.wrong, "seed %d, mode %s: %+v", seed, name, x.plan)
	require.True(t, x.done(w), "seed %d, mode %s, stands still: %+v", seed, name, x.plan)
	return steps
}
