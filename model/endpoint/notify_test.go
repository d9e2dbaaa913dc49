package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// A packet that carries a mark gives a CNP to its sender, ahead of what else leaves, but not sooner than the period
// behind the one before; one that falls gives none, nor does a CNP (CNP-1 to CNP-4).
func TestNotices(t *testing.T) {
	e := two(t)
	e.cfg.CNPPeriodNs = 1000
	frame := func(op ib.Opcode, tos uint8, pkey uint16) []byte {
		s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, DstMAC: e.cfg.MAC, Src: peer, Dst: e.cfg.Address, TClass: tos, Opcode: op,
			PKey: pkey, DestQP: 1}
		return s.Append(nil, nil)
	}
	send := ib.Join(ib.RC, ib.SendOnly)
	for _, c := range []struct {
		nowNs uint64
		frame []byte
		gives bool
	}{
		{1, frame(send, 3, 0xFFFF), true},
		{1000, frame(send, 3, 0xFFFF), false},
		{1001, frame(send, 2, 0xFFFF), false},
		{1001, frame(ib.OpcodeCNP, 3, 0xFFFF), false},
		{1001, frame(send, 3, 0x1234), false},
		{1001, frame(send, 0xFF, 0xFFFF), true},
	} {
		e.Receive(c.nowNs, c.frame)
		seen := 0
		for {
			out, ok := e.Next(c.nowNs, nil)
			if !ok {
				break
			}
			var w wire.Packet
			wire.Decode(wire.LinkEthernet, out, &w)
			require.Equal(t, wire.ICRCGood, w.ICRC())
			require.Zero(t, w.IPv4().TOS()&3, "a mark does not go back")
			if w.BTH().Opcode() == ib.OpcodeCNP {
				seen++
				require.Equal(t, uint32(9), w.BTH().DestQP())
				require.True(t, w.BTH().BECN())
			}
		}
		require.Equal(t, c.gives, seen == 1, "%d", c.nowNs)
		require.LessOrEqual(t, seen, 1)
	}
	require.EqualValues(t, 1, e.Count().CNPs)
	e.cfg.OthersNotify = true
	e.Receive(9999, frame(send, 3, roce.DefaultPKey))
	require.Empty(t, e.notices)
}
