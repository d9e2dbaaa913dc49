package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// classifyWorld is a port with one address and one P_Key, and an RC QP 12345h of NumQps 4096.
func classifyWorld(t *testing.T) (*Classifier, ClassifyQuery) {
	c := &Classifier{numQPs: 4096}
	ours, peer := roce.Address(wire.FromIPv4(10, 0, 0, 2)), roce.Address(wire.FromIPv4(10, 0, 0, 1))
	for _, q := range []ClassifyQuery{
		{Op: ClassifyAddress, Entry: 3, Src: ours},
		{Op: ClassifyPKey, Entry: 9, PKey: 0xFFFF},
		{Op: ClassifySet, DestQP: 0x12345, Entry: 9, Live: true, Global: true, Src: peer},
	} {
		require.Equal(t, ClassDone, c.Step(&q).Class)
	}
	good := ClassifyQuery{Encap: wire.EncapRoCEv2IPv4, Opcode: ib.Join(ib.RC, ib.SendOnly), DestQP: 0x12345, PKey: 0x7FFF}
	copy(good.Src[12:], peer[12:])
	copy(good.Dst[12:], ours[12:])
	return c, good
}

// TestClassifyByHand breaks a good packet in one way each: ADM-1 to ADM-5 and CNP-4, and what each is called.
func TestClassifyByHand(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(*ClassifyQuery)
		class PacketClass
		why   ClassifyWhy
	}{
		{"good", func(*ClassifyQuery) {}, ClassRequest, ClassifyGood},
		{"response", func(q *ClassifyQuery) { q.Opcode = ib.Join(ib.RC, ib.AtomicAck) }, ClassResponse, ClassifyGood},
		{"CNP", func(q *ClassifyQuery) { q.Opcode = 0x81 }, ClassCNP, ClassifyGood},
		{"not RoCE", func(q *ClassifyQuery) { q.Encap = wire.EncapNone }, ClassDropped, ClassifyNotRoCE},
		{"raw", func(q *ClassifyQuery) { q.Encap = wire.EncapRaw }, ClassDropped, ClassifyRaw},
		{"to another", func(q *ClassifyQuery) { q.Dst[15] ^= 1 }, ClassDropped, ClassifyNotAddressed},
		{"malformed", func(q *ClassifyQuery) { q.Reason = wire.TVer }, ClassDropped, ClassifyMalformed},
		{"same index", func(q *ClassifyQuery) { q.DestQP += 4096 }, ClassDropped, ClassifyNoQP},
		{"UC", func(q *ClassifyQuery) { q.Opcode = ib.Join(ib.UC, ib.SendOnly) }, ClassDropped, ClassifyService},
		{"unknown", func(q *ClassifyQuery) { q.Opcode = 0x80 }, ClassDropped, ClassifyService},
		{"stranger", func(q *ClassifyQuery) { q.Src[15] ^= 1 }, ClassDropped, ClassifyPeer},
		{"P_Key", func(q *ClassifyQuery) { q.PKey = 0xFFFE }, ClassDropped, ClassifyBadPKey},
	} {
		c, q := classifyWorld(t)
		tc.spoil(&q)
		r := c.Step(&q)
		require.Equal(t, tc.class, r.Class, tc.name)
		require.Equal(t, tc.why, r.Why, tc.name)
		require.Equal(t, tc.why == ClassifyGood, r.PKey == 0xFFFF, tc.name)
	}
}

// TestClassifyGivesTheReceiveSide: a packet that passes has the receive queue and the protection domain that its QP was
// set with, whatever stands in the record; one that is dropped has none.
func TestClassifyGivesTheReceiveSide(t *testing.T) {
	c, packet := classifyWorld(t)
	set := ClassifyQuery{Op: ClassifySet, DestQP: 0x12345, Entry: 9, Live: true,
		Src: roce.Address(wire.FromIPv4(10, 0, 0, 1)), ReceiveSide: ReceiveSide{0xABCDEF, true, 0x654321, true, 0x87654321}}
	require.Equal(t, ClassDone, c.Step(&set).Class)
	packet.ReceiveSide = ReceiveSide{Queue: 5, PD: 6}
	require.Equal(t, ReceiveSide{0xABCDEF, true, 0x654321, true, 0x87654321}, c.Step(&packet).ReceiveSide)
	packet.PKey = 1
	require.Equal(t, ReceiveSide{}, c.Step(&packet).ReceiveSide)
}

// TestClassifyOperations: what is done, what is ignored, and that it shows (RSP-15: a QP that is not live).
func TestClassifyOperations(t *testing.T) {
	c, packet := classifyWorld(t)
	step := func(q ClassifyQuery) ClassifyWhy { return c.Step(&q).Why }
	require.Equal(t, ClassifyNoSuch, step(ClassifyQuery{Op: ClassifySet, DestQP: 1, Service: 3}))
	require.Equal(t, ClassifyNoSuch, step(ClassifyQuery{Op: ClassifyAddress, Entry: 4}))
	require.Equal(t, ClassifyNoSuch, step(ClassifyQuery{Op: 5}))
	require.Equal(t, ClassifyTaken, step(ClassifyQuery{Op: ClassifySet, DestQP: 0x345}))
	require.Equal(t, ClassifyNoQP, step(ClassifyQuery{Op: ClassifyRemove, DestQP: 0x345}))
	require.Equal(t, ClassifyGood, step(packet))
	require.Equal(t, ClassifyGood, step(ClassifyQuery{Op: ClassifySet, DestQP: 0x12345, Entry: 9, Src: packet.Src}))
	require.Equal(t, ClassifyNotLive, step(packet))
	require.Equal(t, ClassifyGood, step(ClassifyQuery{Op: ClassifyRemove, DestQP: 0x12345}))
	require.Equal(t, ClassifyNoQP, step(packet))
	require.Equal(t, ClassifyGood, step(ClassifyQuery{Op: ClassifyAddress, Entry: 3}))
	require.Equal(t, ClassifyNotAddressed, step(packet))
}
