package hca

import (
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// VCRCCheckLatencyCycles is how many cycles after its last beat went in the last beat of a packet comes out.
const VCRCCheckLatencyCycles = 9

var vcrcCheckSpec = sim.StageSpec{
	Name:    "vcrc_check",
	Summary: "judges the variant CRC of every IB native packet",
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 12},
	},
	New: func(sim.Settings) sim.Stage { return NewVCRCCheck(VCRCCheckLatencyCycles) },
}

// vcrcCheck is the stage of docs/blocks/vcrc_check.md.
type vcrcCheck struct{ pass }

// NewVCRCCheck makes the stage with another latency than the default data width has.
func NewVCRCCheck(latencyCycles uint64) sim.Stage {
	return &vcrcCheck{pass{latencyCycles: latencyCycles}}
}

func (s *vcrcCheck) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for i := range in {
		status, encap, reason := wire.CheckVCRC(in[i].Data)
		out = s.through(out, &in[i], in[i].Data, userBits(uint32(status), encap, reason))
	}
	return out
}
