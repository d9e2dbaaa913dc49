package falcon_test

import (
	"slices"

	"hcacosim/model/falcon"
)

// graph is every state of a world that can be reached, numbered as they were found, breadth first.
//
// An action is fair or harm. Fair is what a link and two machines do in the end: a packet that may leave leaves, what
// is in flight arrives in whatever order, timers end, the ULP acknowledges, and, when nothing else can happen, a packet
// times out. Harm is what may happen and need not: a loss, a double, a timeout too soon, a refusal. A world counts its
// harm and has a budget of each.
//
// Live: no cycle of fair actions, and every state without a fair action has everything sent and acknowledged. Then
// every fair run ends, from every state, and ends well. An acknowledgement that the ULP owes is possible until it
// happens, and nothing but fair actions that happen once makes or ends the debt. So a fair run stays in no cycle with a
// debt, and of a state with one only the ULP's actions count as edges. (Without that there are cycles: the peer sends
// what a full window dropped again with every EACK-OWN.)
type graph struct {
	seen    map[[2]uint64]uint32
	parent  []uint32 // of each state
	how     []uint16 // the action that led to it
	edges   []uint32 // where the fair edges of a state begin; one more than there are states
	to      []uint32
	closed  bool
	ends    int // states without a fair action
	wrongAt uint32
}

// explore walks every state that can be reached until the frontier is empty or something is wrong.
func (x *explorer) explore(limit int) {
	g := &x.graph
	g.seen = map[[2]uint64]uint32{}
	first := x.begin()
	g.found(x.key(first), 0, 0)
	frontier, next := []*world{first}, []*world(nil)
	at := uint32(0)
	for len(frontier) > 0 && len(g.parent) < limit {
		next = next[:0]
		for _, w := range frontier {
			next = x.expand(at, w, next)
			if at++; x.wrong != "" {
				return
			}
		}
		frontier, next = next, frontier
	}
	g.edges = append(g.edges, uint32(len(g.to)))
	if g.closed = len(frontier) == 0; g.closed {
		x.acyclic()
	}
}

// expand follows every action of a state and appends the worlds that are new.
func (x *explorer) expand(at uint32, from *world, next []*world) []*world {
	g := &x.graph
	g.edges = append(g.edges, uint32(len(g.to)))
	end := true
	for n := range actions {
		if !x.plausible(from, n) {
			continue
		}
		w := from.clone()
		fair := x.fair(from, n)
		if !x.step(w, n) {
			continue
		}
		if x.wrong != "" {
			g.wrongAt = at
			x.wrong += ", by: " + nameOf(n)
			return next
		}
		id, isNew := g.found(x.key(w), at, uint16(n))
		if isNew {
			next = append(next, w)
		}
		if fair {
			end = false
			if n/places == doULP || !debt(from) {
				g.to = append(g.to, id)
			}
		}
	}
	if end {
		g.ends++
		if !x.done(from) {
			g.wrongAt = at
			x.fail("a dead end where not everything is acknowledged")
		}
	}
	return next
}

// debt reports whether the ULP owes an acknowledgement.
func debt(w *world) bool {
	return slices.ContainsFunc(w.items[falcon.Data][:], func(it item) bool { return it.waits })
}

// plausible leaves actions out that are never possible, to save a copy.
func (x *explorer) plausible(w *world, n int) bool {
	kind, at := n/places, n%places
	switch kind {
	case doArrive, doLose, doDouble, doNoResources, doXLR:
		return at < len(w.forward)
	case doAnswer, doAnswerSoon, doLoseBack, doDoubleBack:
		return at < len(w.back)
	case doULP, doRNR, doCIE:
		return at < len(x.plan.work[1]) && w.items[1][at].waits
	case doTimeOut:
		h := w.tx.Window(windowOf(at))
		return h.Outstanding().Without(w.tx.Due(windowOf(at))).Has(uint32(at % 8))
	case doSend:
		return at < 2 && int(w.sent[at]) < len(x.plan.work[at])
	}
	return at == 0
}

// found numbers a state.
func (g *graph) found(k [2]uint64, from uint32, how uint16) (id uint32, isNew bool) {
	if id, was := g.seen[k]; was {
		return id, false
	}
	id = uint32(len(g.parent))
	g.seen[k] = id
	g.parent, g.how = append(g.parent, from), append(g.how, how)
	return id, true
}

// acyclic takes away states that nothing fair leads to, one after the other: what is left lies on a cycle, or behind
// one.
func (x *explorer) acyclic() {
	g := &x.graph
	into := make([]uint32, len(g.parent))
	for _, v := range g.to {
		into[v]++
	}
	var free []uint32
	for v, n := range into {
		if n == 0 {
			free = append(free, uint32(v))
		}
	}
	taken := 0
	for len(free) > 0 {
		v := free[len(free)-1]
		free = free[:len(free)-1]
		taken++
		for _, to := range g.to[g.edges[v]:g.edges[v+1]] {
			if into[to]--; into[to] == 0 {
				free = append(free, to)
			}
		}
	}
	if taken != len(g.parent) {
		g.wrongAt = uint32(slices.IndexFunc(into, func(n uint32) bool { return n > 0 }))
		x.fail("a cycle of fair actions")
	}
}

// trail names the actions that lead to a state.
func (x *explorer) trail(to uint32) (names []string) {
	var ns []uint16
	for ; to != 0; to = x.graph.parent[to] {
		ns = append(ns, x.graph.how[to])
	}
	slices.Reverse(ns)
	for _, n := range ns {
		names = append(names, nameOf(int(n)))
	}
	return names
}
