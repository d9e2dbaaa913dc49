package shim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
)

// Top is the name of the module that is made. Version changes when its text does for the same manifest.
const (
	Top     = "hca_shim"
	Version = "1"
)

// Needed reports whether the bridge cannot bind the design's pins itself.
func Needed(m *manifest.Manifest) bool {
	if m.Setup != nil {
		return true
	}
	for i := range m.Ports {
		if m.Ports[i].Bytes != "" {
			return true
		}
	}
	return slices.ContainsFunc(m.PinUses(), func(u manifest.PinUse) bool {
		e, _ := manifest.ParsePin(u.Pin)
		return !e.IsPlain()
	})
}

// Bound is the manifest of the module in front of the design: the same ports on pins of their own.
func Bound(m *manifest.Manifest) *manifest.Manifest {
	b := *m
	b.Top, b.Clock = Top, "clk"
	if m.Reset.Pin != "" {
		b.Reset.Pin = "rst"
	}
	b.Clocks, b.Resets, b.Config, b.Ports = slices.Clone(m.Clocks), slices.Clone(m.Resets), slices.Clone(m.Config),
		slices.Clone(m.Ports)
	for k := range b.Ports {
		for i, c := range m.Clocks {
			if b.Ports[k].Clock == c.Pin {
				b.Ports[k].Clock = fmt.Sprintf("clk_%d", i)
			}
		}
	}
	for i := range b.Clocks {
		b.Clocks[i].Pin = fmt.Sprintf("clk_%d", i)
	}
	for i := range b.Resets {
		b.Resets[i].Pin = fmt.Sprintf("rst_%d", i)
	}
	for i := range b.Config {
		b.Config[i].Pin = fmt.Sprintf("cfg_%d", i)
	}
	for i := range b.Ports {
		p := &b.Ports[i]
		p.Layout = slices.Clone(p.Layout)
		name := func(pin *string, role string) {
			if *pin != "" {
				*pin = fmt.Sprintf("p%d_%s", i, role)
			}
		}
		name(&p.Pins.Data, "data")
		name(&p.Pins.Keep, "keep")
		name(&p.Pins.Last, "last")
		name(&p.Pins.User, "user")
		name(&p.Pins.Valid, "valid")
		if m.Setup != nil && p.Dir == manifest.DirIn { // held back until the setup is done
			p.Pins.Ready = "ready"
		}
		name(&p.Pins.Ready, "ready")
		for k := range p.Layout {
			name(&p.Layout[k].Pin, fmt.Sprintf("f%d", k))
		}
	}
	b.Setup = nil
	return &b
}

// pair is a pin of the module, and what it is in the design.
type pair struct {
	own     string
	pin     manifest.PinExpr
	input   bool
	bits    int
	reverse int    // size of the units whose order is turned; 0: none
	gate    string // and-ed to it
}

// maker writes the module.
type maker struct {
	m, bound *manifest.Manifest
	top      *design.Top
	out      strings.Builder
	drivers  map[string][]driver // by input of the design
}

type driver struct {
	high, low int
	expr      string
}

// Make writes the module. Parameters are given to the design only where it still has them: withParameters is false for
// a netlist.
func Make(m *manifest.Manifest, top *design.Top, withParameters bool) (string, error) {
	if err := Check(m, top); err != nil {
		return "", err
	}
	k := &maker{m: m, bound: Bound(m), top: top, drivers: map[string][]driver{}}
	pairs := k.pairs()
	k.head(pairs)
	for _, p := range top.Pins {
		fmt.Fprintf(&k.out, "  wire [%d:0] d_%s;\n", p.Bits-1, p.Name)
	}
	if m.Setup != nil {
		k.setup()
	}
	for _, p := range pairs {
		k.connect(p)
	}
	k.finish(withParameters)
	return k.out.String(), nil
}

// pairs are the pins of the module in the order of its ports.
func (k *maker) pairs() (all []pair) {
	from, to := k.bound.PinUses(), k.m.PinUses()
	at := map[string]pair{}
	for i := 0; i < len(from); i++ {
		e, _ := manifest.ParsePin(to[indexOf(to, from[i].At)].Pin)
		at[fmt.Sprint(from[i].At...)] = pair{own: from[i].Pin, pin: e, input: from[i].Input, bits: max(1, from[i].Bits)}
	}
	for _, u := range from {
		p := at[fmt.Sprint(u.At...)]
		k.special(&p, u.At)
		all = append(all, p)
	}
	return all
}

func indexOf(uses []manifest.PinUse, at []any) int {
	i := slices.IndexFunc(uses, func(u manifest.PinUse) bool { return fmt.Sprint(u.At...) == fmt.Sprint(at...) })
	return max(i, 0)
}

// special fills in what a pin of a port has beside its name.
func (k *maker) special(p *pair, at []any) {
	if at[0] != "ports" {
		return
	}
	port := &k.m.Ports[at[1].(int)]
	role := ""
	if at[2] == "pins" {
		role = at[3].(string)
	}
	if port.Bytes != "" && role == "data" {
		p.reverse = 8
	}
	if port.Bytes != "" && role == "keep" {
		p.reverse = 1
	}
	if k.m.Setup != nil && (role == "valid" || role == "ready") {
		p.gate = "setup_done"
		if role == "ready" && port.Pins.Ready == "" {
			p.pin = manifest.PinExpr{}
		}
	}
}

func (k *maker) head(pairs []pair) {
	fmt.Fprintf(&k.out, "// Made for %s by cosim.\nmodule %s (\n", k.m.Name, Top)
	for i, p := range pairs {
		dir, comma := "output", ","
		if p.input {
			dir = "input"
		}
		if i == len(pairs)-1 {
			comma = ""
		}
		fmt.Fprintf(&k.out, "  %s wire [%d:0] %s%s\n", dir, p.bits-1, p.own, comma)
	}
	fmt.Fprintln(&k.out, ");")
}

// connect joins a pin of the module to the design.
func (k *maker) connect(p pair) {
	turn := func(name string, of int) string {
		if p.reverse == 0 || of <= p.reverse {
			return name
		}
		var parts []string
		for at := 0; at < of; at += p.reverse {
			parts = append(parts, fmt.Sprintf("%s[%d:%d]", name, at+p.reverse-1, at))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	invert := ""
	if p.pin.Inverted {
		invert = "~"
	}
	gate := ""
	if p.gate != "" {
		gate = " & " + p.gate
	}
	switch {
	case p.pin.Name == "": // a ready that only the setup needs
		fmt.Fprintf(&k.out, "  assign %s = %s;\n", p.own, p.gate)
	case p.input:
		pin, _ := k.top.Pin(p.pin.Name)
		high, low := k.part(p, pin)
		k.drive(p.pin.Name, high, low, invert+"("+turn(p.own, p.bits)+gate+")")
	default:
		pin, _ := k.top.Pin(p.pin.Name)
		high, low := k.part(p, pin)
		name := fmt.Sprintf("d_%s[%d:%d]", p.pin.Name, high, low)
		if p.reverse != 0 {
			fmt.Fprintf(&k.out, "  wire [%d:0] t_%s = %s;\n", p.bits-1, p.own, name)
			name = turn("t_"+p.own, p.bits)
		}
		fmt.Fprintf(&k.out, "  assign %s = (%s%s)%s;\n", p.own, invert, name, gate)
	}
}

func (k *maker) part(p pair, pin design.Pin) (high, low int) {
	if p.pin.Slice {
		return p.pin.High, p.pin.Low
	}
	return pin.Bits - 1, 0
}

func (k *maker) drive(name string, high, low int, expr string) {
	k.drivers[name] = append(k.drivers[name], driver{high, low, expr})
}

// finish drives the inputs of the design, and puts it in.
func (k *maker) finish(withParameters bool) {
	for _, name := range slices.Sorted(maps.Keys(k.drivers)) {
		for _, d := range k.drivers[name] {
			fmt.Fprintf(&k.out, "  assign d_%s[%d:%d] = %s;\n", name, d.high, d.low, d.expr)
		}
	}
	params := ""
	if withParameters && len(k.m.Parameters) > 0 {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(k.m.Parameters)) {
			list = append(list, fmt.Sprintf(".%s(%d)", name, k.m.Parameters[name]))
		}
		params = " #(" + strings.Join(list, ", ") + ")"
	}
	var list []string
	for _, p := range k.top.Pins {
		list = append(list, fmt.Sprintf(".%s(d_%s)", p.Name, p.Name))
	}
	fmt.Fprintf(&k.out, "  %s%s dut (\n    %s\n  );\nendmodule\n", k.m.Top, params, strings.Join(list, ",\n    "))
}
