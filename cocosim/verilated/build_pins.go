package verilated

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim/manifest"
)

var verilatedPin = regexp.MustCompile(`VL_(IN|OUT|INOUT)(?:8|16|64|W)?\(&?(\w+),(\d+),(\d+)`)

type pin struct {
	input bool
	bits  int
}

// checkPins holds the manifest against the pins that the top really has.
func (b *build) checkPins(header string) error {
	text, err := os.ReadFile(header)
	if err != nil {
		return cacheError(err)
	}
	pins := map[string]pin{}
	for _, f := range verilatedPin.FindAllStringSubmatch(string(text), -1) {
		high, _ := strconv.Atoi(f[3])
		low, _ := strconv.Atoi(f[4])
		pins[f[2]] = pin{f[1] == "IN", high - low + 1}
	}
	b.unnamed = unnamedOutputs(b.keys.bound, pins)
	return checkPins(b.keys.bound, pins)
}

func checkPins(m *manifest.Manifest, pins map[string]pin) error {
	var first error
	known := map[string]bool{}
	check := func(name string, input bool, bits int, at ...any) {
		known[name] = true
		if name == "" || first != nil {
			return
		}
		p, ok := pins[name]
		switch {
		case !ok:
			first = m.ErrorAt(m.Line(at...), "its pins: "+strings.Join(slices.Sorted(maps.Keys(pins)), ", "), "%s has no pin %s",
				m.Top, name)
		case p.input != input:
			first = m.ErrorAt(m.Line(at...), "", "pin %s of %s is an %s", name, m.Top, map[bool]string{true: "input",
				false: "output"}[p.input])
		case p.bits != bits:
			first = m.ErrorAt(m.Line(at...), "", "pin %s of %s has %d bits, the manifest says %d", name, m.Top, p.bits, bits)
		}
	}
	check(m.Clock, true, 1, "clock")
	check(m.Reset.Pin, true, 1, "reset", "pin")
	for i, c := range m.Clocks {
		check(c.Pin, true, 1, "clocks", i, "pin")
	}
	for i, r := range m.Resets {
		check(r.Pin, true, 1, "resets", i, "pin")
	}
	for i, c := range m.Config {
		check(c.Pin, true, c.Width.Bits, "config", i, "pin")
	}
	for i, p := range m.Ports {
		in := p.Dir == manifest.DirIn
		check(p.Pins.Data, in, p.Width.Bits, "ports", i, "pins", "data")
		check(p.Pins.Keep, in, p.Width.Bits/8, "ports", i, "pins", "keep")
		check(p.Pins.Last, in, 1, "ports", i, "pins", "last")
		check(p.Pins.User, in, p.UserWidth.Bits, "ports", i, "pins", "user")
		check(p.Pins.Valid, in, 1, "ports", i, "pins", "valid")
		check(p.Pins.Ready, !in, 1, "ports", i, "pins", "ready")
		for k, f := range p.Layout {
			check(f.Pin, in, f.Width.Bits, "ports", i, "layout", k, "pin")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		if first == nil && pins[name].input && !known[name] {
			first = m.ErrorAt(m.Line("top"), "give it a value under config", "input %s of %s is not in the manifest", name,
				m.Top)
		}
	}
	return first
}

// unnamedOutputs are the outputs of the top that the manifest does not name.
func unnamedOutputs(m *manifest.Manifest, pins map[string]pin) (names []string) {
	named := map[string]bool{}
	for _, p := range m.Ports {
		for _, name := range []string{p.Pins.Data, p.Pins.Keep, p.Pins.Last, p.Pins.User, p.Pins.Valid, p.Pins.Ready} {
			named[name] = true
		}
		for _, f := range p.Layout {
			named[f.Pin] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		if !pins[name].input && !named[name] {
			names = append(names, name)
		}
	}
	return names
}
