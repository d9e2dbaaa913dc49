package hca

import (
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// ICRCCheckLatencyCycles is how many cycles after its last beat went in the last beat of a packet comes out.
const ICRCCheckLatencyCycles = 11

var icrcCheckSpec = sim.StageSpec{
	Name:    "icrc_check",
	Summary: "judges the invariant CRC of every packet",
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 12},
	},
	New: func(sim.Settings) sim.Stage { return NewICRCCheck(ICRCCheckLatencyCycles) },
}

// icrcCheck is the stage of docs/blocks/icrc_check.md.
type icrcCheck struct{ pass }

// NewICRCCheck makes the stage with another latency than the default data width has.
func NewICRCCheck(latencyCycles uint64) sim.Stage {
	return &icrcCheck{pass{latencyCycles: latencyCycles}}
}

func (s *icrcCheck) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	var loc wire.Location
	for i := range in {
		frame := in[i].Data
		loc.Find(linkOf(&in[i]), frame)
		out = s.through(out, &in[i], frame, verdictAt(frame, &loc))
	}
	return out
}
