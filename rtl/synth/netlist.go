package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
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

// cost is how many cells there are of each kind.
type cost struct {
	LUTs, ShiftLUTs, RAMLUTs, Registers int
	RAMB36, RAMB18, URAM                int
}

// figures are what a block costs at a size.
type figures struct {
	cost
	Levels, Cells int
	Enable, Reach int      // registers that one enable moves; that one input pin reaches
	Broken        []string // rules of docs/rtl.md
	Worst         string   // the register or pin at the end of the path with the most LUT levels
	Stages        []stage  // of a block
	Parts         []part   // of a joined device
}

func (f figures) numbers() string {
	return fmt.Sprintf("%s %d %d %d %d", f.cost, f.Levels, f.Cells, f.Enable, f.Reach)
}

func (c cost) String() string {
	return fmt.Sprintf("%d %d %d %d %d %d %d", c.LUTs, c.ShiftLUTs, c.RAMLUTs, c.Registers, c.RAMB36, c.RAMB18, c.URAM)
}

// stage is the longest path into a group of registers.
type stage struct {
	Name          string
	Levels, Cells int
}

// design is a netlist as Yosys' write_json gives it, as far as it is read here.
type design struct{ Modules map[string]module }

type module struct {
	Attributes map[string]string
	Ports      map[string]struct {
		Direction string
		Bits      []any
	}
	Cells    map[string]moduleCell
	Netnames map[string]struct {
		Hide int `json:"hide_name"`
		Bits []any
	}
}

type moduleCell struct {
	Type        string
	Parameters  map[string]any
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]any
}

func readNetlist(file string) (*netlist, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var d design
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, m := range d.Modules {
		if m.Attributes["top"] == "" {
			continue // the library's cells
		}
		n := &netlist{name: map[int]string{}, inputs: map[int]string{}}
		n.takePorts(&m)
		n.takeNames(&m)
		for name, c := range m.Cells {
			k := newCell(name, &c)
			if k.isMemory() && !k.isLUTMemory() && !blockMemory.MatchString(k.kind) {
				return nil, fmt.Errorf("%s: a memory of unknown kind, %s", file, k.kind)
			}
			n.cells = append(n.cells, k)
		}
		return n, nil
	}
	return nil, fmt.Errorf("%s has no top module", file)
}

func (n *netlist) takePorts(m *module) {
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
}

// takeNames names nets: of several names a register's is the best, then the shortest.
func (n *netlist) takeNames(m *module) {
	for name, net := range m.Netnames {
		if net.Hide != 0 {
			continue
		}
		for _, bit := range nets(net.Bits) {
			if old, ok := n.name[bit]; !ok || better(name, old) {
				n.name[bit] = name
			}
		}
	}
}

func newCell(name string, c *moduleCell) cell {
	k := cell{name: name, kind: c.Type, pins: map[string][]int{}, inverted: map[string]string{}}
	for parameter, value := range c.Parameters {
		if strings.HasPrefix(parameter, "IS_") {
			k.inverted[parameter] = fmt.Sprint(value)
		}
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
	return k
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
