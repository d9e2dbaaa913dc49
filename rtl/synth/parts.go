package main

import (
	"maps"
	"slices"
	"strings"
)

// joined are the devices of which each module is mapped by itself, once a size, and put together behind that
// (joined.go): flat they are more than Yosys has done in an hour. Paths through several modules are walked as in any
// netlist; what mapping does not see is what one module knows of another, as an input that is always 0.
var joined = map[string]bool{"hca_rx": true, "hca_tx": true, "hca_top": true}

// partDepth is how deep an instance may lie that is a part by itself.
const partDepth = 2

// part is what lies in an instance of a joined device.
type part struct {
	Name string
	cost
}

// parts are the instances to a depth of partDepth; what lies deeper counts to the one that it lies in.
func (n *netlist) parts() (all []part) {
	counted := map[string]*cost{}
	for i := range n.cells {
		c := &n.cells[i]
		name := partOf(c.name)
		if counted[name] == nil {
			counted[name] = &cost{}
		}
		counted[name].count(c)
	}
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		all = append(all, part{name, *counted[name]})
	}
	return all
}

// partOf is the instance of a cell, by the name that flattening gave it: `$flatten\u_front.\u_gate.$auto$7` and
// `u_front.u_gate.mem.0.1` lie in u_front.u_gate.
func partOf(cell string) string {
	var path []string
	for name := range strings.SplitSeq(strings.TrimPrefix(cell, "$flatten"), ".") {
		name = strings.TrimPrefix(name, `\`)
		if strings.HasPrefix(name, "gen_") {
			continue
		}
		if !strings.HasPrefix(name, "u_") || len(path) == partDepth {
			break
		}
		path = append(path, name)
	}
	if len(path) == 0 {
		return "the rest"
	}
	return strings.Join(path, ".")
}
