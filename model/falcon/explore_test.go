package falcon_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
)

var (
	explore  = flag.Bool("explore", false, "explore the larger worlds too")
	tryWorld = flag.String("world", "", "explore the worlds whose names begin so, and no other")
	atMost   = flag.Int("states", 12_000_000, "leave a world with more states than these")
	quick    = os.Getenv("HCACOSIM_FAULT") != ""
)

func windowOf(at int) falcon.Window { return falcon.Window(at / 8) }

const (
	pull  = falcon.PullRequest
	reply = falcon.PullData
	push  = falcon.PushData
)

func kindsOf(ks ...falcon.Kind) []falcon.Kind { return ks }

// near begins just before the wrap.
var near = [2]falcon.PSN{0xFFFFFFFE, 0xFFFFFFFD}

var plans = []plan{
	{name: "pushes, a loss and a double", mode: mode.Spec, work: [2][]falcon.Kind{nil, kindsOf(push, push, push, push)},
		start: near, request: 4, data: 4, forward: 2, back: 1, lose: 1, double: 1},
	{name: "pushes, peer", mode: mode.Peer, work: [2][]falcon.Kind{nil, kindsOf(push, push, push, push)},
		start: near, request: 4, data: 4, forward: 2, back: 1, lose: 1, double: 1, ackCount: 2},
	{name: "both windows", small: true, mode: mode.Spec, work: [2][]falcon.Kind{kindsOf(pull, pull), kindsOf(reply, push)},
		start: near, request: 4, data: 4, forward: 2, back: 2, lose: 1, double: 1},
	{name: "both windows, peer", mode: mode.Peer, work: [2][]falcon.Kind{kindsOf(pull, pull), kindsOf(reply, push)},
		start: near, request: 4, data: 4, forward: 2, back: 2, lose: 1, ackCount: 2, askPercent: 50},
	{name: "a receiver with a smaller window", small: true, mode: mode.Spec, work: [2][]falcon.Kind{kindsOf(pull, pull,
		pull, pull), nil},
		start: near, request: 2, txRequest: 4, data: 4, forward: 3, back: 2, lose: 1},
	{name: "a receiver with a smaller window, peer", mode: mode.Peer,
		work: [2][]falcon.Kind{nil, kindsOf(push, push, push)}, start: near, request: 4, data: 2, txData: 4, forward: 2,
		back: 1, lose: 1,
		ackCount: 2, askPercent: 50},
	{name: "congestion windows", small: true, mode: mode.Spec, work: [2][]falcon.Kind{kindsOf(pull, pull),
		kindsOf(push, push)},
		start: near, request: 4, data: 4, fcwnd: 2, ncwnd: 1, forward: 3, back: 1, lose: 1, early: 1},
	{name: "refusals", small: true, mode: mode.Spec, work: [2][]falcon.Kind{nil, kindsOf(push, push)}, start: near,
		request: 4,
		data:    4, forward: 2, back: 2, lose: 1, rnr: 1, refuse: 1, broken: 1},
	{name: "refusals, peer", small: true, mode: mode.Peer, work: [2][]falcon.Kind{kindsOf(pull), kindsOf(push)},
		start: near, request: 4,
		data: 4, forward: 2, back: 2, lose: 1, rnr: 1, refuse: 1, broken: 1, ackCount: 2},
	{name: "retransmissions run out", small: true, mode: mode.Spec, work: [2][]falcon.Kind{kindsOf(pull), kindsOf(push)},
		start:   near,
		request: 4, data: 4, forward: 2, back: 3, lose: 4, retries: 1, fatal: true},
	{name: "a Resync in the end", small: true, mode: mode.Spec, work: [2][]falcon.Kind{kindsOf(pull), kindsOf(push)},
		start: near, request: 4,
		data: 4, forward: 2, back: 3, lose: 2, early: 2, retries: 2},
	{name: "ACKs unasked, and timers too soon", small: true, mode: mode.Spec, work: [2][]falcon.Kind{kindsOf(pull),
		kindsOf(push, push)},
		start: near, request: 4, data: 4, forward: 2, back: 2, lose: 1, unasked: 1, early: 1},
	{name: "RACK", mode: mode.Spec, rack: true, work: [2][]falcon.Kind{kindsOf(pull), kindsOf(push, push, reply)},
		start:   near,
		request: 4, data: 4, forward: 2, back: 1, lose: 1, double: 1},
	{name: "windows of eight", long: true, mode: mode.Spec, work: [2][]falcon.Kind{nil, kindsOf(push, reply, push, reply,
		reply, reply)},
		start: near, request: 4, data: 8, forward: 2, back: 1, lose: 1, double: 1},
	{name: "windows of eight, peer", long: true, mode: mode.Peer, work: [2][]falcon.Kind{nil, kindsOf(reply, push, reply,
		reply, push, reply)},
		start: near, request: 4, data: 8, forward: 3, back: 1, lose: 1, ackCount: 4},
	{name: "wide", long: true, mode: mode.Spec, work: [2][]falcon.Kind{kindsOf(pull, pull, pull), kindsOf(push, reply,
		push)},
		start: near, request: 4, data: 4, txRequest: 2, txData: 2, forward: 2, back: 2, lose: 1, double: 1},
	{name: "a smaller window and timers too soon, peer", long: true, mode: mode.Peer,
		work: [2][]falcon.Kind{nil, kindsOf(push, push, push)}, start: near, request: 4, data: 2, txData: 4, forward: 3,
		back: 1, lose: 1,
		early: 1, ackCount: 2, askPercent: 50},
	{name: "a smaller window and timers too soon", long: true, mode: mode.Spec,
		work: [2][]falcon.Kind{kindsOf(pull, pull, pull, pull, pull), nil}, start: near, request: 2, txRequest: 4, data: 4,
		forward: 4,
		back:    2, lose: 1, early: 1},
}

// The proof that transmitter and receiver fit together: every state of small worlds, over a link that loses, doubles,
// and delays and reorders at will, with the wrap inside. Everything is delivered once, what is acknowledged was,
// nothing is invented or lost, and every fair run ends with everything acknowledged (graph). FAL-D1, FAL-D2, FAL-D3,
// FAL-D4, FAL-D5, FAL-D6, FAL-D7, FAL-D9, FAL-D10, FAL-D11, FAL-D12, FAL-D15, FAL-D16, FAL-D17, FAL-D18, FAL-D20,
// FAL-D21, FAL-D22.
func TestEveryState(t *testing.T) {
	for _, p := range plans {
		t.Run(p.name, func(t *testing.T) {
			if quick && !p.small || p.long && !*explore || !strings.HasPrefix(p.name, *tryWorld) {
				t.Skip("takes longer: -explore")
			}
			limit := *atMost
			if quick { // with a fault a world may have no end
				limit = 300_000
			}
			x := newExplorer(p)
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
