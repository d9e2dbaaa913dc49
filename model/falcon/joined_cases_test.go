package falcon_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// class is what a message is to a component case.
type class int

const (
	aRequest class = iota
	aResponse
	anAck
	aNack
	classes
)

func classOf(f *inFlight) class {
	switch {
	case f.reliable && f.p.Of == falcon.PullData:
		return aResponse
	case f.reliable:
		return aRequest
	case f.m.nack:
		return aNack
	}
	return anAck
}

// harmCase is what goes wrong in a component case.
type harmCase struct {
	name    string
	drop    [classes]int // the number of the message that is lost, from 1; -1: the last request or response of the plan
	rnr     []int        // transactions that the ULP sends back, in this order
	cie     int          // the transaction that it refuses, from 1
	nothing bool         // the target has the least pools
}

var harmCases = []harmCase{
	{name: "nothing"},
	{name: "drop the first request", drop: [classes]int{aRequest: 1}},
	{name: "drop the last request", drop: [classes]int{aRequest: -1}},
	{name: "drop the first response", drop: [classes]int{aResponse: 1}},
	{name: "drop the last response", drop: [classes]int{aResponse: -1}},
	{name: "drop the first ACK", drop: [classes]int{anAck: 1}},
	{name: "drop the second ACK", drop: [classes]int{anAck: 2}},
	{name: "drop request, response and ACK", drop: [classes]int{aRequest: 1, aResponse: 1, anAck: 1}},
	{name: "no resources", nothing: true},
	{name: "no resources, drop the first request", nothing: true, drop: [classes]int{aRequest: 1}},
	{name: "no resources, drop the NACK", nothing: true, drop: [classes]int{aRequest: 1, aNack: 1}},
	{name: "RNR of the first", rnr: []int{0}},
	{name: "RNR of the first, drop the NACK", rnr: []int{0}, drop: [classes]int{aNack: 1}},
	{name: "RNR of all, backwards", rnr: []int{2, 1, 0}},
	{name: "RNR of the first, twice", rnr: []int{0, 0}},
	{name: "CIE of the first", cie: 1},
	{name: "CIE of the first, drop the NACK", cie: 1, drop: [classes]int{aNack: 1}},
	{name: "CIE of the second", cie: 2},
	{name: "CIE of the second, RNR of the first", cie: 2, rnr: []int{0}},
}

// runner takes a joined world to its end by one fair run.
type runner struct {
	*joiner
	w            *joined
	c            *harmCase
	seen, number [classes]int
	dropped      int
	again        int // packets sent again
	refused      int // NACKs for resources
	sentBack     int
}

// step does the first action that is possible, after the case's harm; it reports whether there was one.
func (r *runner) step() bool {
	if r.harm() {
		return true
	}
	for _, kind := range []int{joinPost, joinResend, joinSend, joinArrive, joinTake, joinOver, joinAckNow, joinTimeOut} {
		for n := kind * 2 * joinPlaces; n < (kind+1)*2*joinPlaces; n++ {
			if !r.plausible(r.w, n) || !r.fair(r.w, n) {
				continue
			}
			try := r.w.clone()
			if r.joiner.step(try, n) {
				if kind == joinResend {
					r.again++
				}
				r.w = try
				return true
			}
		}
	}
	return false
}

// harm loses the message that would arrive next, or lets the ULP send back what it has.
func (r *runner) harm() bool {
	for e := range r.w.fly {
		if len(r.w.fly[e]) == 0 {
			continue
		}
		f := r.w.fly[e][0]
		k := classOf(&f)
		if f.m.nack && f.m.no.Code == wire.NackResources {
			r.refused++
		}
		if r.seen[k]++; r.seen[k] == r.number[k] {
			r.w.fly[e] = r.w.fly[e][1:]
			r.dropped++
			return true
		}
		break
	}
	if i := r.sentBack; i < len(r.c.rnr) {
		if rsn := r.c.rnr[i]; rsn >= len(r.plan.asks[0]) {
			r.sentBack++
		} else if r.w.fates[0][rsn].atULP && r.allAtULP(i) {
			r.sentBack++
			return r.notReady(r.w, 1, uint32(rsn))
		}
	}
	if n := r.c.cie - 1; n >= 0 && n < len(r.plan.asks[0]) && r.w.fates[0][n].atULP && r.sentBack == len(r.c.rnr) {
		return r.decline(r.w, 1, uint32(n))
	}
	return false
}

// allAtULP: before the first of several is sent back, the ULP has them all.
func (r *runner) allAtULP(i int) bool {
	for n := range r.plan.asks[0] {
		if i == 0 && len(r.c.rnr) == 3 && !r.w.fates[0][n].atULP {
			return false
		}
	}
	return true
}

// runCase runs a case to its end and says how often it applied: a plan without pulls has no response to lose.
func runCase(t *testing.T, p joinPlan, c *harmCase) *runner {
	p.rnr, p.decline, p.window, p.fly, p.pools = 9, 9, 8, 8, plenty
	if c.nothing {
		p.pools = wider
	}
	r := &runner{joiner: newJoiner(p), c: c, number: c.drop}
	pulls := 0
	for _, a := range p.asks[0] {
		if a.kind == pull {
			pulls++
		}
	}
	for k, of := range map[class]int{aRequest: len(p.asks[0]), aResponse: pulls} {
		if r.number[k] < 0 {
			r.number[k] = of
		}
	}
	r.w = r.begin()
	for n := 0; r.step(); n++ {
		require.Less(t, n, 1000, "no end")
		require.Empty(t, r.wrong)
	}
	require.Empty(t, r.wrong)
	require.True(t, r.done(r.w), "not everything has completed, or something is held")
	return r
}

// The component cases: both ends with both sublayers over a link that loses what the case says; one run of each. What
// was lost is sent again and nothing else is, everything ends as it should, in order and once (the world judges).
// FAL-T2 to FAL-T4, FAL-T8, FAL-T12 to FAL-T17.
func TestJoinedComponents(t *testing.T) {
	works := [][]ask{{{push, 1}}, {{pull, 1}}, {{push, 2}, {pull, 2}}, {{pull, 2}, {push, 1}}, {{push, 2}, {push, 1},
		{push, 2}},
		{{pull, 2}, {pull, 1}, {pull, 2}}, {{push, 1}, {pull, 2}, {push, 2}}}
	ran, took := 0, [4]int{}
	for _, m := range []mode.Mode{mode.Spec, mode.Peer} {
		for _, unordered := range []bool{false, true} {
			for i, work := range works {
				for n := range harmCases {
					c := &harmCases[n]
					t.Run(fmt.Sprintf("%s unordered=%v work %d %s", m.Name, unordered, i, c.name), func(t *testing.T) {
						r := runCase(t, joinPlan{mode: m, unordered: unordered, asks: [2][]ask{work}}, c)
						if c.name == "nothing" {
							require.Zero(t, r.again)
						}
						if c.drop[aRequest] != 0 || c.drop[aResponse] != 0 && r.seen[aResponse] > 0 {
							require.Positive(t, r.again)
						}
						for at := range work {
							f := &r.w.fates[0][at]
							require.Equal(t, c.cie == at+1 && work[at].kind == push, f.declined)
							require.NotEqual(t, f.declined, f.taken)
						}
						ran++
						took[0], took[1], took[2] = took[0]+r.dropped, took[1]+r.refused, took[2]+int(r.w.rnr)
						took[3] += int(r.w.declined)
					})
				}
			}
		}
	}
	t.Logf("%d cases: %d messages lost, %d refused for resources, %d RNR, %d CIE", ran, took[0], took[1], took[2], took[3])
	require.Greater(t, ran, 216)
	for _, n := range took {
		require.Greater(t, n, 20)
	}
}
