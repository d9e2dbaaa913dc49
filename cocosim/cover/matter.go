package cover

import (
	"bytes"
	"fmt"

	"hcacosim/model/sim"
)

// Matter adds to the sheet, for every bit of the record inputs, whether it was seen to matter: with the bit forced to
// 0, and then to 1, in all of these records, does the golden model answer any of them otherwise? A bit that never does
// is one that a device may ignore unseen. records are those of a run with the cycles at which they were taken, as Tap
// gives them.
func (o *Observer) Matter(settings sim.Settings, records []sim.Record) {
	fields := fieldsOf(o.Stage)
	want := answers(o.spec, settings, records)
	for i, p := range o.spec.Ports {
		if !p.Input || p.Kind != sim.Fields || fields[p.Name] == nil {
			continue
		}
		var names Axis
		var places []int
		for _, f := range fields[p.Name] {
			for bit := f.Low; bit <= f.High; bit++ {
				names, places = append(names, fmt.Sprintf("%s[%d]", f.Name, bit-f.Low)), append(places, bit)
			}
		}
		g := o.cross("bits of "+p.Name+" that matter", o.ignoreBits(p.Name, names), names,
			Axis{"forced to 0", "forced to 1"})
		for k, bit := range places {
			for v := range 2 {
				if first, differs := o.forced(settings, records, sim.Port(i), bit, v, want); differs {
					o.record = first
					o.hit(g, k, v)
				}
			}
		}
	}
}

// forced is the Seq of the first input after which the answers are others with a bit forced.
func (o *Observer) forced(settings sim.Settings, records []sim.Record, port sim.Port, bit, v int, want []sim.Record) (
	first uint64, differs bool) {
	stuck := make([]sim.Record, len(records))
	for i, r := range records {
		if r.Port == port && bit/8 < len(r.Data) {
			r.Data = bytes.Clone(r.Data)
			r.Data[bit/8] = r.Data[bit/8]&^(1<<(bit%8)) | byte(v)<<(bit%8)
		}
		stuck[i] = r
	}
	got := answers(o.spec, settings, stuck)
	for i := range min(len(got), len(want)) {
		if got[i].Port != want[i].Port || got[i].User != want[i].User || !bytes.Equal(got[i].Data, want[i].Data) {
			return want[i].Cause, true
		}
	}
	return 0, len(got) != len(want)
}

// answers are what the golden model gives, with bytes of their own.
func answers(spec *sim.StageSpec, settings sim.Settings, records []sim.Record) (all []sim.Record) {
	stage := spec.New(settings)
	stage.Reset()
	for i := range records {
		from := len(all)
		all = stage.Advance(records[i].End, records[i:i+1], all)
		for k := from; k < len(all); k++ {
			all[k].Data = bytes.Clone(all[k].Data)
		}
	}
	return all
}
