package cover

import (
	"fmt"
	"maps"
	"slices"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// stallLengths are the cycles for which an output was held back in one go.
var stallLengths = Axis{"0", "1", "2 to 3", "4 to 7", "8 to 15", "16 to 31", "32 to 63", "64 to 127", "more"}

func stallOf(cycles uint64) int {
	for i := range len(stallLengths) - 1 {
		if cycles < 1<<i {
			return i
		}
	}
	return len(stallLengths) - 1
}

// conditions are what a run does to a device beside its records: outputs held back, values of configuration inputs.
type conditions struct {
	stalls  *Group
	outputs map[sim.Port]int                       // their places in stalls
	holds   func(port sim.Port, cycle uint64) bool // nil: nothing is held back
}

// declareConditions has, of each output, for how long it was held back right before a record of it left; and the values
// of configuration inputs that a regression runs.
func (o *Observer) declareConditions(settings sim.Settings) {
	var names Axis
	o.outputs = map[sim.Port]int{}
	for i, p := range o.spec.Ports {
		if !p.Input {
			o.outputs[sim.Port(i)] = len(names)
			names = append(names, p.Name)
		}
	}
	o.stalls = o.cross("cycles for which an output was held back before a record", nil, names, stallLengths)
	values := map[string][]uint64{}
	for _, c := range scenario.Configurations(o.spec.Name) {
		for pin, v := range c {
			if !slices.Contains(values[pin], v) {
				values[pin] = append(values[pin], v)
			}
		}
	}
	for _, pin := range slices.Sorted(maps.Keys(values)) {
		o.declareConfiguration(pin, values[pin], settings)
	}
}

// declareConfiguration has the values of an input, and counts that of these settings.
func (o *Observer) declareConfiguration(pin string, values []uint64, settings sim.Settings) {
	slices.Sort(values)
	var names Axis
	for _, v := range values {
		names = append(names, fmt.Sprint(v))
	}
	g := o.cross("configuration: "+pin, nil, append(names, "another"))
	v, ok := settings[pin]
	if !ok {
		return
	}
	at := slices.Index(values, v)
	if at < 0 {
		at = len(values)
	}
	o.began = append(o.began, func() { o.hit(g, at) })
}

// Begin says which run the next hits are of, and counts what it is configured to.
func (o *Observer) Begin(run string) {
	o.Sheet.Begin(run)
	o.record, o.from = 0, 0
	for _, f := range o.began {
		f()
	}
}

// Held says which outputs are held back in which cycles of the run, and which can be: the others have no ready.
func (o *Observer) Held(holds func(port sim.Port, cycle uint64) bool, can func(port sim.Port) bool) {
	o.holds = holds
	for port, at := range o.outputs {
		if !can(port) {
			o.neverHeld(at, "the port has no ready")
		}
	}
}

func (o *Observer) neverHeld(at int, why string) {
	n := len(stallLengths)
	for i := range n - 1 {
		o.stalls.Bins[at*n+i+1].Ignored = why
	}
}

// countStall counts for how long the port of an output was held back before its record left.
func (o *Observer) countStall(r *sim.Record) {
	at, ok := o.outputs[r.Port]
	if !ok {
		return
	}
	cycles := uint64(0)
	for o.holds != nil && cycles < 128 && cycles < r.Start && o.holds(r.Port, r.Start-cycles-1) {
		cycles++
	}
	o.record, o.from = r.Cause, o.inputs[min(int(r.From), len(o.inputs)-1)]
	o.hit(o.stalls, at, stallOf(cycles))
}
