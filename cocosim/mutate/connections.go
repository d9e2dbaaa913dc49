package mutate

import "fmt"

// wiring is what the modules of a design declare, for changes of what is connected or assigned as it is.
type wiring struct {
	modules map[string]*module
	edges   map[string]bool // names of clocks and resets: what edges are taken of, and what is connected to that
	clocks  map[string]bool
}

// newWiring reads the modules of a design. A clock is what the manifest calls so, and every port that
// it goes to.
func newWiring(files []source, clocks []string) *wiring {
	w := &wiring{modules: map[string]*module{}, edges: map[string]bool{}, clocks: map[string]bool{}}
	for f := range files {
		s := &files[f]
		s.modules = modulesOf(s.t)
		for i := range s.modules {
			w.modules[s.modules[i].name] = &s.modules[i]
		}
		for i, t := range s.t[:len(s.t)-1] {
			if t.text == "posedge" || t.text == "negedge" {
				w.edges[s.t[i+1].text] = true
			}
		}
	}
	for _, name := range clocks {
		w.clocks[name] = true
	}
	for grown := true; grown; {
		grown = false
		for f := range files {
			for _, x := range files[f].sites {
				port, from := files[f].t[x.port].text, files[f].t[x.from].text
				if x.port == 0 || x.to != x.from+1 {
					continue
				}
				for _, set := range []map[string]bool{w.edges, w.clocks} {
					grown = grown || set[from] != set[port]
					set[port] = set[port] || set[from]
					set[from] = set[port]
				}
			}
		}
	}
	return w
}

// moduleAt is the module that a token lies in; nil is none.
func (s *source) moduleAt(i int) *module {
	for k := range s.modules {
		if m := &s.modules[k]; m.from < i && i < m.to {
			return m
		}
	}
	return nil
}

// listOf is the bracket of the list of connections that has one with its port at token i.
func listOf(t []token, i int) int {
	depth := 0
	for ; i > 0 && depth >= 0; i-- {
		switch t[i].text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{", "'{":
			depth--
		case ";":
			return 0
		}
	}
	return i + 1
}

// instanceOf is the module of the instance that has the port at token i: NAME #(...) instance (.port(...).
func instanceOf(t []token, i int) string {
	i = listOf(t, i)
	if i -= 2; i < 1 || t[i+1].kind != ident {
		return ""
	}
	if t[i].text == ")" {
		if i = listOf(t, i-1) - 2; i < 0 || t[i+1].text != "#" {
			return ""
		}
	}
	return t[i].text
}

// changes are those of a site that is connected or assigned as it is: to an input of an instance, and of a signal that
// the module declares. Anything may be tied to zeros or ones, but a clock; a whole signal is swapped for a neighbour of
// the same type: what the next input of the instance takes, else the next that the module declares.
func (w *wiring) changes(s *source, at int, n *names) (all []change) {
	x := s.sites[at]
	if x.use == condition || x.use == connection && !x.plain || x.use != connection && !asIs(s.t[x.from:x.to]) ||
		!w.isPlace(s, x) {
		return nil
	}
	m := s.moduleAt(x.from)
	e := &expression{s.t, x.from, x.to, s.text}
	old := e.cut(x.from, x.to)
	add := func(name, text string) {
		if text != old {
			all = append(all, change{operator: name, text: text, at: x.from})
		}
	}
	if x.use == connection {
		for k := x.from; k < x.to; k++ { // an assignment has had these
			e.atToken(k, n, func(name string, _ int, format string, args ...any) { add(name, fmt.Sprintf(format, args...)) })
		}
	}
	add("tied", "'0")
	add("tied", "'1")
	if other := w.neighbour(s, at, m); other != "" {
		add("neighbour", other)
	}
	return all
}

// isPlace reports whether a site without an operator is one: of a signal that the module declares, no clock, and where
// it is connected, to an input.
func (w *wiring) isPlace(s *source, x site) bool {
	m := s.moduleAt(x.from)
	return m != nil && x.inFunction == "" && !w.clocks[s.t[x.from].text] && w.isSignal(s, x, m) &&
		(x.use != connection || w.isInput(s, x))
}

// asIs reports whether an expression is a signal or a part of one.
func asIs(t []token) bool {
	for k := 0; k < len(t); k++ {
		switch {
		case t[k].text == "[":
			k += closing(t[k:], 0)
			if t[min(k, len(t)-1)].text != "]" {
				return false
			}
		case t[k].kind != ident && t[k].text != ".":
			return false
		}
	}
	return true
}

// isSignal reports whether all names of a site that stand for themselves are signals of the module.
func (w *wiring) isSignal(s *source, x site, m *module) bool {
	found := false
	for k := x.from; k < x.to; k++ {
		t := s.t[k]
		if t.kind != ident || k > x.from && (s.t[k-1].text == "." || s.t[k-1].text == "::") {
			continue
		}
		if s.t[k+1].text == "::" || s.t[k+1].text == "(" || s.t[k+1].kind == cast {
			return false
		}
		declared := m.find(t.text)
		found = found || declared != nil && (declared.kind != "" || s.t[k+1].text == "[")
	}
	return found
}

// neighbour is the signal that is taken in place of that of a site; "" is none.
func (w *wiring) neighbour(s *source, at int, m *module) string {
	x := s.sites[at]
	name := s.t[x.from].text
	own := m.find(name)
	if x.to != x.from+1 || own == nil || own.kind == "" || w.edges[name] {
		return ""
	}
	fits := func(other string) bool {
		o := m.find(other)
		return o != nil && o.kind == own.kind && other != name && !w.edges[other]
	}
	if x.use == connection {
		var others []site
		list := listOf(s.t, x.port)
		for _, y := range s.sites[max(0, at-mostPorts):min(len(s.sites), at+mostPorts)] {
			if y.use == connection && listOf(s.t, y.port) == list && y.to == y.from+1 && fits(s.t[y.from].text) &&
				w.isInput(s, y) {
				others = append(others, y)
			}
		}
		for _, y := range others {
			if y.from > x.from {
				return s.t[y.from].text
			}
		}
		if len(others) > 0 {
			return s.t[others[0].from].text
		}
	}
	for i := range m.signals {
		if m.signals[i].name != name {
			continue
		}
		for k := 1; k < len(m.signals); k++ {
			o := m.signals[(i+k)%len(m.signals)].name
			if fits(o) && (x.left >= x.from || s.t[x.left].text != o) {
				return o
			}
		}
	}
	return ""
}

// mostPorts bounds how far apart connections of one instance are looked for.
const mostPorts = 200

// isInput reports whether a connection goes to an input of a module that does not only watch.
func (w *wiring) isInput(s *source, x site) bool {
	to := w.modules[instanceOf(s.t, x.port)]
	if to == nil || !to.gives {
		return false
	}
	p := to.find(s.t[x.port].text)
	return p != nil && p.dir == "input"
}
