package manifest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hcacosim/cocosim"
	"hcacosim/model/sim"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Resolve returns the manifest with parameters, and defines that are numbers, overridden and every width a number.
func (m *Manifest) Resolve(overrides map[string]int) (*Manifest, error) {
	r := *m
	r.Parameters, r.Defines = maps.Clone(m.Parameters), maps.Clone(m.Defines)
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		if m.IsNumber(name) {
			r.Defines[name] = strconv.Itoa(overrides[name])
			continue
		}
		if _, ok := m.Parameters[name]; !ok {
			return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s has no parameter %q", m.Name, name),
				Do: "it has " + cmp.Or(strings.Join(slices.Sorted(maps.Keys(m.Parameters)), ", "), "none")}
		}
		r.Parameters[name] = overrides[name]
	}
	r.Ports = slices.Clone(m.Ports)
	for i := range r.Ports {
		p := &r.Ports[i]
		p.Width, p.UserWidth = r.put(p.Width), r.put(p.UserWidth)
		if name := p.UserOnLast.Param; name != "" {
			p.UserOnLast = Switch{On: r.Parameters[name] != 0}
		}
		p.Layout, p.Sideband = slices.Clone(p.Layout), slices.Clone(p.Sideband)
		for k := range p.Sideband {
			p.Sideband[k].Width = r.put(p.Sideband[k].Width)
		}
		for k := range p.Layout {
			p.Layout[k].Width = r.put(p.Layout[k].Width)
		}
	}
	r.Config = slices.Clone(m.Config)
	for i := range r.Config {
		r.Config[i].Width = r.put(r.Config[i].Width)
	}
	return &r, r.checkResolved()
}

// IsNumber reports whether a name is a define that is a number: it can be overridden as a parameter can, and the stage
// is told. What stands in a package can only be set so.
func (m *Manifest) IsNumber(name string) bool {
	_, err := strconv.Atoi(m.Defines[name])
	return err == nil
}

func (m *Manifest) put(w Width) Width {
	if w.Param == "" {
		return w
	}
	return Width{Bits: m.Parameters[w.Param] + w.More, line: w.line}
}

func (m *Manifest) checkResolved() error {
	for _, p := range m.Ports {
		if b := p.Width.Bits; p.Kind == KindAxis && (b < 8 || b > 1024 || b%8 != 0 || (b > 512 && b%256 != 0)) {
			return m.ErrorAt(p.Width.line, "", "port %s: data of %d bits; 8 to 512 in bytes, 768 and 1024 can be driven", p.Name,
				b)
		}
		if b := p.UserWidth.Bits; b < 0 || b > 32 {
			return m.ErrorAt(p.UserWidth.line, "", "port %s: user of %d bits; at most 32 can be driven", p.Name, b)
		}
		for _, f := range p.Layout {
			if f.Width.Bits < 1 || f.Width.Bits > 4096 {
				return m.ErrorAt(f.Width.line, "", "port %s: field %s of %d bits; 1 to 4096 can be driven", p.Name, f.Name,
					f.Width.Bits)
			}
		}
	}
	for _, c := range m.Config {
		if b := c.Width.Bits; b < 1 || b > 64 || !fits(c.Value, b) {
			return m.ErrorAt(c.Width.line, "", "configuration input %s: %d does not fit %d bits (at most 64)", c.Pin, c.Value, b)
		}
	}
	return nil
}

// Settings are the parameters, the defines that are numbers, and the configuration inputs of a resolved manifest by
// name, inputs overridden.
func (m *Manifest) Settings(inputs map[string]uint64) (sim.Settings, error) {
	s := sim.Settings{}
	for name, v := range m.Parameters {
		s[name] = uint64(v)
	}
	for name, text := range m.Defines {
		if v, err := strconv.ParseUint(text, 10, 64); err == nil {
			s[name] = v
		}
	}
	pins := map[string]bool{}
	for _, c := range m.Config {
		pins[c.Pin] = true
		s[c.Pin] = c.Value
		if over, ok := inputs[c.Pin]; ok {
			s[c.Pin] = over
		}
		if !fits(s[c.Pin], c.Width.Bits) {
			return nil, cocosim.Errorf(cocosim.BadInput, "configuration input %s: %d does not fit %d bits", c.Pin, s[c.Pin],
				c.Width.Bits)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if !pins[name] {
			return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s has no configuration input %q", m.Name,
				name),
				Do: "it has: " + cmp.Or(strings.Join(slices.Sorted(maps.Keys(pins)), ", "), "none")}
		}
	}
	return s, nil
}

func fits(value uint64, bits int) bool { return value&^Ones(bits) == 0 }

// Hash names the device's interface: the resolved ports and configuration inputs, and what the sides of the bridge
// must agree on.
func (m *Manifest) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %v\n", m.Name, m.Top, m.Clock, m.Reset)
	for _, p := range m.Ports {
		fmt.Fprintf(h, "port %s %s %s %d %d %v", p.Name, p.Dir, p.Kind, p.Width.Bits, p.UserWidth.Bits, p.Pins)
		if p.Withdrawable {
			fmt.Fprint(h, " withdrawable")
		}
		if p.UserOnLast.On {
			fmt.Fprint(h, " user on last")
		}
		for _, f := range p.Layout {
			fmt.Fprintf(h, " %s %s %d", f.Name, f.Pin, f.Width.Bits)
		}
		fmt.Fprintln(h)
	}
	for _, c := range m.Config {
		fmt.Fprintf(h, "config %s %d\n", c.Pin, c.Width.Bits)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Ones is the greatest number of so many bits.
func Ones(bits int) uint64 { return 1<<bits - 1 }
