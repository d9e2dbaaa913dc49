package adapt

import (
	"encoding/binary"
	"fmt"
	"slices"

	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// input translates records of the stage into those of the device's port.
type input struct {
	port   *manifest.Port
	spec   sim.PortSpec
	fields []inputField // of a record port; nil: as it is
	bytes  int          // of a record
}

// inputField is a field of the device's record: a field of the model's, or a constant.
type inputField struct {
	at, bits int
	from     *field
	value    uint64
	values   map[uint64]uint64
}

// checkRate refuses a rate that cannot be judged.
func checkRate(m *manifest.Manifest, i int) error {
	if p := &m.Ports[i]; p.FullRate() && (p.Ethernet != "" || p.ICRC != "" || p.Length != nil) {
		return m.ErrorAt(m.Line("ports", i, "rate"), "",
			"port %s: the rate cannot be judged where packets change their length", p.Name)
	}
	return nil
}

func newInput(m *manifest.Manifest, i int, spec sim.PortSpec, layout []field) (*input, error) {
	p := &m.Ports[i]
	in := &input{port: p, spec: spec}
	if p.Kind == manifest.KindAxis {
		if b := p.UserWidth.Bits; b != 0 && b != spec.UserBits && !lengthInUser(p) {
			return nil, m.ErrorAt(m.Line("ports", i, "user_width"), "leave user out, or tie it under config",
				"port %s: user of %d bits; the stage has %d",
				p.Name, b, spec.UserBits)
		}
		return in, checkRate(m, i)
	}
	if sameLayout(p, layout) {
		return in, nil
	}
	used := map[string]bool{}
	at := 0
	for k, f := range p.Layout {
		name, line := source(&f), m.Line("ports", i, "layout", k)
		part := inputField{at: at, bits: f.Width.Bits, values: f.Values}
		at += f.Width.Bits
		from, err := find(layout, name)
		switch {
		case f.Value != nil:
			part.value = *f.Value
		case err != nil:
			return nil, m.ErrorAt(line, "say from: NAME, or value: N for one that the model does not know",
				"port %s: field %s: %v", p.Name, f.Name, err)
		case f.Width.Bits > 64 && f.Width.Bits != from.bits:
			return nil, m.ErrorAt(line, "", "port %s: field %s has %d bits, the model's %d", p.Name, f.Name, f.Width.Bits,
				from.bits)
		default:
			part.from, used[name] = &from, true
		}
		in.fields = append(in.fields, part)
	}
	in.bytes = (at + 7) / 8
	return in, unused(m, i, layout, used)
}

// source is the model's name of a field.
func source(f *manifest.Field) string {
	if f.From != "" {
		return f.From
	}
	return f.Name
}

// unused finds a field of the model's input that the device has no pin for and that accepts does not fix.
func unused(m *manifest.Manifest, i int, layout []field, used map[string]bool) error {
	for _, f := range layout {
		if used[f.name] || slices.Contains(m.Ports[i].Ignores, f.name) || m.Accepts != nil &&
			len(m.Accepts.Fields[f.name]) == 1 {
			continue
		}
		return m.ErrorAt(m.Line("ports", i, "layout"),
			fmt.Sprintf("say accepts: {fields: {%[1]s: N}} to run only records that have N there, or ignores: [%[1]s]", f.name),
			"port %s has no pin for the field %s of the model's record", m.Ports[i].Name, f.name)
	}
	return nil
}

func lengthInUser(p *manifest.Port) bool { return p.Length != nil && p.Length.In == "user" }

// translate gives what goes into the device for a record of the stage; a reason where the device cannot be given it.
// The result may
// alias the record.
func (in *input) translate(r *sim.Offer) (data []byte, user uint32, reason string) {
	if in.fields != nil {
		return in.record(r.Data)
	}
	if in.port.Kind == manifest.KindRecord {
		return r.Data, r.User, ""
	}
	data, user = r.Data, r.User
	if in.port.UserWidth.Bits == 0 || lengthInUser(in.port) {
		if user != 0 {
			return nil, 0, "IB native: the port has no user pin that would tell"
		}
	}
	if in.port.ICRC != "" {
		if data, reason = withoutICRC(wire.Link(r.User&1), data); reason != "" {
			return nil, 0, reason
		}
	}
	if in.port.Ethernet != "" {
		if data, reason = withoutEthernet(data); reason != "" {
			return nil, 0, reason
		}
	}
	return in.frame(data, user)
}

// frame does what a port without keep or last asks for.
func (in *input) frame(data []byte, user uint32) ([]byte, uint32, string) {
	beat := in.port.Width.Bits / 8
	switch l := in.port.Length; {
	case lengthInUser(in.port):
		return fits(data, uint32(len(data)), uint64(len(data)), in.port.UserWidth.Bits)
	case l != nil:
		size := uint64(len(data))
		if _, _, reason := fits(nil, 0, size, 8*l.Bytes); reason != "" {
			return nil, 0, reason
		}
		head := binary.LittleEndian.AppendUint64(nil, size)[:l.Bytes]
		if l.Order == "big" {
			slices.Reverse(head)
		}
		return append(head, data...), user, ""
	case in.port.Pins.Last == "" && len(data) > beat:
		return nil, 0, "longer than a beat: the port has no last"
	case in.port.Pins.Keep == "" && len(data)%beat != 0:
		return nil, 0, fmt.Sprintf("no multiple of %d bytes: the port has no keep", beat)
	}
	return data, user, ""
}

func fits(data []byte, user uint32, size uint64, bits int) ([]byte, uint32, string) {
	if size > manifest.Ones(bits) {
		return nil, 0, fmt.Sprintf("longer than a length of %d bits can say", bits)
	}
	return data, user, ""
}

func (in *input) record(from []byte) ([]byte, uint32, string) {
	to := make([]byte, in.bytes)
	for _, f := range in.fields {
		if f.from == nil {
			put(to, f.at, f.bits, f.value)
			continue
		}
		if f.bits > 64 {
			move(to, f.at, from, f.from.at, f.bits)
			continue
		}
		v := get(from, f.from.at, min(64, f.from.bits))
		if f.values != nil {
			code, ok := f.values[v]
			if !ok {
				return nil, 0, fmt.Sprintf("%s=%d: the device has no code for it", f.from.name, v)
			}
			v = code
		}
		if v > manifest.Ones(f.bits) {
			return nil, 0, fmt.Sprintf("%s does not fit %d bits", f.from.name, f.bits)
		}
		put(to, f.at, f.bits, v)
	}
	return to, 0, ""
}

// withoutICRC takes the ICRC from the end of a packet.
func withoutICRC(link wire.Link, data []byte) ([]byte, string) {
	loc := wire.Locate(link, data)
	if !loc.HasICRC(len(data)) || loc.End != len(data) {
		return nil, "its ICRC is not its last four bytes"
	}
	return data[:len(data)-4], ""
}

// withoutEthernet takes the Ethernet header and its tags away, where the bytes behind tell what they are.
func withoutEthernet(data []byte) ([]byte, string) {
	const typeAt, tag = 12, 4
	at := typeAt
	for n := 0; ; n++ {
		if len(data) < at+3 {
			return nil, "nothing behind an Ethernet header"
		}
		typ, version := binary.BigEndian.Uint16(data[at:]), data[at+2]>>4
		switch {
		case typ == 0x8100 || typ == 0x88a8:
			if n == 2 {
				return nil, "more than two VLAN tags"
			}
			at += tag
		case typ == 0x0800 && version == 4, typ == 0x86dd && version == 6, typ == 0x8915 && version == 6:
			return data[at+2:], ""
		default:
			return nil, "only its Ethernet type tells what it is"
		}
	}
}
