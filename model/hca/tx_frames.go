package hca

import "hcacosim/model/sim"

// TxFramesSpec is a view of tx_arbiter for vector sets: the frames of each input come whole and in their order. Which
// of two inputs is first is the device's choice, which its Lenient stage leaves. It is no block of the pipeline.
var TxFramesSpec = sim.StageSpec{
	Name:    "tx_frames",
	Summary: "one stream of whole frames from several, in any order between them: a view of tx_arbiter",
	Ports: []sim.PortSpec{
		{Name: "s0_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "s1_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "s2_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "s3_axis", Input: true, Kind: sim.Axis, UserBits: 1},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 3, Keyed: true},
	},
	New:     func(s sim.Settings) sim.Stage { return &txFrames{Stage: txArbiterSpec.New(s)} },
	Lenient: func(sim.Settings) sim.Stage { return &txAnyOrder{} },
}

// txFrames is tx_arbiter with what the sideband of a frame says as its key, and as what its cause counts on.
type txFrames struct{ sim.Stage }

func (s *txFrames) Advance(to uint64, in, out []sim.Record) []sim.Record {
	at := len(out)
	out = s.Stage.Advance(to, in, out)
	for i := at; i < len(out); i++ {
		out[i].From = uint8(out[i].User >> 1)
		out[i].Key = uint32(out[i].From)
	}
	return out
}

// txAnyOrder gives each frame when it is in: as if no other were there.
type txAnyOrder struct{ seq uint64 }

func (s *txAnyOrder) Reset() { s.seq = 0 }

func (s *txAnyOrder) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for i := range in {
		r := &in[i]
		out = append(out, sim.Record{Start: r.Start + TxArbiterLatencyCycles, End: r.End + TxArbiterLatencyCycles,
			Seq: s.seq, Cause: r.Seq, From: uint8(r.Port), Key: uint32(r.Port), Port: txOut, User: TxUser(r.Port, r.User),
			Data: r.Data})
		s.seq++
	}
	return out
}
