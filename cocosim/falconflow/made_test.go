package falconflow

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon/mode"
)

// sent is a packet of an end, some us behind the last.
func sent(from int, p falconwire.Packet) seenPacket {
	p.Version, p.Protocol, p.CID = falconwire.Version, falconwire.RDMA, uint32(0xA0+from)
	return seenPacket{from: from, p: p}
}

// blamedFor judges packets in the capture of an end, which misses nothing, and says what that end did wrong: packet,
// rule and whether it is certain.
func blamedFor(t *testing.T, own int, list ...seenPacket) (said []string) {
	for n := range list {
		list[n].atNs = int64(n+1) * 5000
	}
	w := walk{m: &mode.Spec}
	for _, f := range w.check(t, list, Options{Own: walkAddr[own], Complete: true}).Findings {
		if list[f.Packet-1].from == own {
			said = append(said, fmt.Sprintf("%d %s %v", f.Packet, f.Rule, f.Certain))
		}
	}
	return said
}

// FAL-D7: an EACK of nothing, or of data in a row, however much, says no more than a BACK. With a hole it does.
func TestEACKOfDataInARow(t *testing.T) {
	const all = 1<<64 - 1
	for n, rx := range []falconwire.Bitmap{{}, {Lo: 1}, {Lo: all >> 1}, {Lo: all}, {Lo: all, Hi: 1},
		{Lo: all, Hi: 1<<6 - 1}, {Lo: all, Hi: all >> 1}, {Lo: all, Hi: all}} {
		eack := falconwire.Packet{Type: falconwire.EACK, DataRx: rx}
		require.Equal(t, []string{"1 FAL-D7 false"}, blamedFor(t, 1, sent(1, eack)), "row %d: possible, our reading", n)
	}
	for n, rx := range []falconwire.Bitmap{{Lo: 2}, {Lo: 5}, {Hi: 1}, {Lo: all >> 1, Hi: 1}, {Lo: all, Hi: 2},
		{Lo: all, Hi: 1<<6 - 1 + 1<<63}} {
		eack := falconwire.Packet{Type: falconwire.EACK, DataRx: rx}
		require.Empty(t, blamedFor(t, 1, sent(1, eack)), "hole %d", n)
	}
}

// FAL-D5: of two packets that came beyond the window two EACKs may tell. A third may not.
func TestOWNForEveryPacketBeyond(t *testing.T) {
	push := func(psn falconwire.PSN) seenPacket {
		return sent(0, falconwire.Packet{Type: falconwire.PushData, PSN: psn, RSN: falconwire.RSN(psn)})
	}
	own := sent(1, falconwire.Packet{Type: falconwire.EACK, DataBase: 1, OWNData: true})
	back := sent(1, falconwire.Packet{Type: falconwire.BACK, DataBase: 1})
	list := []seenPacket{push(0), back, push(129), push(130), own, own}
	require.Empty(t, blamedFor(t, 1, list...))
	require.Equal(t, []string{"7 FAL-D5 true"}, blamedFor(t, 1, append(list, own)...))
}

// FAL-D2: a base that goes back is wrong. One that lies very far away is of a new connection with the same CID.
func TestNewConnectionByEitherBase(t *testing.T) {
	push := func(psn, data, request falconwire.PSN) seenPacket {
		return sent(0, falconwire.Packet{Type: falconwire.PushData, PSN: psn, RSN: falconwire.RSN(psn), DataBase: data,
			RequestBase: request})
	}
	require.Empty(t, blamedFor(t, 0, push(3, 10, 1_000_000), push(0, 10, 5)))
	require.Empty(t, blamedFor(t, 0, push(3, 1_000_000, 10), push(0, 5, 10)))
	require.Equal(t, []string{"2 FAL-D2 false"}, blamedFor(t, 0, push(3, 10, 1_000_000), push(4, 10, 999_990)))
}

// FAL-D2: the other direction of a new connection is new as well: its bases begin again.
func TestNewConnectionOfBothDirections(t *testing.T) {
	push := func(psn, request falconwire.PSN) seenPacket {
		return sent(0, falconwire.Packet{Type: falconwire.PushData, PSN: psn, RSN: falconwire.RSN(psn), RequestBase: request})
	}
	back := func(base falconwire.PSN) seenPacket {
		return sent(1, falconwire.Packet{Type: falconwire.BACK, DataBase: base})
	}
	old := []seenPacket{push(0, 1_000_000), push(1, 1_000_000), push(2, 1_000_000), back(3)}
	require.Empty(t, blamedFor(t, 1, append(old, push(0, 5), back(1))...))
	require.NotEmpty(t, blamedFor(t, 1, append(old, push(3, 1_000_000), back(1))...), "of the same connection")
}

// FAL-D20: an EACK calls once for what it does not name.
func TestCalledForOnce(t *testing.T) {
	push := func(psn falconwire.PSN) seenPacket {
		return sent(0, falconwire.Packet{Type: falconwire.PushData, PSN: psn, RSN: falconwire.RSN(psn)})
	}
	eack := sent(1, falconwire.Packet{Type: falconwire.EACK, DataRx: falconwire.Bitmap{Lo: 2}})
	list := []seenPacket{push(0), push(1), eack, push(0)}
	require.Empty(t, blamedFor(t, 0, list...))
	require.Equal(t, []string{"5 FAL-D20 false"}, blamedFor(t, 0, append(list, push(0))...))
}

// FAL-T1: a push and a pull share no RSN, also where each has the same PSN in its window.
func TestPushAndPullOfOnePSN(t *testing.T) {
	pull := sent(0, falconwire.Packet{Type: falconwire.PullRequest, PSN: 3, RSN: 5, RequestLength: 8})
	push := falconwire.Packet{Type: falconwire.PushData, PSN: 3, RSN: 5}
	back := sent(1, falconwire.Packet{Type: falconwire.BACK})
	require.Equal(t, []string{"3 FAL-T1 true"}, blamedFor(t, 0, back, pull, sent(0, push)))
	push.RSN++
	require.Empty(t, blamedFor(t, 0, back, pull, sent(0, push)))
}
