package roce_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
)

var (
	explore  = flag.Bool("explore", false, "explore the larger worlds too")
	atMost   = flag.Int("states", 12_000_000, "leave a world with more states than these, which -explore may")
	tryWorld = flag.String("world", "", "explore the worlds whose names begin so, and no other")
)

// The proof that the machines fit together: every state of small worlds, PSNs of a few bits with the wrap inside.
// Everything is executed once and in order, nothing is said twice about a gap, no ACK is inside what is not answered,
// no retry is counted twice, nobody goes to error but by the rules that a world names, and every fair run ends with
// everything ended (graph). RSP-2, RSP-5, RSP-7, RSP-8, RSP-9, RSP-10, RSP-13, RSP-15; REQ-1, REQ-2, REQ-3, REQ-4,
// REQ-5, REQ-6, REQ-7, REQ-11; PSN-2, PSN-3, PSN-5, PSN-6, PSN-7; TMR-3, TMR-4, TMR-5; CRD-2, CRD-3, CRD-4.
func TestEveryState(t *testing.T) {
	for _, p := range plans {
		t.Run(p.name, func(t *testing.T) {
			if quick && !p.small || p.long && !*explore || !strings.HasPrefix(p.name, *tryWorld) {
				t.Skip("takes longer: -explore")
			}
			x := newExplorer(p, false)
			limit := *atMost
			if quick { // with a fault a world may have no end
				limit = min(limit, 500_000)
			}
			x.explore(limit)
			g := &x.graph
			if x.wrong == "" && g.closed {
				x.live()
			}
			t.Logf("%d states, %d fair steps, %d ends, %d cycles, closed: %v; %d states of requesters, %d of responders",
				len(g.parent), len(g.to), g.ends,
				g.cycles, g.closed, len(x.q.codes), len(x.r.codes))
			if x.wrong != "" {
				t.Fatalf("%s\n%s", x.wrong, strings.Join(x.trail(uint32(g.wrongAt)), "\n"))
			}
			require.True(t, g.closed, "the frontier is not empty")
			for _, why := range p.errors {
				require.Contains(t, x.happened, why, "no QP went to error by a rule that may end it")
			}
		})
	}
}

// Without a bound on the lifetime of packets a PSN comes round, and no machine can tell (PSN-6).
func TestImmortalPacketsAreMistaken(t *testing.T) {
	for _, p := range mistaken {
		t.Run(p.name, func(t *testing.T) {
			x := newExplorer(p, false)
			x.explore(5_000_000)
			require.NotEmpty(t, x.wrong)
			t.Logf("after %d states: %s\n%s", len(x.graph.parent), x.wrong, strings.Join(x.trail(uint32(x.graph.wrongAt)), "\n"))
		})
	}
}

// named is a plan that is there already, changed.
func named(old, name string, change func(*plan)) plan {
	for _, p := range plans {
		if p.name == old {
			p.name = name
			change(&p)
			return p
		}
	}
	panic("no world " + old)
}

var mistaken = []plan{
	named("PSNs come round", "packets that live for ever", func(p *plan) { p.immortal = true }),
	named("connected anew", "packets of an earlier connection that live for ever", func(p *plan) { p.immortal = true }),
	// What goes back to the first of its message sends PSNs that lie more than half behind, unless it keeps its window
	// smaller (REQ-5, PSN-5).
	{name: "half, goes back to the message's first", bits: 3, start: 6, work: half, inFlight: 3, lose: 2, delay: 1,
		spec: roce.Profile{MessageRestart: true, WholeRead: true}},
	named("connected anew", "the same start at once", func(p *plan) { p.anyStart = true }),
}
