package equiv

// decided are the nets that a number makes constant, whatever inputs and registers are: its own bits, and gates of
// which enough pins are known.
func (n *Netlist) decided(id uint32) map[int]lit {
	known := map[int]lit{0: no, 1: yes}
	for net, bit := range n.chooser {
		known[net] = lit(id >> bit & 1)
	}
	var todo []int
	for net := range known {
		todo = append(todo, net)
	}
	g := newGraph()
	anything := map[string]lit{"A": g.input(), "B": g.input(), "S": g.input()}
	for len(todo) > 0 {
		net := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range n.readers[net] {
			y := c.pins["Y"][0]
			if _, ok := known[y]; ok {
				continue
			}
			in := func(p string) lit {
				if list := c.pins[p]; len(list) > 0 {
					if l, ok := known[list[0]]; ok {
						return l
					}
				}
				return anything[p]
			}
			if l := gateKinds[c.kind](g, in("A"), in("B"), in("S")); l == no || l == yes {
				known[y] = l
				todo = append(todo, y)
			}
		}
	}
	return known
}
