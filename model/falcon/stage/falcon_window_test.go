package stage

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/sim"
)

// windowBench puts records through a stage, one by one.
type windowBench struct {
	t     testing.TB
	stage sim.Stage
}

func newWindowBench(t testing.TB) *windowBench {
	spec, ok := Lookup("falcon_window")
	require.True(t, ok)
	require.Equal(t, []sim.PortSpec{{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 446},
		{Name: "m_rec", Kind: sim.Fields, Bits: 530}}, spec.Ports)
	return &windowBench{t, spec.New(sim.Settings{"NumConns": 64})}
}

func (b *windowBench) put(q WindowQuery) WindowResult {
	data := q.Append(nil)
	require.Equal(b.t, q, ParseWindowQuery(data))
	out := b.stage.Advance(0, []sim.Record{{Data: data}}, nil)
	require.Len(b.t, out, 1)
	require.Equal(b.t, uint64(FalconWindowLatencyCycles), out[0].Start)
	r := ParseWindowResult(out[0].Data)
	require.Equal(b.t, out[0].Data, r.Append(nil))
	return r
}

// open opens both halves of connection 5 with the full windows.
func (b *windowBench) open(request, data falcon.PSN, threshold uint8, profile WindowProfile) {
	for half := range uint8(2) {
		require.Equal(b.t, WindowGood, b.put(WindowQuery{Op: WindowSet, Conn: 5, Select: half, A: request, B: data,
			RequestSize: 64,
			DataSize:    128, Threshold: threshold, Profile: profile}).Why)
	}
}

func bits(places ...uint32) (b falcon.Bitmap) {
	for _, p := range places {
		b.Set(p)
	}
	return b
}

// The fields lie where docs/blocks/falcon_window.md says.
func TestFalconWindowLayout(t *testing.T) {
	bit := func(b []byte, n int) bool { return b[n/8]>>(n%8)&1 != 0 }
	ones := func(b []byte) (at []int) {
		for n := range 8 * len(b) {
			if bit(b, n) {
				at = append(at, n)
			}
		}
		return at
	}
	for _, c := range []struct {
		q  WindowQuery
		at []int
	}{
		{WindowQuery{Conn: 1 << 23}, []int{23}}, {WindowQuery{Op: 4}, []int{26}}, {WindowQuery{Select: 1}, []int{27}},
		{WindowQuery{Deferred: true}, []int{28}}, {WindowQuery{Resync: true}, []int{29}}, {WindowQuery{Refuse: true},
			[]int{30}},
		{WindowQuery{RequestOWN: true}, []int{31}}, {WindowQuery{DataOWN: true}, []int{32}}, {WindowQuery{A: 1<<31 | 1},
			[]int{33, 64}},
		{WindowQuery{B: 1<<31 | 1}, []int{65, 96}}, {WindowQuery{Request: 1<<63 | 1}, []int{97, 160}},
		{WindowQuery{DataAck: bits(0, 127)}, []int{161, 288}}, {WindowQuery{DataRx: bits(0, 127)}, []int{289, 416}},
		{WindowQuery{RequestSize: 65}, []int{417, 423}}, {WindowQuery{DataSize: 129}, []int{424, 431}},
		{WindowQuery{Threshold: 129}, []int{432, 439}}, {WindowQuery{Profile: 33}, []int{440, 445}},
	} {
		require.Equal(t, c.at, ones(c.q.Append(nil)), "%+v", c.q)
	}
	for _, c := range []struct {
		r  WindowResult
		at []int
	}{
		{WindowResult{Conn: 1 << 23, Op: 4, Why: 8}, []int{23, 26, 30}}, {WindowResult{EACK: true}, []int{31}},
		{WindowResult{PSN: 1<<31 | 1}, []int{32, 63}}, {WindowResult{RequestBase: 1<<31 | 1}, []int{64, 95}},
		{WindowResult{DataBase: 1<<31 | 1}, []int{96, 127}}, {WindowResult{RequestMoved: 65}, []int{128, 134}},
		{WindowResult{DataMoved: 129}, []int{135, 142}}, {WindowResult{Idle: true, RequestOWN: true, DataOWN: true},
			[]int{143, 144, 145}},
		{WindowResult{RequestBits: 1<<63 | 1}, []int{146, 209}}, {WindowResult{DataBits: bits(0, 127)}, []int{210, 337}},
		{WindowResult{MoreData: bits(0, 127)}, []int{338, 465}}, {WindowResult{MoreRequest: 1<<63 | 1}, []int{466, 529}},
	} {
		require.Equal(t, c.at, ones(c.r.Append(nil)), "%+v", c.r)
	}
}

// A receiver's windows at the wrap, worked out by hand. FAL-D1, FAL-D2, FAL-D3, FAL-D4, FAL-D5, FAL-D7.
func TestFalconWindowReceiver(t *testing.T) {
	b := newWindowBench(t)
	packet := WindowQuery{Op: WindowPacket, Conn: 5, Select: 1, Deferred: true}
	require.Equal(t, WindowResult{Conn: 5, Op: WindowPacket, Why: WindowNoConn}, b.put(packet))
	base := falcon.PSN(0xFFFFFFFE)
	b.open(base, base, 3, 0)
	at := func(p falcon.PSN) WindowResult { packet.A = p; return b.put(packet) }
	same := WindowResult{Conn: 5, PSN: 0, RequestBase: base, DataBase: base}
	require.Equal(t, same, at(0))
	again := same
	again.Why = WindowAgain
	require.Equal(t, again, at(0))
	old := same
	old.Why, old.PSN = WindowOld, base-1
	require.Equal(t, old, at(base-1))
	beyond := same
	beyond.Why, beyond.PSN = WindowBeyond, base+128
	require.Equal(t, beyond, at(base+128))
	take := WindowResult{Conn: 5, Op: WindowTake, EACK: true, RequestBase: base, DataBase: base, DataOWN: true,
		MoreData: bits(2)}
	require.Equal(t, take, b.put(WindowQuery{Op: WindowTake, Conn: 5}))
	take.DataOWN = false
	require.Equal(t, take, b.put(WindowQuery{Op: WindowTake, Conn: 5}), "a hole, and no OWN any more")
	packet.Deferred = false
	require.Equal(t, WindowGood, at(base+1).Why)
	moved := WindowResult{Conn: 5, PSN: base, RequestBase: base, DataBase: 0, DataMoved: 2}
	require.Equal(t, moved, at(base))
	require.Equal(t, WindowResult{Conn: 5, Op: WindowTake, RequestBase: base}, b.put(WindowQuery{Op: WindowTake, Conn: 5}),
		"no hole")
	ack := WindowQuery{Op: WindowAcknowledge, Conn: 5, Select: 1, A: 1}
	require.Equal(t, WindowNotWaited, b.put(ack).Why)
	ack.A = 0
	require.Equal(t, WindowResult{Conn: 5, Op: WindowAcknowledge, PSN: 0, RequestBase: base, DataBase: 1, DataMoved: 1,
		Idle: true}, b.put(ack))
	packet.Refuse = true
	require.Equal(t, WindowRefused, at(1).Why)
	require.Equal(t, WindowOld, at(0).Why)
}

// A transmitter's windows at the wrap, worked out by hand. FAL-D10, FAL-D15, FAL-D16, FAL-D17.
func TestFalconWindowTransmitter(t *testing.T) {
	b := newWindowBench(t)
	base := falcon.PSN(0xFFFFFFFC)
	b.open(7, base, 3, 0)
	for i := range falcon.PSN(6) {
		require.Equal(t, WindowResult{Conn: 5, Op: WindowSend, PSN: base + i, RequestBase: 7, DataBase: base},
			b.put(WindowQuery{Op: WindowSend, Conn: 5, Select: 1}))
	}
	eack := WindowQuery{Op: WindowEACK, Conn: 5, A: 7, B: base, DataRx: bits(4), DataAck: bits(4)}
	require.Equal(t, WindowResult{Conn: 5, Op: WindowEACK, RequestBase: 7, DataBase: base, DataBits: bits(0),
		MoreData: bits(4)}, b.put(eack))
	eack.DataOWN = true
	require.Equal(t, WindowResult{Conn: 5, Op: WindowEACK, RequestBase: 7, DataBase: base, DataBits: bits(0, 1, 2, 3, 5)},
		b.put(eack))
	eack.B, eack.DataRx, eack.DataAck, eack.DataOWN = base+2, bits(2), bits(2), false
	require.Equal(t, WindowResult{Conn: 5, Op: WindowEACK, RequestBase: 7, DataBase: base + 2, DataMoved: 2,
		MoreData: bits(0, 1)}, b.put(eack))
	require.Equal(t, WindowStale, b.put(WindowQuery{Op: WindowBACK, Conn: 5, A: 7, B: base}).Why)
	require.Equal(t, WindowStale, b.put(WindowQuery{Op: WindowBACK, Conn: 5, A: 6, B: base + 7}).Why)
	require.Equal(t, WindowGhost, b.put(WindowQuery{Op: WindowBACK, Conn: 5, A: 7, B: base + 7}).Why)
	require.Equal(t, WindowResult{Conn: 5, Op: WindowBACK, RequestBase: 7, DataBase: base + 6, DataMoved: 4, Idle: true,
		MoreData: bits(0, 1, 3)},
		b.put(WindowQuery{Op: WindowBACK, Conn: 5, A: 7, B: base + 6}))
	for range 64 {
		require.Equal(t, WindowGood, b.put(WindowQuery{Op: WindowSend, Conn: 5}).Why)
	}
	require.Equal(t, WindowResult{Conn: 5, Op: WindowSend, Why: WindowFull, RequestBase: 7, DataBase: base + 6},
		b.put(WindowQuery{Op: WindowSend, Conn: 5}))
}

// What cannot be done is said to be so. FAL-D1.
func TestFalconWindowIllegal(t *testing.T) {
	b := newWindowBench(t)
	set := WindowQuery{Op: WindowSet, Conn: 64, RequestSize: 64, DataSize: 128}
	require.Equal(t, WindowNoConn, b.put(set).Why)
	set.Conn, set.A = 5, 9
	for _, sizes := range [][2]uint8{{0, 128}, {65, 128}, {64, 0}, {64, 129}} {
		set.RequestSize, set.DataSize = sizes[0], sizes[1]
		require.Equal(t, WindowResult{Conn: 5, Op: WindowSet, Why: WindowIllegal, Idle: true}, b.put(set))
	}
	set.RequestSize, set.DataSize = 4, 8
	require.Equal(t, WindowResult{Conn: 5, Op: WindowSet, RequestBase: 9, Idle: true}, b.put(set))
	set.A, set.RequestSize = 11, 0
	require.Equal(t, WindowResult{Conn: 5, Op: WindowSet, Why: WindowIsOpen, RequestBase: 9, Idle: true}, b.put(set))
	require.Equal(t, WindowNoConn, b.put(WindowQuery{Op: WindowSend, Conn: 5}).Why)
	require.Equal(t, WindowBeyond, b.put(WindowQuery{Op: WindowPacket, Conn: 5, A: 13}).Why)
	require.Equal(t, WindowResult{Conn: 5, Op: WindowReset, Idle: true}, b.put(WindowQuery{Op: WindowReset, Conn: 5}))
	require.Equal(t, WindowNoConn, b.put(WindowQuery{Op: WindowTake, Conn: 5}).Why)
}

// A second implementation, of sets of PSNs instead of bitmaps, says the same of random records in every profile.
// FAL-D2, FAL-D3, FAL-D15, FAL-D16, FAL-D17.
func TestFalconWindowAgainstSets(t *testing.T) {
	for seed := range uint64(64) {
		rnd := rand.New(rand.NewPCG(seed, 14))
		b := newWindowBench(t)
		s := setsModel{}
		for i := range 3000 {
			q := s.random(rnd)
			want := s.answer(q)
			require.Equal(t, want, b.put(q), "seed %d, record %d: %+v", seed, i, q)
		}
	}
}

func BenchmarkFalconWindow(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 14))
	s := setsModel{}
	in := make([]sim.Record, 256)
	for i := range in {
		q := s.random(rnd)
		s.answer(q)
		in[i] = sim.Record{Data: q.Append(nil)}
	}
	stage := falconWindowSpec.New(nil)
	out := stage.Advance(0, in, nil)
	b.ReportAllocs()
	for b.Loop() {
		out = stage.Advance(0, in, out[:0])
	}
	b.ReportMetric(float64(len(in)*b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}
