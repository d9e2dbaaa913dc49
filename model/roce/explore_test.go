package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
)

// good holds states whose continuation completes but which the walk has not come to yet.
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
	for len(stack) > 0 && x.wrong == "" && len(x.seen) < limit {
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
func read(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Read, Len: n, VA: readVA, RKey: 7, Signaled: true}
}
func add(id uint64) roce.Work {
	return roce.Work{ID: id, Verb: roce.FetchAdd, Len: 8, VA: counterVA, RKey: 7, SwapAdd: 3, Signaled: true}
}

var threeMessages = []roce.Work{send(1, 300), read(2, 300), add(3)}

// The proof that the machines fit together: every state of a small world, PSNs of 4 bits with the wrap inside.
func TestEveryState(t *testing.T) {
	x := newExplorer(plan{name: "three messages", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3,
		lose: 1, double: 1, delay: 1, early: 0, spec: roce.Spec})
	x.explore(20_000_000)
	t.Logf("%s: %d states, %d steps, closed %v, %d deep", x.plan.name, len(x.seen), x.edges, x.closed, x.deepest)
	if x.wrong != "" {
		t.Logf("%+v", x.stuck)
	}
	require.Empty(t, x.wrong, x.trail)
	require.True(t, x.closed, "the frontier is not empty")
}
