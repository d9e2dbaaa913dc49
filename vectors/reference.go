package vectors

import (
	"slices"

	"hcacosim/model/sim"
)

// referenceBeatBytes is the data path that the cycles of expected records assume: the default of the blocks.
const referenceBeatBytes = 64

// reference runs a model stage on one packet after the other, at one beat a cycle, back to back.
type reference struct {
	ports []sim.PortSpec
	stage sim.Stage
	judge sim.Checker // tells how long the stage may owe something; nil where the stage says it all at once
	now   []uint64    // by input port: the first cycle in which it is free
	in    [1]sim.Record
	out   []sim.Record
}

func newReference(spec sim.StageSpec, settings sim.Settings) *reference {
	r := &reference{ports: spec.Ports, stage: spec.New(settings), now: make([]uint64, len(spec.Ports))}
	r.stage.Reset()
	if spec.Checker != nil {
		r.judge = spec.Checker(settings)
	}
	return r
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
	*r = o.Accepted(start, start+uint64(beats)-1)
	*now = r.End + 1
	if f.judge != nil {
		f.judge.Input(r)
	}
	f.out = f.stage.Advance(r.End, f.in[:], f.out[:0])
	return f.out
}

// finish lets the stage say what it still owes.
func (f *reference) finish() []sim.Record {
	to := slices.Max(f.now)
	if f.judge != nil {
		to = max(to, f.judge.Latest())
	} else {
		const drainCycles = 1 << 40 // longer than any latency
		to += drainCycles
	}
	f.out = f.stage.Advance(to, nil, f.out[:0])
	return f.out
}
