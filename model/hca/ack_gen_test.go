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
	return frameOf(t, AckRecord{AckQuery: q}, nil)
}

// frameOf is answerOf for any record, with its payload.
func frameOf(t *testing.T, q AckRecord, payload []byte) ([]byte, uint32) {
	own := AckQuery{Op: AckOwn, MAC: [6]byte{2, 0, 0, 0, 0, 2}}
	set := AckQuery{Op: AckSet, QPN: 0x11, PeerQPN: 0x22, MAC: [6]byte{2, 0, 0, 0, 0, 1}, HopLimit: 64}
	var in []sim.Record
	for i, r := range []AckRecord{{AckQuery: own}, {AckQuery: set}, q} {
		in = append(in, sim.Record{Start: uint64(i), End: uint64(i), Seq: uint64(i), Data: r.Append(nil)})
	}
	if len(payload) > 0 {
		in = append(in, sim.Record{Start: 3, End: 3, Data: payload, Port: portReadPayload})
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
		{QPN: 0x11, Way: WayBack{Encap: wire.EncapRaw}}, {Op: 6, QPN: 0x11, Way: WayBack{Encap: 1}},
		{Op: AckCNP, QPN: 0x11, Way: WayBack{Encap: 1}}} {
		frame, _ := answerOf(t, q)
		require.Nil(t, frame)
	}
}

// TestWhyNoAnswer: the first that holds of no such operation (3), no QP (1), no way (2); also of QP 0 that nobody set.
func TestWhyNoAnswer(t *testing.T) {
	set := AckRecord{AckQuery: AckQuery{Op: AckSet, QPN: 0x11}}
	for want, qs := range [][]AckQuery{
		1: {{QPN: 0x12, Way: WayBack{Encap: 1}}, {QPN: 0x12}, {QPN: 0}, {Op: AckCNP, QPN: 0, Way: WayBack{Encap: 1}}},
		2: {{QPN: 0x11}, {QPN: 0x11, Way: WayBack{Encap: wire.EncapRaw}}, {Op: AckCNP, QPN: 0x11, Way: WayBack{Encap: 1}}},
		3: {{Op: 6, QPN: 0x11, Way: WayBack{Encap: 1}}, {Op: 7}, {Op: AckRead, QPN: 0x12}},
	} {
		for _, q := range qs {
			ask := AckRecord{AckQuery: q}
			in := []sim.Record{{Data: set.Append(nil)}, {Start: 1, End: 1, Seq: 1, Data: ask.Append(nil)}}
			out := ackGenSpec.New(nil).Advance(100, in, nil)
			require.Len(t, out, 2, "%+v", q)
			require.Equal(t, want, int(out[1].Data[3]>>3&3), "%+v", q)
		}
	}
}

// TestFramesByHand: a CNP, the answer of an atomic and READ responses behind the BTH, worked out by hand from the
// tables of their headers (OPC-2, CNP-3, LEN-1).
func TestFramesByHand(t *testing.T) {
	q := AckRecord{AckQuery: AckQuery{Op: AckCNP, QPN: 0x11, PSN: 0x123456, MSN: 7, Syndrome: 0x1F, PKey: 0xFFFF,
		PeerQPN: 0x33, Way: WayBack{Encap: wire.EncapRoCEv2IPv4}}, Original: 0x0102030405060708, Opcode: 0x0E, Bytes: 5}
	at := 14 + 20 + 8 // Ethernet, IPv4, UDP
	frame, _ := frameOf(t, q, nil)
	require.Equal(t, "8100ffff"+"40000033"+"00000000"+"00000000000000000000000000000000"+"00000000",
		hex.EncodeToString(frame[at:]))
	require.Equal(t, "003c", hex.EncodeToString(frame[16:18]), "IPv4 total length: 20 + 8 + 12 + 16 + 4")
	q.Op = AckAtomic
	frame, _ = frameOf(t, q, nil)
	require.Equal(t, "1200ffff"+"00000022"+"00123456"+"1f000007"+"0102030405060708"+"00000000",
		hex.EncodeToString(frame[at:]))
	q.Op = AckRead
	frame, _ = frameOf(t, q, []byte{1, 2, 3, 4, 5})
	require.Equal(t, "0e30ffff"+"00000022"+"00123456"+"0102030405"+"000000"+"00000000", hex.EncodeToString(frame[at:]))
	q.Opcode, q.Bytes = 0x10, 0
	frame, _ = frameOf(t, q, nil)
	require.Equal(t, "1000ffff"+"00000022"+"00123456"+"1f000007"+"00000000", hex.EncodeToString(frame[at:]))
	q.Opcode = 0x11
	frame, _ = frameOf(t, q, nil)
	require.Nil(t, frame, "no READ response")
}
