package roce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// graph is every state of a world that can be reached, numbered as they were found, breadth first.
//
// Fairness. An action is fair or harm. Fair is what a link and two machines do in the end: a packet that may leave
// leaves, the oldest packet of a direction and one that keeps no order arrive, the RNR timer runs out, the transport
// timer runs out when nothing else of its channel can happen, a receive WQE is posted. Harm is what may happen and need
// not: a loss, a double, a delay, an early timeout, an unsolicited ACK, an error from outside, a reconnect. A world
// counts its harm and has a budget of each, so that no cycle has any. A run is fair when no fair action is possible for
// ever and never done (weak fairness), an action being named by its kind and its channel or direction.
//
// Live. Every fair run ends, and where it ends everything that was posted has ended: with success, or in a QP that a
// rule put in error. That holds when every strongly connected component of more than one state, or with an edge to
// itself, has a fair action that is possible in all of its states and always leaves it, and when every state without a
// fair action is such an end. Completions are counted in the state, so no cycle makes progress, and each has to have
// such an exit.
type graph struct {
	seen    map[[2]uint64]uint32
	parent  []uint32 // of each state
	how     []uint8  // the action that led to it
	edges   []uint32 // where the edges of a state begin; one more than there are states
	to      []uint32
	label   []uint8
	closed  bool
	ends    int // states without a fair action
	cycles  int // components with a cycle
	wrongAt int64
}

// fair names the fair action that an action is, or is -1. Arrival in order is named by its direction.
func (x *explorer) fair(w *world, n int) int {
	switch {
	case n < action(doUnsolicited, 0):
		if n/2 == doTimeout && x.early(w, n%2) {
			return -1
		}
		return n
	case n >= firstOfLink && n < onLink(doLose, 0):
		return firstOfLink + x.group(&w.link[n-firstOfLink])
	default:
		return -1
	}
}

// early reports whether a timeout would be one that nothing calls for.
func (x *explorer) early(w *world, c int) bool {
	return x.q.of(w.ch[c].q).ready || x.busy(w, c) || x.r.of(w.ch[c].r).owes
}

// explore walks every state that can be reached, breadth first, until the frontier is empty or something is wrong.
func (x *explorer) explore(limit int) {
	g := &x.graph
	g.seen = map[[2]uint64]uint32{}
	first := x.begin()
	x.settle(first)
	g.found(x.key(first), 0, 0)
	var frontier, next []world
	frontier = append(frontier, *first)
	at := uint32(0)
	for len(frontier) > 0 && len(g.parent) < limit {
		next = next[:0]
		for i := range frontier {
			next = x.expand(at, &frontier[i], next)
			if at++; x.wrong != "" {
				return
			}
		}
		frontier, next = next, frontier
	}
	g.edges = append(g.edges, uint32(len(g.to)))
	g.closed = len(frontier) == 0
}

// expand follows every action of a state and appends the worlds that are new.
func (x *explorer) expand(at uint32, from *world, next []world) []world {
	g := &x.graph
	g.edges = append(g.edges, uint32(len(g.to)))
	end := true
	for n := range actions {
		w := *from
		label := -1
		if n < firstOfLink || from.link[(n-firstOfLink)%4].used {
			label = x.fair(from, n)
		}
		if !x.step(&w, n) {
			continue
		}
		if x.wrong != "" {
			g.wrongAt = int64(at)
			x.wrong = fmt.Sprintf("%s, by: %s", x.wrong, x.nameOf(from, n))
			return next
		}
		id, isNew := g.found(x.key(&w), at, uint8(n))
		if isNew {
			next = append(next, w)
		}
		end = end && label < 0
		if label >= 0 {
			g.to, g.label = append(g.to, id), append(g.label, uint8(label))
		}
	}
	if end {
		g.ends++
		if !x.ended(from) {
			g.wrongAt = int64(at)
			x.fail("a dead end where not everything has ended")
		}
	}
	return next
}

// found numbers a state.
func (g *graph) found(k [2]uint64, from uint32, how uint8) (id uint32, isNew bool) {
	if id, was := g.seen[k]; was {
		return id, false
	}
	id = uint32(len(g.parent))
	g.seen[k] = id
	g.parent, g.how = append(g.parent, from), append(g.how, how)
	return id, true
}

// trail names the actions that lead to a state.
func (x *explorer) trail(to uint32) (names []string) {
	var ns []uint8
	for ; to != 0; to = x.graph.parent[to] {
		ns = append(ns, x.graph.how[to])
	}
	w := x.begin()
	x.settle(w)
	for i := len(ns) - 1; i >= 0; i-- {
		names = append(names, x.nameOf(w, int(ns[i])))
		x.step(w, int(ns[i]))
	}
	return names
}

// live looks at every cycle of the graph.
func (x *explorer) live() {
	g := &x.graph
	s := sccs{g: g, index: make([]uint32, len(g.parent)), low: make([]uint32, len(g.parent)), cursor: make([]uint32,
		len(g.parent))}
	s.each(func(states []uint32) bool {
		x.forcedOut(states, s.low)
		return x.wrong == ""
	})
}

// sccs finds strongly connected components by Tarjan's algorithm, without recursion. Of a state whose component is
// known, index is finished and low the number of the component.
type sccs struct {
	g                  *graph
	index, low, cursor []uint32
	path, open         []uint32
	count, components  uint32
}

const notYet, finished = 0, ^uint32(0)

// each calls with the states of every component, until that returns false.
func (s *sccs) each(f func([]uint32) bool) {
	for root := range uint32(len(s.index)) {
		if s.index[root] != notYet {
			continue
		}
		s.path = append(s.path, root)
		for len(s.path) > 0 {
			v := s.path[len(s.path)-1]
			if s.index[v] == notYet {
				s.count++
				s.index[v], s.low[v], s.cursor[v] = s.count, s.count, s.g.edges[v]
				s.open = append(s.open, v)
			}
			if s.descend(v) {
				continue
			}
			s.path = s.path[:len(s.path)-1]
			if s.low[v] != s.index[v] {
				parent := s.path[len(s.path)-1]
				s.low[parent] = min(s.low[parent], s.low[v])
			} else if !f(s.take(v)) {
				return
			}
		}
	}
}

// descend follows the next edge of a state; false when there is none.
func (s *sccs) descend(v uint32) bool {
	if s.cursor[v] == s.g.edges[v+1] {
		return false
	}
	to := s.g.to[s.cursor[v]]
	s.cursor[v]++
	switch s.index[to] {
	case notYet:
		s.path = append(s.path, to)
	case finished:
	default:
		s.low[v] = min(s.low[v], s.index[to])
	}
	return true
}

// take removes the component of which v was found first. Its states hold until the next call.
func (s *sccs) take(v uint32) []uint32 {
	i := len(s.open) - 1
	for s.open[i] != v {
		i--
	}
	s.components++
	states := s.open[i:]
	for _, m := range states {
		s.index[m], s.low[m] = finished, s.components
	}
	s.open = s.open[:i]
	return states
}

// forcedOut: a component with a cycle has a fair action that is possible in all of its states and always leaves it.
func (x *explorer) forcedOut(states, component []uint32) {
	g := &x.graph
	self := component[states[0]]
	cycle := false
	exits := ^uint64(0)
	for _, v := range states {
		var possible, stays uint64
		for e := g.edges[v]; e < g.edges[v+1]; e++ {
			possible |= 1 << g.label[e]
			if component[g.to[e]] == self {
				stays |= 1 << g.label[e]
				cycle = true
			}
		}
		exits &= possible &^ stays
	}
	if !cycle {
		return
	}
	g.cycles++
	if exits &^= 1 << (firstOfLink + 2); exits == 0 { // packets that keep no order are not told apart
		g.wrongAt = int64(states[0])
		x.fail("a cycle of %d states that nothing has to leave", len(states))
	}
}

// The components of graphs that anything may be in are those that reaching each other makes.
func TestComponents(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rnd.IntN(12)
		g := &graph{parent: make([]uint32, n)}
		reach := make([][]bool, n)
		for v := range reach {
			reach[v] = make([]bool, n)
			reach[v][v] = true
			g.edges = append(g.edges, uint32(len(g.to)))
			for range rnd.IntN(3) {
				to := rnd.IntN(n)
				g.to = append(g.to, uint32(to))
				reach[v][to] = true
			}
		}
		g.edges = append(g.edges, uint32(len(g.to)))
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		s := sccs{g: g, index: make([]uint32, n), low: make([]uint32, n), cursor: make([]uint32, n)}
		taken := 0
		s.each(func(states []uint32) bool { taken += len(states); return true })
		require.Equal(t, n, taken)
		for i := range n {
			for j := range n {
				require.Equal(t, reach[i][j] && reach[j][i], s.low[i] == s.low[j])
			}
		}
	}
}
