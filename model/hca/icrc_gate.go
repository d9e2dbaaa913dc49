package hca

import (
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Cycles of icrc_gate after the last beat of a frame went in: of the frame's first beat where m_axis is free then, and
// of its record.
const (
	ICRCGateLatencyCycles       = 3
	ICRCGateRecordLatencyCycles = 2
)

// GateMaxBytes is the longest frame that icrc_gate lets through: no good packet is longer.
const GateMaxBytes = 4352

// GateWhy is what icrc_gate makes of a frame.
type GateWhy uint8

// The reasons for which a frame is dropped, in their order.
const (
	GatePassed GateWhy = iota
	GateTooLong
	GateNotRoCE
	GateMalformed // ADM-2
	GateBadICRC   // ADM-6
	GateVerdict   // none that icrc_check gives
)

// The ports of icrc_gate.
const (
	_            sim.Port = iota // s_axis
	portPassed                   // m_axis
	portGateWhat                 // m_rec
)

var icrcGateSpec = sim.StageSpec{
	Name:    "icrc_gate",
	Summary: "lets frames with a good verdict on their ICRC through, and says of every frame what became of it",
	Ports: []sim.PortSpec{
		{Name: "s_axis", Input: true, Kind: sim.Axis, UserBits: verdictBits},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 1},
		{Name: "m_rec", Kind: sim.Fields, Bits: 12},
	},
	New: func(s sim.Settings) sim.Stage { return &icrcGate{beatBytes: int(s.Get("DataWidth", 512)) / 8} },
}

// icrcGate is the stage of docs/blocks/icrc_gate.md.
type icrcGate struct {
	beatBytes int
	recordSeq uint64
	frameSeq  uint64
	free      uint64 // the first cycle in which m_axis can offer a beat
	records   []byte // of one Advance; its outputs share it until the next
}

func (s *icrcGate) Reset() { s.recordSeq, s.frameSeq, s.free = 0, 0, 0 }

func (s *icrcGate) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		r := &in[i]
		why := judgeGate(len(r.Data), r.User)
		at := len(s.records)
		w := sim.WriteLayout(s.records)
		w.Put(uint32(why), 3)
		w.Put(r.User&3, 2)
		w.Put(r.User>>4&7, 3)
		w.Put(r.User>>8&15, 4)
		s.records = w.End()
		end := r.End + ICRCGateRecordLatencyCycles
		out = append(out, sim.Record{Start: end, End: end, Seq: s.recordSeq, Cause: r.Seq, Key: r.Key, Port: portGateWhat,
			Data: s.records[at:len(s.records):len(s.records)]})
		s.recordSeq++
		if why == GatePassed {
			out = append(out, s.pass(r))
		}
	}
	return out
}

// pass makes the frame on m_axis: behind the one before it.
func (s *icrcGate) pass(in *sim.Record) sim.Record {
	beats := uint64((len(in.Data) + s.beatBytes - 1) / s.beatBytes)
	start := max(in.End+ICRCGateLatencyCycles, s.free)
	s.free = start + beats
	out := sim.Record{Start: start, End: start + beats - 1, Seq: s.frameSeq, Cause: in.Seq, Key: in.Key,
		User: uint32(SidebandLink(verdictBits, in.User)), Port: portPassed, Data: in.Data}
	s.frameSeq++
	return out
}

// judgeGate decides by a frame's length and its verdict.
func judgeGate(bytes int, verdict uint32) GateWhy {
	icrc, encap, reason := wire.ICRCStatus(verdict&3), wire.Encap(verdict>>4&7), wire.Reason(verdict>>8&15)
	hasICRC := encap != wire.EncapNone && encap < wire.EncapRaw
	switch {
	case bytes > GateMaxBytes:
		return GateTooLong
	case icrc == wire.ICRCNone && reason == wire.WellFormed:
		return GateNotRoCE
	case reason != wire.WellFormed:
		return GateMalformed
	case icrc == wire.ICRCBad:
		return GateBadICRC
	case icrc != wire.ICRCGood || !hasICRC:
		return GateVerdict
	}
	return GatePassed
}
