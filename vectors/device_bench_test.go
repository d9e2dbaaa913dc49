package vectors

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// BenchmarkDevice plays the scenario of a device to its stage, made before: frames in and out in a second, with the
// records between them that are no frames. best/s takes every part from the round in which it took least.
func BenchmarkDevice(b *testing.B) {
	for _, c := range []scenarioAndDUT{{"hca-rx", "hca_rx"}, {"hca-top", "hca_top"}} {
		b.Run(c.dut, func(b *testing.B) {
			s, err := scenario.Lookup(c.scenario)
			require.NoError(b, err)
			spec := stageNamed(b, c.dut)
			source, err := NewGenerated(s, spec, 1, 10*partRecords)
			require.NoError(b, err)
			var in []sim.Record
			var o sim.Offer
			for err = source.Next(&o); err == nil; err = source.Next(&o) {
				o.Data = append([]byte(nil), o.Data...)
				in = append(in, o.Accepted(o.NotBefore, o.NotBefore))
			}
			require.ErrorIs(b, err, io.EOF)
			b.ReportAllocs()
			frames, best := 0, make([]time.Duration, len(in)/partRecords)
			for b.Loop() {
				frames = playDevice(&spec, in, best)
			}
			least := time.Duration(0)
			for _, took := range best {
				least += took
			}
			b.ReportMetric(float64(frames)/least.Seconds(), "best/s")
			b.ReportMetric(float64(len(in))/float64(frames), "records/frame")
		})
	}
}

// playDevice plays all records to a stage, each when those before it are through, and returns how many were frames.
func playDevice(spec *sim.StageSpec, in []sim.Record, best []time.Duration) (frames int) {
	isFrame := func(r *sim.Record) bool {
		name := spec.Ports[r.Port].Name
		return name == "s_axis" || name == "m_axis"
	}
	stage := spec.New(nil)
	var out []sim.Record
	began := time.Now()
	for i := range in {
		out = stage.Advance(in[i].End, in[i:i+1], out[:0])
		if isFrame(&in[i]) {
			frames++
		}
		for k := range out {
			if isFrame(&out[k]) {
				frames++
			}
		}
		if (i+1)%partRecords == 0 {
			now := time.Now()
			if part := &best[i/partRecords]; *part == 0 || now.Sub(began) < *part {
				*part = now.Sub(began)
			}
			began = now
		}
	}
	return frames
}
