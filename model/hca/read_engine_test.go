package hca

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// readBench gives read_engine of 8 bytes a beat its inputs one by one, and collects what comes out by port.
type readBench struct {
	*readClock
	out [readPortRecord + 1][]sim.Record
	seq uint64
}

func newReadBench() *readBench { return &readBench{readClock: newReadClock(8)} }

func (b *readBench) to(cycle uint64) {
	b.run(cycle, func(r sim.Record) { b.out[r.Port] = append(b.out[r.Port], r) })
}

func (b *readBench) command(cycle uint64, c ReadCommand) {
	b.to(cycle)
	b.take(&sim.Record{Port: readPortCommand, Start: cycle, End: cycle, Seq: b.seq, Data: c.Append(nil)})
	b.seq++
}

// reply is what memory gives from a cycle on, a beat a clock.
func (b *readBench) reply(cycle uint64, tag uint8, failed bool, data []byte) {
	end := cycle + uint64(len(data)-1)/8
	b.to(end)
	b.take(&sim.Record{Port: readPortData, Start: cycle, End: end, User: ReadUser(tag, failed), Data: data})
}

// host is what memory holds at an address, to the next multiple of 256.
func host(address uint64, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		a := address + uint64(i)
		b[i] = byte(a) ^ byte(a>>8)*31
	}
	return b
}

// answer gives the reply to a piece that was asked for, well.
func (b *readBench) answer(cycle uint64, piece int) {
	p := ParseReadPiece(b.out[readPortPiece][piece].Data)
	from := p.Address &^ (ReadLineBytes - 1)
	b.reply(cycle, p.Tag, false, host(from, int(p.Address-from)+int(p.Bytes)))
}

func (b *readBench) headers() (all []ReadHeader) {
	for _, r := range b.out[readPortHeader] {
		all = append(all, ParseReadHeader(r.Data))
	}
	return all
}

func (b *readBench) records() (all []ReadRecord) {
	for _, r := range b.out[readPortRecord] {
		all = append(all, ParseReadRecord(r.Data))
	}
	return all
}

func (b *readBench) pieces() (all []ReadPiece) {
	for _, r := range b.out[readPortPiece] {
		all = append(all, ParseReadPiece(r.Data))
	}
	return all
}

// TestReadResponses: the bytes are cut at multiples of 256 for memory and at PMTU for the peer (LEN-1, OPC-2); pieces
// in any order; PSNs turn over (PSN-1). Clocks by the document.
func TestReadResponses(t *testing.T) {
	b := newReadBench()
	b.command(10, ReadCommand{QPN: 7, PSN: 0xFFFFFF, Address: 0x10F0, Bytes: 600, PMTU: 1, MSN: 5, Syndrome: 0x1F})
	b.to(20)
	require.Equal(t, []ReadPiece{{0, 16, 0x10F0}, {1, 256, 0x1100}, {2, 256, 0x1200}, {3, 72, 0x1300}}, b.pieces())
	require.Equal(t, uint64(13), b.out[readPortPiece][0].End)
	require.Equal(t, uint64(16), b.out[readPortPiece][3].End)
	b.answer(100, 3)
	b.answer(200, 1)
	b.answer(300, 0) // the line of 10F0h has 16 beats: the last one is accepted in 315
	b.to(400)
	require.Equal(t, []ReadHeader{{7, 0x0D, 0xFFFFFF, 5, 0x1F, 256, false}}, b.headers())
	// There in 317, seen in 318, and in 319 the piece behind it: the response begins in 320.
	require.Equal(t, uint64(321), b.out[readPortHeader][0].End)
	require.Equal(t, [2]uint64{327, 358}, [2]uint64{b.out[readPortPayload][0].Start, b.out[readPortPayload][0].End})
	b.answer(400, 2)
	b.to(600)
	require.Equal(t, []ReadHeader{{7, 0x0E, 0, 0, 0, 256, false}, {7, 0x0F, 1, 5, 0x1F, 88, true}}, b.headers()[1:])
	var all []byte
	for _, r := range b.out[readPortPayload] {
		all = append(all, r.Data...)
	}
	require.Equal(t, host(0x10F0, 600), all)
	last := b.out[readPortPayload][1:]
	require.Equal(t, last[0].End+1, last[1].Start, "no gap between the responses of a READ")
	require.Equal(t, []ReadRecord{{7, 0xFFFFFF, 3, ReadDone}}, b.records())
}

// TestReadShift: three bytes from byte 6 of a beat come from two beats, three from byte 5 from one; no bytes need no
// memory. READs of a beat take 5 clocks each, and one more where something is shifted.
func TestReadShift(t *testing.T) {
	b := newReadBench()
	for i, c := range []ReadCommand{{Address: 0x2006, Bytes: 3, PMTU: 5}, {Address: 0x2085, Bytes: 3, PMTU: 1}, {PMTU: 1},
		{Address: 0x2100, Bytes: 8, PMTU: 1}, {Address: 0xFFFFFFFFFFFFFFFC, Bytes: 6, PMTU: 3}} {
		c.PSN = 100
		b.command(10+uint64(i), c)
	}
	b.to(30)
	require.Equal(t, []ReadPiece{{0, 3, 0x2006}, {1, 3, 0x2085}, {2, 8, 0x2100}, {3, 4, 0xFFFFFFFFFFFFFFFC}, {4, 2, 0}},
		b.pieces())
	for piece := 4; piece >= 0; piece-- {
		b.answer(100-20*uint64(piece), piece)
	}
	b.to(300)
	var got [][]byte
	var starts []uint64
	for _, r := range b.out[readPortPayload] {
		got, starts = append(got, r.Data), append(starts, r.Start)
	}
	require.Equal(t, [][]byte{host(0x2006, 3), host(0x2085, 3), host(0x2100, 8), host(0xFFFFFFFFFFFFFFFC, 6)}, got)
	// The first reply ends in 101. The header is offered in 106, the beat is the second one that moves.
	require.Equal(t, uint64(106), b.out[readPortHeader][0].End)
	require.Equal(t, []uint64{113, 119, 128, 134}, starts)
	for _, h := range b.headers() {
		require.Equal(t, uint8(0x10), h.Opcode)
		require.True(t, h.Last)
	}
	require.Len(t, b.headers(), 5)
}

// TestReadInterrupted: a duplicate gives up what of its QP came before it (RSP-7): the READ that is answered at the end
// of a response, and the one that waits. Another QP's is answered. Pieces on their way are awaited, and nobody else's.
func TestReadInterrupted(t *testing.T) {
	b := newReadBench()
	b.command(10, ReadCommand{QPN: 1, PSN: 10, Address: 0x1000, Bytes: 1024, PMTU: 1})
	b.command(11, ReadCommand{QPN: 1, PSN: 14, Address: 0x3000, Bytes: 8, PMTU: 1})
	b.command(12, ReadCommand{QPN: 2, PSN: 50, Address: 0x4000, Bytes: 8, PMTU: 1})
	b.to(50)
	require.Len(t, b.pieces(), 6)
	b.answer(100, 0)
	b.answer(140, 5)
	b.command(200, ReadCommand{QPN: 1, PSN: 11, Address: 0x1100, Bytes: 8, PMTU: 1, Resumed: true})
	b.answer(300, 4)
	b.answer(310, 3)
	b.answer(350, 2)
	b.to(400)
	require.Empty(t, b.records(), "piece 1 is still on its way")
	b.answer(400, 1)
	b.to(500)
	require.Equal(t, []ReadRecord{{1, 10, 1, ReadGivenUp}, {1, 14, 0, ReadGivenUp}, {2, 50, 1, ReadDone}}, b.records())
	require.Equal(t, ReadPiece{6, 8, 0x1100}, b.pieces()[6])
	b.answer(500, 6)
	b.command(520, ReadCommand{QPN: 1, Address: 0x1100, Bytes: 8, PMTU: 1})
	b.command(521, ReadCommand{QPN: 1, PSN: 3, Clear: true, Bytes: 9})
	b.to(700)
	require.Equal(t, []ReadRecord{{1, 11, 1, ReadDone}}, b.records()[3:])
	b.answer(700, 7)
	b.to(800)
	require.Equal(t, []ReadRecord{{1, 0, 0, ReadGivenUp}, {1, 3, 0, ReadCleared}}, b.records()[4:])
	require.Len(t, b.out[readPortPayload], 3)
}

// TestReadError: a piece that is an error, or too short, ends its READ before the response that needs it, and with it
// the READs of the QP that wait (DMA-7). Another QP's is answered.
func TestReadError(t *testing.T) {
	for _, short := range []bool{false, true} {
		b := newReadBench()
		b.command(10, ReadCommand{QPN: 1, PSN: 10, Address: 0x1040, Bytes: 700, PMTU: 1})
		b.command(11, ReadCommand{QPN: 1, PSN: 13, Address: 0x3000, Bytes: 8, PMTU: 1})
		b.command(12, ReadCommand{QPN: 2, PSN: 50, Address: 0x4000, Bytes: 8, PMTU: 1})
		b.to(50)
		b.answer(100, 0)
		b.answer(150, 1)
		if b.answer(200, 3); short {
			b.reply(250, 2, false, host(0x1200, 251)) // it has 252: the READ ends at 12FCh
		} else {
			b.reply(250, 2, true, host(0x1200, 256))
		}
		b.answer(300, 4)
		b.to(400)
		require.Equal(t, []ReadRecord{{1, 10, 1, ReadError}, {1, 13, 0, ReadGivenUp}, {2, 50, 1, ReadDone}}, b.records())
		require.Len(t, b.headers(), 2)
		require.Equal(t, host(0x1040, 256), b.out[readPortPayload][0].Data)
	}
}

// TestReadStray: a frame of a tag that nothing is under way for when it begins is thrown away, and so is a second one.
func TestReadStray(t *testing.T) {
	b := newReadBench()
	wrong := bytes.Repeat([]byte{0xEE}, 256)
	b.reply(5, 0, false, wrong)
	b.command(100, ReadCommand{Address: 0x1000, Bytes: 8, PMTU: 1}) // asked for in 102
	b.reply(100, 0, false, wrong)                                   // looked at in 102: not yet
	b.reply(140, 0, false, host(0x1000, 300))
	b.reply(180, 0, false, wrong)
	b.reply(220, 9, true, wrong)
	b.to(400)
	require.Equal(t, []ReadRecord{{0, 0, 1, ReadDone}}, b.records())
	require.Equal(t, host(0x1000, 8), b.out[readPortPayload][0].Data)
	b.command(500, ReadCommand{Address: 0x1000, Bytes: 8, PMTU: 1})
	b.reply(501, 1, false, host(0x1000, 8)) // looked at in 503: its piece is under way from then on
	b.to(600)
	require.Len(t, b.records(), 2)
}

// TestReadPlaces: 64 pieces are under way at most. The first place is free when its last beat has moved.
func TestReadPlaces(t *testing.T) {
	b := newReadBench()
	b.command(10, ReadCommand{Address: 0, Bytes: 65 * 256, PMTU: 1})
	b.to(1000)
	require.Len(t, b.pieces(), 64)
	b.answer(1000, 0) // ends in 1031: moves in 1036 to 1067
	b.to(1100)
	require.Equal(t, ReadPiece{0, 256, 64 * 256}, b.pieces()[64])
	require.Equal(t, uint64(1069), b.out[readPortPiece][64].End)
}

// TestReadOf16MiB: a READ of 16 MiB and 256 bytes has 65,537 responses, and they are counted (LEN-1).
func TestReadOf16MiB(t *testing.T) {
	const n = 1<<16 + 1
	b := &readBench{readClock: newReadClock(256)} // a piece a beat
	b.command(10, ReadCommand{Bytes: 256 * n, PMTU: 1})
	for piece := range n {
		at := 20 + 8*uint64(piece)
		b.to(at)
		b.take(&sim.Record{Port: readPortData, Start: at, End: at, User: uint32(piece % ReadPieces),
			Data: make([]byte, 256)})
	}
	b.to(8*n + 1000)
	require.Equal(t, []ReadRecord{{0, 0, n, ReadDone}}, b.records())
}

// TestReadCounts: behind any number of responses PSNs go on, and the next ones are counted, both modulo 2^24; so is
// what left before memory failed (PSN-1, DMA-7).
func TestReadCounts(t *testing.T) {
	for bit := range 25 {
		for _, failed := range []bool{false, true} {
			b := newReadBench()
			b.command(10, ReadCommand{PSN: 0xFFFFFF, Bytes: 3 * 256, PMTU: 1})
			b.to(50)
			b.answer(100, 0)
			b.to(200)
			require.Len(t, b.headers(), 1)
			b.count = 1 << bit // as if so many had left
			b.answer(200, 1)
			b.reply(300, 2, failed, host(0x200, 256))
			b.to(500)
			want := ReadRecord{0, 0xFFFFFF, (1<<bit + 2) % (1 << 24), ReadDone}
			if failed {
				want.Count, want.Status = (1<<bit+1)%(1<<24), ReadError
			}
			require.Equal(t, []ReadRecord{want}, b.records(), "bit %d", bit)
			require.Equal(t, psn.New(0xFFFFFF+1<<bit), b.headers()[1].PSN, "bit %d", bit)
		}
	}
}

// TestReadHeldBack: what has left when a READ is interrupted depends on when it was taken: with the payload held back
// the second response has not begun.
func TestReadHeldBack(t *testing.T) {
	for _, held := range []bool{false, true} {
		b := newReadBench()
		b.held = func(port sim.Port, cycle uint64) bool { return held && port == readPortPayload && cycle < 1000 }
		b.command(10, ReadCommand{QPN: 1, Address: 0, Bytes: 1024, PMTU: 1})
		b.to(50)
		b.answer(100, 0)
		b.answer(140, 1)
		b.command(400, ReadCommand{QPN: 1, PMTU: 1, Resumed: true})
		b.answer(500, 2)
		b.answer(600, 3)
		b.to(2000)
		count := uint32(2)
		if held {
			count = 1
		}
		require.Equal(t, []ReadRecord{{1, 0, count, ReadGivenUp}, {1, 0, 1, ReadDone}}, b.records())
		require.Len(t, b.out[readPortPayload], int(count))
	}
}

// TestReadJudge: the judge agrees with the stage, and says what is wrong, late, missing or too much.
func TestReadJudge(t *testing.T) {
	c := ReadCommand{QPN: 3, PMTU: 1}
	in := sim.Record{Port: readPortCommand, Start: 10, End: 10, Data: c.Append(nil)}
	out := readEngineSpec.New(sim.Settings{}).Advance(100, []sim.Record{in}, nil)
	require.Len(t, out, 2) // header and record
	for _, spoil := range []struct {
		do   func(*sim.Record)
		rule sim.Rule
	}{
		{func(*sim.Record) {}, ""},
		{func(r *sim.Record) { r.Data[0] ^= 1 }, "DATA"},
		{func(r *sim.Record) { r.Start, r.End = r.Start+1, r.End+1 }, "WINDOW"},
	} {
		j := readEngineSpec.Checker(sim.Settings{})
		j.Input(&in)
		for _, r := range out {
			r.Data = bytes.Clone(r.Data)
			spoil.do(&r)
			require.Equal(t, spoil.rule, j.Output(&r).Rule)
		}
		require.Equal(t, sim.Rule("EXTRA"), j.Output(&sim.Record{Port: readPortPiece, Start: 50, End: 50}).Rule)
		require.Zero(t, j.Latest())
	}
	j := readEngineSpec.Checker(sim.Settings{})
	j.Input(&in)
	require.NotZero(t, j.Latest())
	var missing []sim.Rule
	j.Overdue(^uint64(0), func(v sim.Checked) { missing = append(missing, v.Rule) })
	require.Equal(t, []sim.Rule{"MISSING", "MISSING"}, missing)
}
