// Package equiv proves that a netlist does with a choice made what it does without. The netlist is one of gates, as
// Yosys writes it, in which a number chooses a mutant: both sides are read from it, so that what the mutant does not
// touch is the same node, and only the rest is left for a solver.
package equiv

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Netlist is of gates, registers and memories on one clock.
type Netlist struct {
	ports   []port
	cells   []cell
	driver  map[int]pinOf   // of a net
	readers map[int][]*cell // gates that look at a net
	chooser map[int]int     // nets of the number that chooses: which bit
	regs    []*cell
	mems    []*cell
	columns int // of all memories
}

// chooserBits is how wide the number is at least. A name that Yosys declares by itself has one bit, and
// chooses nothing.
const chooserBits = 16

type port struct {
	name  string
	input bool
	bits  []int
}

// cell has nets by port. Constants are the nets 0 and 1; what is undefined is a net of its own, that nothing drives.
type cell struct {
	name, kind string
	pins       map[string][]int
	params     map[string]string
	at         int // index of a register, or of the first column of a memory behind the registers
	width      int // of a word of a memory: its columns
}

// column is the index of a column of a memory among all state.
func (c *cell) column(i int) int { return c.at + i }

type pinOf struct {
	cell *cell
	port string
	bit  int
}

// Script are the commands with which Yosys makes the netlist of a top module that it has read. Tables stay gates: a
// ROM is a memory without a clock.
func Script(top string) string {
	return "hierarchy -check -top " + top + "; proc -noopt -norom; flatten; opt_clean; memory_collect; dffunmap; " +
		"opt_clean; techmap; simplemap; opt_clean; "
}

type jsonModule struct {
	Ports map[string]struct {
		Direction string
		Bits      []any
	}
	Cells map[string]struct {
		Type        string
		Parameters  map[string]any
		Connections map[string][]any
		Directions  map[string]string `json:"port_directions"`
	}
	Nets map[string]struct{ Bits []any } `json:"netnames"`
}

// Read reads module top of Yosys' JSON. Nets whose last name is chooser are the number, wherever they are.
func Read(r io.Reader, top, chooser string) (*Netlist, error) {
	var all struct{ Modules map[string]jsonModule }
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return nil, err
	}
	m, ok := all.Modules[top]
	if !ok {
		return nil, fmt.Errorf("no module %s", top)
	}
	n := &Netlist{driver: map[int]pinOf{}, readers: map[int][]*cell{}, chooser: map[int]int{}}
	free := -1
	nets := func(bits []any) (list []int) {
		for _, b := range bits {
			switch b := b.(type) {
			case float64:
				list = append(list, int(b))
			case string:
				x, err := strconv.Atoi(b)
				if err != nil { // x or z
					x = free
					free--
				}
				list = append(list, x)
			}
		}
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(m.Ports)) {
		p := m.Ports[name]
		n.ports = append(n.ports, port{name, p.Direction == "input", nets(p.Bits)})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Cells)) {
		x := m.Cells[name]
		c := cell{name: name, kind: x.Type, pins: map[string][]int{}, params: map[string]string{}}
		for _, p := range slices.Sorted(maps.Keys(x.Connections)) {
			c.pins[p] = nets(x.Connections[p])
		}
		for p, v := range x.Parameters {
			c.params[p] = fmt.Sprint(v)
		}
		n.cells = append(n.cells, c)
	}
	for name, x := range m.Nets {
		if !strings.Contains(name, chooser) {
			continue
		}
		if name != chooser && !strings.HasSuffix(name, "."+chooser) || len(x.Bits) < chooserBits {
			return nil, fmt.Errorf("%s: %d bits of what chooses", name, len(x.Bits))
		}
		for i, net := range nets(x.Bits) {
			n.chooser[net] = i
		}
	}
	return n, n.index()
}

var outputs = map[string]bool{"Y": true, "Q": true, "RD_DATA": true}

// index finds drivers, registers and memories.
func (n *Netlist) index() error {
	for i := range n.cells {
		c := &n.cells[i]
		switch _, plain := gateKinds[c.kind]; {
		case plain:
			for _, p := range []string{"A", "B", "S"} {
				for _, net := range c.pins[p] {
					n.readers[net] = append(n.readers[net], c)
				}
			}
		case latchKind.MatchString(c.kind):
		case registerKind.MatchString(c.kind):
			c.at = len(n.regs)
			n.regs = append(n.regs, c)
		case c.kind == "$mem_v2":
			if strings.Contains(c.params["RD_CLK_ENABLE"], "1") {
				return fmt.Errorf("%s: a memory whose output is a register", c.name)
			}
			width, err := strconv.ParseUint(c.params["WIDTH"], 2, 32)
			if err != nil || width == 0 {
				return fmt.Errorf("%s: no width of a memory: %q", c.name, c.params["WIDTH"])
			}
			c.width = int(width)
			n.mems = append(n.mems, c)
		default:
			return fmt.Errorf("%s: no cell %s is known here", c.name, c.kind)
		}
		for p, list := range c.pins {
			if outputs[p] {
				for k, net := range list {
					n.driver[net] = pinOf{c, p, k}
				}
			}
		}
	}
	for _, c := range n.mems {
		c.at = len(n.regs) + n.columns
		n.columns += c.width
	}
	return n.oneClock()
}

// oneClock checks that all registers and memories are clocked by the same edge of one net.
func (n *Netlist) oneClock() error {
	clock := -1
	one := func(c *cell, net int) error {
		if clock != -1 && clock != net {
			return fmt.Errorf("%s: a second clock", c.name)
		}
		clock = net
		return nil
	}
	for _, c := range n.regs {
		if err := one(c, c.pins["C"][0]); err != nil {
			return err
		}
	}
	for _, c := range n.mems {
		if strings.Contains(c.params["WR_CLK_ENABLE"], "0") || strings.Contains(c.params["WR_CLK_POLARITY"], "0") {
			return fmt.Errorf("%s: not written at a rising edge", c.name)
		}
		for _, net := range c.pins["WR_CLK"] {
			if err := one(c, net); err != nil {
				return err
			}
		}
	}
	return nil
}
