package rue

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
)

// ones is the number whose bits first to last are set: the layout tables below are the facts', field by field.
func ones(first, last int) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(last-first+1))
	n.Sub(n, big.NewInt(1))
	return n.Lsh(n, uint(first))
}

// number reads a format as one number whose bit 0 is the lowest of byte 0.
func number(b [FormatBytes]byte) *big.Int {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return new(big.Int).SetBytes(b[:])
}

const all = 1<<32 - 1

// FAL-C1: every field lies in its bits, is cut to them, and comes back.
func TestEventLayout(t *testing.T) {
	for _, x := range []struct {
		name        string
		first, last int
		set         func(*Event)
	}{
		{"cid", 0, 23, func(e *Event) { e.CID = all }},
		{"type", 24, 25, func(e *Event) { e.Type = 255 }},
		{"t1", 26, 49, func(e *Event) { e.T1 = all }},
		{"t2", 50, 73, func(e *Event) { e.T2 = all }},
		{"t3", 74, 97, func(e *Event) { e.T3 = all }},
		{"t4", 98, 121, func(e *Event) { e.T4 = all }},
		{"retx count", 122, 124, func(e *Event) { e.RetxCount = 255 }},
		{"retx reason", 125, 125, func(e *Event) { e.EarlyRetx = true }},
		{"nack code", 126, 133, func(e *Event) { e.NackCode = 255 }},
		{"hops", 134, 137, func(e *Event) { e.Hops = 255 }},
		{"rx buffer", 138, 142, func(e *Event) { e.RxBuffer = 255 }},
		{"cc metadata", 143, 166, func(e *Event) { e.CCMetadata = all }},
		{"fcwnd", 167, 187, func(e *Event) { e.Fcwnd = all }},
		{"ipg", 188, 207, func(e *Event) { e.IPG = all }},
		{"ncwnd", 208, 218, func(e *Event) { e.Ncwnd = 1<<16 - 1 }},
		{"rto", 219, 242, func(e *Event) { e.RTO = all }},
		{"num acked", 243, 252, func(e *Event) { e.NumAcked = 1<<16 - 1 }},
		{"eack drop", 253, 253, func(e *Event) { e.EACKDrop = true }},
		{"eack", 254, 254, func(e *Event) { e.EACK = true }},
		{"event queue", 263, 264, func(e *Event) { e.EventQueue = 255 }},
		{"delay select", 265, 266, func(e *Event) { e.DelaySelect = 255 }},
		{"fcwnd marker", 267, 290, func(e *Event) { e.FcwndMarker = all }},
		{"ncwnd marker", 291, 314, func(e *Event) { e.NcwndMarker = all }},
		{"direction", 315, 315, func(e *Event) { e.NcwndDirection = 255 }},
		{"base delay", 316, 339, func(e *Event) { e.BaseDelay = all }},
		{"delay state", 340, 363, func(e *Event) { e.DelayState = all }},
		{"rtt state", 364, 387, func(e *Event) { e.RTTState = all }},
		{"cc opaque", 388, 389, func(e *Event) { e.CCOpaque = 255 }},
		{"ecn", 390, 403, func(e *Event) { e.ECNCount = 1<<16 - 1 }},
		{"generation", 511, 511, func(e *Event) { e.Generation = true }},
	} {
		var e, back Event
		var b, again [FormatBytes]byte
		x.set(&e)
		e.Pack(&b)
		require.Equal(t, ones(x.first, x.last).Text(16), number(b).Text(16), x.name)
		back.Unpack(&b)
		require.NotEqual(t, Event{}, back, x.name)
		back.Pack(&again)
		require.Equal(t, b, again, x.name)
		for i := range b {
			b[i] = ^b[i]
		}
		back.Unpack(&b)
		back.Pack(&again)
		require.Zero(t, new(big.Int).And(number(again), ones(x.first, x.last)).Sign(), x.name)
	}
}

// resultFields is the layout of a result with both selectors.
var resultFields = []struct {
	name        string
	first, last int
	set         func(*Result)
}{
	{"cid", 0, 23, func(r *Result) { r.CID = all }},
	{"randomize path", 24, 24, func(r *Result) { r.RandomizePath = true }},
	{"cc metadata", 25, 48, func(r *Result) { r.CCMetadata = all }},
	{"fcwnd", 49, 69, func(r *Result) { r.Fcwnd = all }},
	{"ipg", 70, 89, func(r *Result) { r.IPG = all }},
	{"ncwnd", 90, 100, func(r *Result) { r.Ncwnd = 1<<16 - 1 }},
	{"rto", 101, 124, func(r *Result) { r.RTO = all }},
	{"event queue", 125, 126, func(r *Result) { r.EventQueue = 255 }},
	{"delay select", 127, 128, func(r *Result) { r.DelaySelect = 255 }},
	{"fcwnd marker", 129, 152, func(r *Result) { r.FcwndMarker = all }},
	{"ncwnd marker", 153, 176, func(r *Result) { r.NcwndMarker = all }},
	{"direction", 177, 177, func(r *Result) { r.NcwndDirection = 255 }},
	{"base delay", 178, 201, func(r *Result) { r.BaseDelay = all }},
	{"delay state", 202, 225, func(r *Result) { r.DelayState = all }},
	{"rtt state", 226, 249, func(r *Result) { r.RTTState = all }},
	{"cc opaque", 250, 251, func(r *Result) { r.CCOpaque = 255 }},
}

// FAL-C2: every field lies in its bits, is cut to them, and comes back.
func TestResultLayout(t *testing.T) {
	for _, x := range resultFields {
		var r, back Result
		var b, again [FormatBytes]byte
		x.set(&r)
		r.Pack(&b, &mode.Peer)
		require.Equal(t, ones(x.first, x.last).Text(16), number(b).Text(16), x.name)
		back.Unpack(&b, &mode.Peer)
		back.Pack(&again, &mode.Peer)
		require.Equal(t, b, again, x.name)
	}
}

// FAL-C2: as the table lists the fields, what follows the timeout lies 4 bits lower.
func TestModeResultWithoutSelectors(t *testing.T) {
	m := mode.Spec
	m.ResultWithoutSelectors = true
	for _, x := range resultFields {
		var r, back Result
		var b [FormatBytes]byte
		x.set(&r)
		r.Pack(&b, &m)
		first, last := x.first, x.last
		switch {
		case first > 128:
			first, last = first-4, last-4
		case first > 124:
			require.Zero(t, number(b).Sign(), x.name)
			continue
		}
		require.Equal(t, ones(first, last).Text(16), number(b).Text(16), x.name)
		back.Unpack(&b, &m)
		require.NotEqual(t, Result{}, back, x.name)
	}
}

func queue(m *mode.Mode, occupancy int) *Queue {
	return &Queue{Config: QueueConfig{T1: 10, T2: 20, T3: 30, Size: 40, MinTime: 1024, MinAcked: 512}, Mode: m,
		Occupancy: occupancy}
}

// offer asks for an event of a connection whose last one is since ago, with acked packets.
func offer(q *Queue, since uint32, acked int) bool {
	c := Conn{Last: 1<<24 - 500, started: true}
	_, ok := q.Offer(&c, (1<<24-500+since)&mask24, acked)
	return ok
}

// the four cases of both predicates: neither, time, packets, both.
func offers(occupancy int) (took [4]bool) {
	for i := range took {
		took[i] = offer(queue(&mode.Peer, occupancy), 1023+uint32(i&1), 511+i>>1)
	}
	return took
}

// FAL-C4: cases of the peer's own tests: below each threshold one predicate more is asked for.
func TestEventQueueRateLimiterThreshold1(t *testing.T) {
	require.Equal(t, [4]bool{true, true, true, true}, offers(0))
	require.Equal(t, [4]bool{true, true, true, true}, offers(9))
	require.Equal(t, [4]bool{false, true, true, true}, offers(10))
}

// FAL-C4
func TestEventQueueRateLimiterThreshold2(t *testing.T) {
	require.Equal(t, [4]bool{false, true, true, true}, offers(19))
	require.Equal(t, [4]bool{false, true, false, true}, offers(20))
}

// FAL-C4
func TestEventQueueRateLimiterThreshold3(t *testing.T) {
	require.Equal(t, [4]bool{false, true, false, true}, offers(29))
	require.Equal(t, [4]bool{false, false, false, true}, offers(30))
}

// FAL-C4
func TestEventQueueRateLimiterQueueSize(t *testing.T) {
	require.Equal(t, [4]bool{false, false, false, true}, offers(39))
	require.Equal(t, [4]bool{}, offers(40))
}

// FAL-C4: what was acknowledged by events that were left out is in the next one, up to 1023.
func TestAckedAccumulates(t *testing.T) {
	q := queue(&mode.Peer, 40)
	var c Conn
	for range 3 {
		_, ok := q.Offer(&c, 7, 300)
		require.False(t, ok)
	}
	q.Taken()
	n, ok := q.Offer(&c, 7, 30)
	require.True(t, ok)
	require.EqualValues(t, 930, n)
	require.Equal(t, 40, q.Occupancy)
	require.Equal(t, Conn{Last: 7, Outstanding: 1, started: true}, c)
	q.Occupancy = 0
	c.Done()
	n, ok = q.Offer(&c, 7, 5000)
	require.True(t, ok)
	require.EqualValues(t, 1023, n)
}

// FAL-C5
func TestModeOneOutstandingEvent(t *testing.T) {
	for _, m := range []*mode.Mode{&mode.Peer, &mode.Spec} {
		q := queue(m, 0)
		var c Conn
		_, ok := q.Offer(&c, 5, 1)
		require.True(t, ok)
		_, ok = q.Offer(&c, 5000, 2)
		require.Equal(t, !m.OneOutstandingEvent, ok, m.Name)
		if ok {
			continue
		}
		q.Taken()
		_, ok = q.Offer(&c, 5000, 3)
		require.False(t, ok, "its result has not come back")
		c.Done()
		n, ok := q.Offer(&c, 5000, 4)
		require.True(t, ok)
		require.EqualValues(t, 9, n)
	}
}

// FAL-C1, FAL-C2: neither format takes memory.
func TestFormatsAllocateNothing(t *testing.T) {
	var e Event
	var r Result
	var b [FormatBytes]byte
	require.Zero(t, testing.AllocsPerRun(100, func() {
		e.Pack(&b)
		e.Unpack(&b)
		r.Pack(&b, &mode.Spec)
		r.Unpack(&b, &mode.Spec)
	}))
}

// FuzzFormats: any 64 bytes read as an event or a result and written again keep every bit that is a field.
func FuzzFormats(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in, out [FormatBytes]byte
		copy(in[:], raw)
		var e Event
		e.Unpack(&in)
		e.Pack(&out)
		reserved := new(big.Int).Or(ones(255, 262), ones(404, 510))
		require.Zero(t, new(big.Int).AndNot(number(in), reserved).Cmp(number(out)))
		var r Result
		r.Unpack(&in, &mode.Spec)
		r.Pack(&out, &mode.Spec)
		require.Zero(t, new(big.Int).And(number(in), ones(0, 251)).Cmp(number(out)))
	})
}

func BenchmarkEventPack(b *testing.B) {
	var e Event
	var out [FormatBytes]byte
	b.ReportAllocs()
	for b.Loop() {
		e.Pack(&out)
	}
}
