package main

import (
	"sort"
	"strings"
)

// depth is how far a net is from the registers before it.
type depth struct{ levels, cells int }

func (d depth) max(e depth) depth { return depth{max(d.levels, e.levels), max(d.cells, e.cells)} }

// measure counts the cells and walks the paths.
func (n *netlist) measure() figures {
	var f figures
	p := paths{netlist: n, driver: map[int]*cell{}, known: map[*cell]depth{}, groups: map[string]depth{}}
	for i := range n.cells {
		c := &n.cells[i]
		f.count(c)
		for _, net := range c.out {
			p.driver[net] = c
		}
	}
	f.Enable, f.Reach = n.enables()
	p.walk(&f)
	for name, d := range p.groups {
		f.Stages = append(f.Stages, stage{name, d.levels, d.cells})
	}
	sort.Slice(f.Stages, func(i, j int) bool { return f.Stages[i].Name < f.Stages[j].Name })
	return f
}

// count adds a cell to those of its kind.
func (f *cost) count(c *cell) {
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
}

// paths are those of a netlist, from registers and inputs to registers and outputs.
type paths struct {
	*netlist
	driver map[int]*cell    // of a net
	known  map[*cell]depth  // at the outputs of a cell
	groups map[string]depth // into a group of registers
}

// walk ends a path at each register, memory and output.
func (p *paths) walk(f *figures) {
	for i := range p.cells {
		c := &p.cells[i]
		if !c.isRegister() || len(c.out) == 0 {
			continue
		}
		d := p.deepest(c.in)
		if c.isMemory() {
			p.end(f, memoryName(c.name), "memories", d)
			continue
		}
		p.end(f, p.name[c.out[0]], stageOf(p.name[c.out[0]]), d)
	}
	for _, net := range p.outputs {
		p.end(f, p.name[net], stageOf(p.name[net]), p.at(net))
	}
}

// at is how deep a net is. Of a memory of LUTs a path goes on through the address.
func (p *paths) at(net int) depth {
	c := p.driver[net]
	if c == nil || c.isRegister() && !c.isLUTMemory() {
		return depth{}
	}
	if d, ok := p.known[c]; ok {
		return d
	}
	through := c.in
	if c.isLUTMemory() {
		through = c.address
	}
	d := p.deepest(through)
	d.cells++
	if c.isLUT() || c.isLUTMemory() {
		d.levels++
	}
	p.known[c] = d
	return d
}

// deepest is the most levels and the most cells of several nets.
func (p *paths) deepest(nets []int) (d depth) {
	for _, net := range nets {
		d = d.max(p.at(net))
	}
	return d
}

// end notes a path that ends at name: the longest one of all, and of its group.
func (p *paths) end(f *figures, name, group string, d depth) {
	p.groups[group] = p.groups[group].max(d)
	if d.levels > f.Levels || d.levels == f.Levels && name < f.Worst {
		f.Levels, f.Worst = d.levels, name
	}
	f.Cells = max(f.Cells, d.cells)
}
