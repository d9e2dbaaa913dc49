package hca

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

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
