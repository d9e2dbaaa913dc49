package swift

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/rue"
)

// FAL-C7: an event takes no memory.
func TestProcessAllocatesNothing(t *testing.T) {
	g, s := engine(t, mode.Peer, func(c *Config) { c.RandomizePath = true }), State{}
	e := ack(4, 440, 800)
	require.Zero(t, testing.AllocsPerRun(100, func() { g.Process(101000, &e, &s) }))
}

func BenchmarkProcess(b *testing.B) {
	g, s := engine(b, mode.Peer, func(c *Config) { c.RandomizePath = true }), State{}
	e := ack(4, 440, 800)
	now := uint32(101000)
	b.ReportAllocs()
	for b.Loop() {
		r := g.Process(now, &e, &s)
		e.Fcwnd, e.Ncwnd, e.FcwndMarker, e.NcwndMarker = r.Fcwnd, r.Ncwnd, r.FcwndMarker, r.NcwndMarker
		now = (now + 700) & MaxTime
	}
}

// BenchmarkQueueToQueue is an event from the bytes of its queue to the bytes of its result.
func BenchmarkQueueToQueue(b *testing.B) {
	g, s := engine(b, mode.Peer, nil), State{}
	e := ack(4, 440, 800)
	var in, out [rue.FormatBytes]byte
	e.Pack(&in)
	b.ReportAllocs()
	for b.Loop() {
		e.Unpack(&in)
		r := g.Process(101000, &e, &s)
		r.Pack(&out, &mode.Peer)
	}
}
