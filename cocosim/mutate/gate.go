package mutate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gatedTop is the module that is compared: the device, with zeros where nobody looks.
const gatedTop = "hca_gated"

var plainPin = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pin is one of the device.
type pin struct {
	name  string
	input bool
	bits  int
	gate  string // expression that says when somebody looks; "" is always
}

// gated is a module around the device in which an output port's pins are zero while it is not valid, and so are the
// byte lanes that its keep does not cover: two devices that differ there only do the same. What the manifest does not
// name is left open.
func (d *Design) gated(params map[string]int) string {
	var list, inside, connect, assign []string
	for _, p := range d.pins(params) {
		width := ""
		if p.bits != 1 {
			width = fmt.Sprintf("[%d:0] ", p.bits-1)
		}
		if p.input {
			list = append(list, fmt.Sprintf("input %s%s", width, p.name))
			connect = append(connect, fmt.Sprintf(".%s(%[1]s)", p.name))
			continue
		}
		list = append(list, fmt.Sprintf("output %s%s", width, p.name))
		inside = append(inside, fmt.Sprintf("wire %shca_%s;", width, p.name))
		connect = append(connect, fmt.Sprintf(".%s(hca_%[1]s)", p.name))
		value := "hca_" + p.name
		if p.gate != "" {
			value += " & " + p.gate
		}
		assign = append(assign, fmt.Sprintf("assign %s = %s;", p.name, value))
	}
	all, _ := d.sized(params)
	var set []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		set = append(set, fmt.Sprintf(".%s(%d)", name, all[name]))
	}
	return fmt.Sprintf("module %s (%s);\n%s\n%s #(%s) dut (%s);\n%s\nendmodule\n", gatedTop, strings.Join(list, ", "),
		strings.Join(inside, "\n"), d.Manifest.Top, strings.Join(set, ", "), strings.Join(connect, ", "),
		strings.Join(assign, "\n"))
}

// sized are the parameters and the defines of the design at a size, which sets defines that are numbers too.
func (d *Design) sized(size map[string]int) (params map[string]int, defines map[string]string) {
	params, defines = map[string]int{}, map[string]string{}
	maps.Copy(params, d.Manifest.Parameters)
	maps.Copy(defines, d.Manifest.Defines)
	for name, n := range size {
		if d.Manifest.IsNumber(name) {
			defines[name] = strconv.Itoa(n)
		} else {
			params[name] = n
		}
	}
	return params, defines
}

// pins are those that the manifest names, each once.
func (d *Design) pins(params map[string]int) (all []pin) {
	m := d.Manifest
	if len(params) > 0 {
		if other, err := m.Resolve(params); err == nil {
			m = other
		}
	}
	seen := map[string]bool{}
	for _, u := range m.PinUses() {
		if !plainPin.MatchString(u.Pin) || seen[u.Pin] {
			continue
		}
		seen[u.Pin] = true
		x := pin{name: u.Pin, input: u.Input, bits: max(1, u.Bits)}
		if i, ok := portOf(u.At); ok && !u.Input {
			p := &m.Ports[i]
			v, keep := p.Pins.Valid, p.Pins.Keep
			switch {
			case v == "" || u.Pin == v || u.Pin == p.Pins.Ready || !plainPin.MatchString(v):
			case u.Pin == p.Pins.Data && plainPin.MatchString(keep):
				x.gate = lanes(v, keep, x.bits/8)
			default:
				x.gate = fmt.Sprintf("{%d{hca_%s}}", x.bits, v)
			}
		}
		all = append(all, x)
	}
	return all
}

// lanes is a mask of bytes.
func lanes(valid, keep string, n int) string {
	var list []string
	for i := n - 1; i >= 0; i-- {
		list = append(list, fmt.Sprintf("{8{hca_%s & hca_%s[%d]}}", valid, keep, i))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// portOf is the index of the port that a use of a pin belongs to.
func portOf(at []any) (int, bool) {
	if len(at) < 2 || at[0] != "ports" {
		return 0, false
	}
	i, ok := at[1].(int)
	return i, ok
}
