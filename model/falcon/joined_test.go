package falcon_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/txn"
)

// least are the smallest legal pools of requests of up to two cells, with green zones of nothing (FAL-T9).
var least = txn.Pools{Size: [4]txn.Amount{{Packets: 1, Cells: 2}, {Packets: 1, Cells: 2}, {Packets: 1, Cells: 2},
	{Packets: 2, Cells: 4}}}

// wider lets an initiator have more under way than the target's least pool takes.
var wider = txn.Pools{Size: [4]txn.Amount{{Packets: 9, Cells: 9}, {Packets: 9, Cells: 9}, {Packets: 1, Cells: 2},
	{Packets: 2, Cells: 4}}}

var joinPlans = []joinPlan{
	{name: "least pools, both ends begin", small: true, mode: mode.Spec, asks: [2][]ask{{{push, 2}, {pull, 2}},
		{{pull, 2}, {push, 1}}}, pools: least,
		window: 4, fly: 1, lose: 1},
	{name: "least pools at the target", small: true, mode: mode.Spec, asks: [2][]ask{{{push, 2}, {push, 2}, {pull, 1}}},
		pools: wider, window: 4, fly: 2,
		lose: 1},
	{name: "least pools, unordered", small: true, mode: mode.Spec, unordered: true, asks: [2][]ask{{{push, 2}, {pull, 2},
		{push, 1}}}, pools: wider,
		window: 4, fly: 2, lose: 1},
	{name: "a double", small: true, mode: mode.Spec, asks: [2][]ask{{{push, 1}, {pull, 1}}}, pools: plenty, window: 4,
		fly: 2, lose: 1, double: 1},
	{name: "RNR", mode: mode.Spec, asks: [2][]ask{{{push, 1}, {pull, 1}, {push, 1}}}, pools: plenty, window: 4, fly: 2,
		rnr: 2},
	{name: "RNR and a loss", small: true, mode: mode.Spec, asks: [2][]ask{{{pull, 1}, {push, 1}}}, pools: plenty,
		window: 4, fly: 2, lose: 1, rnr: 1},
	{name: "RNR, unordered", mode: mode.Spec, unordered: true, asks: [2][]ask{{{push, 1}, {pull, 1}}}, pools: plenty,
		window: 4, fly: 2, lose: 1,
		rnr: 2},
	{name: "CIE", mode: mode.Spec, asks: [2][]ask{{{push, 1}, {push, 1}, {pull, 1}}}, pools: wider, window: 4, fly: 2,
		lose: 1, decline: 1},
	{name: "CIE and RNR, unordered", mode: mode.Spec, unordered: true, asks: [2][]ask{{{push, 1}, {push, 1}}},
		pools: wider, window: 4,
		fly: 2, lose: 1, double: 1, rnr: 1, decline: 1},
	{name: "peer", mode: mode.Peer, asks: [2][]ask{{{push, 1}, {pull, 2}}, {{pull, 1}}}, pools: wider, window: 4, fly: 2,
		lose: 1},
	{name: "CIE, peer", mode: mode.Peer, asks: [2][]ask{{{push, 1}, {pull, 1}}}, pools: wider, window: 4, fly: 2, lose: 1,
		decline: 1},
	{name: "a congestion window of one", mode: mode.Spec, asks: [2][]ask{{{pull, 2}, {push, 2}, {pull, 2}}}, pools: wider,
		window: 4, fcwnd: 1,
		fly: 2, lose: 2, early: 1},
	{name: "more", long: true, mode: mode.Spec, asks: [2][]ask{{{pull, 2}, {push, 2}, {pull, 2}, {push, 1}}}, pools: wider,
		window: 4, fly: 2, lose: 2,
		double: 1, rnr: 1},
}

// explore walks every state that can be reached until the frontier is empty or something is wrong.
func (x *joiner) explore(limit int) {
	g := &x.graph
	g.seen = map[[2]uint64]uint32{}
	first := x.begin()
	g.found(x.key(first), 0, 0)
	frontier, next := []*joined{first}, []*joined(nil)
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
func (x *joiner) expand(at uint32, from *joined, next []*joined) []*joined {
	g := &x.graph
	g.edges = append(g.edges, uint32(len(g.to)))
	end := true
	for n := range joinActions {
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
			x.wrong += ", by: " + joinName(n)
			return next
		}
		id, isNew := g.found(x.key(w), at, uint16(n))
		if isNew {
			next = append(next, w)
		}
		if fair {
			end = false
			g.to = append(g.to, id)
		}
	}
	if end {
		g.ends++
		if !x.done(from) {
			g.wrongAt = at
			x.fail("a dead end where not everything has completed and is free")
		}
	}
	return next
}

// trail names the actions that lead to a state.
func (x *joiner) trail(to uint32) (names []string) {
	for ; to != 0; to = x.graph.parent[to] {
		names = append(names, joinName(int(x.graph.how[to])))
	}
	slices.Reverse(names)
	return names
}

// The proof that both sublayers fit together: every state of small worlds, over a link that loses, doubles, and delays
// and reorders at will. Everything is handed over and completes once, in order on ordered connections, nothing is held
// in the end, and every fair run ends so from every state, with the smallest legal pools, too. FAL-T1 to FAL-T6, FAL-T8
// to FAL-T10, FAL-T12 to FAL-T17.
func TestJoinedEveryState(t *testing.T) {
	for _, p := range joinPlans {
		t.Run(p.name, func(t *testing.T) {
			if quick && !p.small || p.long && !*explore || !strings.HasPrefix(p.name, *tryWorld) {
				t.Skip("takes longer: -explore")
			}
			limit := *atMost
			if quick {
				limit = 300_000
			}
			x := newJoiner(p)
			require.True(t, p.pools.Legal(x.cfg, 2))
			x.explore(limit)
			g := &x.graph
			t.Logf("%d states, %d fair steps, %d ends, closed: %v", len(g.parent), len(g.to), g.ends, g.closed)
			if x.wrong != "" {
				t.Fatalf("%s\n%s", x.wrong, strings.Join(x.trail(g.wrongAt), "\n"))
			}
			require.True(t, g.closed, "the frontier is not empty")
		})
	}
}

// With less than FAL-T9 asks for a request behind the head of line takes what the head needs, and nothing moves any
// more.
func TestJoinedPoolsTooSmall(t *testing.T) {
	for _, less := range []txn.Amount{{Packets: 1}, {Cells: 1}} {
		p := joinPlan{mode: mode.Spec, asks: [2][]ask{{{push, 2}, {push, 2}, {push, 2}}}, pools: wider, window: 4, fly: 2,
			lose: 1}
		p.pools.Size[txn.NetworkRx].Packets -= less.Packets
		p.pools.Size[txn.NetworkRx].Cells -= less.Cells
		x := newJoiner(p)
		require.False(t, p.pools.Legal(x.cfg, 2))
		x.explore(500_000)
		require.Contains(t, x.wrong, "retransmission exhausted", "what is refused for resources is sent again in vain")
	}
}
