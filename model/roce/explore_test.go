package roce_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

var explore = flag.Bool("explore", false, "explore the larger worlds too")

// known holds states whose continuation completes but which the walk has not come to yet.
func (x *explorer) known(k [2]uint64) { x.good[k] = struct{}{} }

// explore walks every state that can be reached, depth first, until the frontier is empty or something is wrong.
func (x *explorer) explore(limit int) {
	type frame struct {
		w    *world
		next int
	}
	var pool []*world
	first := x.begin()
	x.settle(first)
	x.visit(first)
	stack := []frame{{w: first}}
	for len(stack) > 0 && x.wrong == "" && len(x.seen) < limit && len(stack) < 5000 {
		top := &stack[len(stack)-1]
		if top.next == actions {
			pool = append(pool, top.w)
			stack = stack[:len(stack)-1]
			continue
		}
		n := top.next
		top.next++
		var w *world
		if len(pool) > 0 {
			w, pool = pool[len(pool)-1], pool[:len(pool)-1]
		} else {
			w = new(world)
		}
		*w = *top.w
		if !x.step(w, n) {
			pool = append(pool, w)
			continue
		}
		x.edges++
		if x.wrong == "" && x.visit(w) {
			stack = append(stack, frame{w: w})
			x.deepest = max(x.deepest, len(stack))
		} else {
			pool = append(pool, w)
		}
		if x.wrong != "" {
			for i := range stack {
				if stack[i].next == 0 {
					break
				}
				x.trail = append(x.trail, nameOf(stack[i].w, stack[i].next-1))
			}
		}
	}
	x.closed = len(stack) == 0
}

// visit notes a state and tells whether it is new.
func (x *explorer) visit(w *world) bool {
	k := x.key(w)
	if _, was := x.seen[k]; was {
		return false
	}
	_, good := x.good[k]
	delete(x.good, k)
	x.seen[k] = good
	if !good {
		x.completes(w)
	}
	return true
}

func send(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Send, Len: n, Signaled: true}
}
func write(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Write, Len: n, VA: 1 << 24, RKey: 7, Signaled: true}
}
func read(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Read, Len: n, VA: readVA, RKey: 7, Signaled: true}
}
func add(id uint64) roce.Work {
	return roce.Work{ID: id, Verb: roce.FetchAdd, Len: 8, VA: counterVA, RKey: 7, SwapAdd: 3, Signaled: true}
}

func atomicWrite(id uint64) roce.Work {
	return roce.Work{ID: id, Verb: roce.AtomicWrite, Len: 8, VA: 1 << 24, RKey: 7, Signaled: true}
}
func flush(id uint64) roce.Work {
	return roce.Work{ID: id, Verb: roce.Flush, Len: 300, VA: 1 << 24, RKey: 7, FETH: 1, Signaled: true}
}

// bind is the n-th local work.
func bind(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Bind, LKey: n, Len: 8, RKey: 9, Signaled: true}
}

var threeMessages = []roce.Work{send(1, 300), read(2, 300), add(3)}

// reduced is a profile with its distances cut down to a world of a few PSNs.
func reduced(p roce.Profile) roce.Profile {
	if p.AckReqEvery != 0 {
		p.AckReqEvery = 2
	}
	if p.AckReqAtOffset != 0 {
		p.AckReqAtOffset = 1
	}
	if p.WindowPackets != 0 {
		p.WindowPackets = 3 // a READ of two packets may begin as the third
	}
	return p
}

var plans = []plan{
	{name: "three messages", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1},
	{name: "receive WQEs come late", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, delay: 1, lateReceive: true},
	{name: "timeouts come early", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, early: 2},
	{name: "two atomics and a READ", bits: 4, start: 13, work: []roce.Work{add(1), read(2, 300), add(3)}, window: 4, inFlight: 3,
		lose: 1, double: 1, delay: 1},
	{name: "ATOMIC WRITE, bind, FLUSH", bits: 4, start: 14, work: []roce.Work{send(1, 300), atomicWrite(2), bind(3, 1), flush(4)}, window: 4,
		inFlight: 3, lose: 1, double: 1, delay: 1},
	{small: true, name: "local work between", bits: 4, start: 14, work: []roce.Work{bind(1, 1), atomicWrite(2), bind(3, 2), flush(4), bind(5, 3)}, window: 4,
		inFlight: 2, lose: 1, early: 1},
	{small: true, name: "goes back to the message's first", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 2,
		spec: roce.Profile{MessageRestart: true, WholeRead: true}},
	{small: true, name: "a lost packet and a late WQE", bits: 4, start: 14, work: []roce.Work{send(1, 300), read(2, 300)}, window: 4, inFlight: 2, lose: 1,
		lateReceive: true},
	{small: true, name: "rxe, a READ between", bits: 4, start: 14, work: []roce.Work{send(1, 10), read(2, 300), send(3, 10)}, window: 4, inFlight: 2, lose: 1,
		double: 1, spec: reduced(roce.Rxe)},
	{small: true, name: "qib, a READ between", bits: 4, start: 14, work: []roce.Work{send(1, 10), read(2, 300), send(3, 10)}, window: 4, inFlight: 2, lose: 1,
		double: 1, spec: reduced(roce.Qib)},
	{small: true, name: "UC with loss", service: ib.UC, bits: 4, start: 14, work: []roce.Work{send(1, 300), write(2, 600), send(3, 10), send(4, 300)}, window: 4, inFlight: 2,
		lose: 2, delay: 1},
	{small: true, name: "UC of rxe with loss", service: ib.UC, bits: 4, start: 14, work: []roce.Work{send(1, 300), write(2, 600), send(3, 10), send(4, 300)}, window: 4, inFlight: 2,
		lose: 2, delay: 1, spec: reduced(roce.Rxe)},
	{long: true, name: "UC, five packets lost", service: ib.UC, bits: 5, start: 26, work: []roce.Work{send(1, 600), write(2, 600), send(3, 10), write(4, 300), send(5, 600), send(6, 300)},
		window: 4, inFlight: 3, lose: 5, delay: 2},
	{long: true, name: "rxe, three messages", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1, spec: reduced(roce.Rxe)},
	{long: true, name: "rxe, receive WQEs come late", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, delay: 1, lateReceive: true,
		spec: reduced(roce.Rxe)},
	{long: true, name: "qib, three messages", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1, spec: reduced(roce.Qib)},
	{long: true, name: "qib, receive WQEs come late", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, delay: 1, lateReceive: true,
		spec: reduced(roce.Qib)},
	{small: true, name: "a READ of half the PSNs", bits: 3, start: 6, work: []roce.Work{read(1, 1024), add(2), send(3, 300)}, window: 4, inFlight: 2},
	{small: true, name: "a SEND of half the PSNs", bits: 3, start: 6, work: []roce.Work{send(1, 1024), read(2, 1024)}, window: 4, inFlight: 2, delay: 1},
	{small: true, name: "PSNs come round", bits: 3, start: 6, work: comeRound, window: 2, inFlight: 2, double: 1, delay: 1},
}

// comeRound takes more PSNs than three bits have.
var comeRound = []roce.Work{send(1, 300), read(2, 300), add(3), send(4, 300), send(5, 300), send(6, 10)}

// The proof that the machines fit together: every state of small worlds, PSNs of a few bits with the wrap inside. Everything
// is executed once and in order, nothing is said twice about a gap, nobody goes to error, and from every state a link that
// delivers everything lets everything complete. RSP-2, RSP-5, RSP-7, RSP-8, RSP-13; REQ-1, REQ-2, REQ-3, REQ-4, REQ-5,
// REQ-6, REQ-7; PSN-2, PSN-3, PSN-5, TMR-3, CRD-2.
func TestEveryState(t *testing.T) {
	for _, p := range plans {
		t.Run(p.name, func(t *testing.T) {
			if quick && !p.small || p.long && !*explore {
				t.Skip("takes longer: -explore")
			}
			x := newExplorer(p)
			x.explore(20_000_000)
			t.Logf("%d states, %d steps, frontier empty: %v, up to %d deep", len(x.seen), x.edges, x.closed, x.deepest)
			require.Empty(t, x.wrong, x.trail)
			require.True(t, x.closed, "the frontier is not empty")
			require.Empty(t, x.good, "continuations left the states that were explored")
		})
	}
}

// Without a bound on the lifetime of packets a PSN comes round, and no machine can tell (PSN-6).
func TestImmortalPacketsAreMistaken(t *testing.T) {
	p := plans[len(plans)-1]
	p.immortal = true
	x := newExplorer(p)
	x.explore(5_000_000)
	require.NotEmpty(t, x.wrong)
	t.Logf("after %d states: %s\n%s", len(x.seen), x.wrong, strings.Join(x.trail, "\n"))
}
