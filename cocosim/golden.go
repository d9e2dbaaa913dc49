package cocosim

import (
	"context"
	"slices"

	"hcacosim/model/sim"
)

// golden is a stage of the model as a device: model against model, and a quick look without a C++ compiler.
type golden struct {
	spec      sim.StageSpec
	stage     sim.Stage
	beatBytes int
	inputs    []sim.Port
	waiting   [][]sim.Offer // by port: inputs that are not taken yet
	now       []uint64      // by port: the first cycle in which it is free
	cycle     uint64        // the stage has run to here
	late      []sim.Record  // what is to come out, by cycle
	in, out   []sim.Record
}

// NewGolden makes a device of a stage. Its inputs take a beat of beatBytes, or a whole record of fields, a cycle and
// are never stalled.
func NewGolden(spec sim.StageSpec, settings sim.Settings, beatBytes int) Device {
	g := &golden{spec: spec, stage: spec.New(settings), beatBytes: beatBytes}
	for i, p := range spec.Ports {
		if p.Input {
			g.inputs = append(g.inputs, sim.Port(i))
		}
	}
	return g
}

func (g *golden) Ports() []sim.PortSpec { return g.spec.Ports }

func (g *golden) BuildID() string { return "golden model" }

func (g *golden) Reset(context.Context, Config) error {
	g.stage.Reset()
	g.waiting, g.now = make([][]sim.Offer, len(g.spec.Ports)), make([]uint64, len(g.spec.Ports))
	g.cycle, g.late = 0, nil
	return nil
}

func (g *golden) Advance(_ context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	for _, r := range in {
		if len(g.inputs) > 1 { // it may outlive the batch
			r.Data = slices.Clone(r.Data)
		}
		g.waiting[r.Port] = append(g.waiting[r.Port], r)
	}
	for {
		r, ok := g.next(to)
		if !ok {
			break
		}
		g.flush(r.End, out)
		g.in = append(g.in[:0], r)
		g.run(r.End, g.in)
		g.keep(sim.Record{Start: r.Start, End: r.End, Seq: r.Seq, Port: r.Port})
	}
	if to == WhileFed {
		to = g.now[g.inputs[0]]
		for _, p := range g.inputs {
			to = min(to, g.now[p])
		}
		g.flush(to, out)
		return nil
	}
	g.run(to, nil)
	for _, p := range g.inputs {
		g.now[p] = max(g.now[p], to)
	}
	g.flush(to+1, out)
	return nil
}

// next takes the input that ends first, with its cycles; while the device is only to run as long as it is fed, every
// port must have one.
func (g *golden) next(to uint64) (first sim.Record, ok bool) {
	for _, p := range g.inputs {
		if len(g.waiting[p]) == 0 {
			if to == WhileFed {
				return first, false
			}
			continue
		}
		o := &g.waiting[p][0]
		beats := 1
		if g.spec.Ports[p].Kind == sim.Axis {
			beats = max(1, (len(o.Data)+g.beatBytes-1)/g.beatBytes)
		}
		start := max(o.NotBefore, g.now[p])
		if end := start + uint64(beats) - 1; end <= to && (!ok || end < first.End) {
			first, ok = o.Accepted(start, end), true
		}
	}
	if ok {
		g.waiting[first.Port] = g.waiting[first.Port][1:]
		g.now[first.Port] = first.End + 1
	}
	return first, ok
}

// run runs the stage to a cycle and keeps what it gives.
func (g *golden) run(to uint64, in []sim.Record) {
	g.cycle = max(g.cycle, to)
	g.out = g.stage.Advance(g.cycle, in, g.out[:0])
	for _, o := range g.out {
		o.Data = slices.Clone(o.Data)
		g.keep(o)
	}
}

// keep files a record among those that are to come out.
func (g *golden) keep(r sim.Record) {
	at := len(g.late)
	for at > 0 && (g.late[at-1].End > r.End || g.late[at-1].End == r.End && g.late[at-1].Port > r.Port) {
		at--
	}
	g.late = slices.Insert(g.late, at, r)
}

// flush gives out what is due before a cycle.
func (g *golden) flush(before uint64, out *sim.Batch) {
	n := 0
	for n < len(g.late) && g.late[n].End < before {
		out.Append(g.late[n])
		n++
	}
	g.late = slices.Delete(g.late, 0, n)
}

func (g *golden) Close() error { return nil }
