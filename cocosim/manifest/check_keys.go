package manifest

import (
	"maps"
	"slices"
	"strings"
)

func isPin(text string) bool {
	_, ok := ParsePin(text)
	return ok
}

// checkPins holds the names of a port's pins against what a pin is named by.
func (m *Manifest) checkPins(i int, p *Port) error {
	for _, pin := range []struct{ key, name string }{{"data", p.Pins.Data}, {"keep", p.Pins.Keep}, {"last", p.Pins.Last},
		{"user", p.Pins.User},
		{"ready", p.Pins.Ready}} {
		if pin.name != "" && !isPin(pin.name) {
			return m.ErrorAt(m.Line("ports", i, "pins", pin.key), "write NAME, NAME[HIGH:LOW], NAME[BIT] or ~NAME",
				"port %s: %q is no pin", p.Name, pin.name)
		}
	}
	return nil
}

// checkAdapters checks the keys that say how a port differs from its stage's.
func (m *Manifest) checkAdapters(i int, p *Port) error {
	at := func(keys ...any) int { return m.Line(append([]any{"ports", i}, keys...)...) }
	for _, c := range []struct {
		wrong     bool
		key, text string
	}{
		{p.Bytes != "" && (p.Bytes != reversed || p.Kind != KindAxis), "bytes",
			"bytes belongs to an axis port, and is reversed or left out"},
		{p.Ethernet != "" && (p.Ethernet != stripped || p.Kind != KindAxis), "ethernet",
			"ethernet belongs to an axis port, and is stripped or left out"},
		{p.ICRC != "" && (p.ICRC != absent || p.Kind != KindAxis || p.Dir != DirIn), "icrc",
			"icrc belongs to an axis input, and is absent or left out"},
		{p.Length != nil && (p.Kind != KindAxis || p.Pins.Last != ""), "length",
			"length belongs to an axis port without a last pin"},
		{p.Passes != "" && p.Dir != DirOut, "passes", "passes belongs to an output"},
		{len(p.Sideband) > 0 && (p.Kind != KindAxis || p.Dir != DirOut || p.Pins.User == ""), "sideband",
			"sideband belongs to an axis output with user"},
		{p.VerdictOf != "" && (p.Kind != KindRecord || p.Dir != DirOut), "verdict_of",
			"verdict_of belongs to an output record"},
		{p.Compare != nil && p.Dir != DirOut, "compare", "only an output is compared"},
	} {
		if c.wrong {
			return m.ErrorAt(at(c.key), "", "port %s: %s", p.Name, c.text)
		}
	}
	if p.Passes != "" {
		if _, err := ParseIs(p.Passes); err != nil {
			return m.ErrorAt(at("passes"), "", "port %s: %v", p.Name, err)
		}
	}
	if err := m.checkLength(p, at); err != nil {
		return err
	}
	for k := range p.Sideband {
		f := &p.Sideband[k]
		if f.Name == "" || f.Pin != "" || f.Width.Param == "" && f.Width.Bits < 1 {
			return m.ErrorAt(at("sideband", k), "", "port %s: a field of the sideband is {name: N, width: W, is: CONDITION} "+
				"or has from, without a pin", p.Name)
		}
		if err := m.checkField(i, k, p, f); err != nil {
			return err
		}
	}
	return m.checkCompare(p, at)
}

func (m *Manifest) checkLength(p *Port, at func(...any) int) error {
	l := p.Length
	switch {
	case l == nil:
	case l.In == "user":
		if p.Pins.User == "" || l.Bytes != 0 {
			return m.ErrorAt(at("length"), "", "port %s: a length in user needs a user pin, and no number of bytes", p.Name)
		}
	case l.In != "data" || l.Bytes < 1 || l.Bytes > 4:
		return m.ErrorAt(at("length"), "", "port %s: a length is {in: user}, or {in: data, bytes: 1 to 4}", p.Name)
	case l.Order != "" && l.Order != "little" && l.Order != "big":
		return m.ErrorAt(at("length", "order"), "", "port %s: the order of a length is little or big, not %q", p.Name,
			l.Order)
	}
	return nil
}

func (m *Manifest) checkCompare(p *Port, at func(...any) int) error {
	c := p.Compare
	if c == nil {
		return nil
	}
	if p.Kind == KindAxis && len(c.Not) > 0 || p.Kind == KindRecord && (c.User != nil || c.Data != nil) {
		return m.ErrorAt(at("compare"), "", "port %s: an axis port compares by user and data, a record by not: [FIELD, ...]",
			p.Name)
	}
	for k, name := range c.Not {
		if !slices.ContainsFunc(p.Layout, func(f Field) bool { return f.Name == name }) {
			return m.ErrorAt(at("compare", "not", k), "", "port %s has no field %q", p.Name, name)
		}
	}
	return nil
}

// checkField checks a field of a record port beyond its name and pin.
func (m *Manifest) checkField(i, k int, p *Port, f *Field) error {
	line := m.Line("ports", i, "layout", k)
	if f.Is != "" {
		if p.Dir == DirIn || f.From != "" || len(f.Values) > 0 {
			return m.ErrorAt(line, "", "port %s: field %s: is belongs to an output, without from and values", p.Name, f.Name)
		}
		if _, err := ParseIs(f.Is); err != nil {
			return m.ErrorAt(line, "", "port %s: field %s: %v", p.Name, f.Name, err)
		}
	}
	if f.Value != nil && p.Dir == DirOut {
		return m.ErrorAt(line, "", "port %s: field %s: value belongs to an input", p.Name, f.Name)
	}
	return nil
}

func (m *Manifest) checkClocks() error {
	for i, p := range m.Ports {
		if _, ok := m.ratio(p.Clock); !ok {
			return m.ErrorAt(m.Line("ports", i, "clock"), "name the pin of clock, or one of clocks",
				"port %s: there is no clock %q", p.Name, p.Clock)
		}
	}
	for i := range m.Clocks {
		c := &m.Clocks[i]
		c.Times, c.Every = max(c.Times, 1), max(c.Every, 1)
		if !identifier.MatchString(c.Pin) || c.Times > 64 || c.Every > 64 {
			return m.ErrorAt(m.Line("clocks", i), "say {pin: NAME, times: 1 to 64, every: 1 to 64}",
				"a clock needs a pin and a ratio")
		}
	}
	for i, r := range m.Resets {
		if !identifier.MatchString(r.Pin) || r.Active != "low" && r.Active != "high" || r.Cycles != 0 {
			return m.ErrorAt(m.Line("resets", i), "all are held for as long as reset",
				"a reset beside reset is {pin: NAME, active: low or high}")
		}
	}
	return nil
}

func (m *Manifest) checkSetup() error {
	s := m.Setup
	if s == nil {
		return nil
	}
	if s.Bus != BusAXILite && s.Bus != BusPlain {
		return m.ErrorAt(m.Line("setup", "bus"), "", "the bus of the setup is %s or %s, not %q", BusAXILite, BusPlain, s.Bus)
	}
	if b := s.RegisterBits(); b != 8 && b != 16 && b != 32 && b != 64 {
		return m.ErrorAt(m.Line("setup", "width"), "", "a register has 8, 16, 32 or 64 bits, not %d", b)
	}
	known := map[string]bool{}
	for _, r := range s.Roles() {
		known[r.Name] = true
		pin := s.Pins[r.Name]
		needed := r.Needed || s.Reads() && (r.Name == "rdata" || s.Bus == BusAXILite && (r.Name == "araddr" ||
			r.Name == "arvalid" ||
			r.Name == "arready" || r.Name == "rvalid" || r.Name == "rready"))
		if pin == "" && needed || pin != "" && !isPin(pin) {
			return m.ErrorAt(m.Line("setup", "pins", r.Name), "", "setup needs the pin %s", r.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Pins)) {
		if !known[name] {
			return m.ErrorAt(m.Line("setup", "pins", name), "", "the bus %s has no pin %q", s.Bus, name)
		}
	}
	return m.checkSteps(s)
}

func (m *Manifest) checkSteps(s *Setup) error {
	for i, st := range s.Steps {
		kinds := 0
		for _, is := range []bool{st.Write != nil, st.Read != nil, st.Wait > 0} {
			if is {
				kinds++
			}
		}
		if kinds != 1 || st.Mask != nil && st.Read == nil || !fits(st.Value, s.RegisterBits()) || st.Wait > 1e6 {
			return m.ErrorAt(m.Line("setup", "steps", i), "",
				"a step is {write: ADDRESS, value: V}, {read: ADDRESS, value: V, mask: M} or {wait: CYCLES}, with values of %d "+
					"bits", s.RegisterBits())
		}
	}
	return nil
}

func (m *Manifest) checkAccepts() error {
	a := m.Accepts
	if a == nil {
		return nil
	}
	for i, name := range a.Encapsulations {
		if !slices.Contains(Encapsulations, name) {
			return m.ErrorAt(m.Line("accepts", "encapsulations", i), "give some of "+strings.Join(Encapsulations, ", "),
				"no encapsulation %q", name)
		}
	}
	if a.PayloadAlign < 0 {
		return m.ErrorAt(m.Line("accepts", "payload_align"), "", "payload_align is a number of bytes")
	}
	if r := a.Sizes; r != nil && (r.Min < 0 || r.Max != 0 && r.Max < r.Min) {
		return m.ErrorAt(m.Line("accepts", "sizes"), "", "sizes are {min: A, max: B} with A not above B")
	}
	if a.VLAN != nil && *a.VLAN < 0 {
		return m.ErrorAt(m.Line("accepts", "vlan"), "", "vlan is the greatest number of tags")
	}
	return nil
}
