package session

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// Given is a record that a Spec spells out: a packet as bytes, a record by its fields; those that are left out are 0.
//
//	{port: s_rec, fields: {op: 0x1, qpn: 0x2, psn: 0xfffffe}}
//	{port: s_axis, user: 1, bytes: 0001000c...}
type Given struct {
	Port   string          `yaml:"port"`
	Start  uint64          `yaml:"start,omitempty"` // not before this cycle
	User   uint32          `yaml:"user,omitempty"`
	Bytes  string          `yaml:"bytes,omitempty"`
	Fields map[string]Bits `yaml:"fields,omitempty,flow"`
}

// Bits is a number of any width, written in hex.
type Bits struct{ big.Int }

// MarshalYAML writes the number as 0x1f.
func (b Bits) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprintf("0x%x", &b.Int)}, nil
}

// UnmarshalYAML reads a number in any base that YAML knows.
func (b *Bits) UnmarshalYAML(n *yaml.Node) error {
	if _, ok := b.SetString(n.Value, 0); !ok || b.Sign() < 0 {
		return fmt.Errorf("line %d: %q is no number", n.Line, n.Value)
	}
	return nil
}

// Spell spells out records as they can stand in the Spec.
func Spell(spec Spec, records []sim.Offer) (all []Given, err error) {
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}}
	for _, step := range []func() error{spec.check, s.chooseDut, s.configure} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for i := range records {
		r := &records[i]
		g := Given{Port: s.stage.Ports[r.Port].Name, Start: r.NotBefore, User: r.User, Bytes: hex.EncodeToString(r.Data)}
		if fields := s.layout(g.Port); len(fields) > 0 {
			named := map[string]Bits{}
			at := 0
			for _, f := range fields {
				if v := bitsOf(r.Data, at, f.Width.Bits); v.Sign() != 0 {
					named[f.Name] = v
				}
				at += f.Width.Bits
			}
			again := Given{Port: g.Port, Start: g.Start, User: g.User, Fields: named}
			if back, err := s.record(&again, 0); err == nil && string(back.Data) == string(r.Data) {
				g = again
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// layout are the fields of a port; nil where the device's ports are not those of the stage.
func (s *Session) layout(port string) []manifest.Field {
	if s.view != nil && !s.view.IsPlain {
		return nil
	}
	for i := range s.manifest.Ports {
		if s.manifest.Ports[i].Name == port {
			return s.manifest.Ports[i].Layout
		}
	}
	return nil
}

// bitsOf takes bits as a number, bit 0 of byte 0 first.
func bitsOf(data []byte, at, n int) (v Bits) {
	for b := range n {
		if i := at + b; i < 8*len(data) && data[i/8]>>(i%8)&1 != 0 {
			v.SetBit(&v.Int, b, 1)
		}
	}
	return v
}

// addGiven puts the records that the Spec spells out among what is played.
func (s *Session) addGiven() error {
	var list []sim.Offer
	for i := range s.spec.Records {
		r, err := s.record(&s.spec.Records[i], i)
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	s.source.add(&listed{records: list}, uint64(len(list)), fmt.Sprintf("%d records of the spec", len(list)))
	return nil
}

// record makes a record of its spelling; at is its place in the list.
func (s *Session) record(g *Given, at int) (r sim.Offer, err error) {
	bad := func(format string, args ...any) error {
		return cocosim.Errorf(cocosim.BadInput, "records: number %d: %s", at, fmt.Sprintf(format, args...))
	}
	port := slices.IndexFunc(s.stage.Ports, func(p sim.PortSpec) bool { return p.Name == g.Port && p.Input })
	if port < 0 {
		return r, bad("%s has no input port %q", s.stage.Name, g.Port)
	}
	r = sim.Offer{Port: sim.Port(port), NotBefore: g.Start, User: g.User}
	if r.Data, err = hex.DecodeString(g.Bytes); err != nil {
		return r, bad("bytes: %v", err)
	}
	layout := s.layout(g.Port)
	if g.Fields == nil && (g.Bytes != "" || len(layout) == 0) {
		return r, nil
	}
	left, bits := len(g.Fields), 0
	for _, f := range layout {
		bits += f.Width.Bits
	}
	r.Data, bits = make([]byte, (bits+7)/8), 0
	for _, f := range layout {
		if v, ok := g.Fields[f.Name]; ok {
			if left--; v.BitLen() > f.Width.Bits {
				return r, bad("%s has %d bits, %v is wider", f.Name, f.Width.Bits, &v.Int)
			}
			for b := range v.BitLen() {
				r.Data[(bits+b)/8] |= byte(v.Bit(b)) << ((bits + b) % 8)
			}
		}
		bits += f.Width.Bits
	}
	if left > 0 {
		return r, bad("port %s has not all of the fields (cosim duts lists them)", g.Port)
	}
	return r, nil
}
