package hca

import (
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// VCRCCheckLatencyCycles is how many cycles after its last beat went in the last beat of a packet comes out.
const VCRCCheckLatencyCycles = 9

var vcrcCheckSpec = StageSpec{
	Name:    "vcrc_check",
	Summary: "judges the variant CRC of every IB native packet",
	Ports: []PortSpec{
		{Name: "s_axis", Input: true, Kind: Axis},
		{Name: "m_axis", Kind: Axis, UserBits: 12},
	},
	New: func(Settings) Stage { return NewVCRCCheck(VCRCCheckLatencyCycles) },
}

// vcrcCheck is the stage of docs/blocks/vcrc_check.md.
type vcrcCheck struct{ pass }

// NewVCRCCheck makes the stage with another latency than the default data width has.
func NewVCRCCheck(latencyCycles uint64) Stage {
	return &vcrcCheck{pass{latencyCycles: latencyCycles}}
}

func (s *vcrcCheck) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for i := range in {
		status, encap, reason := wire.CheckVCRC(in[i].Data)
		out = append(out, s.through(&in[i], in[i].Data, userBits(uint32(status), encap, reason)))
	}
	return out
}
