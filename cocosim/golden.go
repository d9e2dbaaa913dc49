package cocosim

import (
	"context"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// golden is a stage of the model as a device: model against model, and a quick look without a C++ compiler.
type golden struct {
	spec      hca.StageSpec
	stage     hca.Stage
	beatBytes int
	now       uint64 // first cycle in which the input port is free
	late      []sim.Record
	in        []sim.Record
	out       []sim.Record
}

// NewGolden makes a device of a stage. Its input takes a beat of beatBytes, or a whole record of fields, a cycle and is never
// stalled.
func NewGolden(spec hca.StageSpec, settings hca.Settings, beatBytes int) Device {
	return &golden{spec: spec, stage: spec.New(settings), beatBytes: beatBytes}
}

func (g *golden) Ports() []hca.PortSpec { return g.spec.Ports }

func (g *golden) BuildID() string { return "golden model" }

func (g *golden) Reset(context.Context, Config) error {
	g.stage.Reset()
	g.now = 0
	g.late = g.late[:0]
	return nil
}

func (g *golden) Advance(_ context.Context, to uint64, in []sim.Record, out *sim.Batch) error {
	for i := range in {
		r := in[i]
		beats := 1
		if g.spec.Ports[r.Port].Kind == hca.Axis {
			beats = max(1, (len(r.Data)+g.beatBytes-1)/g.beatBytes)
		}
		r.Start = max(r.Start, g.now)
		r.End = r.Start + uint64(beats) - 1
		g.now = r.End + 1
		g.flush(r.End, out)
		out.Records = append(out.Records, sim.Record{Start: r.Start, End: r.End, Seq: r.Seq, Port: r.Port})
		g.in = append(g.in[:0], r)
		g.out = g.stage.Advance(r.End, g.in, g.out[:0])
		for j := range g.out {
			o := g.out[j]
			o.Data = append([]byte(nil), o.Data...)
			g.late = append(g.late, o)
		}
	}
	if to == WhileFed {
		to = g.now
	}
	g.now = max(g.now, to)
	g.flush(to, out)
	return nil
}

// flush gives out what is due before or at cycle to.
func (g *golden) flush(to uint64, out *sim.Batch) {
	n := 0
	for n < len(g.late) && g.late[n].End <= to {
		out.Append(g.late[n])
		n++
	}
	g.late = append(g.late[:0], g.late[n:]...)
}

func (g *golden) Close() error { return nil }
