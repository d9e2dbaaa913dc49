package hca

import (
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// ICRCInsertLatencyCycles is how many cycles after its last beat went in the last beat of a packet comes out.
const ICRCInsertLatencyCycles = 16

var icrcInsertSpec = sim.StageSpec{
	Name:    "icrc_insert",
	Summary: "writes the invariant CRC into every packet",
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 12},
	},
	New: func(sim.Settings) sim.Stage { return NewICRCInsert(ICRCInsertLatencyCycles) },
}

// icrcInsert is the stage of docs/blocks/icrc_insert.md.
type icrcInsert struct {
	pass
	// frames holds the packets that were written to. The outputs of one Advance share it until the next.
	frames []byte
}

// NewICRCInsert makes the stage with another latency than the default data width has. Data of its outputs is valid
// until the next Advance.
func NewICRCInsert(latencyCycles uint64) sim.Stage {
	return &icrcInsert{pass: pass{latencyCycles: latencyCycles}}
}

func (s *icrcInsert) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.frames = s.frames[:0]
	for i := range in {
		frame := in[i].Data
		var loc wire.Location
		loc.Find(linkOf(&in[i]), frame)
		written := uint32(0)
		if loc.HasICRC(len(frame)) {
			frame = s.copy(frame)
			wire.PutICRC(frame, &loc)
			written = 1
		}
		out = s.through(out, &in[i], frame, userBits(written, loc.Encap, loc.Bad.Reason))
	}
	return out
}

// copy returns a copy of frame. When frames has to grow, copies made before stay where they were.
func (s *icrcInsert) copy(frame []byte) []byte {
	at := len(s.frames)
	s.frames = append(s.frames, frame...)
	return s.frames[at:len(s.frames):len(s.frames)]
}
