package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// TestCNPGenByHand: marks of two QPs around a period of 100, a period that is too long, a QP that is set again, and one
// that is silent while a stamp of 8 bits would wrap many times (CNP-2).
func TestCNPGenByHand(t *testing.T) {
	stage := cnpGenSpec.New(sim.Settings{"NumQps": 16, "StampWidth": 8})
	ask := func(now uint64, q CNPQuery) CNPResult {
		out := stage.Advance(now, []sim.Record{{Start: now, End: now, Data: q.Append(nil)}}, nil)
		require.Equal(t, now+CNPGenLatencyCycles, out[0].End)
		return ParseCNPResult(out[0].Data)
	}
	mark := CNPQuery{QPN: 0x11, Opcode: ib.Join(ib.RC, ib.SendOnly), PeerQPN: 0x99, PKey: 0x8001,
		Way: WayBack{Encap: wire.EncapRoCEv2IPv6, TClass: 0x63, UDPSrcPort: 0xC000}}
	require.Equal(t, CNPNoQP, ask(0, mark).Why)
	require.Equal(t, CNPDone, ask(1, CNPQuery{Op: CNPSet, QPN: 0x11, PeerQPN: 0x22}).Why)
	require.Equal(t, CNPDone, ask(2, CNPQuery{Op: CNPSet, QPN: 0x12, PeerQPN: 0x33}).Why)
	require.Equal(t, CNPDone, ask(3, CNPQuery{Op: CNPPeriod, Period: 100}).Why)
	require.Equal(t, CNPTooFar, ask(4, CNPQuery{Op: CNPPeriod, Period: 128}).Why)
	require.Equal(t, CNPResult{QPN: 0x11, Opcode: 0x81, PeerQPN: 0x22, Way: mark.Way, PKey: 0x8001}, ask(10, mark))
	require.Equal(t, CNPWhy(5), ask(109, mark).Why)
	other := mark
	other.QPN, other.Service = 0x12, RespUD
	require.Equal(t, uint32(0x99), ask(109, other).PeerQPN)
	require.Equal(t, CNPResult{QPN: 0x11, Opcode: 0x81, PeerQPN: 0x22, Way: mark.Way, PKey: 0x8001}, ask(110, mark))
	require.Equal(t, CNPDone, ask(110+256*1000+1, mark).Why, "1,000 ranges of a stamp later")
	require.Equal(t, CNPDone, ask(256200, CNPQuery{Op: CNPSet, QPN: 0x11, PeerQPN: 0x22}).Why)
	require.Equal(t, CNPDone, ask(256201, mark).Why, "a QP that is set anew has given none")
	require.Equal(t, CNPNoQP, ask(256202, CNPQuery{Op: CNPRemove, QPN: 0x01}).Why, "another of its index")
	require.Equal(t, CNPDone, ask(256203, CNPQuery{Op: CNPRemove, QPN: 0x11}).Why)
	require.Equal(t, CNPNoQP, ask(257000, mark).Why)
	require.Equal(t, CNPNoSuch, ask(257001, CNPQuery{Op: 4}).Why)
}
