package equiv

import (
	"fmt"
	"regexp"
)

// gateKind is what a gate makes of its pins A, B and S.
type gateKind func(g *graph, a, b, s lit) lit

// gateKinds are the gates that Yosys' simplemap leaves.
var gateKinds = map[string]gateKind{
	"$_BUF_":    func(_ *graph, a, _, _ lit) lit { return a },
	"$_NOT_":    func(_ *graph, a, _, _ lit) lit { return a.not() },
	"$_AND_":    func(g *graph, a, b, _ lit) lit { return g.and(a, b) },
	"$_NAND_":   func(g *graph, a, b, _ lit) lit { return g.and(a, b).not() },
	"$_OR_":     func(g *graph, a, b, _ lit) lit { return g.or(a, b) },
	"$_NOR_":    func(g *graph, a, b, _ lit) lit { return g.or(a, b).not() },
	"$_XOR_":    func(g *graph, a, b, _ lit) lit { return g.xor(a, b) },
	"$_XNOR_":   func(g *graph, a, b, _ lit) lit { return g.xor(a, b).not() },
	"$_ANDNOT_": func(g *graph, a, b, _ lit) lit { return g.and(a, b.not()) },
	"$_ORNOT_":  func(g *graph, a, b, _ lit) lit { return g.or(a, b.not()) },
	"$_MUX_":    func(g *graph, a, b, s lit) lit { return g.choose(s, b, a) },
}

// registerKind: $_DFF_P_, with an asynchronous reset $_DFF_PN0_, with one to a value that is computed $_ALDFF_PN_.
var registerKind = regexp.MustCompile(`^\$_(?:DFF_P_|DFF_P([NP])([01])_|ALDFF_P([NP])_)$`)

// maker makes the graph of both sides from a netlist.
type maker struct {
	*graph
	n    *Netlist
	free map[key]lit // inputs, the same for both sides

	decided map[uint32]map[int]lit // what a choice makes constant, by choice
}

// key is an input of the graph: a net that nothing drives, a register or a bit that a memory gives.
type key struct {
	cell *cell
	what string
	net  int
}

func (m *maker) leaf(k key) lit {
	l, ok := m.free[k]
	if !ok {
		l = m.input()
		m.free[k] = l
	}
	return l
}

// side is the netlist with one choice made.
type side struct {
	*maker
	id     uint32
	known  map[int]lit    // nets that the choice makes constant
	state  []lit          // of the registers
	read   func(key) lit  // what a memory gives
	done   [2]map[int]lit // nets; [1] those as before an asynchronous reset
	inside map[int]bool   // nets under way
	failed error
}

func (m *maker) side(id uint32) *side {
	if m.decided[id] == nil {
		m.decided[id] = m.n.decided(id)
	}
	s := &side{maker: m, id: id, known: m.decided[id], inside: map[int]bool{}}
	s.done[0], s.done[1] = map[int]lit{}, map[int]lit{}
	s.read = m.leaf
	for _, c := range m.n.regs {
		s.state = append(s.state, m.leaf(key{cell: c, what: "state"}))
	}
	return s
}

// net is the value of a net; raw is with registers as they were before an asynchronous reset.
func (s *side) net(net int, raw int) lit {
	if net == 0 || net == 1 {
		return lit(net)
	}
	if l, ok := s.done[raw][net]; ok {
		return l
	}
	l := s.make(net, raw)
	s.done[raw][net] = l
	return l
}

func (s *side) make(net, raw int) lit {
	if l, ok := s.known[net]; ok {
		return l
	}
	d, ok := s.n.driver[net]
	if !ok {
		return s.leaf(key{net: net})
	}
	way := net*2 + raw
	if s.inside[way] {
		s.failed = fmt.Errorf("%s: a loop of gates", d.cell.name)
		return no
	}
	s.inside[way] = true
	defer delete(s.inside, way)
	if f, ok := gateKinds[d.cell.kind]; ok {
		return s.gate(d.cell, f, raw)
	}
	if latchKind.MatchString(d.cell.kind) {
		return s.latch(d.cell, raw)
	}
	if d.port == "RD_DATA" {
		return s.read(key{d.cell, "word", d.bit})
	}
	if raw == 1 {
		return s.state[d.cell.at]
	}
	asserted, to := s.reset(d.cell)
	return s.choose(asserted, to, s.state[d.cell.at])
}

// gate is what a gate gives. Of a choice that is made the other operand is not looked at: with another number what
// leads there may be a loop.
func (s *side) gate(c *cell, f gateKind, raw int) lit {
	if c.kind == "$_MUX_" {
		if l, ok := s.known[c.pins["S"][0]]; ok {
			return s.net(c.pins[[]string{"A", "B"}[l]][0], raw)
		}
	}
	in := func(p string) lit {
		if list := c.pins[p]; len(list) > 0 {
			return s.net(list[0], raw)
		}
		return no
	}
	return f(s.graph, in("A"), in("B"), in("S"))
}

// latchKind is what a mutant leaves that drops an assignment: transparent in the design itself.
var latchKind = regexp.MustCompile(`^\$_DLATCH_[NP]_$`)

// latch is what a latch gives: anything where it holds.
func (s *side) latch(c *cell, raw int) lit {
	open := s.net(c.pins["E"][0], raw)
	if c.kind == "$_DLATCH_N_" {
		open = open.not()
	}
	return s.choose(open, s.net(c.pins["D"][0], raw), s.leaf(key{cell: c, what: fmt.Sprint("held ", s.id)}))
}

// reset is when an asynchronous reset is asserted, and what a register then is.
func (s *side) reset(c *cell) (asserted, to lit) {
	m := registerKind.FindStringSubmatch(c.kind)
	switch {
	case m[2] != "":
		asserted, to = s.net(c.pins["R"][0], 0), lit(m[2][0]-'0')
	case m[3] != "":
		asserted, to = s.net(c.pins["L"][0], 0), s.net(c.pins["AD"][0], 1)
	default:
		return no, no
	}
	if m[1] == "N" || m[3] == "N" {
		asserted = asserted.not()
	}
	return asserted, to
}

// next is what a register takes.
func (s *side) next(c *cell) lit {
	asserted, to := s.reset(c)
	return s.choose(asserted, to, s.net(c.pins["D"][0], 0))
}

// list are the values of a port of a cell.
func (s *side) list(c *cell, p string) (all []lit) {
	for _, net := range c.pins[p] {
		all = append(all, s.net(net, 0))
	}
	return all
}
