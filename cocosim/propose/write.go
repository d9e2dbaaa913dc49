package propose

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rest makes configuration of the inputs that are left.
func (p *proposer) rest() {
	for _, pin := range p.in.Top.Pins {
		switch {
		case p.taken[pin.Name]:
		case pin.Dir == "output":
			p.note("output %s: it belongs to no port, and is not looked at", pin.Name)
		case pin.Bits > 64:
			for low := 0; low < pin.Bits; low += 64 {
				w := min(64, pin.Bits-low)
				p.config = append(p.config, fmt.Sprintf(`{pin: "%s[%d:%d]", width: %d, value: 0}`, pin.Name, low+w-1, low, w))
			}
			p.note("input %s: what it is for is not to be told: held at 0", pin.Name)
		default:
			value := 0
			list := words(pin.Name)
			if pin.Bits == 1 && slices.Contains([]string{"en", "enable", "ce"}, list[len(list)-1]) {
				value = 1
			}
			p.config = append(p.config, fmt.Sprintf("{pin: %s, width: %d, value: %d}", pin.Name, pin.Bits, value))
			p.note("input %s: what it is for is not to be told: held at %d", pin.Name, value)
		}
	}
}

// widths finds which parameter a width is: the one that changes it as itself.
func (p *proposer) widths() {
	if p.in.Other == nil {
		return
	}
	for _, par := range p.in.Top.Parameters {
		if par.Odd != "" || par.Value < 1 || par.Value > 4096 {
			continue
		}
		other, err := p.in.Other(map[string]int{par.Name: 2 * par.Value})
		if err != nil {
			continue
		}
		for _, pin := range p.in.Top.Pins {
			if o, ok := other.Pin(pin.Name); ok && pin.Bits == par.Value && o.Bits == 2*par.Value {
				p.params[pin.Name] = par.Name
			}
		}
	}
}

// width is that of a pin: a number, or the parameter that it is.
func (p *proposer) width(pin string, bits int) string {
	if name := p.params[pin]; name != "" {
		return name
	}
	return fmt.Sprint(bits)
}

func (p *proposer) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// write writes the manifest, the notes in front as comments.
func (p *proposer) write(clock string, clocks []string, reset string, resets []string) {
	if len(p.notes) > 0 {
		p.line("# What `cosim init` could not tell, or took by a guess:")
		for _, n := range p.notes {
			p.line("# - %s", n)
		}
		p.line("")
	}
	p.line("name: %s", p.in.Name)
	p.line("top: %s", p.in.Top.Name)
	for _, l := range []struct {
		key  string
		list []string
	}{{"sources", p.in.Sources}, {"vhdl", p.in.VHDL}, {"include", p.in.Include}} {
		if len(l.list) > 0 {
			p.line("%s: [%s]", l.key, strings.Join(l.list, ", "))
		}
	}
	if len(p.in.Defines) > 0 {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(p.in.Defines)) {
			list = append(list, fmt.Sprintf("%s: %q", name, p.in.Defines[name]))
		}
		p.line("defines: {%s}", strings.Join(list, ", "))
	}
	p.parameters()
	p.line("clock: %s", clock)
	if len(clocks) > 0 {
		p.line("clocks:")
		for _, c := range clocks {
			p.line("  - {pin: %s, times: 1, every: 1}", c)
		}
	}
	if reset != "" {
		p.line("reset: %s", reset)
	}
	if len(resets) > 0 {
		p.line("resets: [%s]", strings.Join(resets, ", "))
	}
	p.line("model: %s", p.model)
	for _, l := range p.top {
		p.line("%s", l)
	}
	if p.setup != nil {
		p.line("setup:")
		for _, l := range p.setup {
			p.line("  %s", l)
		}
	}
	p.writePorts()
	if len(p.config) > 0 {
		p.line("config:")
		for _, c := range p.config {
			p.line("  - %s", c)
		}
	}
}

func (p *proposer) parameters() {
	var list []string
	for _, par := range p.in.Top.Parameters {
		used := slices.ContainsFunc(slices.Collect(maps.Values(p.params)), func(n string) bool { return n == par.Name })
		if par.Odd == "" && (used || par.Value < 1<<20) {
			list = append(list, fmt.Sprintf("%s: %d", par.Name, par.Value))
		}
	}
	if len(list) > 0 {
		p.line("parameters: {%s}", strings.Join(list, ", "))
	}
}

func (p *proposer) writePorts() {
	p.line("ports:")
	for _, o := range p.ports {
		p.line("  - name: %s", o.name)
		p.line("    dir: %s", map[bool]string{true: "in", false: "out"}[o.input])
		if o.axis() {
			p.line("    kind: axis")
			p.line("    width: %s", p.width(o.pins[data], o.bits[data]))
			if o.pins[user] != "" {
				p.line("    user_width: %s", p.width(o.pins[user], o.bits[user]))
			}
		} else {
			p.line("    kind: record")
		}
		var pins []string
		for _, r := range []role{data, keep, last, user, valid, ready} {
			if o.pins[r] != "" {
				pins = append(pins, fmt.Sprintf("%s: %s", r, quoted(o.pins[r])))
			}
		}
		p.line("    pins: {%s}", strings.Join(pins, ", "))
		if len(o.fields) > 0 {
			p.line("    layout:")
			for _, f := range o.fields {
				p.line("      - {name: %s, pin: %s, width: %s%s}", f.name, quoted(f.pin), p.width(f.pin, f.bits), f.extra)
			}
		}
		for _, l := range o.lines {
			p.line("    %s", l)
		}
	}
}

// quoted is a pin as YAML takes it in a list.
func quoted(pin string) string {
	if strings.ContainsAny(pin, "[~") {
		return `"` + pin + `"`
	}
	return pin
}
