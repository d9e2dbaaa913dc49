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
	inputs  map[int]string // the port of a net
	name    map[int]string // public name of a net, without its bit
}

type cell struct {
	name, kind string
	pins       map[string][]int
	inverted   map[string]string // IS_C_INVERTED and the like
	in         []int
	out        []int
	address    []int // of a LUT memory: what its output follows without a clock
}

// figures are what a block costs at a size.
type figures struct {
	LUTs, ShiftLUTs, RAMLUTs, Registers int
	RAMB36, RAMB18, URAM                int
	Levels, Cells                       int
	Enable, Reach                       int      // registers that one enable moves; that one input pin reaches
	Broken                              []string // rules of docs/rtl.md
	Worst                               string   // the register or pin at the end of the path with the most LUT levels
	Stages                              []stage
}

func (f figures) numbers() string {
	return fmt.Sprintf("%d %d %d %d %d %d %d %d %d %d %d",
		f.LUTs, f.ShiftLUTs, f.RAMLUTs, f.Registers, f.RAMB36, f.RAMB18, f.URAM, f.Levels, f.Cells, f.Enable, f.Reach)
}

// stage is the longest path into a group of registers.
type stage struct {
	Name          string
	Levels, Cells int
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
				Parameters  map[string]any
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
		n := &netlist{name: map[int]string{}, inputs: map[int]string{}}
		for port, p := range m.Ports {
			if p.Direction == "input" {
				for _, net := range nets(p.Bits) {
					n.inputs[net] = port
				}
			}
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
		for name, c := range m.Cells {
			k := cell{name: name, kind: c.Type, pins: map[string][]int{}, inverted: map[string]string{}}
			for parameter, value := range c.Parameters {
				if strings.HasPrefix(parameter, "IS_") {
					k.inverted[parameter] = fmt.Sprint(value)
				}
			}
			if k.isMemory() && !k.isLUTMemory() && !blockMemory.MatchString(k.kind) {
				return nil, fmt.Errorf("%s: a memory of unknown kind, %s", file, k.kind)
			}
			for pin, bits := range c.Connections {
				k.pins[pin] = nets(bits)
				if c.Directions[pin] == "output" {
					k.out = append(k.out, nets(bits)...)
				} else {
					k.in = append(k.in, nets(bits)...)
				}
				if k.isLUTMemory() && addressPin.MatchString(pin) {
					k.address = append(k.address, nets(bits)...)
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

// isRegister tells what begins and ends a path.
func (c *cell) isRegister() bool {
	return strings.HasPrefix(c.kind, "FD") || strings.HasPrefix(c.kind, "SRL") || c.isMemory()
}

func (c *cell) isMemory() bool {
	return strings.HasPrefix(c.kind, "RAM") || strings.HasPrefix(c.kind, "URAM")
}

// lutMemory is how many LUTs a memory made of them takes.
var lutMemory = map[string]int{
	"RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM32X16DR8": 8, "RAM64X8SW": 8,
	"RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8,
	"RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8,
}

var blockMemory = regexp.MustCompile(`^(RAMB36|RAMB18|URAM)`)

var addressPin = regexp.MustCompile(`^(ADDR[A-H]|DPRA|A)\d*$`)

func (c *cell) isLUTMemory() bool { return lutMemory[c.kind] > 0 }

// isLUT counts an inverter as one: nothing says that the register behind it takes it in.
func (c *cell) isLUT() bool { return strings.HasPrefix(c.kind, "LUT") || c.kind == "INV" }

// depth is how far a net is from the registers before it.
type depth struct{ levels, cells int }

func (d depth) max(e depth) depth { return depth{max(d.levels, e.levels), max(d.cells, e.cells)} }

func (n *netlist) measure() figures {
	var f figures
	driver := map[int]*cell{}
	for i := range n.cells {
		c := &n.cells[i]
		switch {
		case strings.HasPrefix(c.kind, "SRL"):
			f.ShiftLUTs++
		case strings.HasPrefix(c.kind, "RAMB36"):
			f.RAMB36++
		case strings.HasPrefix(c.kind, "RAMB18"):
			f.RAMB18++
		case strings.HasPrefix(c.kind, "URAM"):
			f.URAM++
		case c.isMemory():
			f.RAMLUTs += lutMemory[c.kind]
		case c.isRegister():
			f.Registers++
		case c.isLUT():
			f.LUTs++
		}
		for _, net := range c.out {
			driver[net] = c
		}
	}

	known := map[*cell]depth{}
	var at func(net int) depth
	at = func(net int) depth {
		c := driver[net]
		if c == nil || c.isRegister() && !c.isLUTMemory() {
			return depth{}
		}
		if d, ok := known[c]; ok {
			return d
		}
		through := c.in
		if c.isLUTMemory() {
			through = c.address
		}
		var d depth
		for _, in := range through {
			d = d.max(at(in))
		}
		d.cells++
		if c.isLUT() || c.isLUTMemory() {
			d.levels++
		}
		known[c] = d
		return d
	}

	f.Enable, f.Reach = n.enables()
	groups := map[string]depth{}
	end := func(name, group string, d depth) {
		groups[group] = groups[group].max(d)
		if d.levels > f.Levels || d.levels == f.Levels && name < f.Worst {
			f.Levels, f.Worst = d.levels, name
		}
		f.Cells = max(f.Cells, d.cells)
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
		if c.isMemory() {
			end(memoryName(c.name), "memories", d)
			continue
		}
		end(n.name[c.out[0]], stageOf(n.name[c.out[0]]), d)
	}
	for _, net := range n.outputs {
		end(n.name[net], stageOf(n.name[net]), at(net))
	}
	for name, d := range groups {
		f.Stages = append(f.Stages, stage{name, d.levels, d.cells})
	}
	sort.Slice(f.Stages, func(i, j int) bool { return f.Stages[i].Name < f.Stages[j].Name })
	return f
}

var (
	registerName  = regexp.MustCompile(`^(.*\.)?[a-z0-9_]+?_?(\d?)_[qo]$`)
	generateBlock = regexp.MustCompile(`(^|\.)gen_\w+(\[\d+\])?`)
)

// memoryName leaves out which piece of the memory it is: "u_ctx.mem.0.3" is "u_ctx.mem".
func memoryName(cell string) string { return memoryPiece.ReplaceAllString(cell, "") }

var memoryPiece = regexp.MustCompile(`(\.\d+)+$`)

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
