package equiv

// lit is a node of a graph, or its inverse: twice the node, plus one.
type lit uint32

const (
	no  lit = 0
	yes lit = 1
)

func (l lit) not() lit  { return l ^ 1 }
func (l lit) node() int { return int(l >> 1) }

// graph is of AND gates and inverters, in which what is built the same way is one node. Node 0 is constant 0; a node
// whose first operand is leaf stands for an input.
type graph struct {
	nodes []gate
	seen  map[gate]lit
}

type gate [2]lit

const leaf = ^lit(0)

func newGraph() *graph { return &graph{nodes: []gate{{leaf, leaf}}, seen: map[gate]lit{}} }

func (g *graph) input() lit {
	g.nodes = append(g.nodes, gate{leaf, leaf})
	return lit(2 * (len(g.nodes) - 1))
}

func (g *graph) isInput(n int) bool { return n > 0 && g.nodes[n][0] == leaf }

func (g *graph) and(a, b lit) lit {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == no || a == b.not():
		return no
	case a == yes || a == b:
		return b
	}
	if l, ok := g.seen[gate{a, b}]; ok {
		return l
	}
	if l, ok := g.absorbed(a, b); ok {
		return l
	}
	if l, ok := g.absorbed(b, a); ok {
		return l
	}
	g.nodes = append(g.nodes, gate{a, b})
	l := lit(2 * (len(g.nodes) - 1))
	g.seen[gate{a, b}] = l
	return l
}

// absorbed is a and b where b is a gate that has a, or its inverse, as an operand.
func (g *graph) absorbed(a, b lit) (lit, bool) {
	x := g.nodes[b.node()]
	if x[0] == leaf {
		return 0, false
	}
	inverted := b&1 == 1
	for i := range x {
		switch {
		case x[i] == a && !inverted:
			return b, true
		case x[i] == a:
			return g.and(a, x[1-i].not()), true
		case x[i] == a.not() && !inverted:
			return no, true
		case x[i] == a.not():
			return a, true
		}
	}
	return 0, false
}

func (g *graph) or(a, b lit) lit  { return g.and(a.not(), b.not()).not() }
func (g *graph) xor(a, b lit) lit { return g.or(g.and(a, b.not()), g.and(a.not(), b)) }

// choose is a where s is 1, and b where it is 0.
func (g *graph) choose(s, a, b lit) lit {
	switch {
	case a == b:
		return a
	case s == yes:
		return a
	case s == no:
		return b
	}
	return g.or(g.and(s, a), g.and(s.not(), b))
}

// cone is what some literals depend on, in the order of the graph.
func (g *graph) cone(roots []lit) (in []bool) {
	in = make([]bool, len(g.nodes))
	for _, l := range roots {
		in[l.node()] = true
	}
	for n := len(in) - 1; n > 0; n-- {
		if in[n] && !g.isInput(n) {
			in[g.nodes[n][0].node()], in[g.nodes[n][1].node()] = true, true
		}
	}
	return in
}

// simulate gives every node 64 values, those of inputs drawn.
func (g *graph) simulate(draw func() uint64) []uint64 {
	v := make([]uint64, len(g.nodes))
	for n := 1; n < len(v); n++ {
		if g.isInput(n) {
			v[n] = draw()
			continue
		}
		x := g.nodes[n]
		v[n] = value(v, x[0]) & value(v, x[1])
	}
	return v
}

func value(v []uint64, l lit) uint64 { return v[l.node()] ^ -uint64(l&1) }
