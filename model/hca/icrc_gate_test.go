package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// TestGateByHand holds every row of the document's table of reasons (ADM-2, ADM-6), and which of two comes first.
func TestGateByHand(t *testing.T) {
	const good, bad = 1, 2
	for _, c := range []struct {
		name   string
		bytes  int
		icrc   uint32
		encap  wire.Encap
		reason wire.Reason
		why    GateWhy
	}{
		{"RoCEv2", 100, good, wire.EncapRoCEv2IPv4, wire.WellFormed, GatePassed},
		{"as long as may be", 4352, good, wire.EncapIBGlobal, wire.WellFormed, GatePassed},
		{"a byte more", 4353, good, wire.EncapIBGlobal, wire.WellFormed, GateTooLong},
		{"too long and bad", 4353, bad, wire.EncapIBGlobal, wire.Trailer, GateTooLong},
		{"not RoCE", 60, 0, wire.EncapNone, wire.WellFormed, GateNotRoCE},
		{"raw", 60, 0, wire.EncapRaw, wire.WellFormed, GateNotRoCE},
		{"a runt", 4, 0, wire.EncapNone, wire.Runt, GateMalformed},
		{"malformed, and the ICRC fits", 100, good, wire.EncapRoCEv1, wire.Fragment, GateMalformed},
		{"malformed and bad", 100, bad, wire.EncapRoCEv1, wire.Truncated, GateMalformed},
		{"bad", 100, bad, wire.EncapIBLocal, wire.WellFormed, GateBadICRC},
		{"good, of nothing", 100, good, wire.EncapNone, wire.WellFormed, GateVerdict},
		{"good, of raw", 100, good, wire.EncapRaw, wire.WellFormed, GateVerdict},
		{"no such ICRC", 100, 3, wire.EncapRoCEv1, wire.WellFormed, GateVerdict},
	} {
		require.Equal(t, c.why, judgeGate(c.bytes, userBits(c.icrc, c.encap, c.reason)), c.name)
	}
}

// TestGateTimes: two frames of three and one beats of 64 bytes, the second while the first leaves, then one much later.
func TestGateTimes(t *testing.T) {
	s := icrcGateSpec.New(nil)
	user := userBits(1, wire.EncapIBLocal, wire.WellFormed)
	out := s.Advance(100, []sim.Record{
		{Start: 10, End: 12, User: user, Data: make([]byte, 192)},
		{Start: 13, End: 13, Seq: 1, User: 2, Data: make([]byte, 1)}, // dropped
		{Start: 14, End: 14, Seq: 2, User: user, Data: make([]byte, 64)},
		{Start: 50, End: 50, Seq: 3, User: userBits(1, wire.EncapRoCEv1, wire.WellFormed), Data: make([]byte, 65)},
	}, nil)
	var got [][3]uint64
	for _, r := range out {
		if r.Port == portPassed {
			got = append(got, [3]uint64{r.Start, r.End, uint64(r.User)})
		}
	}
	require.Equal(t, [][3]uint64{{15, 17, 1}, {18, 18, 1}, {53, 54, 0}}, got)
	require.Len(t, out, 7)
	require.Equal(t, uint64(15), out[2].End, "the record of the dropped one, 2 cycles behind it")
}

// TestSideband: a verdict tells the link of its frame, and of a frame from outside it is what icrc_check says.
func TestSideband(t *testing.T) {
	spec := example(wire.EncapIBLocal)
	frame := spec.Append(nil, nil)
	user := Sideband(12, wire.LinkIB, frame)
	require.Equal(t, one(t, "icrc_check", input(wire.LinkIB, frame)).User, user)
	require.Equal(t, wire.LinkIB, SidebandLink(12, user))
	require.Equal(t, wire.LinkEthernet, SidebandLink(12, Sideband(12, wire.LinkEthernet, frame)))
	require.Equal(t, uint32(1), Sideband(1, wire.LinkIB, frame))
	require.Zero(t, Sideband(0, wire.LinkIB, frame))
	require.Equal(t, wire.LinkIB, SidebandLink(0, 0))
}
