// Package shim puts a module between the bridge and a design whose pins it cannot bind as they are: parts of vectors,
// inverted pins,
// byte lanes in the other order, and a register bus that has to be written before traffic. Nobody has to write such a
// module by hand.
package shim

import (
	"fmt"
	"slices"
	"strings"

	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
)

// Check holds the pins of a resolved manifest against those of the design: they are there, have their direction and
// width, and every input bit of
// the design has a driver.
func Check(m *manifest.Manifest, top *design.Top) error {
	driven := map[string][]bool{}
	for _, u := range m.PinUses() {
		e, ok := manifest.ParsePin(u.Pin)
		if !ok {
			return m.ErrorAt(m.Line(u.At...), "", "%q is no pin", u.Pin)
		}
		p, ok := top.Pin(e.Name)
		line := m.Line(u.At...)
		switch {
		case !ok:
			return m.ErrorAt(line, "its pins: "+pinNames(top), "%s has no pin %s", m.Top, e.Name)
		case p.Odd != "":
			return m.ErrorAt(line, "put a module around it whose ports are vectors", "pin %s of %s cannot be bound: %s", e.Name,
				m.Top, p.Odd)
		case (p.Dir == "input") != u.Input:
			return m.ErrorAt(line, "", "pin %s of %s is an %s", e.Name, m.Top, p.Dir)
		}
		high, low := e.High, e.Low
		if !e.Slice {
			high, low = p.Bits-1, 0
		}
		if high >= p.Bits {
			return m.ErrorAt(line, "", "pin %s of %s has %d bits, and no bit %d", e.Name, m.Top, p.Bits, high)
		}
		if u.Bits != 0 && high-low+1 != u.Bits {
			return m.ErrorAt(line, "", "pin %s of %s has %d bits, the manifest says %d", u.Pin, m.Top, high-low+1, u.Bits)
		}
		if !u.Input {
			continue
		}
		if driven[e.Name] == nil {
			driven[e.Name] = make([]bool, p.Bits)
		}
		for b := low; b <= high; b++ {
			if driven[e.Name][b] {
				return m.ErrorAt(line, "", "bit %d of input %s of %s is named twice", b, e.Name, m.Top)
			}
			driven[e.Name][b] = true
		}
	}
	return undriven(m, top, driven)
}

// undriven finds an input bit that the manifest does not name.
func undriven(m *manifest.Manifest, top *design.Top, driven map[string][]bool) error {
	for _, p := range top.Pins {
		if p.Dir == "output" {
			continue
		}
		if p.Dir == "inout" {
			return m.ErrorAt(m.Line("top"), "put a module around it without", "pin %s of %s is an inout, which cannot be driven",
				p.Name, m.Top)
		}
		bits := driven[p.Name]
		if bits == nil {
			return m.ErrorAt(m.Line("top"), "give it a value under config", "input %s of %s is not in the manifest", p.Name,
				m.Top)
		}
		if b := slices.Index(bits, false); b >= 0 {
			return m.ErrorAt(m.Line("top"), fmt.Sprintf("give it a value under config: {pin: %s[%d], width: 1, value: 0}",
				p.Name, b),
				"bit %d of input %s of %s is not in the manifest", b, p.Name, m.Top)
		}
	}
	return nil
}

func pinNames(top *design.Top) string {
	var names []string
	for _, p := range top.Pins {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
