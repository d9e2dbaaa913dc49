package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
)

// netlist is a flat module as write_json tells it. A net is a number; constants are strings and left out here.
type netlist struct {
	cells   []cell
	outputs []int
	name    map[int]string // public name of a net, without its bit
}

type cell struct {
	kind string
	in   []int
	out  []int
}

// figures are what a block costs at a width.
type figures struct {
	top                        string
	width                      int
	luts, shiftLUTs, registers int
	levels, cells              int
	worst                      string // the register or pin at the end of the path with the most LUT levels
}

func (f figures) key() string { return fmt.Sprintf("%s-%d", f.top, f.width) }

func (f figures) numbers() string {
	return fmt.Sprintf("%d %d %d %d %d", f.luts, f.shiftLUTs, f.registers, f.levels, f.cells)
}

// stage is the longest path into a group of registers.
type stage struct {
	name          string
	levels, cells int
}

func readNetlist(file string) (*netlist, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var design struct {
		Modules map[string]struct {
			Attributes map[string]string
			Ports      map[string]struct {
				Direction string
				Bits      []any
			}
			Cells map[string]struct {
				Type        string
				Directions  map[string]string `json:"port_directions"`
				Connections map[string][]any
			}
			Netnames map[string]struct {
				Hide int `json:"hide_name"`
				Bits []any
			}
		}
	}
	if err := json.Unmarshal(text, &design); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, m := range design.Modules {
		if m.Attributes["top"] == "" {
			continue // the library's cells
		}
		n := &netlist{name: map[int]string{}}
		for _, p := range m.Ports {
			if p.Direction == "output" {
				n.outputs = append(n.outputs, nets(p.Bits)...)
			}
		}
		for name, net := range m.Netnames {
			if net.Hide != 0 {
				continue
			}
			for _, bit := range nets(net.Bits) {
				// Of several names a register's is the best, then the shortest.
				if old, ok := n.name[bit]; !ok || better(name, old) {
					n.name[bit] = name
				}
			}
		}
		for _, c := range m.Cells {
			k := cell{kind: c.Type}
			for pin, bits := range c.Connections {
				if c.Directions[pin] == "output" {
					k.out = append(k.out, nets(bits)...)
				} else {
					k.in = append(k.in, nets(bits)...)
				}
			}
			n.cells = append(n.cells, k)
		}
		return n, nil
	}
	return nil, fmt.Errorf("%s has no top module", file)
}

func better(name, old string) bool {
	if r := strings.HasSuffix(name, "_q"); r != strings.HasSuffix(old, "_q") {
		return r
	}
	if len(name) != len(old) {
		return len(name) < len(old)
	}
	return name < old
}

func nets(bits []any) []int {
	var out []int
	for _, b := range bits {
		if n, ok := b.(float64); ok {
			out = append(out, int(n))
		}
	}
	return out
}

func (c *cell) isRegister() bool {
	return strings.HasPrefix(c.kind, "FD") || strings.HasPrefix(c.kind, "SRL") || strings.HasPrefix(c.kind, "RAM")
}

// isLUT counts an inverter as one: nothing says that the register behind it takes it in.
func (c *cell) isLUT() bool { return strings.HasPrefix(c.kind, "LUT") || c.kind == "INV" }

// depth is how far a net is from the registers before it.
type depth struct{ levels, cells int }

func (d depth) max(e depth) depth { return depth{max(d.levels, e.levels), max(d.cells, e.cells)} }

func (n *netlist) measure() (figures, []stage) {
	var f figures
	driver := map[int]*cell{}
	for i := range n.cells {
		c := &n.cells[i]
		switch {
		case strings.HasPrefix(c.kind, "SRL"):
			f.shiftLUTs++
		case c.isRegister():
			f.registers++
		case c.isLUT():
			f.luts++
		}
		for _, net := range c.out {
			driver[net] = c
		}
	}

	known := map[*cell]depth{}
	var at func(net int) depth
	at = func(net int) depth {
		c := driver[net]
		if c == nil || c.isRegister() {
			return depth{}
		}
		if d, ok := known[c]; ok {
			return d
		}
		var d depth
		for _, in := range c.in {
			d = d.max(at(in))
		}
		d.cells++
		if c.isLUT() {
			d.levels++
		}
		known[c] = d
		return d
	}

	groups := map[string]depth{}
	end := func(name string, d depth) {
		group := stageOf(name)
		groups[group] = groups[group].max(d)
		if d.levels > f.levels || d.levels == f.levels && name < f.worst {
			f.levels, f.worst = d.levels, name
		}
		f.cells = max(f.cells, d.cells)
	}
	for i := range n.cells {
		c := &n.cells[i]
		if !c.isRegister() || len(c.out) == 0 {
			continue
		}
		var d depth
		for _, in := range c.in {
			d = d.max(at(in))
		}
		end(n.name[c.out[0]], d)
	}
	for _, net := range n.outputs {
		end(n.name[net], at(net))
	}

	var stages []stage
	for name, d := range groups {
		stages = append(stages, stage{name, d.levels, d.cells})
	}
	sort.Slice(stages, func(i, j int) bool { return stages[i].name < stages[j].name })
	return f, stages
}

var (
	registerName  = regexp.MustCompile(`^(.*\.)?[a-z0-9_]+?_?(\d?)_[qo]$`)
	generateBlock = regexp.MustCompile(`(^|\.)gen_\w+(\[\d+\])?`)
)

// stageOf groups registers by instance and stage number: "u_locate.ones5_q" is "u_locate, stage 5". Those without a
// number are a group by instance.
func stageOf(name string) string {
	m := registerName.FindStringSubmatch(name)
	if m == nil {
		return "delay lines"
	}
	instance := generateBlock.ReplaceAllString(strings.TrimSuffix(m[1], "."), "")
	if instance == "" {
		instance = "the output"
	}
	if m[2] == "" {
		return instance
	}
	return instance + ", stage " + m[2]
}
