package hca

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// answerOf runs own address, a QP and one answer through a fresh stage and returns its frame, nil if there is none.
func answerOf(t *testing.T, q AckQuery) ([]byte, uint32) {
	own := AckQuery{Op: AckOwn, MAC: [6]byte{2, 0, 0, 0, 0, 2}}
	set := AckQuery{Op: AckSet, QPN: 0x11, PeerQPN: 0x22, MAC: [6]byte{2, 0, 0, 0, 0, 1}, HopLimit: 64}
	var in []sim.Record
	for i, r := range []AckQuery{own, set, q} {
		in = append(in, sim.Record{Start: uint64(i), End: uint64(i), Seq: uint64(i), Data: r.Append(nil)})
	}
	for _, r := range ackGenSpec.New(nil).Advance(100, in, nil) {
		if r.Port == portFrame {
			return r.Data, r.User
		}
	}
	return nil, 0
}

// TestAckByHand: the bytes of an ACK over IPv4 worked out by hand (RSP-14): addresses changed about, the request's UDP
// port, DSCP 8 without its ECN bits, and the header checksum: 4520 + 0030 + 4000 + 4011 + 0A00 + 0002 + 0A00 + 0001 =
// D964, its complement 269B.
func TestAckByHand(t *testing.T) {
	q := AckQuery{QPN: 0x11, PSN: 0x123456, MSN: 7, Syndrome: ib.NAKSequence, PKey: 0xFFFF, Way: WayBack{
		Encap: wire.EncapRoCEv2IPv4, TClass: 0x23, UDPSrcPort: 0xC000,
		Src: roce.Address{12: 10, 15: 1}, Dst: roce.Address{12: 10, 15: 2}}}
	frame, link := answerOf(t, q)
	require.Zero(t, link)
	require.Equal(t, "020000000001"+"020000000002"+"0800"+
		"45200030"+"00004000"+"4011269b"+"0a000002"+"0a000001"+
		"c00012b7"+"001c0000"+
		"1100ffff"+"00000022"+"00123456"+"60000007"+"00000000", hex.EncodeToString(frame))
	q.Way.Encap, q.Way.SL, q.Way.SLID, q.Way.DLID = wire.EncapIBLocal, 5, 0x11, 0x22
	frame, link = answerOf(t, q)
	require.Equal(t, uint32(1), link)
	require.Equal(t, "00520011"+"00070022"+"1100ffff"+"00000022"+"00123456"+"60000007"+"00000000",
		hex.EncodeToString(frame))
}

// TestAnswersAreWellFormed: with its ICRC written in, every frame is one that our own receiver takes (END-1, RSP-14).
func TestAnswersAreWellFormed(t *testing.T) {
	for encap := wire.EncapRoCEv1; encap <= wire.EncapIBGlobal; encap++ {
		for tags := range uint8(3) {
			frame, link := answerOf(t, AckQuery{QPN: 0x11, Way: WayBack{Encap: encap, Tags: tags,
				VLAN: [2]uint32{0x8100_0001, 0x8100_0002}}})
			loc := wire.Locate(wire.Link(link), frame)
			require.Equal(t, encap, loc.Encap)
			require.True(t, wire.PutICRC(frame, &loc))
			require.Equal(t, uint32(1)|uint32(encap)<<4, Sideband(12, wire.Link(link), frame), "good, well formed")
			require.Equal(t, len(frame), loc.End)
		}
	}
}

// TestNoAnswer: a QP that is not there, another number of its index, an encapsulation that has no answers.
func TestNoAnswer(t *testing.T) {
	for _, q := range []AckQuery{{QPN: 0x12, Way: WayBack{Encap: 1}}, {QPN: 0x1011, Way: WayBack{Encap: 1}}, {QPN: 0x11},
		{QPN: 0x11, Way: WayBack{Encap: wire.EncapRaw}}, {Op: 3, QPN: 0x11, Way: WayBack{Encap: 1}}} {
		frame, _ := answerOf(t, q)
		require.Nil(t, frame)
	}
}
