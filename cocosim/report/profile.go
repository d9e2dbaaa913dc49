package report

import (
	"fmt"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
)

// Profile is what a failure is told by: each feature of its first mismatches with a weight. The first mismatch weighs
// 1, the next 1/2, then 1/3: what comes later is more and more the consequence of what came before. See docs/
// debugging-a-mismatch.md, "Buckets".
//
//	"DATA m_rec": 1.5, "~msn": 1.5, "why:2h>4h": 1, "op 0h": 1.5
type Profile map[string]float64

// ProfileOf is how many of the first mismatches a profile is made of.
const ProfileOf = 32

// enumBits is the widest field whose values are taken for codes: a wider one holds a quantity, which says little.
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
	all := []string{string(v.Rule) + " " + v.Port, "= " + r.Signature(v)}
	if v.Want != nil && v.Got != nil {
		bits := widths(r.Manifest, v.Port)
		for _, d := range r.differences(v) {
			all = append(all, "~"+d.Name)
			if bits[d.Name] <= enumBits {
				all = append(all, fmt.Sprintf("%s:%s>%s", d.Name, d.Want, d.Got))
			}
		}
		all = append(all, r.packetFeatures(v)...)
	}
	if op := r.operation(v); op != "" {
		all = append(all, op)
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
