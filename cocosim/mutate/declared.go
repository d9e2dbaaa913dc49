package mutate

// signal is what a module declares: a port, a net or a variable.
type signal struct {
	name, kind string // kind is the text of its type and range; "" is none that can be compared
	dir        string // input, output or inout; "" where it is no port
}

// module is what is declared in one.
type module struct {
	name     string
	from, to int // its tokens
	signals  []signal
	gives    bool // has outputs
}

// modulesOf are those of a source, in their order.
func modulesOf(t []token) (all []module) {
	for i := 0; i+1 < len(t); i++ {
		if t[i].text != "module" || t[i+1].kind != ident {
			continue
		}
		m := module{name: t[i+1].text, from: i}
		for i += 2; i < len(t)-1 && t[i].text != "endmodule"; {
			i = m.declaration(t, i)
		}
		m.to = i
		all = append(all, m)
	}
	return all
}

func (m *module) find(name string) *signal {
	for i := range m.signals {
		if m.signals[i].name == name {
			return &m.signals[i]
		}
	}
	return nil
}

// declaration takes what declares signals at a token, if anything does, and returns where to go on.
func (m *module) declaration(t []token, i int) int {
	switch t[i].text {
	case "function":
		return passed(t, i, "endfunction")
	case "task":
		return passed(t, i, "endtask")
	case "parameter", "localparam", "typedef", "import", "genvar":
		for ; i < len(t)-1 && t[i].text != ";" && t[i].text != "input" && t[i].text != "output"; i++ {
			if t[i].text == "{" || t[i].text == "(" {
				i = closing(t, i)
			}
			if t[i].text == ")" {
				return i
			}
		}
		return i
	case "input", "output", "inout":
		m.gives = m.gives || t[i].text != "input"
		return m.names(t, i+1, t[i].text)
	}
	if isType(t, i) {
		return m.names(t, i, "")
	}
	return i + 1
}

func passed(t []token, i int, end string) int {
	for ; i < len(t)-1 && t[i].text != end; i++ {
	}
	return i + 1
}

var plainTypes = map[string]bool{"logic": true, "wire": true, "reg": true, "bit": true}

// noTypes are words that two names in a row may begin with, and that begin no declaration of a signal.
var noTypes = map[string]bool{"assign": true, "begin": true, "end": true, "else": true, "if": true, "case": true,
	"endcase": true, "default": true, "always_comb": true, "always_ff": true, "always": true, "generate": true,
	"endgenerate": true, "unique": true, "posedge": true, "negedge": true, "or": true, "return": true, "for": true,
	"initial": true, "int": true, "integer": true, "assert": true, "assume": true, "module": true}

// isType reports whether a declaration begins at a token: a type, then a name with what may follow one.
func isType(t []token, i int) bool {
	if t[i].kind != ident || noTypes[t[i].text] || i > 0 && (t[i-1].text == "." || t[i-1].text == "::") {
		return false
	}
	if plainTypes[t[i].text] {
		return true
	}
	if i+2 < len(t) && t[i+1].text == "::" {
		i += 2
	}
	return i+2 < len(t) && t[i+1].kind == ident && !noTypes[t[i+1].text] &&
		(t[i+2].text == ";" || t[i+2].text == "," || t[i+2].text == "=" || t[i+2].text == ")")
}

// names takes the rest of a declaration: its type and the names that have it.
func (m *module) names(t []token, i int, dir string) int {
	kind := ""
	for ; i < len(t)-1; i++ {
		switch {
		case plainTypes[t[i].text] || t[i].text == "var":
			if kind == "" {
				kind = "logic "
			}
			continue
		case t[i].text == "[":
			end := closing(t, i)
			for ; i < end; i++ {
				kind += t[i].text + " "
			}
			kind += "] "
			continue
		case t[i].kind == ident && (t[i+1].kind == ident || t[i+1].text == "::") || t[i].text == "::":
			kind += t[i].text + " "
			continue
		}
		break
	}
	if kind == "" {
		kind = "logic "
	}
	for i < len(t)-1 && t[i].kind == ident {
		s := signal{name: t[i].text, kind: kind, dir: dir}
		for i++; i < len(t)-1 && t[i].text != "," && t[i].text != ";" && t[i].text != ")"; i++ {
			if t[i].text == "[" {
				s.kind = "" // not packed
			}
			switch t[i].text {
			case "(", "[", "{", "'{":
				i = closing(t, i)
			}
		}
		m.signals = append(m.signals, s)
		if t[i].text != "," || t[i+1].kind != ident || t[i+2].text != "," && t[i+2].text != ";" && t[i+2].text != "=" &&
			t[i+2].text != ")" && t[i+2].text != "[" {
			return i
		}
		i++
	}
	return i
}
