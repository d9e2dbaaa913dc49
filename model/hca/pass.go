package hca

import (
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// The two ports of a stage that lets every packet through.
const (
	_       sim.Port = iota // s_axis
	portOut                 // m_axis
)

// pass is what the stages have in common that let every packet through, a constant time later, with a verdict in its
// sideband. An output is given as soon as its input is known, though its cycles lie ahead.
type pass struct {
	latencyCycles uint64
	seq           uint64
}

func (p *pass) Reset() { p.seq = 0 }

// through appends the output that an input leads to. It is made where it stays: what is copied as soon as it is written
// waits for that.
func (p *pass) through(out []sim.Record, in *sim.Record, data []byte, user uint32) []sim.Record {
	out = append(out, sim.Record{})
	r := &out[len(out)-1]
	r.Start, r.End, r.Seq, r.Cause = in.Start+p.latencyCycles, in.End+p.latencyCycles, p.seq, in.Seq
	r.Key, r.User, r.Port, r.Data = in.Key, user, portOut, data
	p.seq++
	return out
}

// linkOf reads s_axis_tuser of the ICRC blocks.
func linkOf(r *sim.Record) wire.Link { return wire.Link(r.User & 1) }

// userBits lays m_axis_tuser of the CRC blocks out.
func userBits(status uint32, encap wire.Encap, reason wire.Reason) uint32 {
	return status | uint32(encap)<<4 | uint32(reason)<<8
}
