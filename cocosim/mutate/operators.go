package mutate

import (
	"fmt"
	"strconv"
	"strings"
)

// change is a mutation of a site: another text in place of its expression, or of its whole statement.
type change struct {
	operator string // of the list in docs/qualify.md
	text     string
	whole    bool // the statement is left out or replaced: text is a statement
	at       int  // token that it is about
}

// names are what the sources of a design declare, for changes that swap things of one kind.
type names struct {
	fields  map[string]string // a field of a packed struct: another of the same width and struct
	members map[string]string // a member of an enumeration: the next one
}

// precedence of binary operators, low binds loosely.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "~|": 3, "^": 4, "~^": 4, "^~": 4, "&": 5, "==": 6, "!=": 6, "===": 6, "!==": 6, "==?": 6,
	"!=?": 6,
	"<":   7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, "<<<": 8, ">>>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
	"**": 11,
}

var swaps = map[string][]string{
	"+": {"-"}, "-": {"+"}, "&": {"|"}, "|": {"&"}, "^": {"|"}, "&&": {"||"}, "||": {"&&"}, "==": {"!="}, "!=": {"=="},
	"<": {"<=", ">="}, "<=": {"<", ">"}, ">": {">=", "<="}, ">=": {">", "<"}, "<<": {">>"}, ">>": {"<<"},
}

// expression is the tokens of a site with the source they are cut from.
type expression struct {
	t        []token
	from, to int
	source   string
}

func (e *expression) cut(from, to int) string {
	if from >= to {
		return ""
	}
	return e.source[e.t[from].at:e.t[to-1].end]
}

// with is the expression with tokens from a to before b replaced.
func (e *expression) with(a, b int, text string) string {
	before, behind := "", ""
	if a > e.from {
		before = e.source[e.t[e.from].at:e.t[a].at]
	}
	if b < e.to {
		behind = e.source[e.t[b].at:e.t[e.to-1].end]
	}
	return before + text + behind
}

// isBinary reports whether the operator at k has something on its left.
func (e *expression) isBinary(k int) bool {
	if k == e.from {
		return false
	}
	p := e.t[k-1]
	return p.kind == ident || p.kind == number || p.text == ")" || p.text == "]" || p.text == "}"
}

// operands are where those of the binary operator at k begin and end.
func (e *expression) operands(k int) (left, right int) {
	level := precedence[e.t[k].text]
	for left = k; left > e.from; left-- {
		p := e.t[left-1]
		if p.text == ")" || p.text == "]" || p.text == "}" {
			left = e.opening(left-1) + 1
			continue
		}
		if e.bounds(left-1, level, true) {
			break
		}
	}
	for right = k + 1; right < e.to; right++ {
		switch p := e.t[right]; p.text {
		case "(", "[", "{", "'{":
			right = closing(e.t, right)
			continue
		}
		if right > k+1 && e.bounds(right, level, false) {
			break
		}
	}
	return left, right
}

// bounds reports whether the token at k ends an operand of an operator of a level.
func (e *expression) bounds(k, level int, left bool) bool {
	switch t := e.t[k]; t.text {
	case "(", "[", "{", "'{", ")", "]", "}", ",", "?", ":", ";":
		return true
	default:
		p, ok := precedence[t.text]
		return ok && t.kind == op && e.isBinary(k) && (p < level || !left && p == level)
	}
}

// opening is the bracket that the one at i closes.
func (e *expression) opening(i int) int {
	depth := 0
	for ; i > e.from; i-- {
		switch e.t[i].text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{", "'{":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// changes are all that the operators make of a site.
func changes(s site, t []token, source string, n *names) (all []change) {
	e := &expression{t, s.from, s.to, source}
	old := e.cut(s.from, s.to)
	add := func(name string, at int, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != old {
			all = append(all, change{operator: name, text: text, at: at})
		}
	}
	if s.use == condition && !s.isCase {
		add("condition always", s.from, "1'b1")
		add("condition never", s.from, "1'b0")
		add("condition negated", s.from, "!(%s)", old)
	}
	for k := s.from; k < s.to; k++ {
		e.atToken(k, n, add)
	}
	if s.use == blocking || s.use == nonblocking {
		all = append(all, change{operator: "assignment dropped", text: ";", whole: true, at: s.left})
	}
	e.bits(s, old, add)
	return all
}

type adder func(name string, at int, format string, args ...any)

// atToken are the changes about one token.
func (e *expression) atToken(k int, n *names, add adder) {
	t := e.t[k]
	switch {
	case t.kind == number && e.t[k+1].kind != cast:
		for _, c := range constants(t.text) {
			add("constant", k, "%s", e.with(k, k+1, c))
		}
	case t.kind == ident && k > e.from && e.t[k-1].text == "." && n.fields[t.text] != "":
		add("other field", k, "%s", e.with(k, k+1, n.fields[t.text]))
	case t.kind == ident && k > e.from && e.t[k-1].text == "::" && n.members[t.text] != "":
		add("other member", k, "%s", e.with(k, k+1, n.members[t.text]))
	case t.kind == op && e.isBinary(k) && precedence[t.text] > 0:
		e.binary(k, add)
	case t.text == "~" || t.text == "!":
		add("negation dropped", k, "%s", e.with(k, k+1, ""))
	case (t.text == "|" || t.text == "&") && e.t[k+1].text != t.text:
		add("reduction", k, "%s", e.with(k, k+1, map[string]string{"|": "&", "&": "|"}[t.text]))
	case t.text == "?":
		from := k
		for from > e.from {
			p := e.t[from-1].text
			if p == ")" || p == "]" || p == "}" {
				from = e.opening(from - 1)
				continue
			}
			if p == "(" || p == "[" || p == "{" || p == "'{" || p == "," || p == "?" || p == ":" {
				break
			}
			from--
		}
		add("choice always the first", k, "%s", e.with(from, k, "1'b1 "))
		add("choice always the second", k, "%s", e.with(from, k, "1'b0 "))
	case t.text == "{":
		e.swapElements(k, add)
	}
}

// binary are the changes about a binary operator.
func (e *expression) binary(k int, add adder) {
	t := e.t[k].text
	for _, other := range swaps[t] {
		add("operator", k, "%s", e.with(k, k+1, other))
	}
	switch t {
	case "&", "|", "&&", "||", "+", "-", "^":
		left, right := e.operands(k)
		add("operand dropped", k, "%s", e.with(k, right, ""))
		if t != "-" {
			add("operand dropped", k, "%s", e.with(left, k+1, ""))
		}
	}
}

// swapElements swaps neighbours of a concatenation.
func (e *expression) swapElements(k int, add adder) {
	end := closing(e.t, k)
	starts := []int{k + 1}
	for i := k + 1; i < end; i++ {
		switch e.t[i].text {
		case "(", "[", "'{":
			i = closing(e.t, i)
		case "{":
			return // a replication, or one inside
		case ",":
			starts = append(starts, i+1)
		}
	}
	starts = append(starts, end+1)
	for i := 0; i+2 < len(starts) && i < 3; i++ {
		a, b, c := starts[i], starts[i+1], starts[i+2]
		if one, other := e.cut(a, b-1), e.cut(b, c-1); one != other {
			add("elements swapped", a, "%s", e.with(a, c-1, other+", "+one))
		}
	}
}

// bits are changes of single bits of what is assigned.
func (e *expression) bits(s site, old string, add adder) {
	if s.use == condition || s.use == connection || strings.Contains(old, "'{") || s.left >= s.from || e.isConstant() {
		return
	}
	target := e.cut(s.left, s.from-1)
	if strings.ContainsAny(target, "{") {
		return
	}
	add("highest bit dropped", s.from, "(%s) & ~(($bits(%s))'(1) << ($bits(%s) - 1))", old, target, target)
	add("a bit dropped", s.from, "(%s) & ~(($bits(%s))'(1) << ($bits(%s) / 3))", old, target, target)
	for k := s.from; k < s.to; k++ {
		switch e.t[k].text {
		case "(", "[", "{":
			k = closing(e.t, k)
		case "+", "-":
			if !e.isBinary(k) {
				continue
			}
			if left, right := e.operands(k); left == s.from && right == s.to {
				for _, at := range []string{"/ 2", "- 1"} {
					add("carry cut", k, "((%s) & ~({$bits(%s){1'b1}} << ($bits(%s) %s))) | ((%s) & ({$bits(%s){1'b1}} << ($bits(%s) "+
						"%s)))",
						old, target, target, at, e.cut(left, k), target, target, at)
				}
			}
			return
		case "?", "|", "&", "==", "<", ">":
			return
		}
	}
}

// isConstant reports whether an expression is a number or the name of one: other operators change those.
func (e *expression) isConstant() bool {
	switch e.to - e.from {
	case 1:
		return e.t[e.from].kind == number
	case 3:
		return e.t[e.from+1].text == "::"
	}
	return false
}

// constants are others in place of one.
func constants(text string) []string {
	switch text {
	case "'0":
		return []string{"'1"}
	case "'1":
		return []string{"'0"}
	}
	size, digits, base := "", strings.ReplaceAll(text, "_", ""), 10
	prefix := ""
	if i := strings.IndexByte(digits, '\''); i >= 0 {
		size, prefix = digits[:i], digits[i:i+2]
		b := strings.IndexByte("bodh", prefix[1]|0x20)
		if b < 0 {
			return nil
		}
		base, digits = []int{2, 8, 10, 16}[b], digits[i+2:]
	}
	v, err := strconv.ParseUint(strings.TrimSpace(digits), base, 64)
	if err != nil {
		return nil
	}
	width, _ := strconv.Atoi(strings.TrimSpace(size))
	format := func(v uint64) string {
		if width > 0 && width < 64 {
			v &= 1<<width - 1
		}
		return size + prefix + strings.ToUpper(strconv.FormatUint(v, base))
	}
	out := []string{format(v + 1)}
	if v > 0 && width != 1 {
		out = append(out, format(v-1))
	}
	if width > 2 {
		out = append(out, format(v^1<<(width-1)))
	}
	return out
}
