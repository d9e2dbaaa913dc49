package vectors

import (
	"io"
	"slices"

	"hcacosim/model/sim"
)

// referenceBeatBytes is the data path that the cycles of expected records assume: the default of the blocks.
const referenceBeatBytes = 64

// reference runs a model stage on one packet after the other, at one beat a cycle, back to back.
type reference struct {
	ports []sim.PortSpec
	stage sim.Stage
	now   []uint64 // by input port: the first cycle in which it is free
	in    [1]sim.Record
	out   []sim.Record
}

func newReference(spec sim.StageSpec, settings sim.Settings, flavour Flavour) *reference {
	r := &reference{ports: spec.Ports, stage: spec.New(settings), now: make([]uint64, len(spec.Ports))}
	if flavour == Lenient {
		r.stage = spec.Lenient(settings)
	}
	r.stage.Reset()
	return r
}

// Predict makes everything that source gives and what the stage makes of it, and keeps none: each is called with every
// record and what the stage said until its last beat was in, the last time with nil and what was still owed. Both are
// valid until it returns.
func Predict(source Source, stage sim.StageSpec, settings sim.Settings, each func(in *sim.Offer,
	out []sim.Record)) error {
	model := newReference(stage, settings, Strict)
	var o sim.Offer
	for {
		err := source.Next(&o)
		if err == io.EOF {
			each(nil, model.finish())
			return nil
		}
		if err != nil {
			return err
		}
		each(&o, model.feed(&o))
	}
}

// feed gives the stage an input and returns what it says until its last beat is in. Both share Data; the result is
// valid until the next call.
func (f *reference) feed(o *sim.Offer) []sim.Record {
	beats, now := 1, &f.now[o.Port]
	if f.ports[o.Port].Kind == sim.Axis {
		beats = max(1, (len(o.Data)+referenceBeatBytes-1)/referenceBeatBytes)
	}
	start := max(o.NotBefore, *now)
	r := &f.in[0]
	r.Start, r.End = start, start+uint64(beats)-1
	r.Seq, r.Key, r.User, r.Port, r.Data = o.Seq, o.Key, o.User, o.Port, o.Data
	*now = r.End + 1
	f.out = f.stage.Advance(r.End, f.in[:], f.out[:0])
	return f.out
}

// drainCycles is longer than any latency, and than any timer of the slowest clock; stages pass over idle time at once.
const drainCycles = 1 << 60

// finish lets the stage say what it still owes.
func (f *reference) finish() []sim.Record {
	f.out = f.stage.Advance(slices.Max(f.now)+drainCycles, nil, f.out[:0])
	return f.out
}
