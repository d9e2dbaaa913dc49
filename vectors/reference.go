package vectors

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// referenceBeatBytes is the data path that the cycles of expected records assume: the default of the blocks.
const referenceBeatBytes = 64

// reference runs a model stage on one packet after the other, at one beat a cycle, back to back.
type reference struct {
	stage hca.Stage
	now   uint64 // first cycle in which the input is free
	in    [1]sim.Record
	out   []sim.Record
}

func newReference(spec hca.StageSpec) *reference {
	r := &reference{stage: spec.New()}
	r.stage.Reset()
	return r
}

// feed gives the stage a record and returns what it says until its last beat is in. Both share Data; the result is valid
// until the next call.
func (f *reference) feed(r sim.Record) []sim.Record {
	beats := max(1, (len(r.Data)+referenceBeatBytes-1)/referenceBeatBytes)
	r.Start, r.End = f.now, f.now+uint64(beats)-1
	f.now = r.End + 1
	f.in[0] = r
	f.out = f.stage.Advance(r.End, f.in[:], f.out[:0])
	return f.out
}

// finish lets the stage say what it still owes.
func (f *reference) finish() []sim.Record {
	const drainCycles = 1 << 40 // longer than any timer
	f.out = f.stage.Advance(f.now+drainCycles, nil, f.out[:0])
	return f.out
}
