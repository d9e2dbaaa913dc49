package mutate

// use is what a site is.
type use uint8

const (
	condition  use = iota // of an if, or what a case looks at
	continuous            // the right side of an assign, or of a net's declaration
	blocking              // a statement
	nonblocking
	connection // of an input of an instance
)

// site is a place that can be mutated: an expression from token `from` to before `to`, and the statement around it.
type site struct {
	use          use
	from, to     int // the expression
	left         int // first token of what is assigned; left == from where nothing is
	stop         int // the token behind the statement, or behind the expression
	inFunction   string
	isCase       bool
	plain        bool   // connected or assigned as it is, without an operator: other changes, numbered behind all others
	implicit     bool   // of a connection: .port, without the name of what is connected
	port         int    // of a connection: its port
	operatorText string // = or <=
}

// scan finds the sites of a source.
type scan struct {
	t     []token
	sites []site
	fn    string
}

// scanSource finds sites in order. What is a constant at elaboration (parameters, generate conditions, ranges) is no
// site.
func scanSource(t []token) []site {
	s := scan{t: t}
	for i := 0; i < len(t)-1; {
		i = s.item(i)
	}
	return s.sites
}

// item takes one item of a module or package and returns where the next one starts.
func (s *scan) item(i int) int {
	switch word := s.t[i].text; word {
	case "always", "always_comb", "always_ff", "always_latch":
		return s.statement(s.skipEvent(i + 1))
	case "function", "task":
		return s.function(i)
	case "assign":
		return s.assigns(i + 1)
	case "wire":
		return s.declaration(i + 1)
	case "initial", "final":
		return s.skipStatement(i + 1)
	case "parameter", "localparam", "typedef", "import", "export", "genvar", "assert", "assume", "cover", "property",
		"sequence":
		return s.after(i, ";")
	case "#":
		if s.t[i+1].text == "(" {
			return closing(s.t, i+1) + 1
		}
	case ".":
		return s.connect(i)
	}
	return i + 1
}

// after is the token behind the next one of a text outside brackets.
func (s *scan) after(i int, text string) int {
	for ; i < len(s.t)-1; i++ {
		switch s.t[i].text {
		case text:
			return i + 1
		case "(", "[", "{", "'{":
			i = closing(s.t, i)
		}
	}
	return i
}

// skipEvent passes @(...) and #delay.
func (s *scan) skipEvent(i int) int {
	if s.t[i].text == "@" {
		if i++; s.t[i].text == "(" {
			return closing(s.t, i) + 1
		}
		return i + 1
	}
	return i
}

func (s *scan) function(i int) int {
	end := map[string]string{"function": "endfunction", "task": "endtask"}[s.t[i].text]
	head := i
	for ; i < len(s.t)-1 && s.t[i].text != "(" && s.t[i].text != ";"; i++ {
	}
	if s.t[head+1].kind == text { // of an import
		return s.after(head, ";")
	}
	s.fn = s.t[i-1].text
	for i = s.after(head, ";"); i < len(s.t)-1 && s.t[i].text != end; {
		i = s.statement(i)
	}
	s.fn = ""
	return i + 1
}

// assigns takes the assignments of one assign.
func (s *scan) assigns(i int) int {
	for {
		left := i
		eq := s.find(i, "=")
		end := s.endOf(eq + 1)
		s.add(site{use: continuous, left: left, from: eq + 1, to: end, stop: end})
		if s.t[end].text != "," {
			return end + 1
		}
		i = end + 1
	}
}

// declaration takes a wire that is declared with a value.
func (s *scan) declaration(i int) int {
	end := s.after(i, ";") - 1
	for k := i; k < end; k++ {
		switch s.t[k].text {
		case "(", "[", "{", "'{":
			k = closing(s.t, k)
		case "=":
			stop := s.endOf(k + 1)
			s.add(site{use: continuous, left: k - 1, from: k + 1, to: stop, stop: stop})
			k = stop
		}
	}
	return end + 1
}

// find is the next token of a text outside brackets; never past a semicolon.
func (s *scan) find(i int, text string) int {
	for ; i < len(s.t)-1 && s.t[i].text != text && s.t[i].text != ";"; i++ {
		switch s.t[i].text {
		case "(", "[", "{", "'{":
			i = closing(s.t, i)
		}
	}
	return i
}

// endOf is the comma or semicolon that ends an expression.
func (s *scan) endOf(i int) int {
	for ; i < len(s.t)-1; i++ {
		switch s.t[i].text {
		case ",", ";", ")":
			return i
		case "(", "[", "{", "'{":
			i = closing(s.t, i)
		}
	}
	return i
}

// connect takes .port(expression) and .port: an expression with an operator belongs to an input. Whether another does,
// the modules say (wiring).
func (s *scan) connect(i int) int {
	if s.t[i+1].kind != ident {
		return i + 1
	}
	if next := s.t[i+2].text; next == "," || next == ")" {
		if before := s.t[i-1].text; before == "," || before == "(" {
			s.add(site{use: connection, left: i + 1, from: i + 1, to: i + 2, stop: i + 2, plain: true, implicit: true,
				port: i + 1})
		}
		return i + 2
	}
	if s.t[i+2].text != "(" {
		return i + 1
	}
	end := closing(s.t, i+2)
	for k := i + 3; k < end; k++ {
		switch s.t[k].text {
		case "[":
			k = closing(s.t, k)
		case "&", "|", "~", "!", "==", "!=", "?", "+", "-", "&&", "||", "^", "<", ">":
			s.add(site{use: connection, left: i + 3, from: i + 3, to: end, stop: end, port: i + 1})
			return end + 1
		}
	}
	s.add(site{use: connection, left: i + 3, from: i + 3, to: end, stop: end, plain: true, port: i + 1})
	return end + 1
}

// skipStatement passes a statement without looking into it.
func (s *scan) skipStatement(i int) int {
	keep := len(s.sites)
	i = s.statement(i)
	s.sites = s.sites[:keep]
	return i
}

// statement takes one statement and returns where the next one starts.
func (s *scan) statement(i int) int {
	switch s.t[i].text {
	case ";":
		return i + 1
	case "begin":
		for i = s.label(i + 1); i < len(s.t)-1 && s.t[i].text != "end"; {
			i = s.statement(i)
		}
		return s.label(i + 1)
	case "unique", "priority", "unique0":
		return s.statement(i + 1)
	case "if":
		end := closing(s.t, i+1)
		s.add(site{use: condition, left: i + 2, from: i + 2, to: end, stop: end})
		i = s.statement(end + 1)
		if s.t[i].text == "else" {
			return s.statement(i + 1)
		}
		return i
	case "case", "casez", "casex":
		return s.cases(i)
	case "for", "while", "repeat":
		return s.statement(closing(s.t, i+1) + 1)
	case "assert", "assume", "cover":
		return s.after(i, ";")
	case "return":
		end := s.after(i, ";")
		return end
	}
	return s.assignment(i)
}

// label passes the name of a block.
func (s *scan) label(i int) int {
	if s.t[i].text == ":" {
		return i + 2
	}
	return i
}

func (s *scan) cases(i int) int {
	end := closing(s.t, i+1)
	s.add(site{use: condition, left: i + 2, from: i + 2, to: end, stop: end, isCase: true})
	i = end + 1
	if s.t[i].text == "inside" {
		i++
	}
	for i < len(s.t)-1 && s.t[i].text != "endcase" {
		for s.t[i].text != ":" && s.t[i].text != ";" && i < len(s.t)-1 {
			switch s.t[i].text {
			case "(", "[", "{", "'{":
				i = closing(s.t, i)
			case "default":
				if s.t[i+1].text != ":" {
					i++
					goto body
				}
			}
			i++
		}
		i++
	body:
		i = s.statement(i)
	}
	return i + 1
}

// assignment takes a statement that is none of the others: an assignment, a declaration or a call.
func (s *scan) assignment(i int) int {
	end := s.after(i, ";") - 1
	for k := i; k < end; k++ {
		switch s.t[k].text {
		case "(", "[", "{", "'{":
			k = closing(s.t, k)
		case "=", "<=":
			u := blocking
			if s.t[k].text == "<=" {
				u = nonblocking
			}
			if isDeclaration(s.t[i:k]) {
				return end + 1
			}
			s.add(site{use: u, left: i, from: k + 1, to: end, stop: end + 1, operatorText: s.t[k].text})
			return end + 1
		}
	}
	return end + 1
}

// isDeclaration reports whether what stands left of an = declares it: two names in a row.
func isDeclaration(t []token) bool {
	for k := 0; k+1 < len(t); k++ {
		if t[k].kind == ident && t[k+1].kind == ident {
			return true
		}
		if t[k].text == "]" && t[k+1].kind == ident {
			return true
		}
	}
	return len(t) == 0 || t[0].kind != ident && t[0].text != "{"
}

func (s *scan) add(x site) {
	x.inFunction = s.fn
	if x.from < x.to {
		s.sites = append(s.sites, x)
	}
}
