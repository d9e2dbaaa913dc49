package hca

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// A device that sends a frame before memory has given its payload is wrong, and its judge is through with the packet:
// that the payload cannot be read then is nobody's failure. It took the same QP to error again, for ever.
func TestFrameAheadOfItsPayload(t *testing.T) {
	f := newHcaTxFlights()
	f.ways[5] = &FrameWay{WayBack: WayBack{Encap: wire.EncapRoCEv2IPv4}, PeerQPN: 7}
	packet := FrameRecord{QPN: 5, Opcode: 0x04, Bytes: 100, Entries: 1}
	f.note(packet, true, hcaTxCause{})
	asked := ReadPiece{Bytes: 100}
	require.Empty(t, f.piece(&sim.Record{Port: HcaTxPieces, Data: asked.Append(nil)}).Rule)
	frame := packet.frame(nil, f.ways[5], f.own, make([]byte, 100))
	require.EqualValues(t, "EXTRA", f.frame(&sim.Record{Port: HcaTxFrames, Data: frame}).Rule)
	require.Zero(t, f.count)
	f.input(&sim.Record{Port: HcaTxGathered, User: ReadPieces})
	require.Nil(t, f.fails())
	require.Empty(t, f.gathers)
}

// Behind a packet whose WQE has a list one of another WQE leaves if it was given before its QP was closed, with a
// payload or without; nobody can say which. Behind a payload that could not be read nothing does.
func TestPayloadBehindARefusedList(t *testing.T) {
	way := FrameWay{WayBack: WayBack{Encap: wire.EncapRoCEv2IPv4}, PeerQPN: 7}
	payload := slices.Repeat([]byte{3}, 100)
	behind := FrameRecord{QPN: 5, PSN: 1, Opcode: 0x04, Bytes: 100, Entries: 1}
	last := FrameRecord{QPN: 5, PSN: 2, Opcode: 0x04, Entries: 1}
	refuse := func() *hcaTxFlights {
		f := newHcaTxFlights()
		f.ways[5] = &way
		f.note(FrameRecord{QPN: 5, Opcode: 0x04, Bytes: 50, Entries: 2}, true, hcaTxCause{})
		f.note(behind, true, hcaTxCause{})
		f.note(last, true, hcaTxCause{})
		p := f.fails()
		require.Equal(t, FrameList, p.why)
		f.drop(p)
		require.Nil(t, f.fails())
		require.Zero(t, f.count)
		return &f
	}
	asks := func(f *hcaTxFlights) sim.Rule {
		piece := ReadPiece{Bytes: 100}
		return f.piece(&sim.Record{Port: HcaTxPieces, Data: piece.Append(nil)}).Rule
	}
	leaves := func(f *hcaTxFlights, q *FrameRecord, payload []byte) sim.Rule {
		frame := q.frame(nil, &way, f.own, payload)
		loc := wire.Locate(way.Encap.Link(), frame)
		wire.PutICRC(frame, &loc)
		return f.frame(&sim.Record{Port: HcaTxFrames, User: userBits(1, loc.Encap, loc.Bad.Reason), Data: frame}).Rule
	}

	f := refuse() // it leaves, also where its QP has begun anew meanwhile
	require.Empty(t, asks(f))
	f.input(&sim.Record{Port: HcaTxGathered, Data: payload})
	require.Nil(t, f.fails())
	f.settle(5)
	require.Empty(t, leaves(f, &behind, payload))
	require.Empty(t, f.gathers)

	f = refuse() // it was not given: behind its way it is gone
	f.settle(5)
	require.EqualValues(t, "EXTRA", asks(f))
	require.EqualValues(t, "EXTRA", leaves(f, &behind, payload))

	f = refuse() // its payload cannot be read: nothing leaves any more
	require.Empty(t, asks(f))
	f.input(&sim.Record{Port: HcaTxGathered, User: ReadPieces})
	require.Nil(t, f.fails())
	require.Empty(t, f.gathers)
	require.EqualValues(t, "EXTRA", leaves(f, &last, nil))

	f = refuse() // it leaves ahead of its payload
	require.Empty(t, asks(f))
	require.EqualValues(t, "EXTRA", leaves(f, &behind, payload))
	f.input(&sim.Record{Port: HcaTxGathered, Data: payload})
	require.Nil(t, f.fails())
	require.Empty(t, f.gathers)
}

// A payload is read byte behind byte, whatever multiple of a power of two it or its message goes across, in pieces that
// end at multiples of 256.
func TestPayloadAcrossAnyAddress(t *testing.T) {
	for bit := 9; bit < 65; bit++ {
		for _, offset := range []uint32{0, 4096, 1 << min(bit, 31)} {
			end := uint64(1) << bit
			f := newHcaTxFlights()
			f.ways[5] = &FrameWay{WayBack: WayBack{Encap: wire.EncapRoCEv2IPv4}}
			f.note(FrameRecord{QPN: 5, Opcode: 0x04, Bytes: 700, Entries: 1, Offset: offset,
				Address: end - 0x180 - uint64(offset)}, true, hcaTxCause{})
			for i, piece := range []ReadPiece{{0, 128, end - 0x180}, {1, 256, end - 0x100}, {2, 256, end},
				{3, 60, end + 0x100}} {
				v := f.piece(&sim.Record{Port: HcaTxPieces, Data: piece.Append(nil)})
				require.Empty(t, v.Rule, "piece %d across 2^%d", i, bit)
			}
			require.Empty(t, f.qps[5][0].asks)
		}
	}
}

// A packet's bytes lie as far behind the first of its message as its offset says, up to the last of 2^31: those that it
// carries, and those that a READ asks for (LEN-1, REQ-7).
func TestPacketOfALongMessage(t *testing.T) {
	for bit := 8; bit < 31; bit++ {
		for _, offset := range []uint32{1<<bit - 256, 1 << bit, 2<<bit - 256} {
			s := HcaTxSent{TxAnswer{Opcode: 0x08, Offset: offset, Bytes: 256},
				SendWQE{Verb: ib.VerbWrite, VA: 0x1000, Length: 1 << 31, List: 0x123456789A00, Entries: 1}}
			q := s.Packet()
			address, bytes := q.Gathers()
			require.Equal(t, 0x123456789A00+uint64(offset), address)
			require.Equal(t, 256, bytes)
			s.Opcode, s.TxAnswer.Bytes, s.WQE.Verb = 0x0C, 1<<31-offset, ib.VerbRead
			var frame wire.Packet
			q = s.Packet()
			way := FrameWay{WayBack: WayBack{Encap: wire.EncapRoCEv2IPv4}}
			wire.Decode(wire.LinkEthernet, q.frame(nil, &way, [6]byte{}, nil), &frame)
			require.Equal(t, 0x1000+uint64(offset), frame.RETH().VA())
			require.Equal(t, 1<<31-offset, frame.RETH().DMALen())
		}
	}
}
