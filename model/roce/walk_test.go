package roce_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

var walkSteps = flag.Int("walk", 200_000, "steps of the random walk")

// A random walk with PSNs of 24 bits that start before the wrap: the same invariants as in every state of a small
// world, in all profiles, with errors, late receive WQEs, two QPs and both directions. PSN-1, PSN-4, PSN-6, RSP-8,
// RSP-15, REQ-1, REQ-3, TMR-3.
func TestRandomWalk(t *testing.T) {
	steps, worlds, messages, failed := 0, 0, 0, 0
	for seed := uint64(1); steps < *walkSteps; seed++ {
		rnd := rand.New(rand.NewPCG(seed, 24))
		x := newExplorer(randomPlan(rnd), true)
		w := x.begin()
		for tries := 0; !x.ended(w); tries++ {
			if x.walk(w, rnd) {
				steps++
			}
			if tries > 100_000 {
				x.fail("it does not end")
			}
			if x.wrong != "" {
				t.Fatalf("seed %d after %d steps, %s: %s", seed, steps, x.plan.name, x.wrong)
			}
		}
		worlds, messages = worlds+1, messages+len(x.plan.work)+len(x.plan.second)
		if w.ch[0].failed || w.ch[1].failed {
			failed++
		}
	}
	t.Logf("%d steps in %d worlds, %d messages, %d worlds with an error", steps, worlds, messages, failed)
	require.NotZero(t, messages)
}

// walk tries one action, mostly one that makes headway, so that retries do not run out.
func (x *explorer) walk(w *world, rnd *rand.Rand) bool {
	c := rnd.IntN(x.channels)
	switch rnd.IntN(16) {
	case 0: // harm
		if rnd.IntN(8) == 0 {
			return x.step(w, action(doUnsolicited+rnd.IntN(channelKinds-doUnsolicited), c))
		}
		return x.step(w, onLink(doLose, 0)+rnd.IntN(actions-onLink(doLose, 0)))
	case 1, 2:
		return x.step(w, action(doTimeout+rnd.IntN(3), c))
	case 3, 4, 5, 6, 7:
		return x.step(w, action(doRespond, c))
	case 8, 9, 10, 11:
		return x.step(w, onLink(doDeliver, rnd.IntN(4)))
	default:
		return x.step(w, action(doSend, c))
	}
}

// randomPlan is a world in one of the profiles.
func randomPlan(rnd *rand.Rand) plan {
	p := plan{bits: 24, start: 1<<24 - 20 + uint32(rnd.IntN(30)), inFlight: 4, lose: 20, double: 40, delay: 40,
		unsolicited: 10,
		lateReceive: rnd.IntN(3) == 0}
	switch rnd.IntN(6) {
	case 0:
		p.spec = roce.Rxe
	case 1:
		p.spec = roce.Qib
	default:
		p.window = uint32(3 + rnd.IntN(20))
		p.spec.MessageRestart = rnd.IntN(2) == 0
		p.spec.WholeRead = rnd.IntN(2) == 0
		p.spec.AckPerRequest = rnd.IntN(2) == 0
		p.limited = p.lateReceive && rnd.IntN(2) == 0
	}
	p.name = fmt.Sprintf("profile %q", p.spec.Name)
	// in ten million steps a packet is lost eight times in a row, and the retries rightly run out
	p.spec.RetryForever7 = true
	longest := uint32(5000)
	if p.window != 0 {
		longest = 256 * (p.window - 1)
	}
	p.work = randomWork(rnd, longest)
	switch rnd.IntN(8) {
	case 0, 1:
		p.second = randomWork(rnd, longest)
		p.both = rnd.IntN(2) == 0
	case 2:
		if !p.spec.FutureAckCompletes { // the kernel believes a ghost
			p.again = randomWork(rnd, longest)
		}
	}
	if rnd.IntN(3) == 0 {
		randomErrors(&p, rnd)
	}
	return p
}

// randomErrors lets a QP go to error: from outside, by retries that run out, by a key that the responder does not have.
func randomErrors(p *plan, rnd *rand.Rand) {
	p.errors = []roce.Rule{"RSP-15", "TMR-3", "TMR-4"}
	p.spec.RetryForever7 = false
	p.retries, p.rnrRetries = uint8(1+rnd.IntN(7)), uint8(1+rnd.IntN(7))
	if p.kill = rnd.IntN(3); p.kill > 0 || p.second != nil || p.again != nil {
		return
	}
	i := rnd.IntN(len(p.work))
	if w := &p.work[i]; w.Verb == roce.Read && w.Len > 0 || w.Verb.Atomic() {
		w.RKey = 8
		p.bad, p.badStatus = w.ID, roce.RemoteAccess
		p.errors = append(p.errors, "RSP-1", "REQ-4")
	}
}

func randomWork(rnd *rand.Rand, longest uint32) (work []roce.Work) {
	binds := uint32(0)
	for id := uint64(1); id <= 60; id++ {
		size := min(longest, uint32(rnd.IntN(3)*(rnd.IntN(700)+1)))
		switch rnd.IntN(8) {
		case 0:
			work = append(work, send(id, size))
		case 1:
			work = append(work, read(id, min(longest, 4*size)))
		case 2:
			work = append(work, add(id))
		case 3:
			work = append(work, writeImm(id, size))
		case 4:
			work = append(work, atomicWrite(id))
		case 5:
			work = append(work, flush(id))
		case 6:
			binds++
			work = append(work, bind(id, binds))
		default:
			work = append(work, write(id, size))
		}
	}
	return work
}

// A message of half of the PSNs: 2^31 bytes at a PMTU of 256 take 2^23. It ends, whichever of its packets is lost.
// PSN-2, PSN-5, PSN-7.
func TestHalfOfThePSNs(t *testing.T) {
	for _, bits := range []int{4, 11, psn.Bits} {
		for _, verb := range []roce.Verb{roce.Read, roce.Send} {
			for _, lost := range []string{"none", "first request", "last request", "first response", "last response"} {
				t.Run(fmt.Sprintf("%d bits, %v, %s", bits, verb, lost), func(t *testing.T) {
					if bits == psn.Bits && !*explore {
						t.Skip("takes longer: -explore")
					}
					halfOfThePSNs(t, bits, verb, lost)
				})
			}
		}
	}
}

func halfOfThePSNs(t *testing.T, bits int, verb roce.Verb, lost string) {
	x := newExplorer(plan{bits: bits, service: ib.RC, room: 1 << 31}, true)
	qcfg, rcfg := x.configs(psn.New(3 * uint32(x.width)))
	q, r := roce.NewRequester(qcfg), roce.NewResponder(rcfg)
	size := uint32(256) << (bits - 1)
	var out roce.Batch
	require.True(t, r.PostReceive(roce.Receive{ID: 1, Len: size}))
	require.True(t, q.Post(roce.Work{ID: 1, Verb: verb, Len: size, RKey: 7, Signaled: true}, &out))
	requests, responses := uint32(0), uint32(0)
	last := map[bool]uint32{true: size / 256, false: 1}
	lose := func(what string, n uint32, many bool) bool {
		return lost == "first "+what && n == 1 || lost == "last "+what && n == last[many]
	}
	took := uint64(0)
	for idle := 0; !q.Idle() && idle < 20; idle++ {
		for out = out[:0]; q.Next(&out); out = out[:0] {
			idle = 0
			p := out[0].Packet
			if requests++; !lose("request", requests, verb == roce.Send) {
				r.Step(&p, &out)
			}
		}
		for out = out[:0]; r.Next(&out); out = out[:0] {
			idle = 0
			p := out[0].Packet
			if responses++; lose("response", responses, verb == roce.Read) {
				continue
			}
			out = out[:0]
			q.Step(&p, &out)
			for i := range out {
				if out[i].Kind == roce.ReadReturned {
					took += uint64(out[i].Len)
				}
				require.False(t, out[i].Kind == roce.EnterError || out[i].Kind == roce.Complete && out[i].Status != roce.Success)
			}
		}
		if idle > 0 && q.Outstanding() {
			q.Expire(roce.Transport, &out)
		}
	}
	require.True(t, q.Idle(), "the message has not ended")
	require.Equal(t, roce.RTS, q.State)
	if verb == roce.Read {
		require.Equal(t, uint64(size), took)
	}
}
