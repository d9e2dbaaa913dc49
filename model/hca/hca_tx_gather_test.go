package hca

import (
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
