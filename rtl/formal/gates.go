package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// gates is a flat module of one clock, as write_json tells it behind simplemap: gates of one bit, in an order in which
// each has its inputs, and registers.
type gates struct {
	inputs, outputs map[string][]int // nets of a port, lowest bit first
	names           map[int]string   // public name of a net, without the blocks that it stands in and its bit
	comb            []gate
	flops           []gate
}

// gate has its nets by pin: A, B, S, D in, Y or Q out. Nets 0 and 1 are the constants.
type gate struct {
	kind string
	pin  map[string]int
}

// out is what the gate drives.
func (g *gate) out() int {
	if g.isFlop() {
		return g.pin["Q"]
	}
	return g.pin["Y"]
}

func (g *gate) isFlop() bool { return g.kind == "$_DFF_P_" }

// in is what the gate reads in its clock, but for the clock itself.
func (g *gate) in() []int {
	var nets []int
	for _, pin := range []string{"A", "B", "S", "D"} {
		if net, ok := g.pin[pin]; ok {
			nets = append(nets, net)
		}
	}
	return nets
}

// known are the gates that evaluation and rules understand.
var known = []string{"$_XOR_", "$_AND_", "$_OR_", "$_NOT_", "$_MUX_", "$_DFF_P_"}

// gateModule is a module as Yosys' write_json gives it, as far as it is read here.
type gateModule struct {
	Ports map[string]struct {
		Direction string
		Bits      []any
	}
	Cells map[string]struct {
		Type        string
		Connections map[string][]any
	}
	Netnames map[string]struct {
		Hide int `json:"hide_name"`
		Bits []any
	}
}

func readGates(file, top string) (*gates, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var design struct{ Modules map[string]gateModule }
	if err := json.Unmarshal(text, &design); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	m, ok := design.Modules[top]
	if !ok {
		return nil, fmt.Errorf("%s: no module %s", file, top)
	}
	n := &gates{inputs: map[string][]int{}, outputs: map[string][]int{}, names: map[int]string{}}
	n.takePorts(&m)
	comb, err := n.takeCells(&m)
	if err != nil {
		return nil, err
	}
	n.comb, err = n.inOrder(comb)
	return n, err
}

// takePorts reads inputs and outputs, and the names of nets: an input's is its port's.
func (n *gates) takePorts(m *gateModule) {
	for name, p := range m.Ports {
		if p.Direction == "input" {
			n.inputs[name] = netsOf(p.Bits)
		} else {
			n.outputs[name] = netsOf(p.Bits)
		}
	}
	for name, net := range m.Netnames {
		if net.Hide == 0 {
			n.name(name, netsOf(net.Bits))
		}
	}
	for name, port := range n.inputs {
		for _, net := range port {
			n.names[net] = name
		}
	}
}

// takeCells reads the flops and gives the other gates, in no order.
func (n *gates) takeCells(m *gateModule) (comb []gate, err error) {
	for name, c := range m.Cells {
		g := gate{kind: c.Type, pin: map[string]int{}}
		if !slices.Contains(known, g.kind) {
			return nil, fmt.Errorf("a cell of kind %s: %s", g.kind, name)
		}
		for pin, bits := range c.Connections {
			g.pin[pin] = netsOf(bits)[0]
		}
		if g.isFlop() {
			n.flops = append(n.flops, g)
		} else {
			comb = append(comb, g)
		}
	}
	return comb, nil
}

// name keeps a register's name of several, else the shortest.
func (n *gates) name(name string, nets []int) {
	name = name[strings.LastIndex(name, ".")+1:]
	for _, net := range nets {
		old, ok := n.names[net]
		isReg, wasReg := strings.HasSuffix(name, "_q"), strings.HasSuffix(old, "_q")
		if !ok || isReg && !wasReg || isReg == wasReg && len(name) < len(old) {
			n.names[net] = name
		}
	}
}

// netsOf gives the constants as 0 and 1. An x is -1, which nothing drives.
func netsOf(bits []any) []int {
	nets := make([]int, len(bits))
	for i, b := range bits {
		switch b := b.(type) {
		case float64:
			nets[i] = int(b)
		case string:
			nets[i] = slices.Index([]string{"0", "1"}, b)
		}
	}
	return nets
}

// sources are the nets that are there at the begin of a clock.
func (n *gates) sources() []int {
	nets := []int{0, 1}
	for _, port := range n.inputs {
		nets = append(nets, port...)
	}
	for i := range n.flops {
		nets = append(nets, n.flops[i].out())
	}
	return nets
}

// inOrder sorts gates so that each stands behind those that it reads.
func (n *gates) inOrder(all []gate) ([]gate, error) {
	readers, missing := map[int][]int{}, make([]int, len(all))
	for i := range all {
		for _, net := range all[i].in() {
			readers[net] = append(readers[net], i)
			missing[i]++
		}
	}
	var sorted []gate
	ready := n.sources()
	for len(ready) > 0 {
		net := ready[0]
		ready = ready[1:]
		for _, i := range readers[net] {
			if missing[i]--; missing[i] == 0 {
				sorted = append(sorted, all[i])
				ready = append(ready, all[i].out())
			}
		}
		delete(readers, net)
	}
	if len(sorted) != len(all) {
		return nil, fmt.Errorf("%d of %d gates lie in a loop or read what nothing drives", len(all)-len(sorted), len(all))
	}
	return sorted, nil
}

// lanes are the values of a net in many runs at once, 64 a word.
type lanes []uint64

// clock gives the registers behind a clock, from what all sources are in front of it. It leaves what every gate gives
// in value.
func (n *gates) clock(value map[int]lanes) {
	for i := range n.comb {
		g := &n.comb[i]
		a, b, s := value[g.pin["A"]], value[g.pin["B"]], value[g.pin["S"]]
		y := value[g.out()]
		if y == nil {
			y = make(lanes, len(a))
			value[g.out()] = y
		}
		for w := range y {
			switch g.kind {
			case "$_XOR_":
				y[w] = a[w] ^ b[w]
			case "$_AND_":
				y[w] = a[w] & b[w]
			case "$_OR_":
				y[w] = a[w] | b[w]
			case "$_NOT_":
				y[w] = ^a[w]
			case "$_MUX_":
				y[w] = a[w]&^s[w] | b[w]&s[w]
			}
		}
	}
	next := make([]lanes, len(n.flops))
	for i := range n.flops {
		next[i] = slices.Clone(value[n.flops[i].pin["D"]])
	}
	for i := range n.flops {
		value[n.flops[i].out()] = next[i]
	}
}
