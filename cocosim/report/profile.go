package report

import (
	"fmt"
	"math/bits"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Profile is what a failure is told by: each feature of its first mismatches with a weight. The first mismatch weighs
// 1, the next 1/2, then 1/3: what comes later is more and more the consequence of what came before. See docs/
// debugging-a-mismatch.md, "Buckets".
//
//	"DATA m_rec": 1.5, "~msn": 1.5, "msn +1": 1, "why:2h>4h": 1, "RC SEND": 1.5, "PSN duplicate": 0.5
type Profile map[string]float64

// ProfileOf is how many of the first mismatches a profile is made of.
const ProfileOf = 32

// enumBits is the widest field whose values are taken for codes: a wider one holds a quantity.
const enumBits = 8

// Profile is the profile of the report's mismatches; empty where there are none.
func (r *Report) Profile() Profile {
	p := Profile{}
	for i, v := range r.Result.Violations[:min(ProfileOf, len(r.Result.Violations))] {
		for _, f := range r.features(v) {
			p[f] += 1 / float64(1+i)
		}
	}
	return p
}

// features are what a violation is told by.
func (r *Report) features(v *cocosim.Violation) []string {
	all := []string{string(v.Rule) + " " + v.Port}
	if v.Want != nil && v.Got != nil {
		all = append(all, r.fieldFeatures(v)...)
		all = append(all, r.packetFeatures(v)...)
	}
	g := r.given(v)
	for _, s := range []string{g.op, g.opcode} {
		if s != "" {
			all = append(all, s)
		}
	}
	if g.place != "" {
		all = append(all, "PSN "+g.place)
	}
	if g.wraps {
		all = append(all, "PSN wraps")
	}
	return all
}

// fieldFeatures are those of a port of records: which fields are wrong, and in what way.
func (r *Report) fieldFeatures(v *cocosim.Violation) (all []string) {
	width := widths(r.Manifest, v.Port)
	in, want := r.inputOf(v), r.wantOf(v)
	for _, d := range r.differences(v) {
		all = append(all, "~"+d.Name)
		if width[d.Name] <= enumBits {
			all = append(all, fmt.Sprintf("%s:%s>%s", d.Name, d.Want, d.Got), fmt.Sprintf("%s:>%s", d.Name, d.Got))
			continue
		}
		w, ok := numberOf(d.Want)
		g, also := numberOf(d.Got)
		if !ok || !also {
			continue
		}
		all = append(all, d.Name+" "+wrongBy(w, g, width[d.Name]))
		if g > 1 { // 0 and 1 are found everywhere
			all = append(all, takenFrom(d.Name, "in", g, in)...)
			all = append(all, takenFrom(d.Name, "out", g, want)...)
		}
	}
	return all
}

// wrongBy is how a quantity of some bits is wrong, coarsely.
func wrongBy(want, got uint64, width int) string {
	mask := uint64(1)<<width - 1
	switch d := (got - want) & mask; {
	case got == 0:
		return "none"
	case want == 0:
		return "some"
	case d == 1:
		return "+1"
	case d == mask:
		return "-1"
	case bits.OnesCount64(want^got) == 1:
		return fmt.Sprint("bit ", bits.TrailingZeros64(want^got))
	case d>>(width-1) == 0:
		return "more"
	}
	return "less"
}

// takenFrom names the fields of a record that have the value that a field wrongly has.
//
//	epsn_after is what psn of the input is: "epsn_after=in psn"
func takenFrom(field, record string, got uint64, fields values) (all []string) {
	for name := range fields {
		if n, ok := fields.number(name); ok && n == got {
			all = append(all, field+"="+record+" "+name)
		}
	}
	return all
}

// packetFeatures are those of a port of packets.
func (r *Report) packetFeatures(v *cocosim.Violation) (all []string) {
	if v.Want.User != v.Got.User {
		all = append(all, "user "+r.User(v.Port, v.Got.User)+" for "+r.User(v.Port, v.Want.User))
	}
	if len(widths(r.Manifest, v.Port)) > 0 {
		return all
	}
	switch {
	case len(v.Want.Data) != len(v.Got.Data):
		all = append(all, "length")
	case string(v.Want.Data) != string(v.Got.Data):
		all = append(all, "bytes")
	}
	return append(all, r.shapeFeatures(v)...)
}

// shapeFeatures say of what shape a packet is that a port passes on with its sideband: tags, pad, bytes behind its end.
func (r *Report) shapeFeatures(v *cocosim.Violation) (all []string) {
	for _, p := range r.Ports {
		if p.Name != v.Port || p.Kind != sim.Axis || p.UserBits == 0 || r.Link == nil {
			continue
		}
		var packet wire.Packet
		wire.Decode(r.Link(v.User), v.Want.Data, &packet)
		all = append(all, fmt.Sprint("tags ", packet.VLANs))
		if bth := packet.BTH(); bth != nil {
			all = append(all, fmt.Sprint("pad ", bth.Pad() > 0))
		}
		if packet.End > 0 {
			all = append(all, fmt.Sprint("trailer ", len(v.Want.Data) > packet.End))
		}
	}
	return all
}

// widths are the bits of the fields of a port's records.
func widths(m *manifest.Manifest, port string) map[string]int {
	all := map[string]int{}
	if m == nil {
		return all
	}
	for i := range m.Ports {
		if m.Ports[i].Name == port {
			for _, f := range m.Ports[i].Layout {
				all[f.Name] = f.Width.Bits
			}
		}
	}
	return all
}
