package roce_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

var replayOn = flag.String("replay", "rtl", "what the worlds are replayed on: rtl or model")

// Every edge of the small worlds is put to the checks in RTL with PSNs of as few bits, and the answer is that of the
// explorer's machine. By default the worlds of 4 bits, the first states of the larger ones; -explore replays all of
// all.
// RSP-1, RSP-2, RSP-5, RSP-9, RSP-11, REQ-1, REQ-2, REQ-3, REQ-4, REQ-12, PSN-2, PSN-3, PSN-5, TMR-3, TMR-5, CRD-2;
// of sq_retire REQ-11, REQ-13, REQ-14, RSP-15; of tx_packetizer REQ-5, REQ-6, REQ-7, REQ-9, PSN-4, PSN-7.
func TestWorldsOnRTL(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	for _, bits := range []int{4, 3, 5} {
		if bits != 4 && !*explore {
			continue // another build
		}
		all := map[string]*gathered{"resp_psn_check": {}, "req_ack_check": {}, "sq_retire": {}, "tx_packetizer": {}}
		for _, p := range plans {
			if p.bits == bits && (!p.long || *explore) && strings.HasPrefix(p.name, *tryWorld) {
				gather(t, p, all)
			}
		}
		for _, dut := range slices.Sorted(maps.Keys(all)) {
			t.Run(fmt.Sprintf("%s, %d bits", dut, bits), func(t *testing.T) {
				g := all[dut]
				t.Log(g)
				if len(g.records) > 0 {
					require.NoError(t, onRTL(t, build(dut, bits), *replayOn, g.records))
				}
			})
		}
	}
}

// gathered is what becomes of worlds for a check.
type gathered struct {
	worlds, closed, skipped, moves, unknown, states, edges int
	records                                                []vector
}

func (g *gathered) String() string {
	return fmt.Sprintf("%d worlds, %d of them closed (%d others are not for this check): %d moves of machines, %d of "+
		"them beyond the check; %d states and %d edges that it can tell apart, in %d records", g.worlds, g.closed, g.skipped,
		g.moves, g.unknown, g.states, g.edges, len(g.records))
}

// replayStates is how far a world is walked by default; with -explore it is walked to its end.
const replayStates = 20_000

// gather explores a world and adds what the checks see of it.
func gather(t *testing.T, p plan, all map[string]*gathered) {
	x := newExplorer(p, false)
	limit := *atMost
	if !*explore {
		limit = replayStates
	}
	x.explore(limit)
	require.Empty(t, x.wrong)
	for dut, g := range all {
		if !p.replayed(dut) {
			g.skipped++
			continue
		}
		r := newReplay()
		switch dut {
		case "req_ack_check":
			x.requesterReplay(t, r)
		case "retry_ctl":
			x.retryReplay(t, r)
		case "sq_retire":
			x.retireReplay(t, r)
		case "tx_packetizer":
			x.packetizerReplay(t, r)
		default:
			x.responderReplay(t, r)
		}
		taken := r.tour(&g.records)
		require.Equal(t, len(r.edges), taken, "%s: an edge that no record leads to", p.name)
		g.worlds, g.moves, g.unknown = g.worlds+1, g.moves+r.moves, g.unknown+r.unknown
		if x.graph.closed {
			g.closed++
		}
		g.states, g.edges = g.states+len(r.names), g.edges+taken
	}
}

// replayed says whether a world is for a check: only RC has responses, and which message a duplicate's ACK names where
// a READ lies between, resp_psn_check has no profile for.
func (p *plan) replayed(dut string) bool {
	switch s := &p.spec; dut {
	case "req_ack_check":
		return p.service == ib.RC
	case "retry_ctl":
		return p.service == ib.RC && !s.RetryForever7 && !s.AdaptiveTimer && !s.BadResponseFatal && !s.TimerRunsOut &&
			!s.SendsDuringRNR
	case "sq_retire":
		return !s.BadResponseFatal
	case "hca_top, requests": // replay_fifo has no profile
		return !s.DupAckSkipsRead && !s.ReplayShrinks
	case "hca_top, responses": // who goes back to the first of a message does so at another time
		return p.replayed("retry_ctl") && p.replayed("tx_packetizer") && !s.MessageRestart && !s.WholeRead
	case "tx_packetizer": // its habits are one device's
		return !s.BadResponseFatal && !s.SendsDuringRNR && !s.ProbesWithMessage && s.AckReqEvery == 0 &&
			s.AckReqAtOffset == 0 && s.WindowPackets == 0
	}
	return !p.spec.DupAckSkipsRead
}

// Every edge of the requesters of the small worlds is put to retry_ctl, which keeps PSNs and counts none: whatever bits
// the world has, it is built as it always is. REQ-3, REQ-4, REQ-12, TMR-2, TMR-3, TMR-4, TMR-5, RSP-15.
func TestRetriesOfWorldsOnRTL(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	records := retriesOfWorlds(t)
	require.NoError(t, onRTL(t, build("retry_ctl", 0), *replayOn, withGenerations(t, records)))
}

// retriesOfWorlds are the records of all worlds for retry_ctl; with -explore those of the larger worlds too, to
// retryStates each, for three tests walk them.
func retriesOfWorlds(t *testing.T) []vector {
	all := map[string]*gathered{"retry_ctl": {}}
	defer func(states int) { *atMost = states }(*atMost)
	*atMost = min(*atMost, retryStates)
	for _, p := range plans {
		if (!p.long && p.bits == 4 || *explore) && strings.HasPrefix(p.name, *tryWorld) {
			gather(t, p, all)
		}
	}
	t.Log(all["retry_ctl"])
	return all["retry_ctl"].records
}

const retryStates = 60_000
