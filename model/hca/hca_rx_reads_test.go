package hca_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// answered is a frame that left: opcode, PSN, syndrome, and what is behind the AETH.
type answered struct {
	op       ib.Operation
	psn      uint32
	syndrome uint8
	rest     []byte
}

// hear gives the stage a record, and adds what leaves, what is asked for at m_rd, and the ends of m_end: status, count.
func (r *receiver) hear(in sim.Record) (left []answered, asked []hca.ReadPiece, ends [][2]int) {
	for _, o := range r.stage.Advance(0, []sim.Record{in}, nil) {
		switch o.Port {
		case 8:
			var p wire.Packet
			wire.Decode(wire.LinkEthernet, o.Data, &p)
			a := answered{op: p.Op.Operation, psn: uint32(p.BTH().PSN()), rest: p.Payload}
			if p.AETH() != nil {
				a.syndrome = uint8(p.AETH().Syndrome())
			}
			if ack := p.AtomicAckETH(); ack != nil {
				a.rest = ack[:8]
			}
			a.rest = append([]byte(nil), a.rest...)
			left = append(left, a)
		case 10:
			asked = append(asked, hca.ParseReadPiece(o.Data))
		case 15:
			ends = append(ends, [2]int{int(o.Data[9] & 7), int(o.Data[6])})
		}
	}
	return left, asked, ends
}

// request gives the stage a request of QP 1.
func (r *receiver) request(op ib.Operation, psn uint32, change func(*wire.Spec)) ([]answered, []hca.ReadPiece,
	[][2]int) {
	s := r.spec
	s.DestQP, s.Opcode, s.RKey, s.VA = 1, ib.Join(ib.RC, op), 0x100, 0x10000
	s.PSN = s.PSN.Add(int32(psn))
	change(&s)
	return r.hear(sim.Record{Data: s.Append(nil, nil), User: uint32(wire.LinkEthernet)})
}

// newReader is a receiver whose QP 1 may have four READs and atomics in flight.
func newReader(t *testing.T) *receiver {
	r := newReceiver(t)
	key := hca.MRQuery{Op: hca.MRSet, RKey: 0x100, PD: 7, VA: 0x10000, Length: 4096, Need: 7, Base: 0x900000}
	r.op(hca.ToKeys, key.Append(nil))
	for _, op := range []hca.RespOp{hca.RespReset, hca.RespSet, hca.RespReady} {
		resp := hca.RespQuery{Op: op, QPN: 1, PMTU: 1, Enabled: 7, MaxReads: 4}
		r.op(hca.ToVerdict, resp.Append(nil))
	}
	replay := hca.ReplayQuery{Op: hca.ReplaySet, QPN: 1, PMTU: 1, Depth: 4}
	r.op(hca.ToReplay, replay.Append(nil))
	r.post(9, 1)
	return r
}

// given is what memory gives for a piece: n bytes of its own, behind what stands before its address.
func given(p hca.ReadPiece, fill byte, failed bool) sim.Record {
	data := make([]byte, int(p.Address%hca.ReadLineBytes)+int(p.Bytes))
	for i := range data {
		data[i] = fill
	}
	return sim.Record{Port: 9, User: hca.ReadUser(p.Tag, failed), Data: data}
}

// TestHcaRxReads: a READ of 300 bytes at a path MTU of 256 is asked for in two pieces and has two responses, in
// whatever order memory gives; the ACK of the SEND behind it waits (RSP-13). A duplicate of its second part reads
// memory again (RSP-7); one beyond it is silent.
func TestHcaRxReads(t *testing.T) {
	r := newReader(t)
	left, asked, _ := r.request(ib.ReadRequest, 0, func(s *wire.Spec) { s.DMALen = 300 })
	require.Empty(t, left)
	require.Equal(t, []hca.ReadPiece{{Bytes: 256, Address: 0x900000}, {Tag: 1, Bytes: 44, Address: 0x900100}}, asked)
	left, _, _ = r.request(ib.SendOnly, 2, func(*wire.Spec) {})
	require.Empty(t, left, "the ACK waits for the READ before it")
	left, _, _ = r.hear(given(asked[1], 0xB, false))
	require.Empty(t, left)
	left, _, ends := r.hear(given(asked[0], 0xA, false))
	require.Equal(t, [][2]int{{0, 2}}, ends)
	require.Len(t, left, 3)
	require.Equal(t, []ib.Operation{ib.ReadResponseFirst, ib.ReadResponseLast, ib.Ack},
		[]ib.Operation{left[0].op, left[1].op, left[2].op})
	require.Equal(t, []uint32{0, 1, 2}, []uint32{left[0].psn, left[1].psn, left[2].psn})
	require.Len(t, left[1].rest, 44)
	require.EqualValues(t, 0xB, left[1].rest[43])
	part := func(n uint32) func(*wire.Spec) {
		return func(s *wire.Spec) { s.VA, s.DMALen = s.VA+256, n }
	}
	_, asked, _ = r.request(ib.ReadRequest, 1, part(44))
	require.Equal(t, []hca.ReadPiece{{Tag: 2, Bytes: 44, Address: 0x900100}}, asked)
	left, _, _ = r.hear(given(asked[0], 0xC, false))
	require.Equal(t, ib.ReadResponseOnly, left[0].op)
	require.EqualValues(t, 1, left[0].psn)
	left, asked, ends = r.request(ib.ReadRequest, 1, part(45))
	require.Empty(t, left)
	require.Empty(t, asked)
	require.Equal(t, [][2]int{{1, 0}}, ends)
}

// TestHcaRxReadCrosses: a READ is asked for byte behind byte, whatever multiple of a power of two its key puts inside.
func TestHcaRxReadCrosses(t *testing.T) {
	for bit := 9; bit < 65; bit++ {
		r, end := newReader(t), uint64(1)<<bit
		key := hca.MRQuery{Op: hca.MRSet, RKey: 0x100, PD: 7, VA: 0x10000, Length: 4096, Need: 2, Base: end - 0x180}
		r.op(hca.ToKeys, key.Append(nil))
		_, asked, _ := r.request(ib.ReadRequest, 0, func(s *wire.Spec) { s.DMALen = 700 })
		require.Equal(t, []hca.ReadPiece{{Bytes: 128, Address: end - 0x180}, {Tag: 1, Bytes: 256, Address: end - 0x100},
			{Tag: 2, Bytes: 256, Address: end}, {Tag: 3, Bytes: 60, Address: end + 0x100}}, asked, "2^%d", bit)
	}
}

// TestHcaRxFlushSelects: SEL 1 flushes a whole region, and looks at no range; SEL 0 a range, and so does what is none
// where it is not looked at (RSP-16).
func TestHcaRxFlushSelects(t *testing.T) {
	for profile, wants := range map[hca.RespProfile][4]uint8{
		0:                      {0x62, 0x1F, 0x61, 0x61},
		hca.RespFlushUnchecked: {0x62, 0x1F, 0x62, 0x62},
	} {
		for sel, want := range wants {
			r := newReader(t)
			key := hca.MRQuery{Op: hca.MRSet, RKey: 0x100, PD: 7, VA: 0x10000, Length: 4096, Need: 8}
			r.op(hca.ToKeys, key.Append(nil))
			for _, op := range []hca.RespOp{hca.RespReset, hca.RespSet, hca.RespReady} {
				resp := hca.RespQuery{Op: op, QPN: 1, PMTU: 1, MaxReads: 4, FlushEnabled: 1, Profile: profile}
				r.op(hca.ToVerdict, resp.Append(nil))
			}
			left, _, _ := r.request(ib.Flush, 0, func(s *wire.Spec) {
				s.FlushPLT, s.FlushSEL, s.VA, s.DMALen = 1, uint8(sel), s.VA+4090, 8
			})
			require.Len(t, left, 1)
			require.Equal(t, want, left[0].syndrome, "SEL %d, profile %02Xh", sel, profile)
		}
	}
}

// TestHcaRxAtomics: a FETCH & ADD is done once; its duplicate returns what it returned and asks memory nothing (RSP-8).
func TestHcaRxAtomics(t *testing.T) {
	r := newReader(t)
	add := func(s *wire.Spec) { s.SwapAdd = 5 }
	left, _, _ := r.request(ib.FetchAdd, 0, add)
	require.Empty(t, left)
	left, _, _ = r.request(ib.FetchAdd, 0, add)
	require.Empty(t, left, "the duplicate waits for the result")
	data, ack := hca.AtomicAnswer{Data: 0x1122}, hca.AtomicAnswer{}
	left, _, _ = r.hear(sim.Record{Port: 11, Data: data.AppendRead(nil)})
	require.Empty(t, left, "memory has not written")
	left, _, ends := r.hear(sim.Record{Port: 13, Data: ack.AppendWritten(nil)})
	require.Equal(t, [][2]int{{0, 1}, {0, 1}}, ends)
	original := answered{op: ib.AtomicAck, syndrome: left[0].syndrome, rest: []byte{0, 0, 0, 0, 0, 0, 0x11, 0x22}}
	require.Equal(t, []answered{original, original}, left)
}

// TestHcaRxMemoryFailsARead: the responses before the piece that failed leave, then a NAK 63h with the PSN of the first
// that did not (DMA-7); what was executed behind it is not answered, nor anything that comes (RSP-15).
func TestHcaRxMemoryFailsARead(t *testing.T) {
	r := newReader(t)
	_, asked, _ := r.request(ib.ReadRequest, 0, func(s *wire.Spec) { s.DMALen = 600 })
	require.Len(t, asked, 3)
	left, _, _ := r.request(ib.SendOnly, 3, func(*wire.Spec) {})
	require.Empty(t, left)
	left, _, _ = r.hear(given(asked[0], 1, false))
	require.Len(t, left, 1)
	left, _, ends := r.hear(given(asked[1], 2, true))
	require.Equal(t, [][2]int{{3, 1}}, ends)
	require.Len(t, left, 1, "the ACK of the SEND does not leave")
	require.Equal(t, []uint32{1, 0x63}, []uint32{left[0].psn, uint32(left[0].syndrome)})
	left, _, _ = r.request(ib.ReadRequest, 4, func(s *wire.Spec) { s.DMALen = 1 })
	require.Empty(t, left)
}
