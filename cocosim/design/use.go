package design

// maxDepth ends the walk through a hierarchy.
const maxDepth = 32

// use gathers what a module, and the modules in it, do with a signal.
func (r *reader) use(module *node, signal string, depth int) (u Use) {
	if module == nil || depth > maxDepth {
		return u
	}
	for i := range module.Nodes {
		n := &module.Nodes[i]
		switch {
		case n.is("always"):
			u.add(block(n, signal))
		case n.is("instance"):
			for k := range n.Nodes {
				inverted, name := operand(&n.Nodes[k])
				if n.Nodes[k].is("port") && name == signal {
					u.add(r.use(r.modules[n.attr("defName")], n.Nodes[k].attr("name"), depth+1).inverted(inverted))
				}
			}
		case n.is("contassign") && len(n.Nodes) == 2: // another name for the signal
			inverted, name := operand(&node{Nodes: n.Nodes[:1]})
			if _, alias := operand(&node{Nodes: n.Nodes[1:]}); name == signal && alias != "" && alias != signal {
				u.add(r.use(module, alias, depth+1).inverted(inverted))
			}
		case n.is("begin") || n.is("generate"):
			u.add(r.use(n, signal, depth+1))
		}
	}
	return u
}

func (u *Use) add(v Use) {
	u.Clock += v.Clock
	u.FallingClock += v.FallingClock
	u.AsyncLow += v.AsyncLow
	u.AsyncHigh += v.AsyncHigh
	u.SyncLow += v.SyncLow
	u.SyncHigh += v.SyncHigh
}

func (u Use) inverted(is bool) Use {
	if is {
		u.AsyncLow, u.AsyncHigh, u.SyncLow, u.SyncHigh = u.AsyncHigh, u.AsyncLow, u.SyncHigh, u.SyncLow
		u.FallingClock = u.Clock - u.FallingClock
	}
	return u
}

// operand is the signal that an expression is, or is the opposite of; "" for another expression.
func operand(n *node) (inverted bool, name string) {
	if len(n.Nodes) != 1 {
		return false, ""
	}
	e := &n.Nodes[0]
	switch {
	case e.is("varref"):
		return false, e.attr("name")
	case e.is("not") || e.is("lognot"):
		inverted, name = operand(e)
		return !inverted, name
	}
	return false, ""
}

// block is what one always block does with a signal.
func block(n *node, signal string) (u Use) {
	list := n.child("sentree")
	if list == nil {
		return u
	}
	edge := ""
	for i := range list.Nodes {
		if _, name := operand(&list.Nodes[i]); name == signal {
			edge = list.Nodes[i].attr("edgeType")
		}
	}
	tested, low := reset(n, signal)
	switch {
	case edge != "" && len(list.Nodes) == 1:
		u.Clock = 1
		if edge == "NEG" {
			u.FallingClock = 1
		}
	case edge != "" && (tested || !testsOther(n, list, signal) && reads(n, signal)):
		if edge == "NEG" {
			u.AsyncLow = 1
		} else {
			u.AsyncHigh = 1
		}
	case edge != "":
		u.Clock = 1
	case tested && low:
		u.SyncLow = 1
	case tested:
		u.SyncHigh = 1
	}
	return u
}

// reads reports whether a block reads a signal beyond its list: a reset is read, and a clock is not, also where the
// test of the reset was turned into logic.
func reads(n *node, signal string) bool {
	for i := range n.Nodes {
		c := &n.Nodes[i]
		if c.is("sentree") {
			continue
		}
		if c.is("varref") && c.attr("name") == signal || reads(c, signal) {
			return true
		}
	}
	return false
}

// testsOther reports whether a block begins with a test of another signal of its list: that one is the reset then.
func testsOther(n, list *node, signal string) bool {
	for i := range list.Nodes {
		if _, name := operand(&list.Nodes[i]); name != "" && name != signal {
			if t, _ := reset(n, name); t {
				return true
			}
		}
	}
	return false
}

// reset reports whether a block begins with a test of the signal of which one branch, that of low or high, sets nothing
// but constants.
func reset(n *node, signal string) (tested, low bool) {
	first := firstTest(n)
	if first == nil || len(first.Nodes) < 3 {
		return false, false
	}
	inverted, name := operand(&node{Nodes: first.Nodes[:1]})
	if name != signal {
		return false, false
	}
	yes, no := constants(&first.Nodes[1]), constants(&first.Nodes[2])
	if yes == no {
		return false, false
	}
	return true, no != inverted
}

// firstTest is the if that a block consists of.
func firstTest(n *node) *node {
	for i := range n.Nodes {
		c := &n.Nodes[i]
		switch {
		case c.is("if") || c.is("cond"):
			return c
		case c.is("begin"), c.is("assigndly"):
			if t := firstTest(c); t != nil {
				return t
			}
		}
	}
	return nil
}

// constants reports whether all that a branch assigns is constants.
func constants(n *node) bool {
	if n.is("const") {
		return true
	}
	if n.is("assigndly") || n.is("assign") {
		return n.Nodes[0].is("const") || n.Nodes[0].is("replicate") && len(n.Nodes[0].Nodes) > 0 &&
			n.Nodes[0].Nodes[0].is("const")
	}
	if n.is("varref") || n.is("if") || n.is("case") || len(n.Nodes) == 0 {
		return false
	}
	for i := range n.Nodes {
		if !constants(&n.Nodes[i]) {
			return false
		}
	}
	return true
}
