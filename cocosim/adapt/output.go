package adapt

import (
	"encoding/binary"

	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// output translates what the stage gives into what a port of the device must give.
type output struct {
	port   *manifest.Port
	passes *condition
	fields []outputField // of a record port, or of the sideband; nil: as they are
	bytes  int           // of a record
	noUser bool          // the sideband is left out
	user   uint32        // the bits of it that count
	noData bool
	not    []field // fields of the device's record that do not count
}

// outputField is a field of the device's: a field of the model's, or a condition on its fields.
type outputField struct {
	at, bits int
	from     *field
	is       *condition
	values   map[uint64]uint64
}

func newOutput(m *manifest.Manifest, i int, stage string, spec sim.PortSpec, layout []field) (*output, error) {
	p := &m.Ports[i]
	o := &output{port: p, user: ^uint32(0)}
	have := layout
	if spec.Kind == sim.Axis {
		have = sideband(stage)
	}
	fail := func(err error, at ...any) error {
		return m.ErrorAt(m.Line(append([]any{"ports", i}, at...)...), "", "port %s: %v", p.Name, err)
	}
	err := checkRate(m, i)
	if err != nil {
		return nil, err
	}
	if p.Passes != "" {
		if o.passes, err = newCondition(p.Passes, have); err != nil {
			return nil, fail(err, "passes")
		}
	}
	list, key := p.Layout, "layout"
	if p.Kind == manifest.KindAxis {
		list, key = p.Sideband, "sideband"
		o.noUser = p.UserWidth.Bits == 0
		if b := p.UserWidth.Bits; b != 0 && b != spec.UserBits && list == nil && !lengthInUser(p) {
			return nil, m.ErrorAt(m.Line("ports", i, "user_width"), "say sideband: [{name: bad, width: 1, is: icrc=bad}, ...]",
				"port %s: user of %d bits; the stage has %d", p.Name, b, spec.UserBits)
		}
		o.noUser = o.noUser || lengthInUser(p)
	} else if sameLayout(p, layout) && p.VerdictOf == "" {
		list = nil
	}
	at := 0
	for k := range list {
		f, err := newOutputField(&list[k], have, at)
		if err != nil {
			return nil, fail(err, key, k)
		}
		o.fields = append(o.fields, f)
		at += f.bits
	}
	o.bytes = (at + 7) / 8
	o.compare(p)
	return o, nil
}

func newOutputField(f *manifest.Field, have []field, at int) (out outputField, err error) {
	out = outputField{at: at, bits: f.Width.Bits, values: f.Values}
	if f.Is != "" {
		out.is, err = newCondition(f.Is, have)
		return out, err
	}
	from, err := find(have, source(f))
	if err != nil {
		return out, err
	}
	if from.bits > out.bits && f.Values == nil {
		return out, errNarrow(f.Name, out.bits, from.bits)
	}
	out.from = &from
	return out, nil
}

// compare takes over which part of the port counts.
func (o *output) compare(p *manifest.Port) {
	c := p.Compare
	if c == nil {
		return
	}
	if c.User != nil {
		o.user = uint32(*c.User)
	}
	o.noData = c.Data != nil && !*c.Data
	at := 0
	for _, f := range p.Layout {
		for _, name := range c.Not {
			if f.Name == name {
				o.not = append(o.not, field{name: name, at: at, bits: f.Width.Bits})
			}
		}
		at += f.Width.Bits
	}
}

// expect turns a record of the stage into what the device must give; false where it must give nothing.
func (o *output) expect(r *sim.Record) bool {
	bits := r.Data
	var word [4]byte
	if o.port.VerdictOf != "" || o.port.Kind == manifest.KindAxis {
		binary.LittleEndian.PutUint32(word[:], r.User)
		bits = word[:]
	}
	if o.passes != nil && !o.passes.holds(bits) {
		return false
	}
	if o.port.Kind == manifest.KindRecord {
		if o.fields != nil {
			to := make([]byte, o.bytes)
			o.fill(to, bits)
			r.Data, r.User = to, 0
		}
		return true
	}
	if o.fields != nil {
		var to [4]byte
		o.fill(to[:], bits)
		r.User = binary.LittleEndian.Uint32(to[:])
	}
	if o.port.Ethernet != "" {
		if data, reason := withoutEthernet(r.Data); reason == "" {
			r.Data = data
		}
	}
	return true
}

func (o *output) fill(to, from []byte) {
	for _, f := range o.fields {
		switch {
		case f.is != nil:
			v := uint64(0)
			if f.is.holds(from) {
				v = 1
			}
			put(to, f.at, f.bits, v)
		case f.bits > 64:
			move(to, f.at, from, f.from.at, min(f.bits, f.from.bits))
		default:
			v := get(from, f.from.at, min(64, f.from.bits))
			if code, ok := f.values[v]; ok {
				v = code
			}
			put(to, f.at, f.bits, v)
		}
	}
}

// mask clears what does not count, in a record that the device gave or must give. It may change Data in place only
// where it is a copy.
func (o *output) mask(r *sim.Record) {
	if o.noUser {
		r.User = 0
	}
	r.User &= o.user
	if o.noData {
		r.Data = nil
	}
	if len(o.not) == 0 {
		return
	}
	r.Data = append([]byte(nil), r.Data...)
	for _, f := range o.not {
		for done := 0; done < f.bits; done += 64 {
			put(r.Data, f.at+done, min(64, f.bits-done), 0)
		}
	}
}
