package adapt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// field is a run of bits of a record or a sideband.
type field struct {
	name     string
	at, bits int
	values   []string // names of the values from 0 on; nil where they have none
}

// layoutsOf are the fields of a stage's record ports by port: those of the block that comes along for it. A record port
// of a stage
// without such a block has none.
func layoutsOf(stage sim.StageSpec, like *manifest.Manifest) (map[string][]field, error) {
	all, err := manifest.Embedded()
	if err != nil {
		return nil, err
	}
	layouts := map[string][]field{}
	for _, m := range all {
		if m.Model != stage.Name {
			continue
		}
		params := map[string]int{}
		for name, v := range like.Parameters {
			if _, ok := m.Parameters[name]; ok {
				params[name] = v
			}
		}
		if m, err = m.Resolve(params); err != nil {
			return nil, err
		}
		for _, p := range m.Ports {
			at := 0
			for _, f := range p.Layout {
				layouts[p.Name] = append(layouts[p.Name], field{name: f.Name, at: at, bits: f.Width.Bits})
				at += f.Width.Bits
			}
		}
		return layouts, nil
	}
	return layouts, nil
}

// sideband are the parts of the verdict that a stage gives beside a packet: docs/blocks.
func sideband(stage string) []field {
	var answers []string
	name := "icrc"
	switch stage {
	case "icrc_check":
		answers = []string{"none", "good", "bad"}
	case "icrc_insert":
		answers = []string{"none", "written"}
	case "vcrc_check":
		name, answers = "vcrc", []string{"none", "good", "bad"}
	default:
		return nil
	}
	var reasons []string
	for r := wire.WellFormed; r <= wire.Trailer; r++ {
		reasons = append(reasons, r.String())
	}
	return []field{{name, 0, 2, answers}, {"encap", 4, 3, manifest.Encapsulations}, {"reason", 8, 4, reasons}}
}

func find(fields []field, name string) (field, error) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		var have []string
		for _, f := range fields {
			have = append(have, f.name)
		}
		return field{}, fmt.Errorf("the model has no field %q; it has %s", name, strings.Join(have, ", "))
	}
	return fields[i], nil
}

// number is a value of a field by its name.
func number(fields []field, name, value string) (uint64, error) {
	f, err := find(fields, name)
	if err != nil {
		return 0, err
	}
	for i, v := range f.values {
		if strings.EqualFold(v, value) {
			return uint64(i), nil
		}
	}
	return 0, fmt.Errorf("field %s has no value %q; it has %s", name, value, strings.Join(f.values, ", "))
}

// condition is a manifest.Is over known fields.
type condition struct {
	is     manifest.Is
	fields []field
}

// newCondition parses a condition and tries it once, so that Holds cannot fail later.
func newCondition(text string, fields []field) (*condition, error) {
	is, err := manifest.ParseIs(text)
	if err != nil {
		return nil, err
	}
	for _, t := range is.Terms {
		if _, err := find(fields, t.Field); err != nil {
			return nil, err
		}
		for _, v := range t.Values {
			if _, err := strconv.ParseUint(v, 0, 64); err == nil {
				continue
			}
			if _, err := number(fields, t.Field, v); err != nil {
				return nil, err
			}
		}
	}
	return &condition{is, fields}, nil
}

// holds reports whether the condition holds for bits, from bit 0 of byte 0 up.
func (c *condition) holds(bits []byte) bool {
	ok, _ := c.is.Holds(func(name string) (uint64, error) {
		f, err := find(c.fields, name)
		return get(bits, f.at, min(f.bits, 64)), err
	}, func(name, value string) (uint64, error) { return number(c.fields, name, value) })
	return ok
}

// get is a run of at most 64 bits; bits that are not there are 0.
func get(bytes []byte, at, bits int) (v uint64) {
	for i := range bits {
		if b := at + i; b/8 < len(bytes) {
			v |= uint64(bytes[b/8]>>(b%8)&1) << i
		}
	}
	return v
}

// put sets a run of at most 64 bits.
func put(bytes []byte, at, bits int, v uint64) {
	for i := range bits {
		b := at + i
		bytes[b/8] = bytes[b/8]&^(1<<(b%8)) | byte(v>>i&1)<<(b%8)
	}
}

// move copies a run of any number of bits.
func move(to []byte, toAt int, from []byte, fromAt, bits int) {
	for done := 0; done < bits; done += 64 {
		n := min(64, bits-done)
		put(to, toAt+done, n, get(from, fromAt+done, n))
	}
}
