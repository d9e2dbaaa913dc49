package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// placeBench gives read_place of 8 bytes a beat its inputs one by one, and collects what comes out by port.
type placeBench struct {
	stage sim.Stage
	out   [dmaPortRecord + 1][]sim.Record
}

func newPlaceBench() *placeBench {
	return &placeBench{stage: readPlaceSpec.New(sim.Settings{"DataWidth": 64, "Depth": 8, "NumQps": 4, "Reads": 2})}
}

func (b *placeBench) give(port sim.Port, start, end uint64, data []byte) {
	in := []sim.Record{{Port: port, Start: start, End: end, Data: data}}
	for _, r := range b.stage.Advance(end, in, nil) {
		r.Data = append([]byte(nil), r.Data...)
		b.out[r.Port] = append(b.out[r.Port], r)
	}
}

func (b *placeBench) record(cycle uint64, p PlaceRecord) {
	b.give(placePortRecord, cycle, cycle, p.Append(nil))
}

// frame takes a beat a clock.
func (b *placeBench) frame(cycle uint64, bytes ...byte) {
	b.give(placePortPayload, cycle, cycle+uint64(len(bytes)-1)/8, bytes)
}

func (b *placeBench) ack(cycle uint64, tag uint8, failed bool) {
	a := DMAAck{Tag: tag, Error: failed}
	b.give(placePortAck, cycle, cycle, a.Append(nil))
}

// written are the writes so far.
func (b *placeBench) written() (list []DMAWrite) {
	for _, r := range b.out[dmaPortWrite] {
		list = append(list, ParseDMAWrite(r.Data))
	}
	return list
}

// told is what came at m_rec, and when.
func (b *placeBench) told() (list []PlaceResult, at []uint64) {
	for _, r := range b.out[dmaPortRecord] {
		list, at = append(list, ParsePlaceResult(r.Data)), append(at, r.End)
	}
	return list, at
}

// TestReadPlacePlaces: of a READ of 3 packets of 256 bytes, an atomic behind it (REQ-15). The second response is lost:
// the third goes nowhere, comes again with the second, and stands where it belongs (REQ-7). Numbers by hand.
func TestReadPlacePlaces(t *testing.T) {
	b := newPlaceBench()
	b.record(10, PlaceRecord{Op: PlaceClear, QPN: 1, PMTU: 1})
	b.record(20, PlaceRecord{Op: PlaceSent, QPN: 1, PSN: 0xFFFFFF, Address: 0x10000})
	b.record(30, PlaceRecord{Op: PlaceSent, QPN: 1, PSN: 2, Kind: PlaceAtomic, Address: 0x20004})
	b.record(40, PlaceRecord{Op: PlaceSent, QPN: 1, PSN: 3, Address: 0x30000}) // more than there is room for
	told := func(cycle uint64, p PlaceRecord, bytes ...byte) {
		p.Op, p.QPN, p.Bytes = PlaceTold, 1, uint16(len(bytes))
		b.record(cycle, p)
		if len(bytes) > 0 {
			b.frame(cycle, bytes...)
		}
	}
	told(100, PlaceRecord{PSN: 0xFFFFFF, Data: true}, 1)
	told(200, PlaceRecord{PSN: 1}, 9, 9)                       // behind a gap
	told(300, PlaceRecord{PSN: 0xFFFFFF, Ended: true}, 9)      // again
	told(400, PlaceRecord{PSN: 0, Data: true}, 2)              // what is missing
	told(500, PlaceRecord{PSN: 1, Data: true, Ended: true}, 3) // and the last
	told(600, PlaceRecord{PSN: 2, Value: 0x77})                // an atomic that was not taken
	told(700, PlaceRecord{PSN: 2, Data: true, Ended: true, Value: 0x0102030405060708})
	told(800, PlaceRecord{PSN: 3, Data: true}, 9) // nothing is outstanding
	require.Equal(t, []DMAWrite{{0, 1, 0x10000}, {1, 1, 0x10100}, {2, 1, 0x10200}, {3, 8, 0x20004}}, b.written())
	var data [][]byte
	for _, r := range b.out[dmaPortData] {
		data = append(data, r.Data)
	}
	require.Equal(t, [][]byte{{1}, {2}, {3}, {0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1}}, data,
		"a value lowest byte first (RSP-12)")
}

// TestReadPlaceClocks: by the document. A record begins five clocks behind its acceptance, its write is offered a clock
// later, its data moves in the seventh or in the third behind its own, and is offered five later.
func TestReadPlaceClocks(t *testing.T) {
	b := newPlaceBench()
	b.record(10, PlaceRecord{Op: PlaceSent, QPN: 1, Address: 0x1000})
	b.record(100, PlaceRecord{Op: PlaceTold, QPN: 1, Data: true, Bytes: 9})
	b.frame(100, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	b.record(200, PlaceRecord{Op: PlaceTold, QPN: 1, Data: true, Bytes: 1})
	b.frame(210, 1)
	require.Equal(t, uint64(106), b.out[dmaPortWrite][0].End)
	require.Equal(t, uint64(206), b.out[dmaPortWrite][1].End)
	data := b.out[dmaPortData]
	require.Equal(t, [2]uint64{112, 113}, [2]uint64{data[0].Start, data[0].End})
	require.Equal(t, [2]uint64{218, 218}, [2]uint64{data[1].Start, data[1].End})
	b.record(300, PlaceRecord{Op: PlaceVerdict, QPN: 2, PSN: 7, Progress: true})
	b.ack(400, 1, false)
	list, _ := b.told()
	require.Empty(t, list)
	b.ack(410, 0, false) // retired in 412, then its neighbour, then the verdict
	list, at := b.told()
	require.Equal(t, []PlaceResult{{QPN: 2, Op: PlaceVerdict, Una: 7, Progress: true}}, list)
	require.Equal(t, []uint64{415}, at)
	b.record(500, PlaceRecord{Op: PlaceVerdict, QPN: 2})
	_, at = b.told()
	require.Equal(t, uint64(507), at[1], "with nothing before it")
}

// TestReadPlaceFails: a write that fails is a verdict of its own (DMA-5), in its turn and before those of what is
// behind it (DMA-2); verdicts wait for every write before them, in whatever order memory answers (DMA-1); a clear too.
func TestReadPlaceFails(t *testing.T) {
	b := newPlaceBench()
	b.record(10, PlaceRecord{Op: PlaceSent, QPN: 1, PSN: 5})
	for i := range uint64(2) {
		b.record(20+i, PlaceRecord{Op: PlaceTold, QPN: 1, PSN: 5, Data: true, Bytes: 1, Ended: i == 1})
		b.frame(20+i, 1)
	}
	b.record(30, PlaceRecord{Op: PlaceVerdict, QPN: 1, PSN: 7, Progress: true})
	b.record(40, PlaceRecord{Op: PlaceVerdict, QPN: 1, PSN: 8, Fail: true, Status: 6})
	b.record(50, PlaceRecord{Op: PlaceClear, QPN: 1, PMTU: 2})
	b.record(60, PlaceRecord{Op: PlaceVerdict, QPN: 9, PSN: 1, Progress: true}) // no such QP
	b.ack(100, 1, true)
	list, _ := b.told()
	require.Empty(t, list)
	b.ack(200, 0, false)
	list, _ = b.told()
	require.Equal(t, []PlaceResult{{QPN: 1, Op: PlaceTold, Una: 5, Progress: true, Fail: true, Status: DMAMemoryError},
		{QPN: 1, Op: PlaceVerdict, Una: 7, Progress: true}, {QPN: 1, Op: PlaceVerdict, Una: 8, Fail: true, Status: 6},
		{QPN: 1, Op: PlaceClear}, {QPN: 9, Op: PlaceVerdict, Una: 1, Progress: true}}, list)
}

// TestReadPlaceNobody: nothing is kept of a number that is no QP, and nothing written; a clear empties a list.
func TestReadPlaceNobody(t *testing.T) {
	b := newPlaceBench()
	for _, qpn := range []uint32{4, 1<<23 | 1} {
		b.record(10, PlaceRecord{Op: PlaceSent, QPN: qpn})
		b.record(20, PlaceRecord{Op: PlaceTold, QPN: qpn, Data: true, Bytes: 1})
		b.frame(20, 1)
	}
	b.record(30, PlaceRecord{Op: PlaceSent, QPN: 1})
	b.record(31, PlaceRecord{Op: PlaceClear, QPN: 1})
	b.record(32, PlaceRecord{Op: PlaceTold, QPN: 1, Data: true, Bytes: 1})
	b.frame(32, 1)
	require.Empty(t, b.written())
	b.record(40, PlaceRecord{Op: PlaceSent, QPN: 3, Kind: PlaceNothing})
	b.record(41, PlaceRecord{Op: PlaceTold, QPN: 3, Data: true, Bytes: 1, Ended: true})
	b.frame(41, 1)
	require.Empty(t, b.written(), "a FLUSH brings nothing")
}
