package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// dmaBench gives rx_dma of 8 bytes a beat its inputs one by one, and collects what comes out by port.
type dmaBench struct {
	stage sim.Stage
	out   [dmaPortRecord + 1][]sim.Record
}

func newDMABench(depth uint64) *dmaBench {
	return &dmaBench{stage: rxDMASpec.New(sim.Settings{"DataWidth": 64, "Depth": depth, "NumQps": 4})}
}

func (b *dmaBench) give(port sim.Port, start, end uint64, data []byte) {
	in := []sim.Record{{Port: port, Start: start, End: end, Data: data}}
	for _, r := range b.stage.Advance(end, in, nil) {
		r.Data = append([]byte(nil), r.Data...)
		b.out[r.Port] = append(b.out[r.Port], r)
	}
}

func (b *dmaBench) command(cycle uint64, c DMACommand) {
	b.give(dmaPortCommand, cycle, cycle, c.Append(nil))
}

// frame takes a beat a clock.
func (b *dmaBench) frame(cycle uint64, bytes ...byte) {
	b.give(dmaPortPayload, cycle, cycle+uint64(len(bytes)-1)/8, bytes)
}

func (b *dmaBench) ack(cycle uint64, tag uint8, failed bool) {
	a := DMAAck{Tag: tag, Error: failed}
	b.give(dmaPortAck, cycle, cycle, a.Append(nil))
}

// told is what came at m_rec: the WQE, its status, and the clock.
func (b *dmaBench) told() (list [][3]uint64) {
	for _, r := range b.out[dmaPortRecord] {
		d := ParseDMARecord(r.Data)
		list = append(list, [3]uint64{uint64(d.WQE), uint64(d.Status), r.End})
	}
	return list
}

func write(qpn, wqe uint32, address uint64, bytes uint16, complete bool) DMACommand {
	return DMACommand{Place: true, Complete: complete, Address: address, Bytes: bytes,
		DMACompletion: DMACompletion{QPN: qpn, WQE: wqe}}
}

// TestDMAPlaces: a payload of three bytes to byte 7 of a beat takes two; one to byte 5 ends with its beat; thrown away,
// nothing of it comes (DMA-3). Writes leave in the order of their records (DMA-4). Clocks by the document.
func TestDMAPlaces(t *testing.T) {
	b := newDMABench(8)
	b.command(10, write(1, 0, 0x1007, 3, false))
	b.frame(10, 1, 2, 3) // moves in 12, and what is pushed out in 13
	c := write(1, 0, 0x2000, 9, false)
	c.Place = false
	b.command(11, c)
	b.frame(11, 9, 9, 9, 9, 9, 9, 9, 9, 9) // 14 and 15
	b.command(12, write(1, 0, 0xFFFFFFFFFFFFFFFD, 3, false))
	b.frame(13, 4, 5, 6) // 16
	require.Len(t, b.out[dmaPortWrite], 2)
	require.Equal(t, DMAWrite{Tag: 0, Bytes: 3, Address: 0x1007}, ParseDMAWrite(b.out[dmaPortWrite][0].Data))
	require.Equal(t, DMAWrite{Tag: 1, Bytes: 3, Address: 0xFFFFFFFFFFFFFFFD}, ParseDMAWrite(b.out[dmaPortWrite][1].Data))
	require.Equal(t, uint64(12), b.out[dmaPortWrite][0].End, "a clock behind its beginning in 11")
	require.Equal(t, uint64(17), b.out[dmaPortWrite][1].End)

	data := b.out[dmaPortData]
	require.Len(t, data, 2)
	require.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 1, 2, 3}, data[0].Data)
	require.Equal(t, [2]uint64{17, 18}, [2]uint64{data[0].Start, data[0].End})
	require.Equal(t, []byte{0, 0, 0, 0, 0, 4, 5, 6}, data[1].Data)
	require.Equal(t, [2]uint64{21, 21}, [2]uint64{data[1].Start, data[1].End})
	require.Empty(t, b.told())
}

// TestDMAOrder: a completion waits for its own write and for those before it, in whatever order memory answers (DMA-1,
// DMA-2); one without payload waits for its turn.
func TestDMAOrder(t *testing.T) {
	b := newDMABench(8)
	b.command(10, write(1, 0, 0x1000, 1, false))
	b.frame(10, 1)
	b.command(11, write(2, 7, 0x2000, 1, true))
	b.frame(11, 2)
	b.command(12, DMACommand{Complete: true, DMACompletion: DMACompletion{QPN: 1, WQE: 8}})
	b.ack(30, 1, false)
	require.Empty(t, b.told())
	b.ack(40, 0, false) // retired in 42, the two behind in 43 and 44
	require.Equal(t, [][3]uint64{{7, 0, 47}, {8, 0, 48}}, b.told())
}

// TestDMAEarly: an answer that comes before its write counts when the write was handed over; a second one of its number
// waits for the write 256 later.
func TestDMAEarly(t *testing.T) {
	b := newDMABench(2)
	b.ack(5, 0, false)
	b.ack(6, 0, true)
	b.command(10, write(1, 1, 0x1000, 1, true))
	require.Empty(t, b.told())
	b.frame(10, 1) // 12: offered in 17, retired in 18
	require.Equal(t, [][3]uint64{{1, 0, 22}}, b.told())
	for i := uint64(1); i < 256; i++ {
		b.ack(20*i, uint8(i), false)
		b.command(20*i, write(1, 2, 0x1000, 1, false))
		b.frame(20*i, 1)
	}
	require.Len(t, b.told(), 1)
	b.command(6000, write(1, 3, 0x1000, 1, true))
	b.frame(6000, 1)
	require.Equal(t, [][3]uint64{{1, 0, 22}, {3, DMAMemoryError, 6012}}, b.told())
}

// TestDMAErrors: a write fails behind the verdict (DMA-5). Its message completes with an error of its own, those behind
// are flushed, another QP's are not, until a clear (DMA-2).
func TestDMAErrors(t *testing.T) {
	b := newDMABench(16)
	for i, c := range []DMACommand{
		write(1, 1, 0, 1, true),  // before: success
		write(1, 2, 0, 1, false), // fails
		write(3, 3, 0, 1, true),  // another QP
		write(1, 4, 0, 1, true),  // the failed message's
		write(1, 5, 0, 1, true),  // behind it, and fails too
		{Complete: true, DMACompletion: DMACompletion{QPN: 1, WQE: 6, Status: DMALocalError}},
		{Clear: true, DMACompletion: DMACompletion{QPN: 1, WQE: 7}},
		write(1, 8, 0, 1, true),
		write(5, 9, 0, 1, true), // no such QP, and fails
	} {
		b.command(uint64(10+10*i), c)
		if c.Bytes > 0 {
			b.frame(uint64(10+10*i), 1)
		}
	}
	for tag := range uint8(7) {
		b.ack(200+10*uint64(tag), tag, tag == 1 || tag == 4 || tag == 6)
	}
	type said struct {
		wqe                       uint32
		status                    uint8
		complete, failed, cleared bool
	}
	var got []said
	for _, r := range b.out[dmaPortRecord] {
		d := ParseDMARecord(r.Data)
		got = append(got, said{d.WQE, d.Status, d.Complete, d.Failed, d.Cleared})
	}
	require.Equal(t, []said{{1, 0, true, false, false}, {2, 0, false, true, false}, {3, 0, true, false, false},
		{4, DMAMemoryError, true, false, false}, {5, DMAFlushed, true, true, false}, {6, DMAFlushed, true, false, false},
		{7, 0, false, false, true}, {8, 0, true, false, false}, {9, 0, true, true, false}}, got)
}

// TestDMADepth: with Depth entries under way the next one waits for the oldest; a record that leaves nothing behind
// does not.
func TestDMADepth(t *testing.T) {
	b := newDMABench(2)
	for i := range uint64(3) {
		b.command(10+i, write(0, 0, 0, 1, false))
		b.frame(10+i, 1)
	}
	require.Len(t, b.out[dmaPortWrite], 2)
	b.ack(50, 0, false) // retired in 52: the third begins in 53
	require.Len(t, b.out[dmaPortWrite], 3)
	require.Equal(t, uint64(54), b.out[dmaPortWrite][2].End)
}

// TestDMADeepens: where a device holds one more than Depth, the record that waits begins, one at a time and as long as
// there is a tag for it; what does not wait does not.
func TestDMADeepens(t *testing.T) {
	s := newRxDMA(8, 2, 4)
	cause := sim.Record{}
	deepens := func() (writes int, done bool) {
		out, done := s.deepen(&cause, nil)
		for i := range out {
			if out[i].Port == dmaPortWrite {
				writes++
			}
		}
		return writes, done
	}
	_, done := deepens()
	require.False(t, done, "nothing waits")
	b := &dmaBench{stage: s}
	for i := range uint64(DMATags + 3) {
		b.command(10+i, write(0, 0, 0, 1, false))
		b.frame(10+i, 1)
	}
	require.Len(t, b.out[dmaPortWrite], 2)
	for range DMATags - 2 {
		writes, done := deepens()
		require.True(t, done)
		require.Equal(t, 1, writes)
	}
	_, done = deepens()
	require.False(t, done, "all tags are under way")
}
