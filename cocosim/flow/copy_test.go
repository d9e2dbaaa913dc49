package flow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// TestCopyIsTheSameFrame: what routers change on the way does not tell a copy from its original; everything else does,
// also where an end gives two packets the same identification.
func TestCopyIsTheSameFrame(t *testing.T) {
	sent := wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, IPID: 7, Opcode: 0x04, DestQP: 5, PSN: 9} // RC SEND Only
	seen := func(s wire.Spec, payload string) double {
		var p wire.Packet
		wire.Decode(wire.LinkEthernet, s.Append(nil, []byte(payload)), &p)
		require.Equal(t, wire.WellFormed, p.Bad.Reason)
		return copyOf(&p)
	}
	original := seen(sent, "payload.")
	require.NotEqual(t, double{}, original)

	routed := sent
	routed.HopLimit, routed.TClass, routed.FECN = 61, 3, true
	require.Equal(t, original, seen(routed, "payload."))

	for what, change := range map[string]func(*wire.Spec){
		"IPID": func(s *wire.Spec) { s.IPID++ }, "PSN": func(s *wire.Spec) { s.PSN++ },
		"QP":     func(s *wire.Spec) { s.DestQP++ },
		"AckReq": func(s *wire.Spec) { s.AckReq = true }, "opcode": func(s *wire.Spec) { s.Opcode = ib.Opcode(0x05) },
	} {
		other := sent
		change(&other)
		require.NotEqual(t, original, seen(other, "payload."), what)
	}
	require.NotEqual(t, original, seen(sent, "another."))

	sent.IPID = 0
	require.Equal(t, double{}, seen(sent, "payload."), "without an identification copies cannot be told")
}
